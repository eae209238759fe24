"""Wrong use is told in plain words, with the help of the command that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxcars.usage import usage_refusal
from tests.running import assert_refused, boxcars

LIBRARY_WORDS = ("Input", "Value error", "pars")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "--seed", "a3"], ["'--seed'", "a3", "See boxcars simulate --help."]),
        (["simulate", "--games", "0"], ["'--games'", "1", "0", "See boxcars simulate --help."]),
        (["play", "--port", "99999"], ["'--port'", "65535", "See boxcars play --help."]),
        (["calibrate", "dice", "0", "--die", "big"], ["'--die'", "See boxcars calibrate dice "]),
        (["calibrate", "board", "--paper", "a3"], ["'a3' is not one of 'a4', 'letter'."]),
        (
            ["calibrate", "views"],
            ["Missing argument 'SOURCE'. See boxcars calibrate views --help."],
        ),
        (["games", "nonsense"], ["No such command 'nonsense'. See boxcars games --help."]),
        (["nonsense"], ["No such command 'nonsense'. See boxcars --help."]),
    ],
)
def test_wrong_use_is_told_plainly(arguments: list[str], words: list[str]) -> None:
    ran = boxcars(*arguments)
    assert_refused(ran, *words)
    for library in LIBRARY_WORDS:
        assert library not in ran.err


def test_other_errors_are_left_alone() -> None:
    assert usage_refusal(ValueError("of all things")) is None


@pytest.fixture
def shell_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, and a shell that is named rather than looked for."""
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def test_showing_completion_is_fine(shell_named: Path) -> None:
    ran = boxcars("--show-completion", "bash")
    assert (ran.code, ran.err) == (0, "")
    assert "_BOXCARS_COMPLETE" in ran.out


def test_installing_completion_is_fine(shell_named: Path) -> None:
    ran = boxcars("--install-completion", "bash")
    assert (ran.code, ran.err) == (0, "")
    assert (shell_named / ".bashrc").is_file()
