"""What speaks for each face of a die."""

from dataclasses import replace

import numpy as np
import pytest

from vision import d10
from vision.evidence import DieLook, Known, evidence_of, kin_of, known_of
from vision.faces import CLASSES, JUNK
from vision.finder import Find
from vision.pose import Pose

RED, BLUE = (40, 40, 160), (150, 60, 40)


def _certain(face: int, share: float = 0.99) -> np.ndarray:
    probabilities = np.full(CLASSES, (1 - share) / (CLASSES - 1))
    probabilities[face] = share
    return probabilities


def _look(
    up: np.ndarray, face: int, d10_chance: float = 0.99, colour: tuple[int, int, int] = RED
) -> DieLook:
    """A well placed die between the standard neighbours of `face`."""
    return DieLook(
        pose=Pose(np.array([[20.0, 0.0, 50.0], [0.0, -20.0, 50.0]]), 0.01),
        d10=d10_chance,
        cocked=0.0,
        covered=0.0,
        up=up,
        beside=np.array([_certain(neighbour) for neighbour in d10.NEIGHBOURS[face]]),
        patch=np.full((40, 40, 3), colour, np.uint8),
    )


FIND = Find((50.0, 50.0), (60.0, 60.0), 0.8, 0.1)


def _alone(look: DieLook) -> Known:
    return known_of([look], np.zeros(1), kin_of([look]))[0]


def test_up_face_and_neighbours_speak_together() -> None:
    unsure = np.full(CLASSES, 0.01)
    unsure[6] = unsure[9] = 0.45
    evidence = evidence_of(FIND, [_look(unsure, 9)], _alone(_look(unsure, 9)))
    assert evidence.alone[6] == pytest.approx(evidence.alone[9])
    assert int(evidence.probabilities.argmax()) == 9
    assert evidence.probabilities.sum() == pytest.approx(1)


def test_looks_that_disagree_are_all_kept() -> None:
    looks = [_look(_certain(3), 3), _look(_certain(8), 3)]
    evidence = evidence_of(FIND, looks, _alone(looks[0]))
    assert evidence.looks.argmax(axis=1).tolist() == [3, 8]
    assert evidence.probabilities.max() < 0.999


def _missing(look: DieLook) -> DieLook:
    """The look with a kite that fits nothing."""
    return replace(look, pose=Pose(look.pose.affine, 0.3))


def test_a_look_that_found_no_face_is_no_witness_if_others_did() -> None:
    right, wrong = _look(_certain(3), 3), _missing(_look(_certain(6), 6))
    evidence = evidence_of(FIND, [wrong, right, right], _alone(right))
    assert evidence.looks.argmax(axis=1).tolist() == [3, 3]
    one_only = evidence_of(FIND, [wrong, right], _alone(right))
    assert one_only.looks.argmax(axis=1).tolist() == [6, 3]
    hardly = _look(_certain(3), 3, d10_chance=0.6)
    no_die = evidence_of(FIND, [wrong, hardly, hardly], _alone(right))
    assert no_die.looks.argmax(axis=1).tolist() == [6, 3, 3]


def test_a_look_that_saw_no_face_has_no_say_which_it_is() -> None:
    clear, blank = _look(_certain(6), 6), _look(_certain(JUNK), 6)
    alone = evidence_of(FIND, [blank, clear, clear], _alone(clear)).alone
    assert alone[9] < 0.01 < 0.9 < alone[6]
    nothing = evidence_of(FIND, [blank, blank], _alone(clear)).alone
    assert nothing == pytest.approx(np.full(10, 0.1), abs=0.01)


@pytest.mark.parametrize(("others", "boosted"), [(0, False), (2, False), (6, True)])
def test_dice_of_its_colour_make_a_die_a_d10(others: int, boosted: bool) -> None:
    odd = _look(_certain(3), 3, d10_chance=0.4)
    looks = [odd, *(_look(_certain(face), face) for face in range(others))]
    known = known_of(looks, np.zeros(len(looks)), kin_of(looks))[0]
    assert (evidence_of(FIND, [odd], known).d10 > 0.5) is boosted


@pytest.mark.parametrize("other", [_look(_certain(5), 5, colour=BLUE), _look(_certain(5, 0.4), 5)])
def test_dice_of_another_colour_or_unread_ones_tell_nothing(other: DieLook) -> None:
    odd = _look(_certain(3), 3, d10_chance=0.4)
    looks = [odd, *[other] * 6]
    known = known_of(looks, np.zeros(7), kin_of(looks))[0]
    assert known.fellows == pytest.approx(0, abs=0.01)
    assert evidence_of(FIND, [odd], known).d10 == pytest.approx(0.4, abs=0.01)
