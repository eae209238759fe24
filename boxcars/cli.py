"""The command line: which commands there are, and how each ends."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn, TextIO

import typer

from boxcars import __version__
from boxcars.commands import (
    advise,
    bench,
    calibrate,
    cameras,
    check,
    demo,
    evaluate,
    games,
    play,
    read,
    score,
    simulate,
)
from boxcars.console import ExitCode, Refusal, say
from boxcars.usage import usage_refusal

app = typer.Typer(
    name="boxcars",
    help="Referee and scorekeeper for the dice game Box Cars: reads ten d10 from pictures.",
    epilog="Example: boxcars demo",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (score, check, advise, read, evaluate, play, cameras, demo, bench, simulate):
    module.add_to(app)
app.add_typer(games.app, name="games")
app.add_typer(calibrate.app, name="calibrate")


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"boxcars {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _boxcars(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def run(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit code; whatever happens, no traceback is shown.

    Set `BOXCARS_DEBUG=1` to see the traceback of an unexpected error.
    """
    try:
        answer = app(args=arguments, prog_name="boxcars", standalone_mode=False)
        sys.stdout.flush()
    except Refusal as refusal:
        say(f"boxcars: {refusal}")
        return refusal.code
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as stop:
        # Typer and rich exit with 1, our "no", when whoever read our output has gone; our
        # commands never exit so. What completes words for a shell does, and may; what shows or
        # installs that exits with 0.
        fine = not stop.code or "_BOXCARS_COMPLETE" in os.environ
        return int(stop.code or 0) if fine else _reader_gone()
    except OSError as error:
        _write_no_more()
        say(f"boxcars: {error.filename or 'The output'}: {error.strerror or error}.")
        return ExitCode.WRONG_USE
    except Exception as error:
        if _interrupted and isinstance(error, ImportError):
            # Compiled modules say so when Ctrl-C comes while they load.
            return _stopped()
        wrong_use = usage_refusal(error)
        if wrong_use is not None:
            say(f"boxcars: {wrong_use}")
            return ExitCode.WRONG_USE
        if os.environ.get("BOXCARS_DEBUG"):
            traceback.print_exc()
        say(
            f"boxcars: unexpected {type(error).__name__}: {error} – this is a fault of ours; "
            "set BOXCARS_DEBUG=1 to see where."
        )
        return ExitCode.BUG
    if answer == ExitCode.INTERRUPTED:
        return _stopped()
    return int(answer or 0)


def _stopped() -> ExitCode:
    say("boxcars: stopped.")
    return ExitCode.INTERRUPTED


def _reader_gone() -> ExitCode:
    _write_no_more()
    return ExitCode.BROKEN_PIPE


def _write_no_more() -> None:
    """Let standard output lead nowhere: Python would complain again when it closes it."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


_interrupted = False
"""Whether somebody pressed Ctrl-C."""


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    global _interrupted
    _interrupted = True
    signal.default_int_handler(number, frame)


def main() -> NoReturn:
    """The program `boxcars`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    # Started without them, by `pythonw` or with `>&-`, it writes nowhere.
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8 everywhere, and no terminal's encoding may break a sentence.
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(run())
