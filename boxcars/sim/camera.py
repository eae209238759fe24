"""The simulated camera: where things of the table appear in its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WIDTH, HEIGHT = 1280, 720
"""Pixels of every simulated picture."""

FOCAL = 0.85 * WIDTH
"""Focal length in pixels: a webcam that sees 61° across."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera above the tray. World: millimetres, x right, y away, z up, the floor at z = 0.

    `place` (3,) is where it is; the rows of `turn` (3, 3) are the picture's x, y and its line
    of sight in the world.
    """

    place: Array
    turn: Array

    def project(self, points: Array) -> Array:
        """Points of the world `(n, 3)` as pixels `(n, 2)`."""
        seen = (np.atleast_2d(points) - self.place) @ self.turn.T
        return np.asarray(
            FOCAL * seen[:, :2] / seen[:, 2:] + np.array([WIDTH / 2, HEIGHT / 2]), np.float64
        )

    def rays(self, xs: Array, ys: Array) -> Array:
        """Lines of sight `(3, len(ys) * len(xs))` in the world through rows `ys`, columns `xs`."""
        x, y = np.meshgrid((xs - WIDTH / 2) / FOCAL, (ys - HEIGHT / 2) / FOCAL)
        lines = np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
        return np.asarray(self.turn.T @ lines)


def camera_over(
    px_per_mm: float, tilt: float, azimuth: float, roll: float, target: tuple[float, float]
) -> Camera:
    """A camera that looks at `target` on the floor, where a millimetre is `px_per_mm` pixels.

    It stands off the vertical by `tilt` towards `azimuth`, turned about its line of sight by
    `roll`; all radians.
    """
    away = np.array(
        [
            math.sin(tilt) * math.cos(azimuth),
            math.sin(tilt) * math.sin(azimuth),
            math.cos(tilt),
        ]
    )
    ahead = -away
    right = np.cross(ahead, np.array([0.0, 1.0, 0.0]))
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    c, s = math.cos(roll), math.sin(roll)
    turn = np.array([c * right + s * down, c * down - s * right, ahead])
    place = np.array([*target, 0.0]) + away * FOCAL / px_per_mm
    return Camera(place, turn)
