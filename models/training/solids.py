"""Shapes of dice: planes, faces and digit places of the d10 and of the dice it is mistaken for."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

D10_ORDER = (0, 7, 4, 1, 6, 9, 2, 5, 8, 3)
"""Faces counter-clockwise seen from the even pole, even and odd pole in turn (standard layout)."""

FACE_TILT = math.radians(48.0)
"""Angle between a d10's face normal and its pole axis."""

KITE_EQUATOR = (1 - math.cos(math.radians(36))) / (1 + math.cos(math.radians(36)))
"""Height of the zigzag equator's vertices as a share of the pole's height, 0.1056."""


@dataclass(frozen=True)
class Solid:
    """A convex die with unit distance from its centre to the nearest face.

    `normals` has shape `(n, 3)`; `offsets` `(n,)`: face i lies at `normals[i] @ p == offsets[i]`.
    `centers` `(n, 3)` is where the digit sits, `ups` `(n, 3)` where its top points,
    `digit_size` the digit's height as a share of the face distance (2 units).
    """

    name: str
    normals: NDArray[np.float64]
    offsets: NDArray[np.float64]
    centers: NDArray[np.float64]
    ups: NDArray[np.float64]
    vertices: NDArray[np.float64]
    digit_size: float

    @property
    def sides(self) -> int:
        return len(self.normals)


def kite_corners(face: int) -> NDArray[np.float64]:
    """Corners of d10 face number `face` in layout order: pole, side, blunt corner, side.

    Shape `(4, 3)`, in units of half the face-to-face distance; clockwise seen from outside
    with the pole up (left side last).
    """
    upper = face % 2 == 0
    sign = 1.0 if upper else -1.0
    pole_height = 1.0 / math.cos(FACE_TILT)
    phi = math.radians(36.0 * face)
    pole = np.array([0.0, 0.0, sign * pole_height])
    normal = np.array(
        [
            math.sin(FACE_TILT) * math.cos(phi),
            math.sin(FACE_TILT) * math.sin(phi),
            sign * math.cos(FACE_TILT),
        ]
    )

    def on_face(angle: float, height: float) -> NDArray[np.float64]:
        direction = np.array([math.cos(angle), math.sin(angle)])
        radius = (1.0 - normal[2] * height) / float(normal[:2] @ direction)
        return np.array([radius * direction[0], radius * direction[1], height])

    equator = KITE_EQUATOR * pole_height * sign
    step = math.radians(36.0) * sign
    right, left = on_face(phi + step, equator), on_face(phi - step, equator)
    blunt = on_face(phi, -equator)
    return np.array([pole, right, blunt, left])


def d10() -> Solid:
    """The ten-sided die: a pentagonal trapezohedron, faces numbered by layout position."""
    corners = np.array([kite_corners(i) for i in range(10)])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    flip = np.sign(np.einsum("ij,ij->i", normals, corners[:, 0]))
    normals *= flip[:, None]
    ups = corners[:, 0] - corners[:, 2]
    ups /= np.linalg.norm(ups, axis=1, keepdims=True)
    # The digit sits where the kite is widest, a little nearer the equator.
    centers = normals - 0.06 * ups
    vertices = np.unique(np.round(corners.reshape(-1, 3), 6), axis=0)
    return Solid("d10", normals, np.ones(10), centers, ups, vertices, 0.48)


def _regular(name: str, normals: NDArray[np.float64], digit_size: float) -> Solid:
    """A regular solid from its face normals, digits upright towards a vertex of the face."""
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    vertices = []
    for triple in itertools.combinations(normals, 3):
        matrix = np.array(triple)
        if abs(np.linalg.det(matrix)) < 1e-6:
            continue
        point = np.linalg.solve(matrix, np.ones(3))
        if np.all(normals @ point <= 1 + 1e-6):
            vertices.append(point)
    corners = np.unique(np.round(np.array(vertices), 6), axis=0)
    ups = []
    for normal in normals:
        on_face = corners[np.abs(corners @ normal - 1) < 1e-4]
        up = on_face[0] - normal
        ups.append(up / np.linalg.norm(up))
    return Solid(
        name, normals, np.ones(len(normals)), normals.copy(), np.array(ups), corners, digit_size
    )


def other_solids() -> dict[str, Solid]:
    """d4, d6, d8, d12 and d20: what lies on game tables beside d10 and must not be read."""
    golden = (1 + math.sqrt(5)) / 2
    signs = (-1.0, 1.0)
    tetra = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
    cube = np.array([p for a in range(3) for p in (np.eye(3)[a], -np.eye(3)[a])])
    octa = np.array(list(itertools.product(signs, signs, signs)))
    dodeca = np.array(
        [np.roll((0.0, a, b * golden), shift) for shift in range(3) for a in signs for b in signs]
    )
    icosa = np.concatenate(
        [
            octa,
            np.array(
                [
                    np.roll((0.0, a / golden, b * golden), shift)
                    for shift in range(3)
                    for a in signs
                    for b in signs
                ]
            ),
        ]
    )
    sizes = {"d4": 1.0, "d6": 0.6, "d8": 0.55, "d12": 0.42, "d20": 0.3}
    shapes = {"d4": tetra, "d6": cube, "d8": octa, "d12": dodeca, "d20": icosa}
    return {name: _regular(name, shape, sizes[name]) for name, shape in shapes.items()}
