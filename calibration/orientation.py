"""A picture turned by quarter turns or mirrored, as cameras and their drivers may do."""

from __future__ import annotations

from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import to_gray

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

LOOK_PX = 64
"""Longer side of the pictures that are compared to recognise an orientation."""

ALIKE = 0.5
"""Correlation from which two pictures show the same scene."""

CLEARLY = 0.15
"""What another orientation must correlate better by than upright to be believed."""


class Orientation(Enum):
    """How a picture came about from the upright one: mirrored left to right or not, then turned
    by quarter turns counter-clockwise."""

    UPRIGHT = (0, False)
    LEFT = (1, False)
    HALF = (2, False)
    RIGHT = (3, False)
    MIRRORED = (0, True)
    MIRRORED_LEFT = (1, True)
    MIRRORED_HALF = (2, True)
    MIRRORED_RIGHT = (3, True)

    @property
    def turns(self) -> int:
        """Quarter turns counter-clockwise, 0-3."""
        return self.value[0]

    @property
    def mirrored(self) -> bool:
        """Whether left and right were swapped before the turn."""
        return self.value[1]

    @property
    def words(self) -> str:
        """What happened to the picture, in words: "turned by 90° to the left"."""
        turned = {
            0: "",
            1: "turned by 90° to the left",
            2: "turned by 180°",
            3: "turned by 90° to the right",
        }[self.turns]
        if not self.mirrored:
            return turned or "upright"
        return f"mirrored and {turned}" if turned else "mirrored"

    def apply(self, image: Image) -> Image:
        """The upright picture as seen in this orientation."""
        image = image[:, ::-1] if self.mirrored else image
        return np.ascontiguousarray(np.rot90(image, self.turns))

    def undo(self, image: Image) -> Image:
        """The picture set upright again."""
        image = np.rot90(image, -self.turns)
        return np.ascontiguousarray(image[:, ::-1] if self.mirrored else image)

    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        """What a picture of `size` (w, h) measures in this orientation."""
        return (size[1], size[0]) if self.turns % 2 else size

    def apply_points(self, points: Array, size: tuple[int, int]) -> Array:
        """Where points `(n, 2)` of an upright picture of `size` (w, h) come to lie."""
        x, y = np.asarray(points, np.float64).reshape(-1, 2).T
        width, height = size
        if self.mirrored:
            x = width - x
        for _ in range(self.turns):
            x, y = y, width - x
            width, height = height, width
        return np.column_stack([x, y])


def recognise(reference: Image, image: Image) -> Orientation | None:
    """How `image` is oriented to the `reference` of the same scene, as seen by the same camera.

    None where it does not show that scene in any orientation.
    """
    seen = _look(image)
    best, best_value, upright_value = Orientation.UPRIGHT, -1.0, -1.0
    for orientation in Orientation:
        turned = _look(orientation.apply(reference))
        if abs(np.log((turned.shape[1] / turned.shape[0]) / (seen.shape[1] / seen.shape[0]))) > 0.1:
            continue
        fitting = cv2.resize(turned, (seen.shape[1], seen.shape[0]))
        value = float((_normed(fitting) * _normed(seen)).mean())
        if orientation is Orientation.UPRIGHT:
            upright_value = value
        if value > best_value:
            best, best_value = orientation, value
    if best_value < ALIKE:
        return None
    if best_value < upright_value + CLEARLY:
        return Orientation.UPRIGHT
    return best


def _look(image: Image) -> NDArray[np.float32]:
    """The picture small, gray and without slow changes of brightness."""
    gray = to_gray(image)
    scale = LOOK_PX / max(gray.shape)
    size = (max(1, round(gray.shape[1] * scale)), max(1, round(gray.shape[0] * scale)))
    small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(small - cv2.GaussianBlur(small, (0, 0), LOOK_PX / 5), np.float32)


def _normed(image: NDArray[np.integer | np.floating]) -> NDArray[np.float32]:
    values = np.asarray(image, np.float32)
    values = values - values.mean()
    return np.asarray(values / (values.std() + 1e-6), np.float32)
