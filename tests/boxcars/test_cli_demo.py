"""`demo`, `--version`, help and the other things a newcomer tries first."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from boxcars import __version__
from boxcars.sim import DEMO_SEED, Deed
from boxcars.sim.evening import calm_evening
from tests.running import TIMEOUT_S, boxcars, environment

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


@pytest.mark.slow
def test_demo_plays_a_game_at_the_simulated_table_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOXCARS_DATA", str(tmp_path / "data"))
    truth = calm_evening(DEMO_SEED).truth
    ran = boxcars("demo", "--fast", "--json")
    assert (ran.code, ran.err) == (0, "")
    told = ran.records
    throws = [record["faces"] for record in told if record["event"] in ("roll", "reroll")]
    assert throws == [list(t.faces) for t in truth if t.deed in (Deed.ROLL, Deed.REROLL)]
    (illegal,) = [t for t in truth if t.illegal]
    alarms = [r for r in told if r["event"] == "pickup" and r["verdict"] == "illegal"]
    assert alarms[0]["picked_up"] == list(illegal.faces)
    assert alarms[0]["reasons"] == ["breakdown-without-way-car"]
    # Taken back, it is nobody's reroll.
    assert not [r for r in told if r["event"] == "reroll" and r["verdict"] == "illegal"]
    scores = [record["points"] for record in told if record["event"] == "score"]
    assert scores == [t.points for t in truth if t.deed is Deed.SCORE]
    assert told[-1]["totals"] == {"Ann": sum(scores)}
    assert list(tmp_path.iterdir()) == []


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
    probe = (
        "import sys; from boxcars.cli import run; run(['score', '1234567890']); "
        "print({'cv2', 'numpy', 'onnxruntime', 'sqlite3'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    assert done.stdout.splitlines()[-1] == "set()"


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
