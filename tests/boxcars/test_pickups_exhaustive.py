"""Every way few dice can be kept, pushed, put back, snatched and thrown, against what may be."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum, auto

import pytest

from boxcars.lying import Lying
from boxcars.pickups import Bounds, PickUp, pick_up, reroll
from scoring.phases import Phase
from scoring.rules import HouseRules, Verdict, judge
from tests.boxcars.table import SIZE, Die

Faces = tuple[int, ...]

KINDS = (0, 5, 9)
"""A Breakdown, a Way Car, and one die that is neither: no other face matters to a verdict."""

REST = (1, 1, 2, 3, 4, 6)
"""The dice that are never touched, far from the others."""


def lay(dice: Sequence[Die]) -> tuple[Lying, ...]:
    """The dice as they lie, without the detour over a picture: there are many."""
    return tuple(Lying(die.face, die.x, die.y, SIZE, die.angle) for die in dice)


UNTOUCHED = [Die(face, 100.0 * n, 1000.0) for n, face in enumerate(REST)]


def at_place(n: int, face: int) -> Die:
    return Die(face, 400.0 * n, 0.0)


def far(n: int, face: int) -> Die:
    return Die(face, 400.0 * n, 500.0, angle=1.0)


def right_verdict(
    roll: Faces, possible: Sequence[Faces], phase: Phase, rules: HouseRules
) -> Verdict:
    """What one may say if one of these is what was picked up."""
    wrong = {bool(judge(roll, faces, phase, rules)) for faces in possible}
    if len(wrong) > 1:
        return Verdict.CANNOT_TELL
    return Verdict.ILLEGAL if wrong.pop() else Verdict.LEGAL


class TestUnseen:
    """Before and after are seen, and each die lies in its place or elsewhere."""

    @pytest.mark.parametrize(
        ("phase", "way_car_must_stay"), [(Phase.REROLL_4, False), (Phase.REROLL_2, True)]
    )
    def test_the_verdict_is_what_all_that_may_have_happened_have_in_common(
        self, phase: Phase, way_car_must_stay: bool
    ) -> None:
        rules = HouseRules(way_car_must_stay=way_car_must_stay)
        seen = 0
        for before in itertools.combinations_with_replacement(KINDS, 4):
            roll = tuple(sorted((*before, *REST)))
            for stayed in places_kept(before):
                left = [face for n, face in enumerate(before) if n not in stayed]
                for elsewhere in itertools.combinations_with_replacement(KINDS, len(left)):
                    bounds = reroll(
                        lay([*[at_place(n, f) for n, f in enumerate(before)], *UNTOUCHED]),
                        lay(
                            [
                                *[at_place(n, before[n]) for n in stayed],
                                *[far(n, face) for n, face in enumerate(elsewhere)],
                                *UNTOUCHED,
                            ]
                        ),
                    )
                    possible = list(may_have_been_thrown(left, elsewhere))
                    assert set(possible) == set(within(bounds))
                    verdict = bounds.judge(roll, phase, rules).verdict
                    assert verdict is right_verdict(roll, possible, phase, rules)
                    seen += 1
        assert seen > 500


def places_kept(before: Faces) -> list[tuple[int, ...]]:
    """The dice that may lie in their places, one choice for each multiset of faces."""
    choices = {
        tuple(before[n] for n in places): places
        for size in range(len(before) + 1)
        for places in itertools.combinations(range(len(before)), size)
    }
    return list(choices.values())


def may_have_been_thrown(left: Sequence[int], elsewhere: Sequence[int]) -> Iterator[Faces]:
    """What may have been thrown, if the dice `left` their places and `elsewhere` lie others.

    Of those, some may have been pushed there, and the others were thrown.
    """
    for size in range(len(left) + 1):
        for thrown in set(itertools.combinations(sorted(left), size)):
            pushed = Counter(left) - Counter(thrown)
            if pushed <= Counter(elsewhere):
                yield thrown


def within(bounds: Bounds) -> Iterator[Faces]:
    """All that lies within the bounds."""
    more = Counter(bounds.most) - Counter(bounds.least)
    for size in range(more.total() + 1):
        for extra in set(itertools.combinations(sorted(more.elements()), size)):
            yield tuple(sorted((*bounds.least, *extra)))


class Fate(Enum):
    """What becomes of a die between the look at the pick-up and the look at the throw."""

    KEPT = auto()
    PUSHED = auto()
    TIPPED = auto()
    THROWN = auto()
    SNATCHED = auto()
    """Thrown, though the look at the pick-up showed it on the table."""


class TestSeen:
    """Between them the dice kept were seen too, and other things may have happened since."""

    @pytest.mark.parametrize("phase", [Phase.REROLL_8, Phase.REROLL_2])
    def test_no_legal_reroll_is_called_illegal_and_no_illegal_one_legal(self, phase: Phase) -> None:
        told = Counter[tuple[bool, Verdict]]()
        for before in itertools.combinations_with_replacement(KINDS, 3):
            roll = tuple(sorted((*before, *REST, 7)))
            for fates in itertools.product(Fate, repeat=3):
                for shown in itertools.product(KINDS, repeat=3):
                    if not is_possible(before, fates, shown):
                        continue
                    least, most, verdict = self.judged(before, fates, shown, roll, phase)
                    out = {Fate.THROWN, Fate.SNATCHED}
                    truth = Counter(f for f, fate in zip(before, fates, strict=True) if fate in out)
                    legal = not judge(roll, tuple(sorted(truth.elements())), phase)
                    told[legal, verdict] += 1
                    assert least <= truth <= most
                    assert (legal, verdict) not in {(True, Verdict.ILLEGAL), (False, Verdict.LEGAL)}
                    if not {Fate.TIPPED, Fate.SNATCHED} & set(fates):
                        assert least == most
        assert told[True, Verdict.LEGAL] > told[True, Verdict.CANNOT_TELL]
        assert told[False, Verdict.ILLEGAL] > told[False, Verdict.CANNOT_TELL]

    def judged(
        self, before: Faces, fates: tuple[Fate, ...], shown: Faces, roll: Faces, phase: Phase
    ) -> tuple[Counter[int], Counter[int], Verdict]:
        untouched = [*UNTOUCHED, Die(7, 700.0, 1000.0)]
        kept = [
            at_place(n, face)
            for n, (face, fate) in enumerate(zip(before, fates, strict=True))
            if fate is not Fate.THROWN
        ]
        after = [after_fate(n, before[n], fate, shown[n]) for n, fate in enumerate(fates)]
        first = lay([*[at_place(n, face) for n, face in enumerate(before)], *untouched])
        look = pick_up(first, lay([*kept, *untouched]))
        assert look is not None
        bounds = reroll(first, lay([*after, *untouched]), look)
        verdict = bounds.judge(roll, phase).verdict
        return Counter(bounds.least), Counter(bounds.most), verdict


def is_possible(before: Faces, fates: tuple[Fate, ...], shown: Faces) -> bool:
    """Whether faces fit the fates; a hand thrown to the faces it had cannot be told from none."""
    stay = {Fate.KEPT, Fate.PUSHED}
    for face, fate, now in zip(before, fates, shown, strict=True):
        if (fate in stay and now != face) or (fate is Fate.TIPPED and now == face):
            return False
    return True


def after_fate(n: int, face: int, fate: Fate, shown: int) -> Die:
    die = at_place(n, face)
    if fate is Fate.KEPT:
        return die
    if fate in (Fate.PUSHED, Fate.TIPPED):
        return die.moved(0.4, 1.0, turn=2.0).read_as(shown)
    return far(n, shown)


class TestLooksInTurn:
    """Dice are picked up, put back, or thrown one by one, with a look after each step."""

    def test_what_was_picked_up_stays_within_the_bounds(self) -> None:
        for before in itertools.combinations_with_replacement(KINDS, 3):
            first = [at_place(n, face) for n, face in enumerate(before)]
            for out in itertools.product([False, True], repeat=3):
                kept = [die for die, gone in zip(first, out, strict=True) if not gone]
                look = pick_up(lay([*first, *UNTOUCHED]), lay([*kept, *UNTOUCHED]))
                assert look is not None
                assert Counter(look.faces) == Counter(of(before, out))
                for n in [n for n, gone in enumerate(out) if gone]:
                    for back in (first[n], *(far(n, face) for face in KINDS)):
                        again = pick_up(
                            lay([*first, *UNTOUCHED]), lay([*kept, back, *UNTOUCHED]), look
                        )
                        self.check(before, out, n, back is first[n], again)

    def check(
        self, before: Faces, out: tuple[bool, ...], n: int, put_back: bool, again: PickUp | None
    ) -> None:
        if again is None:
            # The face that came back was not among those picked up, so it was thrown.
            assert not put_back
            return
        bounds = again.bounds
        others = Counter(of(before, tuple(gone and i != n for i, gone in enumerate(out))))
        if put_back:
            assert Counter(bounds.least) == Counter(bounds.most) == others
        else:
            assert Counter(bounds.most) == Counter(of(before, out))
            assert Counter(bounds.least).total() == others.total()


def of(faces: Faces, chosen: tuple[bool, ...]) -> Faces:
    return tuple(face for face, is_in in zip(faces, chosen, strict=True) if is_in)
