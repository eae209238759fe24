"""Dice known again after the camera or the tray was bumped: by faces and relative places."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from boxcars.lying import PUSHED, SAME_ANGLE, SAME_PLACE, Lying

MOST_TURN = 0.6
"""A bump turns the picture by so many radians at most. Raising it finds dice again after more,
and takes longer.
"""
MOST_ZOOM = 1.3
"""A bump makes dice so many times larger or smaller at most."""


@dataclass(frozen=True, slots=True)
class Shift:
    """What a bump did to all places alike: `z` became `factor * z + offset`, as complex numbers."""

    factor: complex
    offset: complex

    def of(self, die: Lying) -> Lying:
        """Where and how the die lies after it."""
        place = self.factor * complex(die.x, die.y) + self.offset
        return replace(
            die,
            x=place.real,
            y=place.imag,
            size=die.size * abs(self.factor),
            angle=math.remainder(die.angle + cmath.phase(self.factor), math.tau),
        )


def find_shift(before: Sequence[Lying], after: Sequence[Lying], dice: int) -> Shift | None:
    """The bump that at least `dice` dice tell of by keeping their faces and relative places.

    None if none explains so many, or if dice so far apart that they fix it are missing. Three
    dice or more hardly ever agree by accident.
    """
    best: tuple[int, Shift] | None = None
    for shift in _candidates(before, after):
        fitted = _fit(_matches(shift, before, after))
        if fitted is None:
            continue
        count = len(_matches(fitted, before, after))
        if count >= dice and (best is None or count > best[0]):
            best = count, fitted
            if count == min(len(before), len(after)):
                break
    return best[1] if best else None


Match = tuple[Lying, Lying]


def _candidates(before: Sequence[Lying], after: Sequence[Lying]) -> Iterator[Shift]:
    """The bumps that take some two dice to two others that show the same faces."""
    for a, b in itertools.combinations([die for die in before if _is_placed(die)], 2):
        was = complex(b.x - a.x, b.y - a.y)
        if abs(was) < PUSHED * a.size:
            continue
        for c, d in itertools.permutations([die for die in after if _is_placed(die)], 2):
            if (a.face, b.face) != (c.face, d.face):
                continue
            factor = complex(d.x - c.x, d.y - c.y) / was
            if _is_small(factor):
                yield Shift(factor, complex(c.x, c.y) - factor * complex(a.x, a.y))


def _is_placed(die: Lying) -> bool:
    return die.face is not None and not math.isnan(die.x)


def _is_small(factor: complex) -> bool:
    return 1 / MOST_ZOOM <= abs(factor) <= MOST_ZOOM and abs(cmath.phase(factor)) <= MOST_TURN


def _matches(shift: Shift, before: Sequence[Lying], after: Sequence[Lying]) -> list[Match]:
    """The dice that lie where the bump would have brought them, with the faces they had."""
    matches = []
    left = list(after)
    for die in before:
        if not _is_placed(die):
            continue
        there = shift.of(die)
        for other in left:
            if other.face == die.face and _is_same(there, other):
                matches.append((die, other))
                left.remove(other)
                break
    return matches


def _is_same(expected: Lying, seen: Lying) -> bool:
    apart = math.hypot(expected.x - seen.x, expected.y - seen.y)
    turned = abs(math.remainder(expected.angle - seen.angle, math.tau))
    return apart <= SAME_PLACE * seen.size and not turned > SAME_ANGLE


def _fit(matches: Sequence[Match]) -> Shift | None:
    """The bump that explains these dice best, by least squares."""
    if len(matches) < 2:
        return None
    was = [complex(a.x, a.y) for a, _ in matches]
    now = [complex(b.x, b.y) for _, b in matches]
    middle, middle_now = sum(was) / len(was), sum(now) / len(now)
    spread = sum(abs(z - middle) ** 2 for z in was)
    if spread == 0:
        return None
    factor = (
        sum((w - middle_now) * (z - middle).conjugate() for z, w in zip(was, now, strict=True))
        / spread
    )
    return Shift(factor, middle_now - factor * middle) if factor else None
