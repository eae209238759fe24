"""Tests of what was picked up, as far as the dice on the table tell."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxcars.lying import Lying, lying
from boxcars.pickups import Bounds, Comparison, Finding, compare, pick_up, reroll
from scoring.phases import REROLLS, Phase
from scoring.rules import HouseRules, Verdict, judge
from tests.boxcars.table import Die, game_frames, row, scattered, thrown, view, without
from vision.records import Doubt

P = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
BREAKDOWN = "breakdown-without-way-car"
TOO_MANY = "too-many-dice"


def lay(dice: list[Die]) -> tuple[Lying, ...]:
    return lying(view(dice).readings)


class TestBounds:
    def test_legal_if_even_the_most_is_legal(self) -> None:
        bounds = Bounds((), (1, 2, 3))
        assert bounds.judge((0, 0, 1, 2, 3, 4, 5, 6, 7, 8), Phase.REROLL_4) == Finding(
            Verdict.LEGAL
        )

    def test_illegal_if_even_the_least_is_illegal_and_then_for_sure_only(self) -> None:
        bounds = Bounds((0,), (0, 1, 2, 3))
        assert bounds.judge((0, 0, 1, 2, 3, 4, 5, 6, 7, 8), Phase.REROLL_2) == Finding(
            Verdict.ILLEGAL, (BREAKDOWN,)
        )

    def test_between_them_it_cannot_be_told_and_the_reasons_are_those_possible(self) -> None:
        bounds = Bounds((1,), (0, 1, 2))
        assert bounds.judge((0, 0, 1, 2, 3, 4, 5, 6, 7, 8), Phase.REROLL_2) == Finding(
            Verdict.CANNOT_TELL, (TOO_MANY, BREAKDOWN)
        )

    @given(st.data())
    def test_the_two_ends_speak_for_all_between(self, data: st.DataObject) -> None:
        roll = tuple(sorted(data.draw(st.lists(st.integers(0, 9), min_size=10, max_size=10))))
        phase = data.draw(st.sampled_from(REROLLS))
        rules = HouseRules(way_car_must_stay=data.draw(st.booleans()))
        order = data.draw(st.permutations(roll))
        most = data.draw(st.integers(0, 10))
        least = data.draw(st.integers(0, most))
        verdict = Bounds(tuple(order[:least]), tuple(order[:most])).judge(roll, phase, rules)
        wrong = {
            bool(judge(roll, tuple(order[:least]) + extra, phase, rules))
            for extra in _all_parts(tuple(order[least:most]))
        }
        expected = {
            frozenset([False]): Verdict.LEGAL,
            frozenset([True]): Verdict.ILLEGAL,
            frozenset([False, True]): Verdict.CANNOT_TELL,
        }
        assert verdict.verdict is expected[frozenset(wrong)]


def _all_parts(faces: tuple[int, ...]) -> list[tuple[int, ...]]:
    parts: list[tuple[int, ...]] = [()]
    for face in faces:
        parts += [(*part, face) for part in parts]
    return parts


class TestPickUp:
    def test_what_is_missing_was_picked_up(self) -> None:
        found = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        assert found is not None
        assert found.bounds == Bounds((0, 2, 3), (0, 2, 3))

    def test_wherever_the_kept_dice_now_lie(self) -> None:
        kept = [die.moved(0, 5, turn=2) for die in without(P, 0, 3, 4)]
        found = pick_up(lay(P), lay(kept))
        assert found is not None
        assert found.faces == (0, 2, 3)

    def test_dice_that_were_not_in_the_roll_were_not_kept(self) -> None:
        assert pick_up(lay(P), lay([*without(P, 0, 3, 4), Die(9, 700.0, 500.0)])) is None
        assert pick_up(lay(P), lay([P[2], P[2].moved(5, 5)])) is None

    def test_an_unreadable_die_that_did_not_move_is_known(self) -> None:
        kept = [P[1].doubted(Doubt.COVERED), *P[5:]]
        found = pick_up(lay(P), lay(kept))
        assert found is not None
        assert found.faces == (0, 1, 2, 3)
        assert [die.face for die in found.kept] == [0, 4, 5, 6, 7, 8]

    def test_an_unreadable_die_that_moved_is_not(self) -> None:
        assert pick_up(lay(P), lay([P[1].moved(3, 3).doubted(), *P[5:]])) is None

    def test_unless_one_face_only_is_left_for_it(self) -> None:
        same = row([7] * 8 + [1, 2])
        found = pick_up(lay(same), lay([same[0].moved(0, 5).doubted(), *same[8:]]))
        assert found is not None
        assert found.faces == (7,) * 7

    def test_more_dice_than_ten_are_no_part_of_a_roll(self) -> None:
        blurred = [die.moved(0, 3).doubted(Doubt.BLURRED) for die in [*P, P[9].moved(2)]]
        assert pick_up(lay(P), lay(blurred)) is None

    def test_dice_put_back_on_their_spots_were_not_thrown(self) -> None:
        first = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        again = pick_up(lay(P), lay(without(P, 3, 4)), first)
        assert again is not None
        assert again.bounds == Bounds((2, 3), (2, 3))

    def test_dice_that_come_back_elsewhere_may_have_been(self) -> None:
        first = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        again = pick_up(lay(P), lay([*without(P, 0, 3, 4), Die(0, 700.0, 600.0)]), first)
        assert again is not None
        assert again.bounds == Bounds((2, 3), (0, 2, 3))


class TestReroll:
    def test_unseen_with_all_others_in_place_it_is_certain(self) -> None:
        bounds = reroll(lay(P), lay(thrown(P, {2: 9, 5: 9})))
        assert bounds == Bounds((1, 4), (1, 4))

    def test_unseen_a_die_with_its_old_face_elsewhere_may_have_been_pushed(self) -> None:
        bounds = reroll(lay(P), lay(thrown(P, {2: 9, 0: 0})))
        assert bounds == Bounds((1,), (0, 1))

    def test_unseen_a_face_that_is_gone_was_thrown(self) -> None:
        bounds = reroll(lay(P), lay(thrown(P, {0: 5, 1: 5})))
        assert bounds == Bounds((0, 0), (0, 0))

    def test_without_places_the_faces_alone_bound_it(self) -> None:
        moved = [die.moved(0, 4) for die in thrown(P, {0: 9, 2: 9})]
        bounds = reroll(lay(P), lay(moved))
        assert bounds == Bounds((0, 1), tuple(sorted(die.face for die in P)))

    def test_seen_it_is_what_was_seen(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        after = [die.moved(1, turn=1) for die in without(P, 0, 3, 4)]
        after += [Die(0, 100.0, 600.0), Die(2, 200.0, 600.0), Die(9, 300.0, 600.0)]
        assert reroll(lay(P), lay(after), seen) == Bounds((0, 2, 3), (0, 2, 3))

    def test_a_die_that_the_look_missed_was_not_thrown(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        bounds = reroll(lay(P), lay(thrown(P, {3: 9, 4: 9})), seen)
        assert bounds == Bounds((2, 3), (2, 3))

    def test_one_that_lies_near_its_spot_may_have_come_to_lie_there(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        after = [P[0].moved(0.2), *thrown(P, {3: 9, 4: 9})[1:]]
        assert reroll(lay(P), lay(after), seen) == Bounds((2, 3), (0, 2, 3))

    def test_so_may_one_a_hair_beside_it_turned_as_it_was(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        after = [P[0].moved(0.09), *thrown(P, {3: 9, 4: 9})[1:]]
        assert reroll(lay(P), lay(after), seen) == Bounds((2, 3), (0, 2, 3))

    def test_one_that_lies_there_turned_may_have_come_to_lie_there(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 0, 3, 4)))
        after = [P[0].moved(0, turn=1.5), *thrown(P, {3: 9, 4: 9})[1:]]
        assert reroll(lay(P), lay(after), seen) == Bounds((2, 3), (0, 2, 3))

    def test_a_die_snatched_after_the_look_counts(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 3, 4)))
        bounds = reroll(lay(P), lay(thrown(P, {0: 9, 3: 9, 4: 9})), seen)
        assert bounds == Bounds((0, 2, 3), (0, 2, 3))

    def test_a_kept_die_that_turns_up_far_away_may_have_been_snatched(self) -> None:
        seen = pick_up(lay(P), lay(without(P, 3, 4)))
        bounds = reroll(lay(P), lay(thrown(P, {0: 0, 3: 9, 4: 9})), seen)
        assert bounds == Bounds((2, 3), (0, 2, 3))

    @pytest.mark.parametrize("hurried", [False, True])
    def test_one_that_was_pushed_may_have_been_if_it_went_on_in_a_hurry(
        self, hurried: bool
    ) -> None:
        seen = pick_up(lay(P), lay(without(P, 3, 4)))
        assert seen is not None
        after = [P[0].moved(0.5, 1.5), *thrown(P, {3: 9, 4: 9})[1:]]
        bounds = reroll(lay(P), lay(after), replace(seen, hurried=hurried))
        assert bounds == Bounds((2, 3), (0, 2, 3) if hurried else (2, 3))

    @given(st.integers(0), st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)), st.booleans())
    def test_the_truth_lies_within_the_bounds(
        self, seed: int, taken: set[int], shoved: set[int], looked: bool
    ) -> None:
        rng = random.Random(seed)
        before = scattered(rng.choices(range(10), k=10), rng)
        kept = without(before, *taken)
        shifted = [
            die.moved(rng.uniform(-0.7, 0.7), 1.2, turn=2) if place in shoved else die
            for place, die in enumerate(before)
            if place not in taken
        ]
        after = shifted + scattered(rng.choices(range(10), k=len(taken)), rng, [*before, *shifted])
        seen = pick_up(lay(before), lay(kept)) if looked else None
        bounds = reroll(lay(before), lay(after), seen)
        truth = Counter(before[place].face for place in taken)
        assert Counter(bounds.least) <= truth <= Counter(bounds.most)
        if looked:
            assert bounds.least == bounds.most


def frames_of_rerolls() -> list[tuple[dict[str, object], Comparison, Comparison]]:
    """The truth of each reroll in the sample game, judged with and without the look between."""
    frames = game_frames("roll", "pickup")
    judged = []
    for (_, before), (_, between), (truth, after) in zip(
        frames, frames[1:], frames[2:], strict=False
    ):
        if len(between.readings) < 10:
            phase = Phase(truth["phase"])
            judged.append(
                (
                    truth,
                    compare(before, between, after, phase),
                    compare(before, None, after, phase),
                )
            )
    return judged


class TestCompare:
    def test_every_reroll_of_the_sample_game(self) -> None:
        judged = frames_of_rerolls()
        assert len(judged) == 20
        for truth, seen, unseen in judged:
            right = Verdict.ILLEGAL if truth["illegal"] else Verdict.LEGAL
            assert seen.finding == Finding(right, tuple(truth["illegal"]))  # type: ignore[arg-type]
            assert unseen.finding.verdict in (right, Verdict.CANNOT_TELL)
        assert sum(unseen.finding.verdict is not Verdict.CANNOT_TELL for *_, unseen in judged) > 17

    def test_it_tells_what_it_saw(self) -> None:
        seen = compare(view(P), None, view(thrown(P, {2: 9, 5: 9})), Phase.REROLL_8)
        assert seen == Comparison(
            Finding(Verdict.LEGAL),
            (0, 0, 1, 2, 3, 4, 5, 6, 7, 8),
            (1, 4),
            (0, 0, 2, 3, 5, 6, 7, 8, 9, 9),
        )

    def test_what_is_not_certain_is_not_told(self) -> None:
        seen = compare(view(P), None, view(thrown(P, {2: 9, 0: 0})), Phase.REROLL_8)
        assert seen.finding == Finding(Verdict.CANNOT_TELL, (BREAKDOWN,))
        assert seen.picked_up is None
        assert seen.why == "A die that moved may have been pushed aside or thrown again."

    @pytest.mark.parametrize(
        ("before", "between", "after", "why"),
        [
            (P[:9], None, P, "9 dice lie in the picture before the reroll, not 10."),
            (P, None, P[:9], "9 dice lie in the picture after the reroll, not 10."),
            (
                P,
                None,
                [P[0].read_as(7), *P[1:]],
                "A die that has not moved reads differently before and after.",
            ),
            (
                [P[0].doubted(), *P[1:]],
                None,
                thrown(P, {0: 4}),
                "A die in the picture before the reroll cannot be read for certain.",
            ),
            (
                P,
                None,
                [*P[1:], P[0].moved(3, 3).doubted()],
                "A die in the picture after the reroll cannot be read for certain.",
            ),
            (
                P,
                [Die(9, 800, 400)],
                thrown(P, {0: 4}),
                "The dice kept are not part of the roll before.",
            ),
        ],
    )
    def test_in_doubt_it_says_why(
        self, before: list[Die], between: list[Die] | None, after: list[Die], why: str
    ) -> None:
        kept = None if between is None else view(between)
        seen = compare(view(before), kept, view(after), Phase.REROLL_8)
        assert seen.finding == Finding(Verdict.CANNOT_TELL)
        assert seen.picked_up is None
        assert seen.why == why

    def test_a_doubtful_die_that_did_not_move_is_no_matter(self) -> None:
        after = thrown(P, {2: 9, 5: 9})
        after[0] = after[0].doubted()
        assert compare(view(P), None, view(after), Phase.REROLL_8).finding.verdict is Verdict.LEGAL

    def test_a_look_between_that_cannot_be_read_leaves_the_other_two(self) -> None:
        between = [P[0].moved(3, 3).doubted(), *P[6:]]
        after = thrown(P, {2: 9, 5: 9})
        seen = compare(view(P), view(between), view(after), Phase.REROLL_8)
        assert seen.finding.verdict is Verdict.LEGAL
