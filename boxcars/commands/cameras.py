"""`boxcars cameras`: which cameras this computer has."""

from __future__ import annotations

import typer

from boxcars.commands.options import JsonOption
from boxcars.console import say, write_json, write_line


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("cameras", epilog="Example: boxcars cameras")(cameras)


def cameras(as_json: JsonOption = False) -> None:
    """List the cameras; `boxcars play --source` takes a camera's number or a part of its name."""
    # Only here: whoever scores a roll needs no computer vision.
    from vision.cameras import list_cameras

    found = list_cameras()
    for camera in found:
        if as_json:
            write_json(
                {
                    "number": camera.number,
                    "name": camera.name,
                    "model": camera.model or None,
                    "place": camera.place or None,
                    "identity": camera.identity,
                }
            )
        else:
            write_line(f"{camera.number:2}  {camera.name}")
    if not found:
        say(
            "No camera is plugged in. A phone can be one: start a webcam app on it and give its "
            "address, like boxcars play --source http://10.0.0.7:8080/video"
        )
    elif not as_json:
        say(f"Play with one of them: boxcars play --source {found[0].number}")
