"""Find dice: where a d10 or another die lies in the whole picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models import entry, open_model
from vision.records import Box, Image, Point

LONG_SIDE = 640
"""Pixels of the longer side that the net looks at; smaller pictures are not enlarged."""

LARGE_PX = 100.0
"""Dice larger than this in the net's picture are seen better in one half as large."""

SURE = 0.5

STRIDE = 4
SIZE_UNIT = 32.0


@dataclass(frozen=True, slots=True)
class FinderThresholds:
    """When a bump on the net's map counts as a die."""

    d10: float = 0.30
    """Raise to miss faint dice, lower to look twice at every speck."""
    other: float = 0.30
    apart: float = 0.5
    """Two bumps nearer than this share of a die's size are one die."""


@dataclass(frozen=True, slots=True)
class Find:
    """A die found: place and size in pixels, how much it looks like a d10 and like another
    die (0-1)."""

    center: Point
    size: tuple[float, float]
    d10: float
    other: float

    @property
    def box(self) -> Box:
        (x, y), (w, h) = self.center, self.size
        return (x - w / 2, y - h / 2, x + w / 2, y + h / 2)


class Finder:
    """The finder net on `threads` threads."""

    def __init__(self, threads: int = 1, thresholds: FinderThresholds | None = None) -> None:
        self._session = open_model("finder", threads)
        self._thresholds = thresholds or FinderThresholds()
        self._input = entry("finder").input_size

    def find(self, image: Image) -> tuple[Find, ...]:
        """All dice in the picture, surest first.

        Dice that fill much of the picture are looked for once more in a smaller one.
        """
        longer = max(image.shape[:2])
        scale = min(1.0, LONG_SIDE / longer)
        finds = self._look(image, scale)
        large = any(max(f.size) * scale > LARGE_PX for f in finds)
        if large or not any(f.d10 > SURE for f in finds):
            finds = _merged(finds, self._look(image, scale / 2), LARGE_PX / scale, self._thresholds)
        return finds

    def _look(self, image: Image, scale: float) -> tuple[Find, ...]:
        (maps,) = self._session.run(None, {"picture": _prepared(image, scale)})
        return _peaks(np.asarray(maps)[0], scale, self._thresholds)


def _prepared(image: Image, scale: float) -> NDArray[np.float32]:
    """The picture drawn at `scale` as the net wants it, `(1, 3, h, w)` RGB 0-1."""
    height, width = image.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = image if scale == 1.0 else cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    right, below = -size[0] % 32, -size[1] % 32
    padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT)
    tensor = cv2.dnn.blobFromImage(padded, 1 / 255.0, swapRB=True)
    return np.asarray(tensor, np.float32)


def _peaks(
    maps: NDArray[np.float32], scale: float, thresholds: FinderThresholds
) -> tuple[Find, ...]:
    """Local maxima of both heat maps, stronger ones first, near doubles dropped."""
    heat = 1.0 / (1.0 + np.exp(-maps[:2]))
    either = heat.max(axis=0)
    limit = np.where(heat[0] >= heat[1], thresholds.d10, thresholds.other)
    peak = (either >= cv2.dilate(either, np.ones((3, 3), np.uint8))) & (either > limit)
    rows, cols = np.nonzero(peak)
    order = np.argsort(-either[rows, cols], kind="stable")
    finds: list[Find] = []
    for row, col in zip(rows[order], cols[order], strict=True):
        dx, dy, log_w, log_h = (float(v) for v in maps[2:, row, col])
        step = STRIDE / scale
        center = ((col + 0.5 + dx) * step, (row + 0.5 + dy) * step)
        unit = SIZE_UNIT / scale
        size = (unit * float(np.exp(min(log_w, 3.0))), unit * float(np.exp(min(log_h, 3.0))))
        near = thresholds.apart * max(size)
        if any(
            _distance(center, f.center) < min(near, thresholds.apart * max(f.size)) for f in finds
        ):
            continue
        finds.append(Find(center, size, float(heat[0, row, col]), float(heat[1, row, col])))
    return tuple(finds)


def _merged(
    fine: tuple[Find, ...], coarse: tuple[Find, ...], large_px: float, thresholds: FinderThresholds
) -> tuple[Find, ...]:
    """Small dice from the fine look, large ones from the coarse look, surest first."""
    kept = [f for f in coarse if max(f.size) > large_px]
    for find in fine:
        near = [
            f for f in kept if _distance(f.center, find.center) < thresholds.apart * max(f.size)
        ]
        if not near and max(find.size) <= large_px:
            kept.append(find)
    return tuple(sorted(kept, key=lambda f: -max(f.d10, f.other)))


def _distance(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
