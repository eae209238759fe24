"""The simulated die's geometry against the facts of a real one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxcars.sim import shape
from vision import d10


@pytest.mark.parametrize("face", range(10))
def test_neighbours_are_those_of_the_standard_layout(face: int) -> None:
    turn = shape.lying(face, 0.0)
    outward = shape.NORMALS @ turn.T
    assert outward[face] == pytest.approx([0, 0, 1], abs=1e-6)
    # The two faces that look up beside it share its long edges: one left, one right.
    beside = [k for k in range(10) if k != face and outward[k][2] > 0.3]
    left, right = sorted(beside, key=lambda k: outward[k][0])
    assert (left, right) == d10.NEIGHBOURS[face]
    assert outward[9 - face] == pytest.approx([0, 0, -1], abs=1e-6)


def test_the_up_face_is_the_kite_that_the_reader_knows() -> None:
    for face in range(10):
        flat = shape.KITES[face] @ shape.lying(face, 0.0).T
        assert flat[:, 2] == pytest.approx(np.ones(4), abs=1e-6)
        assert flat[0, :2] == pytest.approx(d10.KITE[0], abs=1e-6)
        assert flat[2, :2] == pytest.approx(d10.KITE[2], abs=1e-6)


def test_a_flat_die_is_as_high_as_half_its_faces_apart() -> None:
    assert shape.height(shape.lying(4, 1.1)) == pytest.approx(1.0, abs=1e-6)
    tipped = shape.lean(shape.lying(4, 1.1), 0.3, 0.5)
    assert shape.height(tipped) > 1.0
    assert np.linalg.det(tipped) == pytest.approx(1.0)


def test_a_lean_tips_towards_where_it_is_told() -> None:
    tipped = shape.lean(np.eye(3), math.pi / 2, 0.2) @ np.array([0.0, 0.0, 1.0])
    assert tipped == pytest.approx([0.0, math.sin(0.2), math.cos(0.2)])
