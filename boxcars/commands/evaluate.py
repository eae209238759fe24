"""`boxcars evaluate`: how well a folder of pictures is read, against its truth."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from boxcars.commands.opening import open_reader
from boxcars.commands.options import JsonOption
from boxcars.console import advance, progress, refusing, write_json, write_lines

MOST_JOBS = 4


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("evaluate", epilog="Example: boxcars evaluate samples/photoreal-game")(evaluate)


def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder with pictures and a truth.json.", show_default=False, readable=False
        ),
    ],
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Pictures read at once; changes the time, never the figures. "
            f"Without it, one for each processor, {MOST_JOBS} at most.",
            show_default=False,
        ),
    ] = None,
    mistakes: Annotated[
        bool, typer.Option("--mistakes", help="Also list each die that was not read rightly.")
    ] = False,
    calibration: Annotated[
        str,
        typer.Option(
            metavar="FILE|truth|none",
            help="What is known of the camera: a profile's file for all pictures, or each "
            "picture's tray corners in truth.json.",
        ),
    ] = "none",
    as_json: JsonOption = False,
) -> None:
    """Count right, doubtful, wrong and missed dice in pictures whose truth is known."""
    from boxcars.calibrating import reading_calibrated
    from boxcars.evaluate import evaluate as measure
    from boxcars.truth import TruthUnreadable, load_truth
    from calibration.profile import ProfileError
    from vision.pictures import UnreadablePicture

    with refusing(TruthUnreadable, UnreadablePicture, ProfileError):
        pictures = load_truth(folder)
        read = reading_calibrated(calibration)
        with progress("Reading", len(pictures)) as bar:
            evaluation = measure(
                pictures,
                open_reader,
                read=read,
                jobs=jobs or min(os.cpu_count() or 1, MOST_JOBS),
                on_picture=lambda: advance(bar),
            )
    if as_json:
        listed = {"mistakes": list(evaluation.mistakes)} if mistakes else {}
        write_json(evaluation.to_dict() | listed)
        return
    from boxcars.tables import evaluation_tables, mistakes_table

    for table in evaluation_tables(evaluation):
        write_lines([table, ""])
    if mistakes:
        write_lines([mistakes_table(evaluation)])
