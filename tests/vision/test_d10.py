"""The die's shape against its facts."""

import numpy as np
import pytest

from vision import d10


def test_the_kite_has_a_right_angle_at_each_side_and_the_known_edge_ratio() -> None:
    pole, right, blunt, left = d10.KITE
    long_edge, short_edge = np.linalg.norm(right - pole), np.linalg.norm(right - blunt)
    assert short_edge / long_edge == pytest.approx(0.486, abs=0.002)
    to_pole, to_blunt = (pole - right) / long_edge, (blunt - right) / short_edge
    assert float(to_pole @ to_blunt) == pytest.approx(0.0, abs=0.01)
    assert left == pytest.approx([-right[0], right[1]])


def test_long_edge_neighbours_lean_by_the_known_angle() -> None:
    for plane in (d10.LEFT, d10.RIGHT):
        lean = np.degrees(np.arccos(plane[0][2]))
        assert lean == pytest.approx(51.8, abs=0.1)
        assert plane @ plane.T == pytest.approx(np.eye(3), abs=1e-9)
    assert d10.RIGHT[0][0] > 0 > d10.LEFT[0][0]


def test_the_neighbour_table_follows_from_the_layout_order() -> None:
    order = (0, 7, 4, 1, 6, 9, 2, 5, 8, 3)
    for place, face in enumerate(order):
        # Counter-clockwise seen from the even pole: right for even faces, left for odd ones.
        step = 2 if place % 2 == 0 else -2
        right, left = order[(place + step) % 10], order[(place - step) % 10]
        assert d10.NEIGHBOURS[face] == (left, right)


def test_neighbours_share_their_parity_with_the_face() -> None:
    for face, beside in d10.NEIGHBOURS.items():
        assert all(n % 2 == face % 2 for n in beside)
