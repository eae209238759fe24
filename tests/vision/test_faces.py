"""Witnesses put together."""

import numpy as np
import pytest

from vision import d10
from vision.faces import CLASSES, JUNK, combine, neighbour_support


def _certain(index: int, share: float = 0.99) -> np.ndarray:
    probabilities = np.full(CLASSES, (1 - share) / (CLASSES - 1))
    probabilities[index] = share
    return probabilities


@pytest.mark.parametrize("face", range(10))
def test_both_neighbours_point_at_their_face(face: int) -> None:
    left, right = d10.NEIGHBOURS[face]
    support = neighbour_support(_certain(left), _certain(right))
    assert int(support.argmax()) == face
    assert sorted(support)[-2] < 0.3


def test_unreadable_neighbours_say_nothing() -> None:
    support = neighbour_support(_certain(JUNK, 1.0), _certain(JUNK, 1.0))
    assert support == pytest.approx(np.ones(10))


def test_neighbours_tell_six_from_nine() -> None:
    up = np.zeros(CLASSES)
    up[6] = up[9] = 0.5
    left, right = d10.NEIGHBOURS[9]
    joint = combine(up, neighbour_support(_certain(left), _certain(right)))
    assert joint[9] > 0.8


def test_neighbours_never_outvote_a_clear_face() -> None:
    left, right = d10.NEIGHBOURS[4]
    joint = combine(_certain(2, 0.999), neighbour_support(_certain(left), _certain(right)))
    assert int(joint.argmax()) == 2


def test_no_face_is_doubt_not_evidence() -> None:
    joint = combine(_certain(JUNK, 0.9), np.ones(10))
    assert joint.max() < 0.2
