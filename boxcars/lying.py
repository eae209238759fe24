"""How dice lie in the tray, and which of them lie where they lay before."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vision.records import DieReading, Doubt

SAME_SPOT = 0.12
"""Within this share of a die's size the place alone says that it is the same die.

Raising it lets a thrown die that lands where another lay pass for that die.
"""
SAME_PLACE = 0.25
"""Within this share of a die's size, place and direction together say it. Lowering it takes
dice for moved when the picture trembles.
"""
SAME_ANGLE = 0.35
"""Two directions no further apart than this, in radians, are the same direction. Lowering it
takes dice for turned when their corners are found less exactly.
"""
PUSHED = 2.0
"""How many sizes a die is pushed at most when thrown dice knock against it. Raising it lets a
die snatched unseen pass for one that was pushed.
"""

TIPPED = 1.0
"""How far from its place, in sizes, a die lies at most that was tipped over where it lay. Raising
it lets a die thrown unseen pass for one that was tipped.
"""

CONTRADICTION = "contradiction"
"""The doubt about a die that two looks read differently."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A die as it lies in the tray.

    `face` is None while nobody knows it. `x`, `y` (its centre) and `size` are pixels, `angle`
    is where its digit's top points, in radians; all are NaN for a die whose place is unknown,
    and such a die lies nowhere near any other. `candidates` are the faces it may show, the
    likeliest first, `doubts` the reasons to ask, `said` that a person named the face.
    """

    face: int | None
    x: float
    y: float
    size: float
    angle: float
    candidates: tuple[int, ...] = ()
    doubts: tuple[str, ...] = ()
    said: bool = False

    @property
    def center(self) -> tuple[float, float]:
        """`(x, y)` in pixels."""
        return self.x, self.y

    @property
    def is_unseen(self) -> bool:
        """Whether a person told of it and the camera never showed it."""
        return self.said and math.isnan(self.x)

    @property
    def of_unknown_place(self) -> Lying:
        """The die when nobody knows any more where it lies."""
        nan = math.nan
        return replace(self, x=nan, y=nan, size=nan, angle=nan, said=False)


Dice = tuple[Lying, ...]
"""Dice that lie there together."""


def lying(readings: Iterable[DieReading]) -> Dice:
    """The dice of a tray view, in the same order."""
    return tuple(_lying(reading) for reading in readings)


def nowhere(faces: Iterable[int | None]) -> Dice:
    """Dice of which at most the faces are known."""
    return tuple(Lying(face, math.nan, math.nan, math.nan, math.nan) for face in faces)


def _lying(reading: DieReading) -> Lying:
    sighting = reading.sighting
    # Not `probabilities.argsort()`: its order among equals is nobody's promise.
    by_likelihood = sorted(range(10), key=lambda face: (-float(reading.probabilities[face]), face))
    return Lying(
        face=reading.face,
        x=float(sighting.center[0]),
        y=float(sighting.center[1]),
        size=float(sighting.size),
        angle=sighting.angle,
        candidates=tuple(by_likelihood[:3]),
        doubts=reading.doubts.names,
    )


def is_stranger(reading: DieReading) -> bool:
    """Whether the reader takes it for something that is no ten-sided die."""
    return Doubt.NOT_A_D10 in reading.doubts


Pairs = tuple[tuple[int, int], ...]
"""Indices `(before, after)` of dice that belong together; none is used twice."""


def unmoved(before: Sequence[Lying], after: Sequence[Lying]) -> Pairs:
    """The dice that lie where they lay, whatever faces were read."""
    return _nearest(before, after, _at_same_place)


def kept_in_place(before: Sequence[Lying], after: Sequence[Lying]) -> Pairs:
    """The dice that lie where they lay with the face they showed.

    A die thrown again hardly ever comes to rest on the spot where one with its new face lay,
    so these were surely not thrown.
    """
    return tuple(
        (i, j)
        for i, j in unmoved(before, after)
        if before[i].face is not None and before[i].face == after[j].face
    )


def untouched(before: Sequence[Lying], after: Sequence[Lying], within: float = SAME_SPOT) -> Pairs:
    """The dice that lie exactly where they lay, turned as they were, with the face they showed.

    `within` is how far apart two looks at one may be, as a share of its size.
    """
    return tuple(
        (i, j)
        for i, j in kept_in_place(before, after)
        if _same_angle(before[i], after[j]) and _sizes_apart(before[i], after[j]) <= within
    )


def contradicted(before: Sequence[Lying], after: Sequence[Lying]) -> Pairs:
    """The dice that did not move or turn and yet read differently: one reading is wrong.

    Only dice on the very spot count, so that a die thrown to where another lay is not held
    against it.
    """
    return tuple(
        (i, j)
        for i, j in unmoved(before, after)
        if _sizes_apart(before[i], after[j]) <= SAME_SPOT
        and _same_angle(before[i], after[j])
        and None not in (before[i].face, after[j].face)
        and before[i].face != after[j].face
    )


def pushed(before: Sequence[Lying], after: Sequence[Lying]) -> Pairs:
    """The dice that show the same face not far away, as after a knock."""
    return _most(
        before,
        after,
        lambda a, b: a.face is not None and a.face == b.face and _sizes_apart(a, b) <= PUSHED,
    )


def beside(before: Sequence[Lying], after: Sequence[Lying], within: float = PUSHED) -> Pairs:
    """The dice that may be the same, lying not further away than `within` sizes, whatever they
    show."""
    return _most(before, after, lambda a, b: _sizes_apart(a, b) <= within)


def only_doubtful_left(before: Sequence[Lying], after: Sequence[Lying]) -> bool:
    """Whether no die whose face was known has gone, and none has come but from under another.

    Of two dice that lie on each other the lower is often not seen, or both are taken for one in
    doubt; it shows its face when the upper is taken.
    """
    known = [die for die in before if die.face is not None]
    doubtful = [die for die in before if die.face is None]
    stayed = unmoved(known, after)
    elsewhere = without(after, (j for _, j in stayed))
    moved = Counter(faces_of(without(known, (i for i, _ in stayed))))
    shown = Counter(faces_of(elsewhere))
    return not moved - shown and (shown - moved).total() <= len(beside(doubtful, elsewhere))


def without(dice: Sequence[Lying], indices: Iterable[int]) -> Dice:
    """The dice but for those at these places in the row."""
    gone = set(indices)
    return tuple(die for index, die in enumerate(dice) if index not in gone)


def remembered(before: Sequence[Lying], after: Sequence[Lying]) -> Dice:
    """`after`, with what is known of dice that have not moved.

    A die that cannot be read now keeps the face it showed, and one whose face a person named
    keeps that one. A reading is never replaced by another: where two contradict each other the
    die's face becomes unknown. So it does where a die of which a person said something else
    lies turned on its spot: it was perhaps turned, perhaps thrown there. What is unknown for that
    reason stays so, whatever else is remembered.
    """
    dice = list(after)
    for i, j in unmoved(before, after):
        old, new = before[i], after[j]
        if new.said:
            continue
        if old.said and _same_angle(old, new):
            dice[j] = replace(new, face=old.face, said=True, doubts=())
        elif old.said and None not in (old.face, new.face) and old.face != new.face:
            dice[j] = _disputed(old, new)
        elif old.face is not None and new.face is None and not is_disputed(new):
            dice[j] = replace(new, face=old.face)
    for i, j in contradicted(before, dice):
        if not dice[j].said:
            dice[j] = _disputed(before[i], dice[j])
    return tuple(dice)


def misread_again(before: Sequence[Lying], after: Sequence[Lying]) -> Dice:
    """`after`, with the face that a person named of each die that lies as it lay then and is read
    as it was read then."""
    dice = list(after)
    for i, j in unmoved(before, after):
        old, new = before[i], after[j]
        if old.said and old.candidates[:1] == (new.face,) and _same_angle(old, new):
            dice[j] = replace(new, face=old.face, said=True)
    return tuple(dice)


def _disputed(old: Lying, new: Lying) -> Lying:
    both = tuple(face for face in (new.face, old.face) if face is not None)
    return replace(new, face=None, candidates=both, doubts=(CONTRADICTION,))


def is_disputed(die: Lying) -> bool:
    """Whether its face is unknown because two looks at it contradict each other."""
    return die.face is None and CONTRADICTION in die.doubts


def near(a: Lying, b: Lying) -> bool:
    """Whether two looks are at one die, by its place alone."""
    return _sizes_apart(a, b) <= SAME_PLACE


def faces_of(dice: Iterable[Lying]) -> tuple[int, ...]:
    """The known faces, sorted."""
    return tuple(sorted(die.face for die in dice if die.face is not None))


def all_known(dice: Iterable[Lying]) -> bool:
    """Whether no die's face is in doubt."""
    return all(die.face is not None for die in dice)


