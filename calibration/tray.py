"""The tray's plane from one picture: from the board in it, or from its four corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardView
from calibration.lens import Lens, nominal
from calibration.solve import least_squares
from calibration.standpoint import Standpoint, rotation_vector, triple

Array = NDArray[np.float64]

FOCAL_SPREAD = 0.18
"""How far an unknown camera's focal length lies from the nominal one, as a share (one sigma)."""

BOARD_PX, CLICK_PX = 0.3, 1.5
"""How exactly a board's corners are found and a person clicks (one sigma, pixels)."""

WORST_BOARD_PX, WORST_KNOWN_PX = 1.5, 0.5
"""A single view of a board that fits worse than this (rms) is refused; less is allowed where the
lens and so its distortion is known."""

WORST_CLICK_PX = 6.0
"""Four corners that fit their size worse than this (rms) are refused."""

STEEPEST_DEG = 70.0
"""From flatter than this nothing can be read."""

SMALLEST_SHARE = 0.01
"""A tray must fill at least this share of the picture."""


class TrayUnclear(ValueError):
    """What is given does not tell the tray's plane; the message says what to do."""


@dataclass(frozen=True, slots=True)
class TrayFit:
    """A standpoint found, how well it fits (root mean square, pixels), and how exactly the focal
    length is known (one sigma, as a share; 0 where it was given). `cost` weighs the misses and
    how unusual the focal length is: of several explanations the one with the least is right."""

    standpoint: Standpoint
    error_px: float
    focal_spread: float
    cost: float


def tray_from_board(view: BoardView, lens: Lens | None = None) -> TrayFit:
    """Where the camera stands to a tray in whose middle a board lies flat.

    Without a `lens` a nominal one is adapted to the view as far as the view tells. Raises
    `TrayUnclear`.
    """
    if view.mirrored:
        raise TrayUnclear("The picture is mirrored; switch mirroring off in the camera's settings.")
    if not view.enough:
        raise TrayUnclear(
            "Too little of the board is seen; lay it flat where the camera sees all of it."
        )
    fit = fit_plane(view.places_mm, view.pixels, view.size, BOARD_PX, lens)
    off_px = np.linalg.norm(fit.standpoint.to_picture(view.places_mm) - view.pixels, axis=1)
    left = view.well_found(off_px)
    if left is not view:
        fit = fit_plane(left.places_mm, left.pixels, left.size, BOARD_PX, lens)
    if fit.error_px > (WORST_BOARD_PX if lens is None else WORST_KNOWN_PX):
        raise TrayUnclear(
            f"The board's corners miss a flat board by {fit.error_px:.1f} pixels; "
            "lay it flat and hold the camera still."
        )
    _refuse_flat_views(fit.standpoint)
    return fit


def tray_from_corners(
    corners: Array,
    size_mm: tuple[float, float],
    size: tuple[int, int],
    lens: Lens | None = None,
) -> TrayFit:
    """Where the camera stands, from the floor's four inner corners in a picture of `size` (w, h).

    `corners` (4, 2) in pixels go round the tray, either way; `size_mm` is the length of the
    first side (from the first corner to the second) and of the next. Raises `TrayUnclear`.
    """
    fit = _from_corners(corners, size_mm, size, lens)
    _check_fit(fit)
    return fit


