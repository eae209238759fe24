"""`boxcars demo`: a whole game at the simulated table, read and refereed before your eyes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from boxcars.commands.opening import open_watcher
from boxcars.commands.options import JsonOption
from boxcars.commands.play import event_printer
from boxcars.console import write_line

PLAYER = "Ann"


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("demo", epilog="Example: boxcars demo --fast")(demo)


def demo(
    fast: Annotated[
        bool, typer.Option("--fast", help="As fast as this computer can, not in real time.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Play a game at the simulated table: its pictures are read, refereed and scored live.

    It takes two and a half minutes and needs no camera. Once, somebody picks up dice that may
    not be rerolled. Nothing of it is kept.
    """
    from boxcars.journal import FILE_NAME, Journal
    from boxcars.session import Session
    from boxcars.sim import open_sim
    from vision.settle import settler_for

    show = event_printer(as_json)
    reader = open_watcher()
    with (
        TemporaryDirectory(prefix="boxcars-demo-") as folder,
        Journal(Path(folder) / FILE_NAME) as journal,
        open_sim(fast=fast) as source,
    ):
        session = Session.begin(journal, [PLAYER], started="", source=source.spec)
        for event in session.events:
            show(event)
        for event in session.play(source, settler_for(source, reader)):
            show(event)
    if not as_json:
        write_line(
            "\nNow with your own dice: boxcars play --source CAMERA, or a folder of pictures"
        )
