"""House rules, and which dice may be picked up for a reroll."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag, StrEnum

from scoring.cars import Car, Faces, ten_faces
from scoring.phases import Phase


class NotOnTheTable(ValueError):
    """A die was picked up that does not lie there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """How the table reads the gaps in the rules; the defaults are our rulings."""

    way_car_must_stay: bool = False
    """A reroll of Breakdowns needs a Way Car that stays on the table, not just one in play."""
    first_breakdown_only: bool = False
    """Only the first Breakdown costs 10 points, not each."""
    penalties_without_locomotive: bool = False
    """A turn without a Locomotive still pays its penalties, so it may fall below 0."""


DEFAULT_RULES = HouseRules()


class Illegality(IntFlag):
    """What is wrong with a pick-up; all that apply are set, none means it is legal."""

    NONE = 0
    TOO_MANY_DICE = 1
    """More dice than the phase lets one reroll."""
    BREAKDOWN_WITHOUT_WAY_CAR = 2
    """A Breakdown was picked up while no Way Car frees it."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons as other programs see them, e.g. `("too-many-dice",)`."""
        return tuple(str(flag.name).lower().replace("_", "-") for flag in type(self) if flag & self)


class Verdict(StrEnum):
    """What the referee says of a reroll."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    CANNOT_TELL = "cannot-tell"


def judge(
    roll: Faces, picked_up: Faces, phase: Phase, rules: HouseRules = DEFAULT_RULES
) -> Illegality:
    """Everything wrong with picking up these dice from this roll to reroll them in this phase.

    Outside the four reroll phases any die is one too many.

    Raises:
        NotTenFaces: `roll` is not ten faces.
        NotOnTheTable: `picked_up` holds dice that `roll` does not.
    """
    kept = remaining(ten_faces(roll), picked_up)
    wrong = Illegality.NONE
    if len(picked_up) > phase.limit:
        wrong |= Illegality.TOO_MANY_DICE
    if Car.BREAKDOWN in picked_up:
        free = Car.WAY_CAR in (kept if rules.way_car_must_stay else roll)
        if not free:
            wrong |= Illegality.BREAKDOWN_WITHOUT_WAY_CAR
    return wrong


def legal_pick_ups(roll: Faces, phase: Phase, rules: HouseRules = DEFAULT_RULES) -> Iterator[Faces]:
    """Every legal pick-up as a sorted multiset, once each, the fewest dice first.

    The empty one, always legal, comes first.

    Raises:
        NotTenFaces: `roll` is not ten faces.
    """
    counts = Counter(ten_faces(roll))
    yield from _pick_ups(counts, phase.limit, rules)


def _pick_ups(counts: Counter[int], limit: int, rules: HouseRules) -> Iterator[Faces]:
    way_cars = counts[Car.WAY_CAR]
    breakdowns = counts[Car.BREAKDOWN] if way_cars else 0
    others = [
        face for face in sorted(counts.elements()) if face not in (Car.BREAKDOWN, Car.WAY_CAR)
    ]
    # The distinct sorted choices of each size from all other dice; none are larger than all.
    middles = [
        dict.fromkeys(itertools.combinations(others, size))
        for size in range(min(limit, len(others)) + 1)
    ]
    for size in range(limit + 1):
        for zeros in range(min(breakdowns, size) + 1):
            # The last Way Car has to stay if a Breakdown goes and the house wants it so.
            spare = way_cars - 1 if zeros and rules.way_car_must_stay else way_cars
            fewest = max(0, size - zeros - len(others))
            for nines in range(fewest, min(spare, size - zeros) + 1):
                before, after = (Car.BREAKDOWN.value,) * zeros, (Car.WAY_CAR.value,) * nines
                for middle in middles[size - zeros - nines]:
                    yield before + middle + after


def remaining(faces: Faces, taken: Faces) -> Faces:
    """What is left of `faces`, sorted, when the dice `taken` are gone.

    Raises:
        NotOnTheTable: `taken` holds dice that `faces` does not.
    """
    left = Counter(faces)
    left.subtract(Counter(taken))
    missing = sorted((-left).elements())
    if missing:
        raise NotOnTheTable(
            f"{missing} cannot be picked up because {sorted(faces)} holds no such dice."
        )
    return tuple(sorted(left.elements()))
