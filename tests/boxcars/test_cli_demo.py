"""`demo`, `--version`, help and the other things a newcomer tries first."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from boxcars import __version__
from boxcars.journal import FILE_NAME, Journal
from boxcars.session import Session
from boxcars.sim import DEMO_SEED, Deed
from boxcars.sim.evening import calm_evening
from samples import GAME
from tests.boxcars.table import STARTED
from tests.running import TIMEOUT_S, boxcars, command, environment, python_process

COMMANDS = [
    [],
    ["score"],
    ["check"],
    ["advise"],
    ["read"],
    ["evaluate"],
    ["play"],
    ["demo"],
    ["simulate"],
    ["bench"],
    ["games"],
    ["games", "list"],
    ["games", "show"],
    ["games", "export"],
    ["games", "replay"],
]


def test_demo_shows_people_what_happens_from_the_beginning() -> None:
    """The whole of it is played from the wheel, in test_wheel."""
    process = subprocess.Popen(
        command("demo", "--fast"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline() for _ in range(4)]
        process.stdout.close()
        assert process.stderr.read() == ""
    first = next(truth for truth in calm_evening(DEMO_SEED).truth if truth.deed is Deed.ROLL)
    roll = " ".join(map(str, first.faces))
    assert lines == ["Ann plays.\n", "\n", "Ann, turn 1\n", f"roll 10     {roll}\n"]


def test_version() -> None:
    ran = boxcars("--version")
    assert (ran.code, ran.out) == (0, f"boxcars {__version__}\n")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran = boxcars(*command, "--help")
    assert (ran.code, ran.err) == (0, "")
    examples = [line.strip() for line in ran.out.splitlines() if "Example: " in line]
    assert len(examples) == 1
    words = shlex.split(examples[0].removeprefix("Example: "))
    assert words[: 1 + len(command)] == ["boxcars", *command]


@pytest.mark.parametrize("command", [["score"], ["advise"], ["check"]], ids=lambda words: words[0])
def test_the_examples_work(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    help_text = boxcars(*command, "--help").out
    (example,) = [line for line in help_text.splitlines() if "Example: " in line]
    words = shlex.split(example.strip().removeprefix("Example: boxcars "))
    assert boxcars(*words).code in (0, 1)


def test_scoring_starts_quickly_because_it_loads_no_nets(tmp_path: Path) -> None:
    heavy = {"cv2", "numpy", "onnxruntime", "sqlite3"}
    assert loaded_by(["score", "1234567890"], heavy, tmp_path) == set()


def test_games_are_listed_without_computer_vision(tmp_path: Path) -> None:
    with Journal(tmp_path / FILE_NAME) as journal:
        Session.begin(journal, ["Ann"], started=STARTED, source="sim")
    for wanted in ("list", "show"):
        words = ["games", wanted, "--data", str(tmp_path)]
        assert loaded_by(words, {"cv2", "onnxruntime", "calibration"}, tmp_path) == set()


def test_a_game_without_a_page_loads_no_web_server(tmp_path: Path) -> None:
    picture = min(GAME.glob("*.jpg"))
    words = ["play", "--source", str(picture), "--no-page", "--data", str(tmp_path)]
    assert loaded_by(words, {"cv2", "starlette", "uvicorn"}, tmp_path) == {"cv2"}


def loaded_by(words: list[str], modules: set[str], folder: Path) -> set[str]:
    """Which of these modules a command loads in a process of its own."""
    probe = (
        f"import json, sys; from boxcars.cli import run; assert run({words!r}) == 0; "
        f"print(json.dumps([it for it in {sorted(modules)!r} if it in sys.modules]))"
    )
    ran = python_process("-c", probe, cwd=folder)
    assert ran.code == 0, ran.err
    return set(json.loads(ran.out.splitlines()[-1]))


def test_shell_completion_knows_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "boxcars"],
        env=environment()
        | {
            "_BOXCARS_COMPLETE": "complete_bash",
            "COMP_WORDS": "boxcars ev",
            "COMP_CWORD": "1",
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.stdout.split() == ["evaluate"]