def to_values(dice: Iterable[Lying]) -> list[dict[str, Any]]:
    """The dice as JSON-ready values: where each lay, to a tenth of a pixel, and what it showed.

    What is unknown is null; why a face is in doubt is told only of one that is.
    """
    return [_to_value(die) for die in dice]


def _to_value(die: Lying) -> dict[str, Any]:
    value: dict[str, Any] = {
        "face": die.face,
        "x": _rounded(die.x, 1),
        "y": _rounded(die.y, 1),
        "size": _rounded(die.size, 1),
        "angle": _rounded(die.angle, 3),
        "said": die.said,
    }
    if die.face is None:
        value |= {"candidates": list(die.candidates), "doubts": list(die.doubts)}
    return value


def _rounded(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else round(value, digits)


def from_values(values: Iterable[Mapping[str, Any]]) -> Dice:
    """The dice whose `to_values` are `values`.

    Raises:
        KeyError, TypeError, ValueError: these are no such values.
    """
    return tuple(
        Lying(
            face=None if value["face"] is None else int(value["face"]),
            x=_known(value["x"]),
            y=_known(value["y"]),
            size=_known(value["size"]),
            angle=_known(value["angle"]),
            candidates=tuple(int(face) for face in value.get("candidates", ())),
            doubts=tuple(str(doubt) for doubt in value.get("doubts", ())),
            said=bool(value["said"]),
        )
        for value in values
    )


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _nearest(
    before: Sequence[Lying], after: Sequence[Lying], may: Callable[[Lying, Lying], bool]
) -> Pairs:
    """Pair the dice that may belong together, the nearest first."""
    near = sorted(
        (_sizes_apart(a, b), i, j)
        for i, a in enumerate(before)
        for j, b in enumerate(after)
        if may(a, b)
    )
    used_before: set[int] = set()
    used_after: set[int] = set()
    pairs = []
    for _, i, j in near:
        if i not in used_before and j not in used_after:
            used_before.add(i)
            used_after.add(j)
            pairs.append((i, j))
    return tuple(sorted(pairs))


def _most(
    before: Sequence[Lying], after: Sequence[Lying], may: Callable[[Lying, Lying], bool]
) -> Pairs:
    """Pair as many dice as may belong together."""
    partners = [[j for j, b in enumerate(after) if may(a, b)] for a in before]
    taken: dict[int, int] = {}

    def find(i: int, tried: set[int]) -> bool:
        for j in partners[i]:
            if j not in tried:
                tried.add(j)
                # Whoever has it gives it up for another, if there is one.
                if j not in taken or find(taken[j], tried):
                    taken[j] = i
                    return True
        return False

    for i in range(len(before)):
        find(i, set())
    return tuple(sorted((i, j) for j, i in taken.items()))


def _at_same_place(a: Lying, b: Lying) -> bool:
    apart = _sizes_apart(a, b)
    return apart <= SAME_SPOT or (apart <= SAME_PLACE and _same_angle(a, b))


def _sizes_apart(a: Lying, b: Lying) -> float:
    return math.hypot(a.x - b.x, a.y - b.y) / max(a.size, b.size, 1.0)


def _same_angle(a: Lying, b: Lying) -> bool:
    return abs(math.remainder(a.angle - b.angle, math.tau)) <= SAME_ANGLE


def placed(dice: Sequence[Lying], faces: Iterable[int]) -> Dice:
    """Dice with exactly these faces, lying where `dice` do as far as that is clear."""
    wanted = Counter(faces)
    clear: list[Lying] = []
    suspects: list[Lying] = []
    for face, same in itertools.groupby(
        sorted(dice, key=lambda die: -1 if die.face is None else die.face), lambda die: die.face
    ):
        group = list(same)
        # Which of several dice was misread is not known, so none of them keeps its place.
        right = face is not None and len(group) <= wanted[face]
        (clear if right else suspects).extend(group)
    missing = list((wanted - Counter(faces_of(clear))).elements())
    if len(suspects) == len(missing) == 1 and not math.isnan(suspects[0].x):
        return (*clear, replace(suspects[0], face=missing[0], said=True))
    return (*clear, *nowhere(missing))
