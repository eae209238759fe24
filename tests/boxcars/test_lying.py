"""Tests of how dice are recognised by the place they lie at."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from boxcars.lying import (
    Lying,
    contradicted,
    faces_of,
    from_values,
    kept_in_place,
    lying,
    nowhere,
    placed,
    pushed,
    remembered,
    to_values,
    unmoved,
)
from tests.boxcars.table import Die, row, view
from vision.records import Doubt


def lay(*dice: Die) -> tuple[Lying, ...]:
    return lying(view(dice).readings)


def test_a_reading_tells_place_angle_size_and_what_it_may_be() -> None:
    (die,) = lay(Die(6, 200.0, 300.0, angle=1.0).doubted(Doubt.SIX_OR_NINE | Doubt.GLARE))
    assert (die.face, die.center, die.size) == (None, (200.0, 300.0), 60.0)
    assert math.isclose(die.angle, 1.0, abs_tol=1e-6)
    assert die.candidates[0] == 6
    assert die.doubts == ("six-or-nine", "glare")


def test_a_trembling_picture_moves_no_die() -> None:
    before = [Die(face, 100.0 * face, 50.0, angle=0.3 * face) for face in range(10)]
    after = [die.moved(0.1, -0.1, turn=0.2) for die in reversed(before)]
    pairs = unmoved(lay(*before), lay(*after))
    assert pairs == tuple((n, 9 - n) for n in range(10))


def test_a_die_turned_on_its_spot_is_the_same_and_one_turned_beside_it_is_not() -> None:
    die = Die(4, 100.0, 100.0)
    assert unmoved(lay(die), lay(die.moved(0.05, turn=2.0)))
    assert not unmoved(lay(die), lay(die.moved(0.2, turn=2.0)))
    assert not unmoved(lay(die), lay(die.moved(0.4)))


def test_directions_either_side_of_half_a_turn_are_the_same() -> None:
    die = Die(4, 100.0, 100.0, angle=math.pi - 0.05)
    assert unmoved(lay(die), lay(die.moved(0.2, turn=0.1)))


def test_each_die_is_paired_once_with_the_nearest() -> None:
    before = lay(Die(1, 100.0, 100.0), Die(1, 112.0, 100.0))
    after = lay(Die(1, 110.0, 100.0), Die(1, 99.0, 100.0))
    assert unmoved(before, after) == ((0, 1), (1, 0))


def test_only_a_die_with_its_face_is_kept_in_place() -> None:
    before = row([1, 2, 3])
    after = [before[0], before[1].read_as(5), before[2].doubted()]
    assert kept_in_place(lay(*before), lay(*after)) == ((0, 0),)


def test_another_face_on_the_very_spot_is_a_contradiction() -> None:
    die = Die(8, 100.0, 100.0)
    assert contradicted(lay(die), lay(die.read_as(3)))
    assert not contradicted(lay(die), lay(die.moved(0.2).read_as(3)))
    assert not contradicted(lay(die), lay(die.moved(0.0, turn=1.0).read_as(3)))
    assert not contradicted(lay(die), lay(die.doubted()))


def test_a_pushed_die_is_found_near_with_its_face() -> None:
    die = Die(8, 100.0, 100.0)
    assert pushed(lay(die), lay(die.moved(1.5, 1.0, turn=2.0)))
    assert not pushed(lay(die), lay(die.moved(1.5, 1.0).read_as(3)))
    assert not pushed(lay(die), lay(die.moved(3.0)))


def test_an_unreadable_die_that_did_not_move_keeps_its_face() -> None:
    die = Die(8, 100.0, 100.0)
    (still,) = remembered(lay(die), lay(die.doubted()))
    (elsewhere,) = remembered(lay(die), lay(die.moved(2).doubted()))
    assert (still.face, elsewhere.face) == (8, None)


def test_readings_that_contradict_each_other_leave_the_face_open() -> None:
    die = Die(8, 100.0, 100.0)
    (disputed,) = remembered(lay(die), lay(die.read_as(3)))
    assert disputed.face is None
    assert disputed.candidates == (3, 8)
    assert disputed.doubts == ("contradiction",)


def test_a_persons_word_stands_against_the_reading() -> None:
    die = Die(8, 100.0, 100.0)
    said = placed(lay(die), [5])
    (known,) = remembered(said, lay(die.moved(0.05)))
    assert (known.face, known.said) == (5, True)
    (moved,) = remembered(said, lay(die.moved(2)))
    assert moved.face == 8
    (turned,) = remembered(said, lay(die.moved(0.05, turn=2)))
    assert (turned.face, turned.candidates) == (None, (8, 5))


def test_also_if_it_was_given_before_the_die_was_seen_again() -> None:
    die = Die(8, 100.0, 100.0)
    assert remembered(lay(die), placed(lay(die), [5])) == placed(lay(die), [5])


def test_a_corrected_face_goes_to_the_only_die_it_can_be() -> None:
    dice = lay(*row([1, 1, 3, 7]))
    assert [(die.face, die.said) for die in placed(dice, [1, 1, 4, 7])] == [
        (1, False),
        (1, False),
        (7, False),
        (4, True),
    ]


def test_where_it_may_be_several_dice_their_places_are_forgotten() -> None:
    dice = placed(lay(*row([1, 1, 3])), [1, 2, 3])
    assert faces_of(dice) == (1, 2, 3)
    assert [die.face for die in dice if not math.isnan(die.x)] == [3]


def test_dice_of_unknown_place_lie_near_nothing() -> None:
    assert not unmoved(nowhere([1]), lay(Die(1, 0.0, 0.0)))
    assert not pushed(lay(Die(1, 0.0, 0.0)), nowhere([1]))


def test_what_is_unknown_is_written_down_as_such() -> None:
    (value,) = to_values(nowhere([1]))
    assert (value["face"], value["x"], value["angle"]) == (1, None, None)
    (die,) = from_values([value])
    assert die.face == 1
    assert math.isnan(die.x)


def test_so_is_why_a_face_is_in_doubt() -> None:
    (doubtful,) = lay(Die(6, 200.0, 300.0).doubted(Doubt.SIX_OR_NINE))
    (again,) = from_values(json.loads(json.dumps(to_values([doubtful]))))
    assert (again.face, again.candidates, again.doubts) == (
        None,
        doubtful.candidates,
        ("six-or-nine",),
    )


def test_of_dice_pushed_together_as_many_as_possible_are_known_again() -> None:
    before = lay(Die(0, 100.0, 100.0), Die(0, 200.0, 100.0))
    after = lay(Die(0, 190.0, 100.0), Die(0, 90.0, 100.0))
    far = lay(Die(0, 205.0, 100.0), Die(0, 300.0, 100.0))
    assert len(pushed(before, after)) == 2
    assert len(pushed(before, far)) == 2


@given(
    st.lists(
        st.builds(
            Die,
            st.integers(0, 9),
            st.integers(0, 1280).map(float),
            st.integers(0, 720).map(float),
        ),
        max_size=11,
    )
)
def test_how_dice_lie_survives_being_written_down(dice: list[Die]) -> None:
    before = lay(*dice)
    after = from_values(json.loads(json.dumps(to_values(before))))
    assert [(die.face, die.center, die.size) for die in after] == [
        (die.face, die.center, die.size) for die in before
    ]
