"""The d10 in its own coordinates: the up face's kite and where its neighbours lie.

Units are half the face-to-face distance. The frame is the up face's: origin at the die's
centre, x to the right of the digit, y towards the digit's top (the pole), z up.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FACE_TILT = math.radians(48.0)
"""Angle between a face's normal and the pole axis."""

POLE = 1.0 / math.cos(FACE_TILT)
"""Distance from the centre to a pole."""

EQUATOR = (1 - math.cos(math.radians(36))) / (1 + math.cos(math.radians(36)))
"""Height of the equator's vertices as a share of `POLE`."""


def _kite_in_pole_frame(turn: int) -> NDArray[np.float64]:
    """Corners of an upper face `turn` fifths round the pole, pole axis z, shape (4, 3)."""
    phi = math.radians(72.0 * turn)
    normal = np.array(
        [
            math.sin(FACE_TILT) * math.cos(phi),
            math.sin(FACE_TILT) * math.sin(phi),
            math.cos(FACE_TILT),
        ]
    )

    def on_face(angle: float, height: float) -> NDArray[np.float64]:
        direction = np.array([math.cos(angle), math.sin(angle)])
        radius = (1.0 - normal[2] * height) / float(normal[:2] @ direction)
        return np.array([radius * direction[0], radius * direction[1], height])

    step = math.radians(36.0)
    high = EQUATOR * POLE
    return np.array(
        [
            [0.0, 0.0, POLE],
            on_face(phi + step, high),
            on_face(phi, -high),
            on_face(phi - step, high),
        ]
    )


def _face_frame(kite: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows: the face's x (right of the digit), y (towards the pole) and outward normal."""
    up = kite[0] - kite[2]
    up /= np.linalg.norm(up)
    normal = np.cross(kite[1] - kite[0], kite[3] - kite[0])
    normal /= np.linalg.norm(normal)
    if normal @ kite[0] < 0:
        normal = -normal
    return np.array([np.cross(up, normal), up, normal])


_UP_FRAME = _face_frame(_kite_in_pole_frame(0))

KITE: NDArray[np.float64] = (_kite_in_pole_frame(0) @ _UP_FRAME.T)[:, :2]
"""The up face's pole, right, blunt and left corner in its own plane, shape (4, 2), z = 1."""


def _neighbour(turn: int) -> NDArray[np.float64]:
    """Origin, x and y axis of a neighbour's plane in the up face's frame, shape (3, 3)."""
    frame = _face_frame(_kite_in_pole_frame(turn)) @ _UP_FRAME.T
    return np.array([frame[2], frame[0], frame[1]])


RIGHT: NDArray[np.float64] = _neighbour(1)
LEFT: NDArray[np.float64] = _neighbour(4)
"""The long-edge neighbours: foot of the normal, x axis, y axis (rows, unit vectors)."""

NEIGHBOURS = {
    0: (8, 4), 1: (9, 7), 2: (6, 8), 3: (7, 5), 4: (0, 6),
    5: (3, 9), 6: (4, 2), 7: (1, 3), 8: (2, 0), 9: (5, 1),
}  # fmt: skip
"""Faces on the left and right long edge with the digit upright, standard layout."""
