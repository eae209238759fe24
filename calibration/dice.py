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

CORNER_SHARE, SIZE_SHARE = 0.018, 0.03
"""How exactly a kite's corners are found and how exactly its size (one sigma), as shares of its
larger diagonal and of its size: what misleads the finder of corners misleads it about several."""

FREEDOMS = 5
"""In so many ways a kite can miss a level one of the right size: eight less place and turn, and
size, which has a figure of its own."""

LONG_TAILS = 4.0
"""Student's degrees of freedom of the dice's misses: with fewer, dice that fit badly have less
say, so that cocked ones are outvoted."""

SIDEWAYS, UPRIGHT_ODDS = 0.04, 90.0
"""Cameras look at a tray from a side they call below: the sideways part of the floor's normal is
about so small, with such odds against any other."""

FEWEST_DICE = 3

WORST_SHARE = 0.06
"""Kites that miss one plane by more than this share of their larger diagonal (median) tell
nothing."""

START_DEG, DIRECTIONS = 30.0, 6
"""The floor is supposed level at first, or tilted by so much in so many directions, straight
upwards among them."""

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
    across = np.linalg.norm(kites[:, :2] - kites[:, 2:], axis=2).max(axis=1)

    def seen_from(unknowns: Array) -> Standpoint | None:
        return _standpoint(unknowns, first, lens is None, far_mm, middle)

    def residuals(unknowns: Array) -> Array:
        seen = seen_from(unknowns)
        if seen is None:
            return np.full(9 * len(kites) + 2, 1e3)
        misses, sizes = _misses(seen, kites, face, die_mm)
        shares = (misses / across[:, None, None]).reshape(-1, 8) / CORNER_SHARE
        told = _tamed(np.column_stack([shares, sizes / SIZE_SHARE]))
        supposed = [unknowns[3] / FOCAL_SPREAD, _leaning(float(seen.normal[0]))]
        return np.append(told.ravel(), supposed)

    roughly = [least_squares(residuals, start, steps=25) for start in _starts()]
    best = least_squares(residuals, min(roughly, key=lambda solved: solved.cost).unknowns)
    found = seen_from(best.unknowns)
    if found is None:
        raise TrayUnclear("The dice do not tell how the camera stands; spread them over the tray.")
    misses, _ = _misses(found, kites, face, die_mm)
    off = np.sqrt((misses**2).sum(axis=2).mean(axis=1))
    if float(np.median(off / across)) > WORST_SHARE:
        raise TrayUnclear("The dice do not lie flat on one floor; spread them over the tray.")
    spread = 0.0 if lens else float(np.sqrt(best.covariance[3, 3]))
    return TrayFit(found, float(np.median(off)), spread, best.cost)


def _starts() -> list[Array]:
    starts = [np.zeros(4)]
    tilt = np.tan(np.radians(START_DEG) / 2)
    for k in range(DIRECTIONS):
        turn = 2 * np.pi * k / DIRECTIONS - np.pi / 2
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


def _misses(seen: Standpoint, kites: Array, face: Array, die_mm: float) -> tuple[Array, Array]:
    """How far each corner is from the level face that fits best, pixels `(n, 4, 2)`, and how much
    larger than the right size that face is, logarithms `(n,)`."""
    places = np.nan_to_num(seen.to_mm(kites.reshape(-1, 2), die_mm), nan=1e4).reshape(-1, 4, 2)
    z = places[..., 0] + 1j * places[..., 1]
    f = face[:, 0] + 1j * face[:, 1]
    z_mean, f = z.mean(axis=1, keepdims=True), f - f.mean()
    turn = ((z - z_mean) * f.conj()).sum(axis=1, keepdims=True) / (np.abs(f) ** 2).sum()
    sizes = np.log(np.maximum(np.abs(turn[:, 0]), 1e-6))
    return _seen_at(seen, z_mean + turn * f, die_mm) - kites, sizes


def _seen_at(seen: Standpoint, places: NDArray[np.complex128], height_mm: float) -> Array:
    """Pixels `(n, 4, 2)` of places `(n, 4)` at a height, x + iy."""
    level = np.stack([places.real, places.imag], axis=-1).reshape(-1, 2)
    return seen.to_picture(level, height_mm).reshape(-1, 4, 2)


def _tamed(misses: Array) -> Array:
    """Each die's misses `(n, 9)`, in sigmas, so that their squares tell how unlikely it is under
    Student's distribution: ever more slowly, the worse a die fits."""
    squared = (misses**2).sum(axis=1, keepdims=True)
    unlikely = (LONG_TAILS + FREEDOMS) * np.log1p(squared / LONG_TAILS)
    return np.asarray(misses * np.sqrt(unlikely / np.maximum(squared, 1e-12)))


def _leaning(sideways: float) -> float:
    """How unusual it is that the floor's normal leans sideways so much: squared, twice the
    logarithm of the odds."""
    upright = UPRIGHT_ODDS * np.exp(-((sideways / SIDEWAYS) ** 2) / 2)
    unlikely = 2 * np.log((UPRIGHT_ODDS + 1) / (upright + 1))
    return float(np.sign(sideways) * np.sqrt(max(0.0, unlikely)))
