"""`boxcars bench`: how long reading takes on this computer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_reader
from boxcars.commands.options import JsonOption
from boxcars.console import advance, progress, refusing, write_json, write_lines

if TYPE_CHECKING:
    from vision.records import Image

LARGE = (1920, 1080)
"""Width and height to which the first picture is enlarged for the second case."""

FEWER_DICE_RUNS = 10
"""Runs with each of the pictures that only tell what one more die costs."""


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("bench", epilog="Example: boxcars bench --runs 20")(bench)


def bench(
    picture: Annotated[
        Path | None,
        typer.Argument(
            help="The picture to read; without it, ten sample dice at 1280 × 720.", readable=False
        ),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="How often each picture is read.")] = 50,
    threads: Annotated[int, typer.Option(min=1, help="Threads the nets may use.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure the reading's speed by stage, its memory, and the time to a first reading."""
    import cv2

    from boxcars.bench import first_reading_s, ms_per_die, peak_memory_mb, time_picture
    from samples import GAME
    from vision.pictures import UnreadablePicture, load_picture

    path = picture or GAME / "000-t1-roll10-roll.jpg"
    with refusing(UnreadablePicture):
        image = load_picture(path)
    large: Image = cv2.resize(image, LARGE, interpolation=cv2.INTER_CUBIC).astype(image.dtype)
    others = [] if picture else sorted(GAME.glob("*-t1-*-pickup.jpg"))
    with progress("Measuring", 2 * runs + FEWER_DICE_RUNS * len(others)) as bar:

        def on_run() -> None:
            advance(bar)

        reader = open_reader(threads)
        cases = [time_picture(reader, it, runs, on_run) for it in (image, large)]
        fewer = [
            time_picture(reader, load_picture(other), FEWER_DICE_RUNS, on_run) for other in others
        ]
    per_die_ms = ms_per_die([cases[0], *fewer])
    memory_mb = peak_memory_mb()
    start_s = first_reading_s(path)
    if as_json:
        write_json(
            {
                "threads": threads,
                "cases": [case.to_dict() for case in cases],
                "ms_per_further_die": None if per_die_ms is None else round(per_die_ms, 3),
                "peak_memory_mb": memory_mb,
                "first_reading_s": round(start_s, 3),
            }
        )
        return
    from boxcars.tables import bench_table

    write_lines([bench_table(cases), "", f"threads          {threads}"])
    if per_die_ms is not None:
        write_lines([f"one more die     {per_die_ms:.2f} ms"])
    if memory_mb is not None:
        write_lines([f"peak memory      {memory_mb:.0f} MB"])
    write_lines([f"first reading    {start_s:.2f} s after start"])
