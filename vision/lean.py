"""Tell whether a die leans: does its whole body look as it must when the face found lies level?

A leaning die's top face can still make a fair kite; how its sides show beside that face tells.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from models import open_model
from vision.pose import Crop, Pose, shrinkage
from vision.unwrap import squares, warped

Array = NDArray[np.float64]

LEAN_REACH = 1.75
"""Half the side of the picture around a die in half face-to-face distances."""

SIZE = 40

STEEPEST = 0.9
"""Sine of the steepest tilt."""


@dataclass(frozen=True, slots=True)
class LeanWeights:
    """What each sign of a lean adds to its log odds where a calibration knows how the tray lies.

    Fitted by `models.training.standing` on rendered trays.
    """

    all_flat: float = -0.54
    leans: float = 0.56
    """For each unit of the lean net's log odds."""
    beside: float = 0.22
    """For each degree between the normals, up to `MOST_BESIDE_DEG`."""
    cocked: float = 0.67
    """For each unit of the pose net's log odds."""
    misfit: float = 13.5
    """For the kite's whole misfit, up to `MOST_MISFIT`."""


LEAN_WEIGHTS = LeanWeights()

MOST_BESIDE_DEG, MOST_MISFIT = 12.0, 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """How `n` dice stand: how probable it is that each leans `(n,)`, and where the normal of the
    face found is beside the tray's, `(n, 2)`, in the picture, as sines."""

    leans: Array
    beside: Array


class LeanNet:
    """The lean net on `threads` threads."""

    def __init__(self, threads: int = 1) -> None:
        self._session = open_model("lean", threads)

    def stance(self, crops: list[Crop], poses: list[Pose], views: Array) -> Stance:
        """How dice stand, given the poses of their faces in their crops and the tray's normal as
        each line of sight sees it, `views` `(n, 2)`."""
        turns = upright_axes(poses, views)
        pictures, seen = as_standing(crops, poses, views, turns)
        (told,) = self._session.run(None, {"pictures": pictures, "views": seen.astype(np.float32)})
        told = np.asarray(told, np.float64)
        beside = np.einsum("nij,nj->ni", turns, told[:, 1:])
        logits = np.clip(told[:, 0], -20, 20)
        return Stance(np.asarray(1 / (1 + np.exp(-logits))), beside)


def moved(normal: Array, stance: Stance) -> Array:
    """The tray's normal (3,) after the median of how dice stand: most lie flat, so if most seem
    to lean, the same way, it is the tray that does."""
    shift = np.median(stance.beside, axis=0)
    across = normal[:2] + shift
    across /= max(1.0, float(np.hypot(*across)) / STEEPEST)
    return np.array([*across, -np.sqrt(1 - across @ across)])


def weakened(chances: Array, against: Array | float) -> Array:
    """The probabilities `(n,)` with so many log odds, `(n,)` or one for all, `against` them."""
    odds = chances * np.exp(-np.asarray(against))
    return np.asarray(odds / (odds + 1 - chances))


def leans_told(stance: Stance, cocked: Array, misfit: Array) -> Array:
    """How probable it is that dice lean where a calibration knows how the tray lies, `(n,)`.

    `cocked` (n,) is what the pose net says of each, `misfit` (n,) how far its kite misses the
    corners, as a share of its size.
    """
    all_flat, *by_sign = astuple(LEAN_WEIGHTS)
    odds = all_flat + lean_signs(stance, cocked, misfit) @ np.array(by_sign)
    return np.asarray(1 / (1 + np.exp(-odds)))


def lean_signs(stance: Stance, cocked: Array, misfit: Array) -> Array:
    """The signs that `LeanWeights` weigh, in its order, `(n, 4)`."""
    apart = np.degrees(np.arcsin(np.minimum(np.linalg.norm(stance.beside, axis=1), 1.0)))
    return np.column_stack(
        [
            _log_odds(stance.leans),
            np.minimum(apart, MOST_BESIDE_DEG),
            _log_odds(cocked),
            np.minimum(misfit, MOST_MISFIT),
        ]
    )


def _log_odds(chances: Array) -> Array:
    kept = np.clip(chances, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(kept / (1 - kept)))


def upright_axes(poses: list[Pose], views: Array) -> Array:
    """Unit vectors in the picture that lie to the right and to the pole of each level face, as
    columns, `(n, 2, 2)`."""
    turns = np.linalg.inv(shrinkage(views)) @ np.array([pose.affine[:, :2] for pose in poses])
    return np.asarray(turns / np.linalg.norm(turns, axis=1, keepdims=True))


def as_standing(
    crops: list[Crop], poses: list[Pose], views: Array, axes: Array
) -> tuple[NDArray[np.uint8], Array]:
    """Dice turned so that the up face's pole points up, `(n, 40, 40, 3)`, around the middle that
    a level die would have, and the tray's normal in these pictures, `(n, 2)` (right, up).

    `axes` (n, 2, 2) are their `upright_axes`.
    """
    middles = np.array([pose.middle(view) for pose, view in zip(poses, views, strict=True)])
    reaches = LEAN_REACH * np.array([pose.scale for pose in poses])
    maps = squares(middles, axes, reaches, SIZE)
    pictures = [warped(crop.image, m, SIZE) for crop, m in zip(crops, maps, strict=True)]
    return np.stack(pictures), np.asarray(np.einsum("ni,nij->nj", views, axes))
