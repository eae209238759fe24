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


def scale_of(affine: NDArray[np.float64]) -> float:
    """Pixels per unit of a face's plane (2, 3), not foreshortened: its larger singular value.

    In closed form: a plane map is a turn and scale, and a mirrored one; their lengths add up.
    """
    (a, b), (c, d) = affine[:, :2].tolist()
    return (math.hypot(a + d, b - c) + math.hypot(a - d, b + c)) / 2


def neighbour_affine(
    affine: NDArray[np.float64], view: NDArray[np.float64], plane: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Face map of a neighbour (`d10.LEFT` or `d10.RIGHT`), shape (2, 3).

    Weak perspective: a step along the up face's normal moves by `view` (the normal's x, y in
    the line of sight) times the scale, the map's larger singular value.
    """
    full = np.column_stack([affine[:, :2], view * scale_of(affine)])
    origin = affine[:, 2] + full @ (plane[0] - np.array([0.0, 0.0, 1.0]))
    return np.column_stack([full @ plane[1], full @ plane[2], origin])


def turned(
    image: Image,
    middle: NDArray[np.float64],
    axes: NDArray[np.float64],
    reach: float,
    size: int,
) -> Image:
    """The square picture `(size, size, 3)` around `middle` (2,), `reach` pixels to each side.

    `axes` (2, 2) are unit vectors in `image`, as columns: to the square's right and to its top.
    """
    step = 2 * reach / size
    first = (0.5 - size / 2) * step
    corner = middle + first * (axes[:, 0] - axes[:, 1]) - 0.5
    matrix = np.column_stack([step * axes[:, 0], -step * axes[:, 1], corner])
    return _warped(image, matrix, size)


def unwrap(image: Image, affine: NDArray[np.float64]) -> Image:
    """An upright patch `(PATCH_SIZE, PATCH_SIZE, 3)` of the face at `affine`."""
    step = PATCH_SPAN / PATCH_SIZE
    first = 0.5 * step - PATCH_SPAN / 2
    to_plane = np.array(
        [
            [step, 0.0, PATCH_CENTER[0] + first],
            [0.0, -step, PATCH_CENTER[1] - first],
            [0.0, 0.0, 1.0],
        ]
    )
    return _warped(image, affine @ to_plane, PATCH_SIZE)


def _warped(image: Image, matrix: NDArray[np.float64], size: int) -> Image:
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
