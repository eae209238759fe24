"""Find dice: where a d10 or another die lies in the whole picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models import open_model
from vision.records import Box, Image, Point
from vision.resized import resized

LONG_SIDE = 512
"""Pixels of the longer side that the net looks at; smaller pictures are not enlarged."""

LARGE_PX = 32.0
"""Smaller copies of the picture are only for dice that are larger than this in them."""

OVERLAP = 0.45
"""Middles nearer than this share of the larger size belong to one die."""

STRIDE = 4
SIZE_UNIT = 32.0


@dataclass(frozen=True, slots=True)
class FinderThresholds:
    """When a bump on the net's map counts as a die."""

    die: float = 0.16
    """Raise to miss faint dice, lower to look twice at every speck."""
    faint: float = 0.04
    """Weaker bumps than that are faint, down to this: dice only if all else is certain …"""
    unlike: float = 0.1
    """… as are those that look more like another die, down to this share of how much they do, …"""
    like_size: float = 1.8
    """… both looked at only if they are as large, within this factor, as most d10 …"""
    sure: float = 0.4
    """… that are found in the picture as surely as this, …"""
    most_faint: int = 16
    """… and no more than so many, the strongest first."""
    apart: float = 0.5
    """Two bumps nearer than this share of a die's size are one die."""


@dataclass(frozen=True, slots=True)
class Find:
    """A die found: place and size in pixels, how much it looks like a d10 and like another
    die (0-1); a `faint` one is none unless a closer look is certain."""

    center: Point
    size: tuple[float, float]
    d10: float
    other: float
    faint: bool = False

    @property
    def box(self) -> Box:
        (x, y), (w, h) = self.center, self.size
        return (x - w / 2, y - h / 2, x + w / 2, y + h / 2)


class Finder:
    """The finder net on `threads` threads."""

    def __init__(self, threads: int = 1, thresholds: FinderThresholds | None = None) -> None:
        self._session = open_model("finder", threads)
        self._thresholds = thresholds or FinderThresholds()

    def find(self, image: Image) -> tuple[Find, ...]:
        """All d10 in the picture, surest first, large ones found in smaller copies of it, then what
        only a closer look can tell.

        A large die may come with finds of its own parts: whoever looks closer must choose.
        """
        scale = min(1.0, LONG_SIDE / max(image.shape[:2]))
        small = _drawn(image, scale)
        finds = list(self._look(small, scale))
        for _ in range(2):
            small, scale = _drawn(small, 0.5), scale / 2
            finds += [f for f in self._look(small, scale) if max(f.size) * scale > LARGE_PX]
        finds.sort(key=lambda f: -max(f.d10, f.other))
        likely = (f for f in finds if not f.faint and f.d10 >= f.other)
        return (*likely, *self._faint(finds))

    def _faint(self, finds: Sequence[Find]) -> list[Find]:
        """The finds that are worth a closer look though they are faint, or look more like another
        die."""
        limit = self._thresholds
        sizes = [max(f.size) for f in finds if f.d10 > max(limit.sure, f.other)]
        if not sizes:
            return []
        usual = float(np.median(sizes))
        likely = [
            replace(f, faint=True)
            for f in finds
            if (f.d10 > f.other if f.faint else limit.unlike * f.other < f.d10 < f.other)
            and usual / limit.like_size < max(f.size) < usual * limit.like_size
        ]
        return sorted(likely, key=lambda f: -f.d10)[: limit.most_faint]

    def _look(self, picture: Image, scale: float) -> tuple[Find, ...]:
        """Dice in a picture drawn at `scale`, in the pixels of the whole one."""
        height, width = picture.shape[:2]
        # The net wants sides that are multiples of 32.
        padded = cv2.copyMakeBorder(picture, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT)
        (maps,) = self._session.run(None, {"picture": padded[None]})
        return _peaks(np.asarray(maps)[0], scale, self._thresholds)


def _drawn(image: Image, scale: float) -> Image:
    """The picture drawn at `scale`."""
    if scale == 1.0:
        return image
    height, width = image.shape[:2]
    return resized(image, max(1, round(width * scale)), max(1, round(height * scale)))


def _peaks(
    maps: NDArray[np.float32], scale: float, thresholds: FinderThresholds
) -> tuple[Find, ...]:
    """Local maxima of the heat map, stronger ones first, near doubles dropped."""
    heat, kind = 1.0 / (1.0 + np.exp(-maps[:2]))
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > thresholds.faint)
    rows, cols = np.nonzero(peak)
    order = np.argsort(-heat[rows, cols], kind="stable")
    rows, cols = rows[order], cols[order]
    told = maps[2:, rows, cols].astype(np.float64)
    centers = (np.stack([cols, rows]) + 0.5 + told[:2]).T * (STRIDE / scale)
    sizes = np.exp(np.minimum(told[2:], 3.0)).T * (SIZE_UNIT / scale)
    largest = sizes.max(axis=1, initial=0.0)
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    doubles = apart < thresholds.apart * np.minimum(largest[:, None], largest[None])
    dropped = np.zeros(len(rows), np.bool_)
    finds: list[Find] = []
    for k in range(len(rows)):
        if dropped[k]:
            continue
        dropped |= doubles[k]
        die, d10 = float(heat[rows[k], cols[k]]), float(kind[rows[k], cols[k]])
        (x, y), (w, h) = centers[k].tolist(), sizes[k].tolist()
        finds.append(Find((x, y), (w, h), die * d10, die * (1 - d10), die <= thresholds.die))
    return tuple(finds)


def unrepeated(finds: Sequence[Find], quality: NDArray[np.float64]) -> list[int]:
    """Indices of finds that overlap no better one, in their own order; `quality` is `(n,)`."""
    kept: list[int] = []
    for k in np.argsort(-quality, kind="stable"):
        apart = all(
            _distance(finds[k].center, finds[j].center)
            > OVERLAP * max(*finds[k].size, *finds[j].size)
            for j in kept
        )
        if apart:
            kept.append(int(k))
    return sorted(kept)


def _distance(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
