"""The lens from several views of the board, bad views left out and said so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import MOST_GOOD, BoardView
from calibration.lens import Lens, nominal

Array = NDArray[np.float64]

FEWEST_VIEWS = 6
"""Fewer different views do not tell a lens."""

MOST_DROPPED = 0.4
"""When more than this share of the views is bad, none is trusted."""

OUTLIER, OUTLIER_PX = 2.5, 0.5
"""A view is bad when it fits worse than this many times the median, and worse than this."""

WORST_PX = 0.8
"""Views that together fit worse than this (root mean square) are refused."""

FOCAL_SPREAD, CENTER_SPREAD = 0.0022, 0.0022
"""How exactly (one sigma) the focal length must be known, as a share, and the middle, as a share
of the picture's width; otherwise the views are too alike."""

STRAY_ROUNDS = 3
"""Corners found beside their place are looked for so often: the worst hide others."""

SENSIBLE_FOCAL = (0.35, 4.0)
"""Focal lengths of real cameras as shares of the picture's longer side."""

FARTHEST_CENTER = 0.15
"""How far a lens's middle may lie from the picture's, as a share of the longer side."""


class WhyDropped(StrEnum):
    """Why a view of the board does not count."""

    TOO_LITTLE = "too little of the board is seen"
    MIRRORED = "the picture is mirrored"
    OTHER_SIZE = "the picture has another size"
    POOR_FIT = "its corners do not fit the other views: blurred, moved or bent"


class LensUnclear(ValueError):
    """The views do not tell the lens; the message says what to do."""


@dataclass(frozen=True, slots=True)
class LensFit:
    """A lens, how well the views fit it, and which views (by their index) were left out and why.

    `error_px` is the root mean square reprojection error without corners that were found beside
    their place, `view_errors_px` each used view's,
    `used` their indices. `focal_spread` is how exactly the focal length is known, as a share.
    """

    lens: Lens
    error_px: float
    used: tuple[int, ...]
    view_errors_px: tuple[float, ...]
    dropped: dict[int, WhyDropped]
    focal_spread: float


def fit_lens(views: Sequence[BoardView]) -> LensFit:
    """The lens through which all these views of the board were seen.

    Raises `LensUnclear` if too few are good, or if they are too much alike.
    """
    dropped = _unfit(views)
    used = [k for k in range(len(views)) if k not in dropped]
    while True:
        if len(used) < FEWEST_VIEWS:
            raise LensUnclear(
                f"Only {len(used)} of {len(views)} views of the board are good and "
                f"{FEWEST_VIEWS} are needed; show it from more sides, whole and still."
            )
        solved = _calibrate([views[k] for k in used])
        errors = solved.view_errors
        worst = int(np.argmax(errors))
        if errors[worst] <= max(OUTLIER * float(np.median(errors)), OUTLIER_PX):
            break
        dropped[used.pop(worst)] = WhyDropped.POOR_FIT
    poor = sum(why is WhyDropped.POOR_FIT for why in dropped.values())
    if poor > MOST_DROPPED * len(views):
        raise LensUnclear(
            f"{poor} of {len(views)} views of the board contradict the others; glue it to "
            "something flat and hold it still."
        )
    _check(solved)
    solved = _without_strays([views[k] for k in used], solved)
    _check(solved)
    return LensFit(
        lens=solved.lens,
        error_px=solved.error,
        used=tuple(used),
        view_errors_px=tuple(float(error) for error in solved.view_errors),
        dropped=dropped,
        focal_spread=solved.focal_spread,
    )


def _without_strays(views: Sequence[BoardView], solved: _Solved) -> _Solved:
    """The lens once more, without the corners that are found beside their place.

    A few bend the lens's edges by pixels, though the views fit well on the whole.
    """
    left = list(views)
    for _ in range(STRAY_ROUNDS):
        before = left
        left = [
            _trimmed(whole, view, off)
            for whole, view, off in zip(views, before, solved.off_px, strict=True)
        ]
        if all(now is view for now, view in zip(left, before, strict=True)):
            break
        solved = _calibrate(left)
    return solved


def _trimmed(whole: BoardView, view: BoardView, off_px: Array) -> BoardView:
    """The view without strays, if that leaves enough of what the picture showed of it."""
    left = view.well_found(off_px)
    return left if len(left.numbers) >= MOST_GOOD * len(whole.numbers) else view


def _unfit(views: Sequence[BoardView]) -> dict[int, WhyDropped]:
    """The views that cannot count by themselves."""
    sizes = [view.size for view in views]
    usual = max(set(sizes), key=sizes.count) if sizes else (0, 0)
    dropped = {}
    for k, view in enumerate(views):
        if view.mirrored:
            dropped[k] = WhyDropped.MIRRORED
        elif view.size != usual:
            dropped[k] = WhyDropped.OTHER_SIZE
        elif not view.enough:
            dropped[k] = WhyDropped.TOO_LITTLE
    return dropped


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """`off_px` is how far each corner of each view lies from where the lens shows it."""

    lens: Lens
    error: float
    view_errors: Array
    focal_spread: float
    center_spread: float
    off_px: list[Array]


def _calibrate(views: Sequence[BoardView]) -> _Solved:
    size = views[0].size
    # Webcams have square pixels; what a third radial term would add only fits the noise.
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3
    places = [
        np.column_stack([v.places_mm, np.zeros(len(v.places_mm))]).astype(np.float32) for v in views
    ]
    pixels = [v.pixels.astype(np.float32) for v in views]
    try:
        error, matrix, distortion, turns, shifts, spreads, _, errors = cv2.calibrateCameraExtended(
            places, pixels, size, nominal(size).matrix, np.zeros(5), flags=flags
        )
    except cv2.error as failed:
        raise LensUnclear(
            "The views of the board do not fit any lens; show it flat and from more sides."
        ) from failed
    k = np.asarray(distortion, np.float64).ravel()
    lens = Lens(
        size=size,
        focal=(float(matrix[0, 0]), float(matrix[1, 1])),
        center=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=(float(k[0]), float(k[1]), float(k[2]), float(k[3]), float(k[4])),
    )
    spread = np.asarray(spreads, np.float64).ravel()
    focal_spread = max(float(spread[0]), float(spread[1])) / lens.focal[0]
    center_spread = float(max(spread[2], spread[3])) / max(size)
    return _Solved(
        lens,
        float(error),
        np.asarray(errors, np.float64).ravel(),
        focal_spread,
        center_spread,
        [
            np.linalg.norm(
                cv2.projectPoints(places_mm, turn, shift, matrix, distortion)[0][:, 0] - seen,
                axis=1,
            )
            for places_mm, turn, shift, seen in zip(places, turns, shifts, pixels, strict=True)
        ],
    )


def _check(solved: _Solved) -> None:
    lens = solved.lens
    if solved.error > WORST_PX:
        raise LensUnclear(
            f"The views miss each other by {solved.error:.1f} pixels; glue the board to something "
            "flat, light it well and hold it still."
        )
    width = max(lens.size)
    off = max(abs(at - side / 2) for at, side in zip(lens.center, lens.size, strict=True))
    if (
        solved.focal_spread > FOCAL_SPREAD
        or solved.center_spread > CENTER_SPREAD
        or not SENSIBLE_FOCAL[0] < lens.focal[0] / width < SENSIBLE_FOCAL[1]
        or off > FARTHEST_CENTER * width
    ):
        raise LensUnclear(
            "The views are too much alike to tell the lens; tilt the board 20 to 40° to all four "
            "sides and bring it to the picture's edges."
        )
