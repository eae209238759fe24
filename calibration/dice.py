"""The tray's plane from the dice alone: level kites of one size, wherever they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens, nominal
from calibration.profile import NOMINAL_DIE_MM
from calibration.solve import least_squares
from calibration.standpoint import Standpoint, rotation_vector, triple
from calibration.tray import FOCAL_SPREAD, TrayFit, TrayUnclear

Array = NDArray[np.float64]

CORNER_PX = 1.0
"""How exactly a kite's corners are found (one sigma, pixels)."""

FAR_OFF = 3.0
"""A corner that is off by more than this many sigmas counts less and less."""

FEWEST_DICE = 3

WORST_PX = 4.0
"""Kites that fit one plane worse than this (median) tell nothing."""

START_DEG, DIRECTIONS = 30.0, 6
"""The floor is supposed level at first, or tilted by so much in so many directions."""

HALF = 2.0
"""Kites come in half face-to-face distances."""


def tray_from_dice(
    kites: Array,
    shape: Array,
    size: tuple[int, int],
    die_mm: float = NOMINAL_DIE_MM,
    lens: Lens | None = None,
) -> TrayFit:
    """Where the camera stands to the tray on which dice lie flat, in pictures of `size` (w, h).

    `kites` (n, 4, 2) are the corners of the dice's up faces in pixels, `shape` (4, 2) the same
    corners of one in half face-to-face distances, y up. `die_mm` is the dice's size, which sets
    the scale. Dice that do not lie flat are outvoted. Raises `TrayUnclear`.
    """
    kites = np.asarray(kites, np.float64)
    if len(kites) < FEWEST_DICE:
        raise TrayUnclear(
            f"{FEWEST_DICE} dice or more must lie in the tray to tell how the camera stands; "
            f"{len(kites)} are seen."
        )
    first = lens or nominal(size)
    face = np.asarray(shape, np.float64) * die_mm / HALF
    around = first.rays(kites.mean(axis=1))
    middle = around.mean(axis=0)
    # How far away the dice are if seen from straight above: long enough to look this small.
    spans = np.linalg.norm(kites[:, 0] - kites[:, 2], axis=1)
    far_mm = first.focal[0] * float(np.linalg.norm(face[0] - face[2]) / np.median(spans))

    def seen_from(unknowns: Array) -> Standpoint | None:
        return _standpoint(unknowns, first, lens is None, far_mm, middle)

    def residuals(unknowns: Array) -> Array:
        seen = seen_from(unknowns)
        if seen is None:
            return np.full(kites.size + 1, 1e3)
        return np.append(
            _tamed(_misses(seen, kites, face, die_mm) / CORNER_PX).ravel(),
            unknowns[3] / FOCAL_SPREAD,
        )

    roughly = [least_squares(residuals, start, steps=25) for start in _starts()]
    best = least_squares(residuals, min(roughly, key=lambda solved: solved.cost).unknowns)
    found = seen_from(best.unknowns)
    if found is None:
        raise TrayUnclear("The dice do not tell how the camera stands; spread them over the tray.")
    off = np.sqrt((_misses(found, kites, face, die_mm) ** 2).sum(axis=2).mean(axis=1))
    if float(np.median(off)) > WORST_PX:
        raise TrayUnclear("The dice do not lie flat on one floor; spread them over the tray.")
    spread = 0.0 if lens else float(np.sqrt(best.covariance[3, 3]))
    return TrayFit(found, float(np.median(off)), spread, best.cost)


def _starts() -> list[Array]:
    starts = [np.zeros(4)]
    tilt = np.tan(np.radians(START_DEG) / 2)
    for k in range(DIRECTIONS):
        turn = 2 * np.pi * k / DIRECTIONS
        starts.append(np.array([tilt * np.cos(turn), tilt * np.sin(turn), 0.0, 0.0]))
    return starts


def _standpoint(
    unknowns: Array, lens: Lens, free: bool, far_mm: float, middle: Array
) -> Standpoint | None:
    """The standpoint that four unknowns stand for: which way the floor faces (two), how far its
    middle is away and the focal length (logarithms)."""
    across, down, far, focal = (float(value) for value in unknowns)
    if free:
        lens = lens.with_focal(lens.focal[0] * float(np.exp(np.clip(focal, -1.5, 1.5))))
    # Half-angle tangents: every direction towards the camera, smoothly.
    square = across**2 + down**2
    normal = np.array([2 * across, 2 * down, -(1 - square)]) / (1 + square)
    right = np.array([1.0, 0.0, 0.0])
    right = right - normal * normal[0]
    right /= np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(normal, right), normal])
    reach = far_mm * float(np.exp(np.clip(far, -2, 2)))
    translation = middle / middle[2] * reach
    try:
        return Standpoint(lens, rotation_vector(rotation), triple(translation))
    except ValueError:
        return None


def _misses(seen: Standpoint, kites: Array, face: Array, die_mm: float) -> Array:
    """How far each corner is from the level face of the right size that fits best, pixels,
    `(n, 4, 2)`."""
    places = np.nan_to_num(seen.to_mm(kites.reshape(-1, 2), die_mm), nan=1e4).reshape(-1, 4, 2)
    z = places[..., 0] + 1j * places[..., 1]
    f = face[:, 0] + 1j * face[:, 1]
    z_mean, f = z.mean(axis=1, keepdims=True), f - f.mean()
    turn = ((z - z_mean) * f.conj()).sum(axis=1, keepdims=True)
    turn = turn / np.maximum(np.abs(turn), 1e-9)
    return _seen_at(seen, z_mean + turn * f, die_mm) - kites


def _seen_at(seen: Standpoint, places: NDArray[np.complex128], height_mm: float) -> Array:
    """Pixels `(n, 4, 2)` of places `(n, 4)` at a height, x + iy."""
    level = np.stack([places.real, places.imag], axis=-1).reshape(-1, 2)
    return seen.to_picture(level, height_mm).reshape(-1, 4, 2)


def _tamed(values: Array) -> Array:
    """Values beyond `FAR_OFF` grow ever more slowly, so that cocked dice are outvoted."""
    size = np.abs(values)
    tame = np.sqrt(2 * FAR_OFF * np.maximum(size, FAR_OFF) - FAR_OFF**2)
    return np.asarray(np.where(size > FAR_OFF, np.sign(values) * tame, values))
