"""Tell whether the tray lies parallel to the face supposed to be up, from how the die stands.

A die turned so that another face is up and seen from another side can look the same: only its
surroundings, its shading and how people place cameras tell. A net has learned these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models import open_model
from vision.pose import Placement, Pose, fit_kites
from vision.records import Image
from vision.unwrap import turned

Array = NDArray[np.float64]

LEVEL_REACH = 2.3
"""Half the side of the picture around a die in half face-to-face distances."""

STEEPEST = 0.86
"""Sine of the steepest tilt that is supposed."""

SIZE = 48


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
        patches, supposed = [], []
        for picture, pose, view in zip(pictures, poses, views, strict=True):
            patch, told = _upright(picture, pose, view)
            patches.append(patch)
            supposed.append(told)
        (logits,) = self._session.run(
            None, {"pictures": np.stack(patches), "supposed": np.array(supposed, np.float32)}
        )
        return np.asarray(logits, np.float64)


def _upright(picture: Image, pose: Pose, view: Array) -> tuple[Image, Array]:
    """The die turned so that the supposed normal points up, `(48, 48, 3)`, and `(3,)`: the sine
    of the supposed tilt and the direction of the face's pole."""
    tilt = float(np.hypot(*view))
    up = view / tilt if tilt > 1e-6 else np.array([0.0, -1.0])
    right = np.array([-up[1], up[0]])
    axes = np.column_stack([right, up])
    patch = turned(picture, pose.middle(view), axes, LEVEL_REACH * pose.scale, SIZE)
    pole = pose.affine[:, 1] / pose.scale
    return patch, np.array([tilt, pole @ right, -(pole @ up)])
