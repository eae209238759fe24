"""A picture of what is not read rightly: one tile for each die asked about, misread or missed.

`python -m boxcars.failures FOLDER... --out PICTURE` reads the folders (each with a truth.json)
and draws the tiles. Only for pictures whose licence lets them be copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from boxcars.console import Refusal, refusals_said, refusing, write_file
from boxcars.matching import Judged, Outcome, judge_picture
from boxcars.truth import TruthUnreadable, load_truth
from vision.pictures import PICTURE_SUFFIXES, UnreadablePicture, load_picture
from vision.reader import DiceReader
from vision.records import Box, Image

TILE = 150
COLUMNS = 8
FONT, FONT_SCALE = cv2.FONT_HERSHEY_SIMPLEX, 0.38


def tiles(folder: Path, reader: DiceReader) -> Iterator[Image]:
    """One tile for each die of the folder that was not read rightly."""
    for picture in load_truth(folder):
        image = load_picture(picture.path)
        for judged in judge_picture(picture, reader.read(image)).judged:
            if judged.outcome is not Outcome.CORRECT:
                yield tile(image, judged)


def tile(image: Image, judged: Judged) -> Image:
    """The die, the kite that was read, and what was said of it."""
    box = judged.die.box or (judged.reading.sighting.box if judged.reading else None)
    if box is None:
        box = (0.0, 0.0, float(image.shape[1]), float(image.shape[0]))
    matrix = _window(box)
    out = np.asarray(cv2.warpAffine(image, matrix, (TILE, TILE), flags=cv2.INTER_LINEAR), np.uint8)
    text = [f"{judged.die.face}: {judged.outcome.value}"]
    if judged.reading is not None:
        corners = judged.reading.sighting.corners @ matrix[:, :2].T + matrix[:, 2]
        cv2.polylines(out, [np.round(corners).astype(np.int32)], True, (0, 200, 255), 1)
        text += [f"{judged.reading.likeliest} at {judged.reading.confidence:.2f}"]
        text += list(judged.reading.doubts.names)
    _write(out, text)
    return out


def _write(tile: Image, text: list[str]) -> None:
    """Two lines at the top, the others at the bottom, on dark strips: dice are of any colour."""
    places = [12 + 12 * n if n < 2 else TILE - 6 - 12 * (n - 2) for n in range(len(text))]
    for words, y in zip(text, places, strict=True):
        (width, _), _ = cv2.getTextSize(words, FONT, FONT_SCALE, 1)
        tile[y - 9 : y + 3, : width + 8] //= 4
    for words, y in zip(text, places, strict=True):
        cv2.putText(tile, words, (4, y), FONT, FONT_SCALE, (255, 255, 255), 1, cv2.LINE_AA)


def _window(box: Box) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Map from picture to tile that shows the box and a little around it."""
    side = 1.5 * max(box[2] - box[0], box[3] - box[1])
    scale = TILE / side
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return np.array([[scale, 0, TILE / 2 - x * scale], [0, scale, TILE / 2 - y * scale]])


def main(
    folders: list[Path], out: Annotated[Path, typer.Option(help="The picture to write.")]
) -> None:
    """Draw every die of FOLDERS that is not read rightly."""
    if out.suffix.lower() not in PICTURE_SUFFIXES:
        raise Refusal(f"{out} must end in {', '.join(sorted(PICTURE_SUFFIXES))}.")
    reader = DiceReader()
    with refusing(TruthUnreadable, UnreadablePicture):
        drawn = [one for folder in folders for one in tiles(folder, reader)]
    while not drawn or len(drawn) % COLUMNS:
        drawn.append(np.zeros((TILE, TILE, 3), np.uint8))
    rows = [np.hstack(drawn[i : i + COLUMNS]) for i in range(0, len(drawn), COLUMNS)]
    _, data = cv2.imencode(out.suffix.lower(), np.vstack(rows))
    write_file(out, data.tobytes())


if __name__ == "__main__":
    with refusals_said():
        typer.run(main)
