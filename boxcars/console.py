"""What every command shares: exit codes, refusals, JSON lines and progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

PLAIN_WIDTH = 100
"""Columns to use where the output is no terminal, so that a piped table never depends on one."""


class ExitCode(IntEnum):
    """What a command's exit code says; other programs rely on it."""

    FINE = 0
    NO = 1
    WRONG_USE = 2
    CANNOT_TELL = 3
    BUG = 70
    """A fault of ours (`EX_SOFTWARE`): nothing a caller could have meant."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Refusal(Exception):
    """The command cannot do what was asked; its message is one sentence for the user."""

    def __init__(self, message: str, code: ExitCode = ExitCode.WRONG_USE) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def refusing(*errors: type[Exception]) -> Iterator[None]:
    """Turn the named errors, whose messages are meant for users, into a `Refusal`."""
    try:
        yield
    except errors as error:
        if isinstance(error, OSError) and error.filename and error.strerror:
            raise Refusal(f"{error.filename}: {error.strerror}.") from error
        raise Refusal(str(error)) from error


@contextmanager
def refusals_said() -> Iterator[None]:
    """For a program beside `boxcars`: say a `Refusal` and end with its exit code."""
    try:
        yield
    except Refusal as refusal:
        say(f"boxcars: {refusal}")
        raise SystemExit(int(refusal.code)) from None


def now_text() -> str:
    """The time of day as records keep it: ISO 8601 text, to the second."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def say(message: str) -> None:
    """Write one line for people to standard error."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


def write_json(record: Mapping[str, object]) -> None:
    """Write one JSON object as one line on standard output, at once."""
    write_line(json.dumps(record, ensure_ascii=False))


def write_line(line: str) -> None:
    """Write one line on standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write_file(path: Path, data: bytes) -> None:
    """Write a file that the user named, and make its folder; what cannot be is refused."""
    if path.parent.is_file():
        raise Refusal(f"{path.parent} is a file, so {path.name} cannot be written into it.")
    with refusing(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_lines(lines: Iterable[RenderableType]) -> None:
    """Write lines and tables for people on standard output, colourful on a terminal.

    Lines are never broken by us; where standard output is no terminal, tables are
    `PLAIN_WIDTH` columns wide at most.
    """
    from rich.console import Console
    from rich.text import Text

    # A player's name may hold what rich would take for markup or the name of an emoji.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(
            highlight=False, markup=False, emoji=False, width=PLAIN_WIDTH, color_system=None
        )
    for line in lines:
        # A rich console would write past the proxy that keeps a progress bar and lines apart.
        with console.capture() as capture:
            console.print(line, soft_wrap=isinstance(line, str | Text))
        sys.stdout.write(capture.get())
    sys.stdout.flush()


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Progress | None]:
    """A progress bar on standard error while the body runs; None where that is no terminal.

    The bar has one task; call `advance(bar)` after each step.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    # Where both go to the terminal, lines on standard output are printed above the bar; where
    # standard output is a file or a pipe, it must be left alone.
    with Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()
    ) as bar:
        bar.add_task(description, total=total)
        yield bar


def advance(bar: Progress | None) -> None:
    """Move the bar that `progress` gave one step on."""
    if bar is not None:
        bar.advance(bar.task_ids[0])
