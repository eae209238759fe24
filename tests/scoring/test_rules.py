"""Which dice may be picked up: frozen counts over all rolls, and both rulings by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.cars import Faces, NotTenFaces, parse_faces
from scoring.phases import REROLLS, Phase
from scoring.rules import (
    DEFAULT_RULES,
    HouseRules,
    Illegality,
    NotOnTheTable,
    judge,
    legal_pick_ups,
    remaining,
)

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

STAYS = HouseRules(way_car_must_stay=True)
LEGAL_PICK_UPS = [
    (DEFAULT_RULES, Phase.REROLL_8, 16_467_022),
    (DEFAULT_RULES, Phase.REROLL_6, 13_398_242),
    (DEFAULT_RULES, Phase.REROLL_4, 7_085_793),
    (DEFAULT_RULES, Phase.REROLL_2, 1_775_488),
    (STAYS, Phase.REROLL_8, 15_032_017),
    (STAYS, Phase.REROLL_6, 12_518_792),
    (STAYS, Phase.REROLL_4, 6_843_408),
    (STAYS, Phase.REROLL_2, 1_762_618),
]
"""Legal pick-ups, as multisets and with the empty one, summed over all 92,378 rolls."""

frozen_counts = pytest.mark.parametrize(
    ("rules", "phase", "expected"),
    LEGAL_PICK_UPS,
    ids=[
        f"{phase}-{'way-car-stays' if rules.way_car_must_stay else 'default'}"
        for rules, phase, _ in LEGAL_PICK_UPS
    ],
)
rolls = st.lists(st.integers(0, 9), min_size=10, max_size=10).map(lambda faces: tuple(faces))
rulings = st.sampled_from([DEFAULT_RULES, STAYS])


@cache
def choices(counts: tuple[int, ...], limit: int) -> int:
    """Ways to take at most `limit` dice, each face at most as often as it is there."""
    ways = [1] + [0] * limit
    for count in counts:
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(limit + 1)]
    return sum(ways)


def count_legal(counts: tuple[int, ...], limit: int, rules: HouseRules) -> int:
    """How many pick-ups are legal, by arithmetic alone: nothing is listed."""
    zeros, *others, nines = counts
    middle = tuple(sorted(count for count in others if count))
    if not rules.way_car_must_stay:
        return choices((*middle, nines, zeros if nines else 0), limit)
    # All of them, less those that take a Breakdown (and so one fewer at most of them) together
    # with every Way Car.
    every = choices((*middle, nines, zeros), limit)
    barred = limit - 1 - nines
    return every - (choices((*middle, zeros - 1), barred) if zeros and barred >= 0 else 0)


@frozen_counts
def test_legal_pick_ups_counted_over_all_rolls(
    rules: HouseRules, phase: Phase, expected: int
) -> None:
    total = 0
    for faces in itertools.combinations_with_replacement(range(10), 10):
        counts = tuple(map(faces.count, range(10)))
        total += count_legal(counts, phase.limit, rules)
    assert total == expected


def kinds_of_roll() -> list[tuple[Faces, int]]:
    """One roll of each kind and how many are of its kind.

    Faces 1-8 are all alike to the rules of rerolling; so a kind is the number of 0s, the number
    of 9s and how the others share out.
    """
    kinds: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    for zeros in range(11):
        for nines in range(11 - zeros):
            for parts in partitions(10 - zeros - nines, 8):
                same = Counter(parts + (0,) * (8 - len(parts))).values()
                kinds[zeros, nines, parts] = math.factorial(8) // math.prod(
                    map(math.factorial, same)
                )
    return [
        (
            (0,) * zeros
            + tuple(face for face, count in enumerate(parts, 1) for _ in range(count))
            + (9,) * nines,
            number,
        )
        for (zeros, nines, parts), number in kinds.items()
    ]


def partitions(total: int, parts: int, largest: int = 10) -> list[tuple[int, ...]]:
    """The ways to write `total` as a sum of at most `parts` falling numbers."""
    if total == 0:
        return [()]
    if parts == 0:
        return []
    return [
        (first, *rest)
        for first in range(min(total, largest), 0, -1)
        for rest in partitions(total - first, parts - 1, first)
    ]


def test_the_kinds_of_roll_are_all_rolls() -> None:
    assert sum(number for _, number in kinds_of_roll()) == 92_378


@frozen_counts
def test_the_generator_gives_as_many(rules: HouseRules, phase: Phase, expected: int) -> None:
    total = 0
    for roll, number in kinds_of_roll():
        pick_ups = list(legal_pick_ups(roll, phase, rules))
        assert len(set(pick_ups)) == len(pick_ups)
        total += number * len(pick_ups)
    assert total == expected


def test_the_generator_over_every_single_roll_where_two_may_go() -> None:
    for faces in itertools.combinations_with_replacement(range(10), 10):
        counts = tuple(map(faces.count, range(10)))
        found = list(legal_pick_ups(faces, Phase.REROLL_2, STAYS))
        assert len(found) == count_legal(counts, 2, STAYS), faces


@unhurried
@given(rolls, st.sampled_from(Phase), rulings)
def test_the_generator_gives_just_what_the_judge_allows(
    roll: Faces, phase: Phase, rules: HouseRules
) -> None:
    in_any_order = tuple(sorted(roll))
    allowed = {
        picked_up
        for size in range(11)
        for picked_up in itertools.combinations(in_any_order, size)
        if not judge(roll, picked_up, phase, rules)
    }
    generated = list(legal_pick_ups(roll, phase, rules))
    assert len(generated) == len(allowed)
    assert set(generated) == allowed
    assert generated[0] == ()
    assert [len(pick_up) for pick_up in generated] == sorted(map(len, generated))


TOO_MANY = Illegality.TOO_MANY_DICE
NO_WAY_CAR = Illegality.BREAKDOWN_WITHOUT_WAY_CAR


@pytest.mark.parametrize(
    ("roll", "picked_up", "phase", "default", "stays"),
    [
        ("0011357788", "11357788", "reroll-8", 0, 0),
        ("1111357788", "111135778", "reroll-8", TOO_MANY, TOO_MANY),
        ("0011135778", "011358", "reroll-8", NO_WAY_CAR, NO_WAY_CAR),
        ("0123456789", "0", "reroll-2", 0, 0),
        ("0123456789", "09", "reroll-2", 0, NO_WAY_CAR),
        ("0023456799", "009", "reroll-4", 0, 0),
        ("0023456799", "0099", "reroll-4", 0, NO_WAY_CAR),
        ("0023456799", "99", "reroll-2", 0, 0),
        ("0023456799", "0099", "reroll-2", TOO_MANY, TOO_MANY | NO_WAY_CAR),
        ("0012345678", "001", "reroll-2", TOO_MANY | NO_WAY_CAR, TOO_MANY | NO_WAY_CAR),
        ("0012345678", "", "reroll-2", 0, 0),
        ("0012345678", "1", "roll-10", TOO_MANY, TOO_MANY),
        ("0012345678", "", "scoring", 0, 0),
        ("0012345678", "0", "scoring", TOO_MANY | NO_WAY_CAR, TOO_MANY | NO_WAY_CAR),
    ],
)
def test_pick_ups_judged_by_hand(
    roll: str, picked_up: str, phase: str, default: Illegality, stays: Illegality
) -> None:
    faces, taken = parse_faces(roll), parse_faces(picked_up, None)
    assert judge(faces, taken, Phase(phase)) == default
    assert judge(faces, taken, Phase(phase), STAYS) == stays


def test_all_reasons_are_given() -> None:
    assert Illegality.NONE.reasons == ()
    assert TOO_MANY.reasons == ("too-many-dice",)
    assert NO_WAY_CAR.reasons == ("breakdown-without-way-car",)
    assert (TOO_MANY | NO_WAY_CAR).reasons == ("too-many-dice", "breakdown-without-way-car")


def test_dice_that_are_not_there_cannot_be_picked_up() -> None:
    with pytest.raises(NotOnTheTable, match=r"\[3, 3\] cannot be picked up because"):
        judge(parse_faces("0012345678"), (3, 3, 3), Phase.REROLL_8)


@pytest.mark.parametrize("roll", [(1,) * 9, (1,) * 11, (10,) * 10])
def test_only_ten_faces_are_a_roll(roll: Faces) -> None:
    with pytest.raises(NotTenFaces):
        judge(roll, (), Phase.REROLL_8)
    with pytest.raises(NotTenFaces):
        next(legal_pick_ups(roll, Phase.REROLL_8))


@unhurried
@given(rolls, st.integers(0, 10))
def test_what_remains_and_what_was_taken_are_all(roll: Faces, size: int) -> None:
    taken = roll[:size]
    assert sorted(remaining(roll, taken) + taken) == sorted(roll)


def test_a_reroll_of_nothing_is_legal_in_every_reroll_phase() -> None:
    for phase in REROLLS:
        assert judge((0,) * 10, (), phase) == Illegality.NONE
