"""How dice are numbered, told by the dice themselves."""

import numpy as np
import pytest

from vision import d10
from vision.faces import CLASSES, JUNK, combine
from vision.layout import alike, neighbour_support, tables, unread

OTHER = {
    (face + 4) % 10: ((left + 4) % 10, (right + 4) % 10)
    for face, (left, right) in d10.NEIGHBOURS.items()
}
"""Another maker's layout: the standard one with 4 where 0 was, 5 where 1 was, and so on."""


def _certain(index: int, share: float = 0.99) -> np.ndarray:
    probabilities = np.full(CLASSES, (1 - share) / (CLASSES - 1))
    probabilities[index] = share
    return probabilities


def _beside(neighbours: tuple[int, int]) -> np.ndarray:
    return np.array([_certain(face) for face in neighbours])


def _tables(faces: list[int], layout: dict[int, tuple[int, int]]) -> np.ndarray:
    """What dice of one set tell of each other, all surely read."""
    ups = np.array([_certain(face) for face in faces])
    besides = np.array([_beside(layout[face]) for face in faces])
    return tables(ups, besides, 1 - np.eye(len(faces)))


ALONE = tables(_certain(0)[None], unread(1), np.zeros((1, 1)))[0]
"""What is known of a die that lies alone."""


def test_tables_are_probabilities() -> None:
    for table in (ALONE, *_tables([1, 5, 9, 2], OTHER)):
        assert table.shape == (2, 10, 10)
        assert table.sum(axis=2) == pytest.approx(np.ones((2, 10)))


@pytest.mark.parametrize("face", range(10))
def test_both_neighbours_point_at_their_face(face: int) -> None:
    support = neighbour_support(_beside(d10.NEIGHBOURS[face]), ALONE)
    assert int(support.argmax()) == face
    assert sorted(support)[-2] < 0.3


def test_unreadable_neighbours_say_nothing() -> None:
    assert neighbour_support(unread(1)[0], ALONE) == pytest.approx(np.ones(10))


def test_neighbours_tell_six_from_nine() -> None:
    up = np.zeros(CLASSES)
    up[6] = up[9] = 0.5
    joint = combine(up, neighbour_support(_beside(d10.NEIGHBOURS[9]), ALONE))
    assert joint[9] > 0.8


def test_neighbours_never_outvote_a_clear_face() -> None:
    joint = combine(_certain(2, 0.999), neighbour_support(_beside(d10.NEIGHBOURS[4]), ALONE))
    assert int(joint.argmax()) == 2


def test_neighbours_say_more_where_others_of_the_set_bear_them_out() -> None:
    up = _certain(JUNK, 0.5)
    up[3], up[8] = 0.2, 0.3
    beside = _beside(d10.NEIGHBOURS[3])
    among_others = _tables([3, 1, 5, 6, 7], d10.NEIGHBOURS)[0]
    alone = combine(up, neighbour_support(beside, ALONE))[3]
    assert combine(up, neighbour_support(beside, among_others))[3] > max(0.95, alone)


def test_a_set_numbered_otherwise_is_not_held_against_itself() -> None:
    faces = [0, 1, 3, 4, 9]
    alone = [neighbour_support(_beside(OTHER[face]), ALONE)[face] for face in faces]
    told = [
        neighbour_support(_beside(OTHER[face]), table)[face]
        for face, table in zip(faces, _tables(faces, OTHER), strict=True)
    ]
    assert min(alone) < 0.1
    assert min(told) > 0.25


def test_what_others_show_is_learned_from_either_side() -> None:
    """The standard layout forgotten, a face seen beside others is known from these."""
    left, right = OTHER[4]
    table = _tables([4, left, left, right, right], OTHER)[0]
    support = neighbour_support(_beside(OTHER[4]), table)
    assert int(support.argmax()) == 4


def test_a_die_is_no_witness_for_itself() -> None:
    ups, besides = _certain(4)[None], _beside(OTHER[4])[None]
    assert tables(ups, besides, np.zeros((1, 1)))[0] == pytest.approx(ALONE)


def test_dice_of_one_colour_are_of_one_set() -> None:
    def face(body: tuple[int, int, int]) -> np.ndarray:
        patch = np.full((40, 40, 3), body, np.uint8)
        patch[12:28, 16:24] = 255
        return patch

    kin = alike([face((40, 40, 160)), face((44, 46, 172)), face((150, 60, 40))])
    assert kin == pytest.approx(kin.T)
    assert np.diag(kin) == pytest.approx(np.zeros(3))
    assert kin[0, 1] > 0.8
    assert kin[0, 2] < 0.01
