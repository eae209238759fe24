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
    unique_px: int = 6
    unique: float = 0.85
    """A patch that looks more alike to another place so near is none. Raise: edges count too."""
    landmarks: int = 72
    fewest: int = 8
    """Fewer landmarks found tell nothing."""
    alike: float = 0.72
    """Correlation from which a landmark is found. Lower: found in more light, and mistaken."""
    together_px: float = 0.8
    """Landmarks within this of the common movement move together."""
    roughly_px: float = 2.5
    """… and, when the camera was turned, within this before the turn is known."""
    enough: int = 16
    """With fewer landmarks a turn is told by shift, spin and size alone."""
    agreeing: float = 0.5
    """When so many of those found stand still, the camera does."""
    in_place: int = 6
    """So many landmarks are not found just where they were by accident."""
    standing: int = 3
    """Where only few are found at all, so many in place tell that the camera stands, if they are
    most of those found."""
    more: float = 1.5
    """A common movement must explain so many times as many landmarks as standing still does."""
    shift_share: float = 0.0014
    """A mean movement of more than this share of the picture's width is a bump. Raise: small
    bumps are overlooked; lower: noise is taken for one."""
    samples: int = 3
    """So many pictures in a row must show it, …"""
    settled_px: float = 0.5
    """… and the last two agree within this, small pixels."""
    moving_s: float = 1.2
    """After this time a camera that does not come to rest is told of."""
    lost_s: float = 1.4
    """When too few landmarks are found for so long, and nothing moves, the camera looks
    elsewhere."""
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


def is_unique(small: Image, landmark: Landmark, settings: BumpSettings) -> bool:
    """Whether a landmark looks like nothing else around its place: not so a part of an edge, which
    looks the same all along it."""
    half, reach = settings.patch_px // 2, settings.unique_px
    x, y = round(float(landmark.place[0])), round(float(landmark.place[1]))
    left, top = max(0, x - half - reach), max(0, y - half - reach)
    window = small[top : y + half + reach + 1, left : x + half + reach + 1]
    alike = cv2.matchTemplate(window, landmark.patch, cv2.TM_CCOEFF_NORMED)
    rows, columns = np.indices(alike.shape)
    apart = np.hypot(rows + half + top - y, columns + half + left - x)
    others = alike[apart > settings.unique_px / 2]
    return not others.size or float(others.max()) < settings.unique


def _peak(values: NDArray[np.integer | np.floating]) -> float:
    """Where between its neighbours a maximum really is, -0.5 to 0.5."""
    before, at, after = (float(value) for value in values)
    bend = before - 2 * at + after
    return float(np.clip((before - after) / (2 * bend), -0.5, 0.5)) if bend < -1e-9 else 0.0


def common_move(
    places: Array, seen: Array, settings: BumpSettings
) -> tuple[Array | None, NDArray[np.bool_]]:
    """The movement (3, 3) that most landmarks share, and which share it; None if too few do."""
    still = np.linalg.norm(seen - places, axis=1) < settings.together_px
    if still.mean() >= settings.agreeing and still.sum() >= settings.in_place:
        return _standing(places, seen, still), still
    # Turning the camera bends the picture a little; the rough movement only tells who takes part.
    rough, inside = cv2.estimateAffinePartial2D(
        places,
        seen,
        method=cv2.RANSAC,
        ransacReprojThreshold=settings.roughly_px,
        maxIters=400,
        confidence=0.999,
    )
    together = np.zeros(len(places), bool)
    if np.ndim(rough) == 2:
        together = np.asarray(inside).ravel().astype(bool)
    # Dice that moved are mistaken for each other, so that most landmarks may agree on nothing.
    if together.sum() < max(settings.fewest, settings.more * still.sum()):
        if still.sum() >= settings.in_place:
            return _standing(places, seen, still), still
        if still.sum() >= settings.standing and still.mean() >= settings.agreeing:
            return np.eye(3), still
        return None, np.zeros(len(places), bool)
    if together.sum() >= settings.enough:
        bent, _ = cv2.findHomography(places[together], seen[together], 0)
        if np.ndim(bent) == 2 and abs(float(bent[2, 2])) > 1e-9:
            return np.asarray(bent, np.float64), together
    return np.vstack([np.asarray(rough, np.float64), [0, 0, 1]]), together


def _standing(places: Array, seen: Array, still: NDArray[np.bool_]) -> Array:
    """The movement (3, 3), nearly none, of landmarks that stand still."""
    move, _ = cv2.estimateAffinePartial2D(places[still], seen[still], method=cv2.LMEDS)
    if np.ndim(move) != 2:
        return np.eye(3)
    return np.vstack([np.asarray(move, np.float64), [0, 0, 1]])


def moved(move: Array, points: Array) -> Array:
    """Points `(n, 2)` after a movement (3, 3)."""
    there = np.column_stack([points, np.ones(len(points))]) @ move.T
    return np.asarray(there[:, :2] / there[:, 2:])
