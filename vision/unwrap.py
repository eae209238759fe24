"""Unwrap faces: from a face's place in the picture to an upright square patch."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.records import Image

PATCH_SPAN = 1.9
"""Side of a patch in half face-to-face distances: the digit, its mark, the kite's edges."""

PATCH_CENTER = (0.0, -0.2)
"""The patch's middle on the face."""

PATCH_SIZE = 40
"""Pixels across a patch."""

_MIDDLE = np.array([0.0, 0.0, 1.0])
"""The up face's middle as seen from the die's."""

_STEP = PATCH_SPAN / PATCH_SIZE
_FIRST = 0.5 * _STEP - PATCH_SPAN / 2
_PATCH_TO_PLANE = np.array(
    [
        [_STEP, 0.0, PATCH_CENTER[0] + _FIRST],
        [0.0, -_STEP, PATCH_CENTER[1] - _FIRST],
        [0.0, 0.0, 1.0],
    ]
)
"""A patch's pixels on the face's plane."""


def scale_of(affine: NDArray[np.float64]) -> float:
    """Pixels per unit of a face's plane (2, 3), not foreshortened: its larger singular value.

    In closed form: a plane map is a turn and scale, and a mirrored one; their lengths add up.
    """
    (a, b), (c, d) = affine[:, :2].tolist()
    return (math.hypot(a + d, b - c) + math.hypot(a - d, b + c)) / 2


def neighbour_affine(
    affines: NDArray[np.float64],
    scales: NDArray[np.float64],
    views: NDArray[np.float64],
    plane: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Face maps of neighbours (`d10.LEFT` or `d10.RIGHT`), `(n, 2, 3)`, beside the up faces at
    `affines` (n, 2, 3), which are of `scales` (n,) (see `scale_of`) and seen along `views` (n, 2).

    Weak perspective: a step along the up face's normal moves by the view (the normal's x, y in
    the line of sight) times the scale.
    """
    risen = views * scales[:, None]
    full = np.concatenate([affines[:, :, :2], risen[:, :, None]], axis=2)
    across, up = full @ plane[1], full @ plane[2]
    origin = affines[:, :, 2] + full @ (plane[0] - _MIDDLE)
    return np.stack([across, up, origin], axis=-1)


def squares(
    middles: NDArray[np.float64],
    axes: NDArray[np.float64],
    reaches: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """The maps `(n, 2, 3)` of square pictures, `size` pixels wide, for `warped`: around `middles`
    (n, 2), `reaches` (n,) pixels to each side.

    `axes` (n, 2, 2) are unit vectors in the pictures, as columns: to the square's right and to
    its top.
    """
    steps = (2 * reaches / size)[:, None]
    right, top = steps * axes[:, :, 0], steps * axes[:, :, 1]
    corners = middles + (0.5 - size / 2) * (right - top) - 0.5
    return np.stack([right, -top, corners], axis=-1)


def unwrap(image: Image, affine: NDArray[np.float64]) -> Image:
    """An upright patch `(PATCH_SIZE, PATCH_SIZE, 3)` of the face at `affine` (2, 3)."""
    return warped(image, affine @ _PATCH_TO_PLANE, PATCH_SIZE)


def warped(image: Image, matrix: NDArray[np.float64], size: int) -> Image:
    """The square whose pixels `matrix` (2, 3) finds in `image`, `(size, size, 3)`."""
    return np.asarray(
        cv2.warpAffine(
            image,
            matrix,
            (size, size),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        np.uint8,
    )
