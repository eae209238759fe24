"""Running the command line in tests: in this process where nothing else is at stake."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxcars.cli import run

ROOT = Path(__file__).parent.parent

TIMEOUT_S = 300
"""No command in a test may take longer."""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Its JSON lines; anything else on standard output fails."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def record(self) -> dict[str, Any]:
        """Its only JSON line."""
        (record,) = self.records
        return record


@dataclass(frozen=True)
class Played:
    """The sample game as `boxcars play --json` showed it, and the folder of its record."""

    ran: Ran
    data: Path


def boxcars(*arguments: str | Path) -> Ran:
    """Run one command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Ran(int(code), out.getvalue(), err.getvalue())


def command(*arguments: str | Path) -> list[str]:
    """The command line that starts `boxcars` in a process of its own."""
    return [sys.executable, "-m", "boxcars", *map(str, arguments)]


def environment() -> dict[str, str]:
    """This process's environment, in which `boxcars` is found from every folder."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}


def boxcars_process(*arguments: str | Path, cwd: Path | None = None) -> Ran:
    """Run one command line in a process of its own."""
    return python_process("-m", "boxcars", *map(str, arguments), cwd=cwd)


def python_process(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run Python with these arguments in a process of its own."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def assert_refused(ran: Ran, *words: str) -> None:
    """The command ended with exit code 2 and one sentence that has these words in it."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert_one_sentence(ran.err, *words)


def assert_one_sentence(err: str, *words: str) -> None:
    """Standard error holds one line for people, and it has these words in it."""
    assert err.startswith("boxcars: ")
    assert err.endswith((".\n", "?\n"))
    assert err.count("\n") == 1, err
    for word in words:
        assert word in err