def tray_from_clicks(
    clicks: Array,
    size_mm: tuple[float, float],
    size: tuple[int, int],
    lens: Lens | None = None,
) -> TrayFit:
    """The same from clicks (4, 2) in any order, not knowing which of the tray's two lengths is
    which side: what fits better is taken. Raises `TrayUnclear`.
    """
    clicks = np.asarray(clicks, np.float64).reshape(-1, 2)
    if clicks.shape != (4, 2):
        raise TrayUnclear(f"A tray has four corners, not {len(clicks)}.")
    around = clicks - clicks.mean(axis=0)
    ordered = clicks[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
    fits = []
    unclear: TrayUnclear | None = None
    for lengths in {size_mm, size_mm[::-1]}:
        try:
            fits.append(_from_corners(ordered, lengths, size, lens))
        except TrayUnclear as error:
            unclear = error
    if unclear and not fits:
        raise unclear
    best = min(fits, key=lambda fit: fit.cost)
    _check_fit(best)
    return best


def _check_fit(fit: TrayFit) -> None:
    if fit.error_px > WORST_CLICK_PX:
        raise TrayUnclear(
            f"The four corners miss a tray of this size by {fit.error_px:.0f} pixels; "
            "check the size in millimetres and mark the floor's inner corners."
        )
    _refuse_flat_views(fit.standpoint)


def _from_corners(
    corners: Array, size_mm: tuple[float, float], size: tuple[int, int], lens: Lens | None
) -> TrayFit:
    if not all(np.isfinite(side) and side > 0 for side in size_mm):
        raise TrayUnclear("The tray's size must be two lengths in millimetres, like 300x200.")
    quad, (width_mm, depth_mm) = _canonical(np.asarray(corners, np.float64), size_mm, size)
    x, y = width_mm / 2, depth_mm / 2
    places = np.array([[-x, y], [x, y], [x, -y], [-x, -y]])
    fit = fit_plane(places, quad, size, CLICK_PX, lens)
    return TrayFit(
        fit.standpoint.with_outline(width_mm, depth_mm), fit.error_px, fit.focal_spread, fit.cost
    )


def _canonical(
    corners: Array, size_mm: tuple[float, float], size: tuple[int, int]
) -> tuple[Array, tuple[float, float]]:
    """The corners clockwise on screen, beginning with the side that runs most to the right, and
    that side's length and the next one's."""
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise TrayUnclear("A tray has four corners, each given as x,y in pixels.")
    sides = np.roll(corners, -1, axis=0) - corners
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    area = abs(float(_area(corners)))
    if not (np.all(turns > 0) or np.all(turns < 0)) or area < SMALLEST_SHARE * size[0] * size[1]:
        raise TrayUnclear("The four corners do not make a tray; mark them one after the other.")
    lengths = [size_mm[0], size_mm[1]]
    if turns[0] < 0:
        corners, lengths = corners[[0, 3, 2, 1]], lengths[::-1]
    sides = np.roll(corners, -1, axis=0) - corners
    first = int((sides[:, 0] / np.linalg.norm(sides, axis=1)).argmax())
    if first % 2:
        lengths = lengths[::-1]
    return np.roll(corners, -first, axis=0), (lengths[0], lengths[1])


def _area(polygon: Array) -> float:
    x, y = polygon.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


def _refuse_flat_views(standpoint: Standpoint) -> None:
    if standpoint.tilt_deg > STEEPEST_DEG:
        raise TrayUnclear(
            f"The camera looks at the tray from the side ({standpoint.tilt_deg:.0f}° off straight "
            "down); set it higher."
        )


def fit_plane(
    places_mm: Array,
    pixels: Array,
    size: tuple[int, int],
    spread_px: float,
    lens: Lens | None = None,
) -> TrayFit:
    """The standpoint from which places `(n, 2)` on the floor are seen at pixels `(n, 2)`.

    `spread_px` is how exact the pixels are. Without a `lens`, its focal length is found too,
    held near the nominal one as firmly as other cameras' lie near it. Raises `TrayUnclear`
    where no camera sees them so.
    """
    first = lens or nominal(size)
    focal = first.focal[0]

    def seen_from(unknowns: Array) -> Standpoint | None:
        through = first if lens else first.with_focal(focal * _exp(unknowns[6]))
        return _standpoint(unknowns, through)

    def residuals(unknowns: Array) -> Array:
        seen = seen_from(unknowns)
        if seen is None:
            return np.full(2 * len(pixels) + (lens is None), 1e3)
        misses = ((seen.to_picture(places_mm) - pixels) / spread_px).ravel()
        return misses if lens else np.append(misses, unknowns[6] / FOCAL_SPREAD)

    explanations = [
        least_squares(
            residuals, np.concatenate([rotation, translation / 100, [] if lens else [0.0]])
        )
        for rotation, translation in _starts(places_mm, pixels, first)
    ]
    best = min(explanations, key=lambda solved: solved.cost, default=None)
    found = None if best is None else seen_from(best.unknowns)
    if best is None or found is None:
        raise TrayUnclear("No camera above a flat tray would see it so; mark its corners again.")
    misses = found.to_picture(places_mm) - pixels
    error = float(np.sqrt((misses**2).sum(axis=1).mean()))
    spread = 0.0 if lens else float(np.sqrt(best.covariance[6, 6]))
    return TrayFit(found, error, spread, best.cost)


def _exp(value: float) -> float:
    return float(np.exp(np.clip(value, -2, 2)))


def _standpoint(unknowns: Array, lens: Lens) -> Standpoint | None:
    """The standpoint that six unknowns stand for (translations in decimetres), or None where
    that camera would look from below."""
    try:
        return Standpoint(lens, triple(unknowns[:3]), triple(unknowns[3:6] * 100))
    except ValueError:
        return None


def _starts(places_mm: Array, pixels: Array, lens: Lens) -> Sequence[tuple[Array, Array]]:
    """Poses from which a flat thing looks nearly so: from above, and both that are tilted."""
    flat = np.column_stack([places_mm, np.zeros(len(places_mm))])
    found, rotations, translations, _ = cv2.solvePnPGeneric(
        flat,
        np.ascontiguousarray(pixels),
        lens.matrix,
        np.array(lens.distortion),
        flags=cv2.SOLVEPNP_IPPE,
    )
    starts = [_from_above(places_mm, pixels, lens)]
    if found:
        starts += [
            (np.asarray(r, np.float64).ravel(), np.asarray(t, np.float64).ravel())
            for r, t in zip(rotations, translations, strict=True)
        ]
    return [start for start in starts if all(np.isfinite(part).all() for part in start)]


def _from_above(places_mm: Array, pixels: Array, lens: Lens) -> tuple[Array, Array]:
    """The pose from which the places would be seen so from straight above, roughly."""
    known = np.column_stack([places_mm, np.ones(len(places_mm))])
    across = np.linalg.lstsq(known, pixels, rcond=None)[0]
    px_per_mm = float(np.sqrt(abs(np.linalg.det(across[:2])))) + 1e-6
    turn = float(np.arctan2(across[0, 1], across[0, 0]))
    spin = np.array(
        [[np.cos(turn), np.sin(turn), 0], [np.sin(turn), -np.cos(turn), 0], [0, 0, -1.0]]
    )
    line = lens.rays(np.asarray(across[2:], np.float64))[0]
    return np.array(rotation_vector(spin)), line / line[2] * lens.focal[0] / px_per_mm
