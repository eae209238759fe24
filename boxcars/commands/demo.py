"""`boxcars demo`: a whole game from the sample pictures."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Annotated

import typer

from boxcars.commands.opening import open_reader
from boxcars.commands.options import JsonOption
from boxcars.commands.play import event_printer
from boxcars.console import write_line

PAUSE_S = 0.5
"""Between two events on a terminal, so that one can follow."""

PLAYER = "Ann"


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("demo", epilog="Example: boxcars demo --fast")(demo)


def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between events.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play the sample game: fifty pictures of dice, read, refereed and scored before your eyes.

    Nothing of it is kept.
    """
    from boxcars.journal import FILE_NAME, Journal
    from boxcars.session import Session
    from samples import GAME
    from vision.settle import settler_for
    from vision.sources import open_source

    pause_s = 0.0 if fast or as_json or not sys.stdout.isatty() else PAUSE_S
    show = event_printer(as_json)
    with (
        TemporaryDirectory(prefix="boxcars-demo-") as folder,
        Journal(Path(folder) / FILE_NAME) as journal,
        open_source(GAME) as source,
    ):
        session = Session.begin(journal, [PLAYER], started="", source=str(GAME))
        for event in session.events:
            show(event)
        for event in session.play(source, settler_for(source, open_reader())):
            show(event)
            sleep(pause_s)
    if not as_json:
        write_line("\nNow with your own pictures: boxcars play --source FOLDER")
