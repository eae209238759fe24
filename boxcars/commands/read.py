"""`boxcars read`: what lies in each picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_calibrated
from boxcars.commands.options import JsonOption, PictureCalibrationOption
from boxcars.console import (
    ExitCode,
    Refusal,
    advance,
    progress,
    refusing,
    say,
    write_json,
    write_lines,
)

if TYPE_CHECKING:
    from vision.records import DieReading, Image


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("read", epilog="Example: boxcars read tray.jpg --annotate seen.jpg")(read)


def read(
    images: Annotated[
        list[Path],
        typer.Argument(
            help="Pictures, or folders of pictures.", show_default=False, readable=False
        ),
    ],
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Draw what was seen: a file for one picture, a folder for several.",
            show_default=False,
        ),
    ] = None,
    calibration: PictureCalibrationOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Read the dice in pictures; a die that is not certain is shown with its doubts."""
    from time import perf_counter

    from boxcars.readings import reading_to_dict
    from calibration.profile import ProfileError
    from vision.pictures import UnreadablePicture, load_picture

    pictures = _pictures(images)
    drawings = _drawings(annotate, pictures)
    empty: list[Path] = []
    unreadable: list[str] = []
    reader = open_calibrated(calibration)
    with progress("Reading", len(pictures)) as bar:
        for path, drawing in zip(pictures, drawings, strict=True):
            try:
                image = load_picture(path)
            except UnreadablePicture as error:
                unreadable.append(str(error))
                advance(bar)
                continue
            start = perf_counter()
            with refusing(ProfileError):
                readings = reader.read(image)
            spent_ms = round((perf_counter() - start) * 1000, 1)
            if not readings:
                empty.append(path)
            if drawing is not None:
                _draw(drawing, image, readings)
            if as_json:
                dice = [reading_to_dict(reading) for reading in readings]
                write_json({"image": str(path), "dice": dice, "ms": spent_ms})
            elif readings:
                from boxcars.show import reading_lines

                write_lines(reading_lines(path, readings))
            advance(bar)
    _complain(unreadable, empty)


def _complain(unreadable: Sequence[str], empty: Sequence[Path]) -> None:
    """Say what could not be read, one sentence each, and end with exit code 2 if anything."""
    sentences = [*unreadable, *(f"{path} shows no dice." for path in empty)]
    if sentences:
        for sentence in sentences:
            say(f"boxcars: {sentence}")
        raise typer.Exit(ExitCode.WRONG_USE)


def _pictures(paths: Sequence[Path]) -> list[Path]:
    """The pictures named, with folders replaced by the pictures in them, in name order."""
    from vision.pictures import UnreadablePicture
    from vision.sources import PictureSource, RecordingSource, SourceError, open_source

    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        with refusing(SourceError, UnreadablePicture), open_source(path) as source:
            if isinstance(source, PictureSource):
                found.extend(source.paths)
            elif isinstance(source, RecordingSource):
                found.extend(picture for picture, _ in source.kept)
    return found


def _drawings(annotate: Path | None, pictures: Sequence[Path]) -> list[Path | None]:
    """Where to draw each picture, checked before the first is read; folders are made."""
    if annotate is None:
        return [None] * len(pictures)
    if len(pictures) == 1 and annotate.suffix and not annotate.is_dir():
        drawings = [annotate]
    elif annotate.is_file():
        raise Refusal(f"{annotate} is a file; several pictures need a folder to be drawn into.")
    else:
        drawings = [annotate / path.name for path in pictures]
    from vision.pictures import PICTURE_SUFFIXES

    if drawings[0].suffix.lower() not in PICTURE_SUFFIXES:
        raise Refusal(f"{drawings[0]} must end in {', '.join(sorted(PICTURE_SUFFIXES))}.")
    if len(set(drawings)) < len(drawings):
        raise Refusal("Two pictures have the same name, so their drawings would be the same file.")
    inputs = {path.resolve() for path in pictures}
    same = [path for path in drawings if path.resolve() in inputs]
    if same:
        raise Refusal(f"{same[0]} is a picture to be read; choose another place to draw it.")
    with refusing(OSError):
        for drawing in drawings:
            drawing.parent.mkdir(parents=True, exist_ok=True)
    return [*drawings]


def _draw(path: Path, image: Image, readings: Sequence[DieReading]) -> None:
    """Write the picture with the readings drawn on it."""
    import cv2

    from vision.annotate import annotate

    done, data = cv2.imencode(path.suffix.lower(), annotate(image, readings))
    if not done:
        raise Refusal(f"{path} cannot be written as {path.suffix}.")
    with refusing(OSError):
        path.write_bytes(data.tobytes())
