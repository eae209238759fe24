"""Landmarks: little patches with corners in them, and what movement they share."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BumpSettings:
    """When a camera counts as moved. Small pixels are those of the small pictures."""

    every_s: float = 0.15
    """Pictures that come sooner after the last are not looked at."""
    width_px: int = 480
    """Width of the small pictures. Raise: finer, and slower."""
    patch_px: int = 15
    least_contrast: float = 2.0
    """Grey levels (sigma) that a patch must have."""
    reach_px: int = 20
    """How far around its place a landmark is looked for, small pixels."""
    landmarks: int = 72
    fewest: int = 8
    """Fewer landmarks found tell nothing."""
    alike: float = 0.72
    """Correlation from which a landmark is found. Lower: found in more light, and mistaken."""
    together_px: float = 0.8
    """Landmarks within this of the common movement move together."""
    agreeing: float = 0.5
    """So many of those found must move together, or nothing is said."""
    shift_share: float = 0.0014
    """A mean movement of more than this share of the picture's width is a bump. Raise: small
    bumps are overlooked; lower: noise is taken for one."""
    samples: int = 3
    """So many pictures in a row must show it, …"""
    settled_px: float = 0.5
    """… and the last two agree within this, small pixels."""
    moving_s: float = 1.2
    """After this time a camera that does not come to rest is told of."""
    lost_share: float = 0.2
    """When fewer landmarks than this share are found, the picture shows something else …"""
    lost_s: float = 1.4
    """… if that lasts so long, and nothing moves."""
    renew_s: float = 1.0
    """Landmarks that were covered or moved by themselves are replaced after this time."""
    follow_share: float = 0.12
    """Movements up to this share of the picture's width are followed."""
    dark: float = 12.0
    """A picture whose mean is darker than this (grey levels) shows nothing."""


DEFAULT_BUMP = BumpSettings()


@dataclass(slots=True, eq=False)
class Landmark:
    """A patch, its place (2,) in the small reference picture, and how often in a row it was not
    found there."""

    place: Array
    patch: Image
    missed: int = 0


def corners_in(small: Image, mask: Image, wanted: int, settings: BumpSettings) -> Array:
    """The strongest corners of a small picture where `mask` is not 0, whole pixels `(n, 2)`."""
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0)
    found: object = cv2.goodFeaturesToTrack(
        smooth, wanted, 0.005, settings.patch_px, mask=mask, blockSize=7
    )
    # OpenCV answers None where it finds nothing.
    if found is None:
        return np.empty((0, 2))
    return np.asarray(found, np.float64).reshape(-1, 2).round()


def cut(small: Image, x: int, y: int, side: int) -> Image:
    """The square patch of `side` around a pixel."""
    half = side // 2
    return small[y - half : y + half + 1, x - half : x + half + 1].copy()


def look_near(small: Image, landmark: Landmark, settings: BumpSettings) -> Array | None:
    """Where a landmark is seen around its place, (2,), or None."""
    half = settings.patch_px // 2
    x, y = round(float(landmark.place[0])), round(float(landmark.place[1]))
    reach = settings.reach_px
    left, top = max(0, x - half - reach), max(0, y - half - reach)
    window = small[top : y + half + reach + 1, left : x + half + reach + 1]
    if min(window.shape) < settings.patch_px + 2:
        return None
    alike = cv2.matchTemplate(window, landmark.patch, cv2.TM_CCOEFF_NORMED)
    _, best, _, (column, row) = cv2.minMaxLoc(alike)
    if best < settings.alike or not np.isfinite(best):
        return None
    if not (0 < column < alike.shape[1] - 1 and 0 < row < alike.shape[0] - 1):
        return None
    dx = _peak(alike[row, column - 1 : column + 2])
    dy = _peak(alike[row - 1 : row + 2, column])
    return np.array([left + half + column + dx, top + half + row + dy])


def _peak(values: NDArray[np.integer | np.floating]) -> float:
    """Where between its neighbours a maximum really is, -0.5 to 0.5."""
    before, at, after = (float(value) for value in values)
    bend = before - 2 * at + after
    return float(np.clip((before - after) / (2 * bend), -0.5, 0.5)) if bend < -1e-9 else 0.0


def common_move(
    places: Array, seen: Array, settings: BumpSettings
) -> tuple[Array | None, NDArray[np.bool_]]:
    """The movement (2, 3) that most landmarks share, and which share it; None if too few do."""
    still = np.linalg.norm(seen - places, axis=1) < settings.together_px
    if still.mean() >= settings.agreeing and still.sum() >= settings.fewest:
        # Fitting decides how still; all of them agree on nearly nothing.
        move, _ = cv2.estimateAffinePartial2D(places[still], seen[still], method=cv2.LMEDS)
        if np.ndim(move) == 2:
            return np.asarray(move, np.float64), still
    move, inside = cv2.estimateAffinePartial2D(
        places,
        seen,
        method=cv2.RANSAC,
        ransacReprojThreshold=settings.together_px,
        maxIters=400,
        confidence=0.999,
    )
    nobody = np.zeros(len(places), bool)
    if np.ndim(move) != 2:
        return None, nobody
    together = np.asarray(inside).ravel().astype(bool)
    if together.mean() < settings.agreeing or together.sum() < settings.fewest:
        return None, nobody
    return np.asarray(move, np.float64), together


def moved(move: Array, points: Array) -> Array:
    """Points `(n, 2)` after a movement (2, 3)."""
    return np.asarray(points @ move[:, :2].T + move[:, 2])
