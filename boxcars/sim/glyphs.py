"""The digits that stand on simulated dice, kept as signed distance fields in `glyphs.png`."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

CELL = 64
"""Pixels across one glyph's field."""
CAP = 38
"""A digit's height in those pixels."""
SPREAD = 10.0 / 127
"""Field pixels from the outline for each grey level away from 128."""

_SYMBOLS = (*"0123456789", "6_", "9_", "6.", "9.")


class Mark(StrEnum):
    """What tells 6 from 9 on a set of dice."""

    BAR = "_"
    DOT = "."


@cache
def _atlas() -> NDArray[np.uint8]:
    data = (files("boxcars.sim") / "glyphs.png").read_bytes()
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise RuntimeError("boxcars/sim/glyphs.png is damaged: install boxcars again.")
    return np.asarray(picture, np.uint8)


def typefaces() -> int:
    """How many typefaces there are."""
    return len(_atlas()) // CELL


def field(typeface: int, face: int, mark: Mark) -> NDArray[np.float32]:
    """How far inside (above 0) or outside its outline each place of a digit's cell lies.

    Shape `(CELL, CELL)`, in pixels of the cell; the digit is upright in the middle, `CAP` tall.
    """
    text = f"{face}{mark}" if face in (6, 9) else str(face)
    column = _SYMBOLS.index(text)
    row, left = typeface * CELL, column * CELL
    cell = _atlas()[row : row + CELL, left : left + CELL]
    return (cell.astype(np.float32) - 128) * np.float32(SPREAD)
