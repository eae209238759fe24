"""The die of the simulated table: its ten faces, and how it is turned with one of them up.

Units are half the face-to-face distance; the die's own coordinates have the even pole at +z. All
of it is worked out here anew: a reader tested on dice drawn from its own geometry would agree with
its own mistakes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ORDER = (0, 7, 4, 1, 6, 9, 2, 5, 8, 3)
"""Faces counter-clockwise seen from the even pole, even and odd pole in turn."""

_TILT = math.radians(48.0)
"""Angle between a face's normal and the pole axis."""
_EQUATOR = (1 - math.cos(math.radians(36))) / (1 + math.cos(math.radians(36)))


def _kite(place: int) -> Array:
    """Corners of the face at `place` in `ORDER`: pole, side, blunt corner, side, shape (4, 3)."""
    sign = 1.0 if place % 2 == 0 else -1.0
    pole = sign / math.cos(_TILT)
    phi, step = math.radians(36.0 * place), math.radians(36.0) * sign
    normal = np.array(
        [math.sin(_TILT) * math.cos(phi), math.sin(_TILT) * math.sin(phi), sign * math.cos(_TILT)]
    )

    def on_face(angle: float, height: float) -> Array:
        direction = np.array([math.cos(angle), math.sin(angle)])
        radius = (1.0 - normal[2] * height) / float(normal[:2] @ direction)
        return np.array([radius * direction[0], radius * direction[1], height])

    equator = _EQUATOR * pole
    return np.array(
        [
            [0.0, 0.0, pole],
            on_face(phi + step, equator),
            on_face(phi, -equator),
            on_face(phi - step, equator),
        ]
    )


def _frame(kite: Array) -> Array:
    """Rows: the face's x (right of its digit), y (towards the pole) and outward normal."""
    up = kite[0] - kite[2]
    up /= np.linalg.norm(up)
    normal = np.cross(kite[1] - kite[0], kite[3] - kite[0])
    normal /= np.linalg.norm(normal)
    if normal @ kite[0] < 0:
        normal = -normal
    return np.array([np.cross(up, normal), up, normal])


KITES: Array = np.array([_kite(ORDER.index(face)) for face in range(10)])
"""Corners of each face, indexed by the digit it bears, shape (10, 4, 3)."""

FRAMES: Array = np.array([_frame(kite) for kite in KITES])
"""Each face's x, y and normal as rows, shape (10, 3, 3)."""

NORMALS: Array = FRAMES[:, 2]
"""Outward normals, shape (10, 3); every face lies one unit from the centre."""

VERTICES: Array = np.unique(np.round(KITES.reshape(-1, 3), 6), axis=0)
"""The die's corners, shape (12, 3)."""

TUMBLED = 1.4
"""Real dice are tumbled: nothing of them lies further from the centre."""


def lying(face: int, yaw: float) -> Array:
    """The turn, die to world, that lays the die flat with `face` up, shape (3, 3).

    `yaw` is how far the digit's top is turned counter-clockwise from +y, in radians.
    """
    return np.asarray(spin(yaw) @ FRAMES[face])


def spin(yaw: float) -> Array:
    """A turn about the vertical, shape (3, 3)."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def lean(turn: Array, direction: float, angle: float) -> Array:
    """`turn` tipped over by `angle` towards `direction`, both in radians."""
    axis = np.array([-math.sin(direction), math.cos(direction), 0.0])
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    tip = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return np.asarray(tip @ turn)


def height(turn: Array) -> float:
    """How high the centre of a die so turned lies above the floor it touches."""
    return float(-(VERTICES @ turn.T)[:, 2].min())
