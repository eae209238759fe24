"""The best play of a turn, exactly: which dice to keep and what every choice is worth.

A turn is solved backwards by dynamic programming over multisets of faces. Keeping `n` dice is
worth the average, over the ten faces one more die may show, of keeping those `n + 1`; keeping
all ten is worth what the next phase makes of them. What a phase makes of a roll is the best of
its legal pick-ups, found by taking dice away one at a time. Multisets are numbered so that
both steps are whole-array look-ups (see `_Lattice`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from scoring.cars import DICE, FREIGHT_CARS, KINDS, PASSENGER_CARS, Car, Faces, ten_faces
from scoring.phases import REROLLS, Phase
from scoring.rules import DEFAULT_RULES, HouseRules, judge, remaining
from scoring.score import (
    BONUS_CARS,
    BONUS_POINTS,
    BREAKDOWN_POINTS,
    CABOOSE_POINTS,
    KIND_POINTS,
    LOCOMOTIVE_POINTS,
    MAIL_CAR_POINTS,
    NO_CABOOSE_POINTS,
)

Worths = NDArray[np.float64]
Ints = NDArray[np.intp]

_FACES = len(Car)
_TIE = 1e-9
"""Choices closer than this in points are equally good."""


class IllegalChoice(ValueError):
    """A choice that the rules do not allow has no worth."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The best choice: `keep` and `reroll` are sorted and together the ten dice.

    `expected_points` is the turn's score on average if the player goes on to play perfectly.
    Among equally good choices it is the one that rerolls the fewest dice, then the first in
    order.
    """

    keep: Faces
    reroll: Faces
    expected_points: float


class Advisor:
    """Perfect play of a turn under the rules of the house, exact to 1e-9 points.

    The first question solves the whole turn (a fraction of a second) and all advisors with the
    same rules share the solution; later answers take well under 5 ms.
    """

    def __init__(self, rules: HouseRules = DEFAULT_RULES) -> None:
        self.rules = rules

    @property
    def turn_value(self) -> float:
        """The points a perfectly played turn brings on average, before its first roll."""
        return float(_solve(self.rules)[Phase.ROLL_10][0][0])

    def advise(self, faces: Faces, phase: Phase) -> Advice:
        """The best dice to keep from this roll in this phase.

        In the phases `roll-10` and `scoring`, where nothing is rerolled, that is all of them.

        Raises:
            NotTenFaces: `faces` is not ten faces.
        """
        roll = ten_faces(faces)
        keeps = _legal_keeps(roll, phase, self.rules)
        sizes = keeps.sum(axis=1)
        numbers = _lattice().numbers(keeps)
        by_size = _solve(self.rules)[phase]
        worths = np.empty(len(keeps))
        for size in range(int(sizes.min()), DICE + 1):
            chosen = sizes == size
            worths[chosen] = by_size[size][numbers[chosen]]
        best = np.flatnonzero(worths >= worths.max() - _TIE)
        choices = [
            (-int(sizes[i]), tuple(np.repeat(range(_FACES), keeps[i]).tolist())) for i in best
        ]
        _, keep = min(choices)
        return Advice(keep, remaining(roll, keep), float(worths.max()))

    def value_of(self, faces: Faces, phase: Phase, reroll: Faces) -> float:
        """The turn's score on average if the player rerolls these dice and then plays perfectly.

        Raises:
            NotTenFaces: `faces` is not ten faces.
            NotOnTheTable: `reroll` holds dice that `faces` does not.
            IllegalChoice: these dice may not be rerolled.
        """
        wrong = judge(faces, reroll, phase, self.rules)
        if wrong:
            raise IllegalChoice(
                f"Rerolling {sorted(reroll)} is illegal ({', '.join(wrong.reasons)}): ask about a "
                "legal choice."
            )
        keep = remaining(faces, reroll)
        number = _lattice().numbers(np.bincount(keep, minlength=_FACES)[None])[0]
        return float(_solve(self.rules)[phase][len(keep)][number])

    def cost_of(self, faces: Faces, phase: Phase, reroll: Faces) -> float:
        """The points on average that rerolling these dice gives away against the best choice, >= 0.

        Raises:
            As `value_of`.
        """
        value = self.value_of(faces, phase, reroll)
        return max(0.0, self.advise(faces, phase).expected_points - value)


@dataclass(frozen=True, slots=True)
class _Lattice:
    """All multisets of up to ten faces, numbered.

    A multiset of `n` dice has `s[j]` dice below face `j` (j = 1..9) and the number
    `sum(comb(s[j] + j - 1, j))`. Its dice of face 9 are the rest, `n - s[9]`, so the number
    does not depend on them: the multisets of `n` dice are the first `comb(n + 9, 9)` numbers,
    and a die of any face leads from a number to the same number whatever `n` is.

    `below` has shape (92378, 10): `s` with `s[0] = 0`. `add` has shape (48620, 10): the number
    of each multiset of up to nine dice with one more die of each face.
    """

    below: Ints
    add: Ints
    binomials: Ints

    def size(self, dice: int) -> int:
        """How many multisets of that many dice there are."""
        return comb(dice + _FACES - 1, _FACES - 1)

    def numbers(self, counts: Ints) -> Ints:
        """The numbers of multisets given as counts of shape (n, 10)."""
        below = np.cumsum(counts[:, :-1], axis=1)
        return _numbers(below, self.binomials)

    def counts(self, dice: int) -> Ints:
        """The counts of each face in all multisets of that many dice, shape (size, 10)."""
        return np.diff(self.below[: self.size(dice)], append=dice)


def _numbers(below: Ints, binomials: Ints) -> Ints:
    numbers: Ints = binomials[below, np.arange(1, _FACES)].sum(axis=1)
    return numbers


@cache
def _lattice() -> _Lattice:
    binomials = np.array(
        [[comb(s + j - 1, j) if j else 1 for j in range(_FACES)] for s in range(DICE + 1)],
        dtype=np.intp,
    )
    below = np.zeros((1, 1), dtype=np.intp)
    for j in range(1, _FACES):
        # Those with s[j] = s are the first ones, with s[j - 1] <= s, each with s put behind it.
        blocks = [
            np.pad(below[: comb(s + j - 1, j - 1)], ((0, 0), (0, 1)), constant_values=s)
            for s in range(DICE + 1)
        ]
        below = np.concatenate(blocks)
    fewer = below[: comb(DICE - 1 + _FACES - 1, _FACES - 1)]
    add = np.empty((len(fewer), _FACES), dtype=np.intp)
    for face in range(_FACES):
        more = fewer[:, 1:].copy()
        more[:, face:] += 1
        add[:, face] = _numbers(more, binomials)
    return _Lattice(below, add, binomials)


@cache
def _solve(rules: HouseRules) -> dict[Phase, list[Worths]]:
    """For each phase, what keeping each multiset of 0-10 dice in it is worth."""
    final = _points(_lattice().counts(DICE), rules)
    # In the scoring phase nothing can be thrown any more, so only all ten can be kept.
    solved = {Phase.SCORING: [np.empty(0)] * DICE + [final]}
    worth = final
    for phase in (*reversed(REROLLS), Phase.ROLL_10):
        solved[phase] = _keeping(worth)
        worth = _best(solved[phase], phase.limit, rules)
    return solved


def _keeping(worth: Worths) -> list[Worths]:
    """What keeping each multiset of 0-10 dice is worth if all ten are worth `worth`."""
    lattice = _lattice()
    by_size = [worth]
    for dice in range(DICE - 1, -1, -1):
        by_size.append(by_size[-1][lattice.add[: lattice.size(dice)]].mean(axis=1))
    return by_size[::-1]


def _best(keeping: list[Worths], limit: int, rules: HouseRules) -> Worths:
    """What each roll is worth if the best legal pick-up of up to `limit` dice is made."""
    lattice = _lattice()
    others = [face for face in range(_FACES) if face != Car.BREAKDOWN]
    bound = _best_within(keeping, limit, others)
    if rules.way_car_must_stay:
        # Any die may go as long as a Way Car is among those kept.
        kept = [
            np.where(lattice.counts(dice)[:, Car.WAY_CAR] > 0, worth, -np.inf)
            for dice, worth in enumerate(keeping)
        ]
        return np.maximum(bound, _best_within(kept, limit, list(range(_FACES))))
    free = _best_within(keeping, limit, list(range(_FACES)))
    return np.where(lattice.counts(DICE)[:, Car.WAY_CAR] > 0, free, bound)


def _best_within(keeping: list[Worths], limit: int, removable: list[int]) -> Worths:
    """The best to be had from each roll by taking away up to `limit` dice of these faces."""
    lattice = _lattice()
    best = keeping[DICE - limit]
    for dice in range(DICE - limit + 1, DICE + 1):
        fewer, best = best, keeping[dice].copy()
        for face in removable:
            roll = lattice.add[: len(fewer), face]
            best[roll] = np.maximum(best[roll], fewer)
    return best


def _points(counts: Ints, rules: HouseRules) -> Worths:
    """The points of many rolls at once, given as counts of shape (n, 10)."""
    breakdowns = counts[:, Car.BREAKDOWN]
    paid = np.minimum(breakdowns, 1) if rules.first_breakdown_only else breakdowns
    penalties = np.where(counts[:, Car.CABOOSE] == 0, NO_CABOOSE_POINTS, 0)
    penalties = penalties + BREAKDOWN_POINTS * paid
    passenger = counts[:, PASSENGER_CARS].sum(axis=1)
    freight = counts[:, FREIGHT_CARS].sum(axis=1)
    bonus = (passenger >= BONUS_CARS) & (freight == 0) | (freight >= BONUS_CARS) & (passenger == 0)
    gains = (
        LOCOMOTIVE_POINTS
        + CABOOSE_POINTS * (counts[:, Car.CABOOSE] > 0)
        + MAIL_CAR_POINTS * (counts[:, Car.MAIL_CAR] > 0)
        + np.array(KIND_POINTS)[counts[:, KINDS]].sum(axis=1)
        + BONUS_POINTS * bonus
    )
    without = penalties if rules.penalties_without_locomotive else np.zeros_like(penalties)
    return np.where(counts[:, Car.LOCOMOTIVE] > 0, gains + penalties, without).astype(np.float64)


def _legal_keeps(roll: Faces, phase: Phase, rules: HouseRules) -> Ints:
    """What may be kept of a roll, as counts of shape (n, 10)."""
    have = Counter(roll)
    shape = [have[face] + 1 for face in range(_FACES)]
    keeps = np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)
    taken = np.array(shape) - 1 - keeps
    legal = taken.sum(axis=1) <= phase.limit
    way_cars = keeps[:, Car.WAY_CAR] if rules.way_car_must_stay else have[Car.WAY_CAR]
    legal &= (taken[:, Car.BREAKDOWN] == 0) | (way_cars > 0)
    allowed: Ints = keeps[legal]
    return allowed
