"""Fusing looks: votes are counted, disagreement is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.fuse import FusionSettings, Looks, pair, turned
from vision.records import DieReading, Doubt, Sighting


def die(
    face: int, x: float = 100.0, doubts: Doubt = Doubt.NONE, sure: float = 0.9, angle: float = 0.0
) -> DieReading:
    """A reading of a die of 40 pixels at `(x, 50)`, its digit's top turned by `angle` radians."""
    probabilities = np.full(10, (1 - sure) / 9, np.float32)
    probabilities[face] = sure
    corners = np.array([[20, 0], [0, 10], [-10, 0], [0, -10]], np.float32)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    placed = (corners @ turn + (x, 50)).astype(np.float32)
    return DieReading(
        Sighting((x, 50), (x - 20, 30, x + 20, 70), 0.9, placed, 0.0), probabilities, doubts
    )


def looks(*each: DieReading | None, untouched: tuple[DieReading, ...] = ()) -> Looks:
    """Looks that saw one die each, or nothing."""
    all_looks = Looks(untouched)
    for reading in each:
        all_looks.add([] if reading is None else [reading])
    return all_looks


GLARE = die(8, doubts=Doubt.GLARE)


def test_three_certain_looks_agree() -> None:
    two, three = looks(die(4), die(4)), looks(die(4), die(4), die(4))
    assert not two.agree
    assert [reading.face for reading in two.readings] == [None]
    assert three.agree
    assert [reading.face for reading in three.readings] == [4]


def test_the_surest_look_is_kept_as_it_was() -> None:
    best = die(4, sure=0.97)
    assert looks(die(4), best, die(4)).readings == (best,)


def test_doubtful_looks_do_not_outvote_certain_ones() -> None:
    fused = looks(GLARE, die(8), die(8), die(8))
    assert fused.agree
    assert fused.readings[0].face == 8


def test_as_many_doubtful_looks_as_certain_ones_are_a_doubt() -> None:
    fused = looks(die(8), die(8), die(8), GLARE, GLARE, die(8, doubts=Doubt.BLURRED))
    assert not fused.agree
    (reading,) = fused.readings
    assert reading.face is None
    assert reading.doubts == Doubt.GLARE | Doubt.BLURRED


def test_a_die_that_leans_in_some_looks_needs_more_certain_ones() -> None:
    clear, leaning = die(5), die(5, doubts=Doubt.COCKED)
    told = []
    fused = looks(leaning, *[clear] * 4)
    for look in (clear, clear, leaning, leaning, *[clear] * 6):
        fused.add([look])
        told.append(fused.readings[0].face)
    assert told == [None, 5, 5, *[None] * 6, 5]
    assert fused.readings[0].doubts is Doubt.NONE


def test_a_leaning_die_that_is_found_now_here_now_there_has_not_moved() -> None:
    here, there = die(3), die(3, x=108.0, doubts=Doubt.COCKED)
    told = [looks(there, *[here] * more).readings[0] for more in (3, 5, 6, 7)]
    assert [reading.face for reading in told] == [None, None, 3, 3]
    assert told[0].doubts == Doubt.COCKED
    elsewhere = looks(die(3, x=130.0, doubts=Doubt.COCKED), *[here] * 3)
    assert [reading.face for reading in elsewhere.readings] == [3]


def test_that_another_die_jumps_says_nothing_of_a_die_that_leaned_once() -> None:
    calm, leaning = die(3), die(3, doubts=Doubt.COCKED)
    fused = Looks()
    fused.add([leaning, die(5, x=300.0)])
    for x in (308.0, 308.0, 308.0):
        fused.add([calm, die(5, x=x)])
    assert sorted(reading.likeliest for reading in fused.readings) == [3, 5]
    assert [reading.face for reading in fused.readings if reading.likeliest == 3] == [3]


def test_doubts_are_forgotten_after_a_while() -> None:
    fused = looks(*[GLARE] * 5, *[die(8)] * 4)
    assert fused.readings[0].face == 8


def test_certain_looks_that_disagree_are_unsure_for_good() -> None:
    fused = looks(die(6), die(9), *[die(9)] * 30)
    assert not fused.agree
    (reading,) = fused.readings
    assert reading.doubts == Doubt.UNSURE
    assert reading.face is None
    assert reading.probabilities[6] == pytest.approx(reading.probabilities[9])
    assert reading.probabilities[6] > 0.4
    assert reading.probabilities.sum() == pytest.approx(1.0, abs=1e-5)


def test_too_few_votes_are_unsure() -> None:
    assert looks(die(6)).readings[0].doubts == Doubt.UNSURE


def test_a_die_that_few_looks_saw_is_not_there() -> None:
    once = looks(die(5), None, None, None)
    assert once.readings == ()
    assert once.agree
    half = looks(die(5), None, die(5), None)
    assert len(half.readings) == 1
    assert not half.agree


def test_a_die_that_comes_late_is_no_certainty() -> None:
    late = Looks()
    for seen in ([die(1)], [die(1)], [die(1), die(2, x=300)], [die(1), die(2, x=300)]):
        late.add(seen)
    assert [reading.face for reading in late.readings] == [1, None]
    assert not late.agree


def test_an_empty_tray_is_looked_at_thrice() -> None:
    assert not looks(None, None).agree
    assert looks(None, None, None).agree
    assert looks(None, None, None).readings == ()


def test_dice_that_moved_between_looks_start_over() -> None:
    fused = looks(die(4), die(4), die(4, x=109))
    assert fused.count == 1
    assert not fused.agree


def test_what_is_known_of_untouched_dice_counts() -> None:
    known = die(8)
    assert not looks(GLARE, untouched=(known,)).agree
    fused = looks(GLARE, GLARE, untouched=(known,))
    assert fused.agree
    assert fused.readings == (known,)
    against = looks(die(3), die(3), die(3), untouched=(known,))
    assert against.readings[0].doubts == Doubt.UNSURE
    elsewhere = looks(GLARE, GLARE, untouched=(die(8, x=300),))
    assert elsewhere.readings[0].face is None
    unknown = looks(die(8), die(8), untouched=(GLARE,))
    assert unknown.readings[0].face is None


def test_pairs_are_nearest_first_and_used_once() -> None:
    first = [die(1, x=100), die(2, x=110)]
    second = [die(3, x=111), die(4, x=300)]
    assert pair(first, second) == [(1, 0)]
    assert pair(first, []) == []
    assert pair([], second) == []


def test_turned_is_the_smaller_way_round() -> None:
    assert turned(die(1, angle=0.1), die(1, angle=-0.1)) == pytest.approx(0.2, abs=1e-5)
    assert turned(die(1, angle=3.1), die(1, angle=-3.1)) == pytest.approx(0.083, abs=1e-2)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([4, 7]), st.booleans(), st.sampled_from([0.6, 0.8, 0.95])),
        min_size=1,
        max_size=20,
    )
)
def test_no_face_is_certain_against_a_certain_look(
    seen: list[tuple[int, bool, float]],
) -> None:
    fused = looks(
        *(die(f, doubts=Doubt.BLURRED if doubt else Doubt.NONE, sure=s) for f, doubt, s in seen)
    )
    (reading,) = fused.readings
    certain = {face for face, doubt, _ in seen if not doubt}
    recent = [face for face, doubt, _ in seen[-FusionSettings().window :] if not doubt]
    if reading.face is not None:
        assert certain == {reading.face}
        assert len(recent) >= 3
    if len(certain) > 1:
        assert reading.doubts == Doubt.UNSURE
