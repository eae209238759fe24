"""Perfect play: known values, independent exact recursions, and how fast it answers."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import factorial, prod

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.advisor import Advisor, IllegalChoice, _lattice, _points
from scoring.cars import Faces, NotTenFaces, parse_faces
from scoring.phases import REROLLS, Phase
from scoring.rules import DEFAULT_RULES, HouseRules, NotOnTheTable, legal_pick_ups, remaining
from scoring.score import score

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

EXACT = 1e-9
STAYS = HouseRules(way_car_must_stay=True)
EVERY_RULING = [
    HouseRules(
        way_car_must_stay=stays,
        first_breakdown_only=first,
        penalties_without_locomotive=penalties,
    )
    for stays, first, penalties in itertools.product([False, True], repeat=3)
]
rolls = st.lists(st.integers(0, 9), min_size=10, max_size=10).map(lambda faces: tuple(faces))


@pytest.mark.parametrize(
    ("rules", "value"),
    [
        (DEFAULT_RULES, 97.734128),
        (STAYS, 97.100930),
        (HouseRules(first_breakdown_only=True), 99.766827),
        (HouseRules(penalties_without_locomotive=True), 97.129700),
    ],
    ids=["default", "way-car-stays", "first-breakdown-only", "penalties-without-locomotive"],
)
def test_what_a_turn_is_worth_before_its_first_roll(rules: HouseRules, value: float) -> None:
    assert Advisor(rules).turn_value == pytest.approx(value, abs=1e-6)


def test_the_example_of_the_command_line() -> None:
    advice = Advisor().advise(parse_faces("0123456789"), Phase.REROLL_8)
    assert (advice.keep, advice.reroll) == ((1, 6, 7, 8, 9), (0, 2, 3, 4, 5))
    assert advice.expected_points == pytest.approx(102.868160317, abs=EXACT)


class BruteForce:
    """Perfect play by plain recursion in fractions, sharing only the score and the rules."""

    def __init__(self, rules: HouseRules) -> None:
        self.rules = rules
        self.best: Callable[[Faces, Phase], Fraction] = cache(self._best)
        self.keeping: Callable[[Faces, Phase], Fraction] = cache(self._keeping)

    def _best(self, roll: Faces, phase: Phase) -> Fraction:
        if phase is Phase.SCORING:
            return Fraction(score(roll, self.rules).points)
        return max(
            self.keeping(remaining(roll, pick_up), phase)
            for pick_up in legal_pick_ups(roll, phase, self.rules)
        )

    def _keeping(self, keep: Faces, phase: Phase) -> Fraction:
        thrown = 10 - len(keep)
        total = Fraction()
        for faces in itertools.combinations_with_replacement(range(10), thrown):
            ways = factorial(thrown) // prod(map(factorial, Counter(faces).values()))
            total += ways * self.best(tuple(sorted(keep + faces)), phase.next)
        return Fraction(total, 10**thrown)


@pytest.mark.parametrize("rules", EVERY_RULING, ids=str)
def test_the_last_reroll_is_exact(rules: HouseRules) -> None:
    advisor, exact = Advisor(rules), BruteForce(rules)
    dice = random.Random(2)
    for _ in range(25):
        roll = tuple(sorted(dice.choices(range(10), k=10)))
        advice = advisor.advise(roll, Phase.REROLL_2)
        best = exact.best(roll, Phase.REROLL_2)
        assert abs(advice.expected_points - best) < EXACT, roll
        assert abs(exact.keeping(advice.keep, Phase.REROLL_2) - best) < EXACT, roll
        for pick_up in legal_pick_ups(roll, Phase.REROLL_2, rules):
            value = advisor.value_of(roll, Phase.REROLL_2, pick_up)
            keep = remaining(roll, pick_up)
            assert abs(value - exact.keeping(keep, Phase.REROLL_2)) < EXACT, (roll, pick_up)


@pytest.mark.parametrize("rules", [DEFAULT_RULES, STAYS], ids=["default", "way-car-stays"])
@pytest.mark.parametrize("roll", ["0000000009", "1166666660", "1266666609"])
def test_the_last_two_rerolls_are_exact(roll: str, rules: HouseRules) -> None:
    faces = tuple(sorted(parse_faces(roll)))
    advisor, exact = Advisor(rules), BruteForce(rules)
    pick_ups = [p for p in legal_pick_ups(faces, Phase.REROLL_4, rules) if len(p) <= 3]
    for pick_up in pick_ups:
        value = advisor.value_of(faces, Phase.REROLL_4, pick_up)
        keep = remaining(faces, pick_up)
        assert abs(value - exact.keeping(keep, Phase.REROLL_4)) < EXACT, pick_up


@unhurried
@given(rolls, st.sampled_from(REROLLS), st.sampled_from(EVERY_RULING))
def test_the_advice_is_legal_and_the_best_of_all_legal_choices(
    roll: Faces, phase: Phase, rules: HouseRules
) -> None:
    advisor = Advisor(rules)
    advice = advisor.advise(roll, phase)
    assert sorted(advice.keep + advice.reroll) == sorted(roll)
    values = {
        pick_up: advisor.value_of(roll, phase, pick_up)
        for pick_up in legal_pick_ups(roll, phase, rules)
    }
    best = max(values.values())
    assert advice.expected_points == best
    assert values[advice.reroll] == pytest.approx(best, abs=EXACT)
    assert advisor.cost_of(roll, phase, advice.reroll) == pytest.approx(0, abs=EXACT)
    as_good = [pick_up for pick_up, value in values.items() if value >= best - EXACT]
    assert len(advice.reroll) == min(map(len, as_good))


@unhurried
@given(rolls, st.sampled_from([*REROLLS, Phase.ROLL_10]), st.sampled_from(EVERY_RULING))
def test_keeping_all_is_worth_what_the_next_phase_makes_of_it(
    roll: Faces, phase: Phase, rules: HouseRules
) -> None:
    advisor = Advisor(rules)
    assert advisor.value_of(roll, phase, ()) == pytest.approx(
        advisor.advise(roll, phase.next).expected_points, abs=EXACT
    )


@unhurried
@given(rolls)
def test_the_last_phase_is_worth_the_score(roll: Faces) -> None:
    advice = Advisor().advise(roll, Phase.SCORING)
    assert advice.expected_points == score(roll).points
    assert (advice.keep, advice.reroll) == (tuple(sorted(roll)), ())


@unhurried
@given(rolls)
def test_nothing_is_rerolled_in_the_first_phase(roll: Faces) -> None:
    assert Advisor().advise(roll, Phase.ROLL_10).reroll == ()


def test_every_roll_scores_in_the_advisor_as_it_does_in_the_game() -> None:
    counts = _lattice().counts(10)
    assert counts.shape == (92_378, 10)
    assert (counts >= 0).all()
    rolls = [tuple(f for f, n in enumerate(row) for _ in range(n)) for row in counts.tolist()]
    assert len(set(rolls)) == 92_378
    for rules, step in [(DEFAULT_RULES, 1), *((rules, 23) for rules in EVERY_RULING[1:4])]:
        points = _points(counts, rules).tolist()
        for roll, found in zip(rolls[::step], points[::step], strict=True):
            assert found == score(roll, rules).points, (roll, rules)


def test_the_stricter_ruling_never_helps() -> None:
    dice = random.Random(5)
    for _ in range(200):
        roll = tuple(dice.choices(range(10), k=10))
        for phase in REROLLS:
            lenient = Advisor().advise(roll, phase).expected_points
            assert Advisor(STAYS).advise(roll, phase).expected_points <= lenient + EXACT


def test_a_poor_choice_has_a_price() -> None:
    advisor = Advisor()
    roll = parse_faces("1255555555")
    assert advisor.advise(roll, Phase.REROLL_2).reroll == ()
    assert advisor.value_of(roll, Phase.REROLL_2, ()) == 170
    # Nine times in ten the Locomotive is lost and with it everything.
    assert advisor.value_of(roll, Phase.REROLL_2, (1,)) == pytest.approx(17, abs=EXACT)
    assert advisor.cost_of(roll, Phase.REROLL_2, (1,)) == pytest.approx(153, abs=EXACT)


@pytest.mark.parametrize(
    ("roll", "phase", "keep"),
    [
        # Rerolling the second 2, or the 7, brings nothing on average: fewest dice.
        ("0122344444", Phase.REROLL_2, "0122344444"),
        ("1236667888", Phase.REROLL_4, "1236667888"),
        # Box Cars and Hoppers are alike: the first in order.
        ("3456668889", Phase.REROLL_8, "6669"),
    ],
)
def test_of_equally_good_choices_the_fewest_dice_then_the_first_in_order(
    roll: str, phase: Phase, keep: str
) -> None:
    assert Advisor().advise(parse_faces(roll), phase).keep == parse_faces(keep, None)


def test_an_illegal_choice_has_no_worth() -> None:
    advisor = Advisor()
    with pytest.raises(IllegalChoice, match=r"\[0, 1, 2\] is illegal \(too-many-dice, breakdown"):
        advisor.value_of((0, 1, 2, 3, 4, 5, 6, 7, 8, 8), Phase.REROLL_2, (2, 1, 0))
    with pytest.raises(IllegalChoice, match="too-many-dice"):
        advisor.cost_of((0, 1, 2, 3, 4, 5, 6, 7, 8, 9), Phase.SCORING, (1,))


def test_what_is_no_roll_or_not_in_it_is_refused() -> None:
    with pytest.raises(NotTenFaces):
        Advisor().advise((1, 2, 3), Phase.REROLL_2)
    with pytest.raises(NotOnTheTable):
        Advisor().value_of((1,) * 10, Phase.REROLL_2, (2,))


SOLVE = """
import time
from scoring.advisor import Advisor
started = time.process_time()
Advisor().turn_value
print(time.process_time() - started)
"""


def test_a_turn_is_solved_in_under_a_second_of_processor_time() -> None:
    spent = subprocess.run(
        [sys.executable, "-c", SOLVE], check=True, capture_output=True, text=True
    ).stdout
    assert float(spent) < 1


def test_advice_takes_under_five_milliseconds_of_processor_time() -> None:
    advisor = Advisor()
    advisor.turn_value  # noqa: B018 - solves the turn
    dice = random.Random(8)
    # The roll with the most choices, and some others.
    asked = [tuple(range(10))] * 50 + [tuple(dice.choices(range(10), k=10)) for _ in range(50)]
    started = time.process_time()
    for roll in asked:
        advisor.advise(roll, Phase.REROLL_8)
    assert (time.process_time() - started) / len(asked) < 0.005
