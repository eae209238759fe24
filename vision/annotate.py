"""Draws into a picture what was read there: outlines, faces, doubts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.records import Box, DieReading, Image

Colour = tuple[int, int, int]
"""BGR, 0-255."""

CERTAIN: Colour = (178, 114, 0)
"""Blue; with `DOUBTFUL` from a palette that colour-blind people can tell apart."""
DOUBTFUL: Colour = (0, 159, 230)
"""Orange."""
_INK: Colour = (30, 30, 30)
_PAPER: Colour = (255, 255, 255)

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_TEXT_SHARE = 0.42
"""A label's digits are so high, as a share of the die's size."""
_TEXT_LEAST = 0.016
"""Digits are never lower than this share of the picture's shorter side."""
_DASHES = 24
"""A doubtful die's ring has so many dashes and gaps."""


def annotate(
    image: Image, readings: Sequence[DieReading], labels: Mapping[int, str] | None = None
) -> Image:
    """A copy of `image` with every die's up face outlined and its face written beside it.

    A certain die has a solid blue outline and a plain number; a doubtful one also a dashed
    orange ring and a question mark after its likeliest face. `labels` may name the faces.
    """
    drawn = image.copy()
    for reading in readings:
        _outline(drawn, reading)
    dice = [reading.sighting.box for reading in readings]
    plates: list[Box] = []
    for reading in readings:
        plates.append(_label(drawn, reading, _text(reading, labels or {}), dice, plates))
    return drawn


def _text(reading: DieReading, labels: Mapping[int, str]) -> str:
    if reading.face is None:
        return f"{reading.likeliest}?"
    name = labels.get(reading.face, "")
    return f"{reading.face} {name}".rstrip()


def _outline(drawn: Image, reading: DieReading) -> None:
    """The up face's kite, light on dark so that it shows on any die."""
    thick = _thickness(drawn, reading)
    colour = _colour(reading)
    kite = np.rint(reading.sighting.corners).astype(np.int32)[:, None]
    cv2.polylines(drawn, [kite], True, _PAPER, thick + 2, cv2.LINE_AA)
    cv2.polylines(drawn, [kite], True, colour, thick, cv2.LINE_AA)
    if reading.face is None:
        center = tuple(round(value) for value in reading.sighting.center)
        radius = round(0.62 * reading.sighting.size)
        step = 360 / _DASHES
        for dash in range(0, _DASHES, 2):
            start, end = dash * step, (dash + 1) * step
            for edge, wide in ((_INK, 3 * thick), (colour, 2 * thick)):
                cv2.ellipse(drawn, center, (radius, radius), 0, start, end, edge, wide, cv2.LINE_AA)


def _label(
    drawn: Image, reading: DieReading, text: str, dice: Sequence[Box], plates: Sequence[Box]
) -> Box:
    """Write `text` on a plate beside the die, tied to it by a line; the plate's box."""
    thick = _thickness(drawn, reading)
    height = max(_TEXT_SHARE * reading.sighting.size, _TEXT_LEAST * min(drawn.shape[:2]))
    (_, unit), _ = cv2.getTextSize("0", _FONT, 1.0, 1)
    scale = height / unit
    (wide, high), _ = cv2.getTextSize(text, _FONT, scale, thick)
    pad = max(2, round(0.25 * high))
    size = (wide + 2 * pad, high + 2 * pad)
    plate = _beside(reading.sighting.box, size, drawn.shape, dice, plates, 2 * thick)
    left, top, right, bottom = (round(value) for value in plate)
    colour = _colour(reading)
    # The line ends at the up face's middle corner nearest to the plate, so no digit is crossed.
    middle = ((left + right) // 2, (top + bottom) // 2)
    corner = min(reading.sighting.corners.tolist(), key=lambda point: math.dist(point, middle))
    tie = (round(corner[0]), round(corner[1]))
    cv2.line(drawn, tie, middle, colour, thick, cv2.LINE_AA)
    cv2.rectangle(drawn, (left, top), (right, bottom), _PAPER, cv2.FILLED)
    cv2.rectangle(drawn, (left, top), (right, bottom), colour, thick, cv2.LINE_AA)
    cv2.putText(drawn, text, (left + pad, bottom - pad), _FONT, scale, _INK, thick, cv2.LINE_AA)
    return plate


def _beside(
    die: Box,
    size: tuple[int, int],
    shape: Sequence[int],
    dice: Sequence[Box],
    plates: Sequence[Box],
    gap: float,
) -> Box:
    """The place for a plate of `size` that hides least and seems to belong to no other die."""
    wide, high = size
    x0, y0, x1, y1 = die
    spots = []
    for share in (0.0, 0.5, 1.0):
        away = gap + share * max(x1 - x0, y1 - y0)
        right, left, across = x1 + away, x0 - away - wide, (x0 + x1 - wide) / 2
        above, below, level = y0 - away - high, y1 + away, (y0 + y1 - high) / 2
        spots += [(right, level), (left, level), (across, above), (across, below)]
        spots += [(right, above), (right, below), (left, above), (left, below)]
    boxes = []
    for spot in spots:
        x = max(0.0, min(spot[0], shape[1] - 1.0 - wide))
        y = max(0.0, min(spot[1], shape[0] - 1.0 - high))
        boxes.append((x, y, x + wide, y + high))

    def hides(box: Box) -> float:
        hidden = 3 * sum(_overlap(box, other) for other in dice)
        hidden += sum(_overlap(box, other) for other in plates)
        nearest = min(dice, key=lambda other: _gap(box, other))
        return hidden + (0 if nearest == die else wide * high / 2)

    return min(boxes, key=hides)


def _gap(first: Box, second: Box) -> float:
    """Distance between the middles of two boxes."""
    return math.dist(
        ((first[0] + first[2]) / 2, (first[1] + first[3]) / 2),
        ((second[0] + second[2]) / 2, (second[1] + second[3]) / 2),
    )


def _overlap(first: Box, second: Box) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, high)


def _colour(reading: DieReading) -> Colour:
    return DOUBTFUL if reading.face is None else CERTAIN


def _thickness(drawn: Image, reading: DieReading) -> int:
    """Lines in pixels, thicker for larger dice and pictures."""
    return max(1, round(reading.sighting.size / 40), int(min(drawn.shape[:2])) // 500)
