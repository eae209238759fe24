"""The camera's lens: where in the picture a direction is seen, and which way a pixel looks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NOMINAL_FOCAL = 0.85
"""Focal length of an unknown camera as a share of the picture's longer side (61° across)."""

UNBEND_STEPS, UNBENT = 60, 1e-9
"""Repetitions at most, and the miss (focal lengths) at which they end."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Focal length, middle and distortion of the lens, for pictures of one size.

    `size` is (width, height), `focal` and `center` are (x, y), all in pixels; `distortion` is
    OpenCV's (k1, k2, p1, p2, k3). Camera coordinates: x right, y down, z away from the camera.
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    center: tuple[float, float]
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if min(self.size) < 1 or min(self.focal) <= 0:
            raise ValueError(f"A lens needs a size and a focal length above 0, not {self}.")

    @property
    def matrix(self) -> Array:
        """The camera matrix (3, 3)."""
        return np.array(
            [[self.focal[0], 0, self.center[0]], [0, self.focal[1], self.center[1]], [0, 0, 1]],
            np.float64,
        )

    def rays(self, pixels: Array) -> Array:
        """Unit lines of sight `(n, 3)` through pixels `(n, 2)`."""
        points = np.asarray(pixels, np.float64).reshape(-1, 2)
        flat = self._unbent((points - np.array(self.center)) / np.array(self.focal))
        lines = np.column_stack([flat, np.ones(len(flat))])
        return np.asarray(lines / np.linalg.norm(lines, axis=1, keepdims=True))

    def project(self, points: Array) -> Array:
        """Pixels `(n, 2)` of points `(n, 3)` in camera coordinates, all before the camera."""
        bent = self._bent(points[:, :2] / points[:, 2:])
        return np.asarray(bent * np.array(self.focal) + np.array(self.center))

    def _bent(self, flat: Array) -> Array:
        """Where the lens shows what a pinhole shows at `flat` (n, 2), focal lengths."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = flat.T
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return np.column_stack(
            [
                x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
                y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
            ]
        )

    def _unbent(self, bent: Array) -> Array:
        """The inverse of `_bent`, found by repetition."""
        flat = bent
        for _ in range(UNBEND_STEPS if any(self.distortion) else 0):
            off = self._bent(flat) - bent
            # A lens bends by a few tenths at most; half steps would be slower, whole ones settle.
            flat = flat - np.clip(off, -0.2, 0.2)
            if not len(off) or float(np.abs(off).max()) < UNBENT:
                break
        return flat

    def scaled(self, size: tuple[int, int]) -> Lens:
        """The same lens for pictures of another size that show the same."""
        x, y = size[0] / self.size[0], size[1] / self.size[1]
        return replace(
            self,
            size=size,
            focal=(self.focal[0] * x, self.focal[1] * y),
            center=(self.center[0] * x, self.center[1] * y),
        )

    def with_focal(self, focal_px: float) -> Lens:
        """The same lens with another focal length, equal in x and y."""
        return replace(self, focal=(focal_px, focal_px))


def nominal(size: tuple[int, int]) -> Lens:
    """The lens of an unknown camera: an ordinary webcam's, without distortion."""
    focal = NOMINAL_FOCAL * max(size)
    return Lens(size, (focal, focal), (size[0] / 2, size[1] / 2))
