"""Tell whether the tray lies parallel to the face supposed to be up, from how the die stands.

A die turned so that another face is up and seen from another side can look the same: only its
surroundings, its shading and how people place cameras tell. A net has learned these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models import open_model
from vision.pose import Placement, Pose, fit_kites
from vision.unwrap import squares, warped

Array = NDArray[np.float64]

LEVEL_REACH = 2.3
"""Half the side of the picture around a die in half face-to-face distances."""

STEEPEST = 0.86
"""Sine of the steepest tilt that is supposed."""

SIZE = 48

_TOP = np.array([0.0, -1.0])
"""Up in the picture."""


class LevelNet:
    """The level net on `threads` threads."""

    def __init__(self, threads: int = 1) -> None:
        self._session = open_model("level", threads)

    def logits(self, pictures: NDArray[np.uint8], placement: Placement, views: Array) -> Array:
        """How much each die looks as if its placed face were up, `(n,)`.

        `pictures` `(n, 64, 64, 3)` are those that `placement` was made from, under the supposed
        `views` `(n, 2)`. To be compared between several placements of one die: a softmax over
        them gives the probability of each.
        """
        side = float(pictures.shape[1])
        poses = fit_kites(placement.corners * side, views, placement.peaks)
        patches, supposed = _upright(pictures, poses, views)
        (logits,) = self._session.run(
            None, {"pictures": patches, "supposed": supposed.astype(np.float32)}
        )
        return np.asarray(logits, np.float64)


def _upright(
    pictures: NDArray[np.uint8], poses: list[Pose], views: Array
) -> tuple[NDArray[np.uint8], Array]:
    """Dice turned so that the supposed normal points up, `(n, 48, 48, 3)`, and `(n, 3)`: the sine
    of the supposed tilt and the direction of the face's pole."""
    tilts = np.hypot(views[:, 0], views[:, 1])
    ups = np.where(tilts[:, None] > 1e-6, views / np.maximum(tilts, 1e-6)[:, None], _TOP)
    rights = np.column_stack([-ups[:, 1], ups[:, 0]])
    middles = np.array([pose.middle(view) for pose, view in zip(poses, views, strict=True)])
    scales = np.array([pose.scale for pose in poses])
    maps = squares(middles, np.stack([rights, ups], axis=-1), LEVEL_REACH * scales, SIZE)
    patches = [warped(picture, m, SIZE) for picture, m in zip(pictures, maps, strict=True)]
    poles = np.array([pose.affine[:, 1] for pose in poses]) / scales[:, None]
    along = [(poles * rights).sum(axis=1), -(poles * ups).sum(axis=1)]
    return np.stack(patches), np.column_stack([tilts, *along])
