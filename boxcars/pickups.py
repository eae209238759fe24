"""Which dice were picked up for a reroll, as far as the dice on the table tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from boxcars.lying import (
    TIPPED,
    Dice,
    Lying,
    all_known,
    beside,
    contradicted,
    faces_of,
    kept_in_place,
    lying,
    pushed,
    remembered,
    unmoved,
    untouched,
    without,
)
from scoring.cars import DICE, Faces
from scoring.phases import Phase
from scoring.rules import DEFAULT_RULES, HouseRules, Illegality, Verdict, judge
from vision.records import TrayView

TO_A_HAIR = 0.05
"""Two looks at a die that nobody moved find it within this share of its size. Raising it lets a
die thrown to beside where its face lay pass for one that was never picked up.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict on a pick-up. At `cannot-tell` the reasons are those that may apply."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may have been picked up: surely `least`, at most `most`, which includes `least`."""

    least: Faces
    most: Faces

    def judge(self, roll: Faces, phase: Phase, rules: HouseRules = DEFAULT_RULES) -> Finding:
        """Legal if every pick-up within the bounds is, illegal if none is, else cannot tell.

        It is enough to look at the two ends: a die more never makes a pick-up legal.
        """
        if surely := judge(roll, self.least, phase, rules):
            return Finding(Verdict.ILLEGAL, surely.reasons)
        if perhaps := judge(roll, self.most, phase, rules):
            return Finding(Verdict.CANNOT_TELL, perhaps.reasons)
        return Finding(Verdict.LEGAL, Illegality.NONE.reasons)


@dataclass(frozen=True, slots=True)
class PickUp:
    """Dice of a roll have left the table.

    `kept` are the dice still there as they lie now; `spots` are the dice at every place where
    they were seen since the roll and before any was thrown; `bounds` is what is surely out of
    the tray now, and what may have been out of it and thrown. `hurried` if more of those kept may
    have been picked up since, unseen.
    """

    kept: Dice
    spots: Dice
    bounds: Bounds
    hurried: bool = False

    @property
    def faces(self) -> Faces:
        """What is surely out of the tray now."""
        return self.bounds.least


def pick_up(
    roll: Sequence[Lying], kept: Sequence[Lying], earlier: PickUp | None = None
) -> PickUp | None:
    """What was picked up from a roll when the dice `kept` are those still on the table.

    `earlier` is what was found in an earlier look at the same reroll. None if the dice on the
    table are not part of the roll, or if a die that nobody can read leaves open which part.
    """
    faces = _faces_among(roll, kept)
    if faces is None:
        return None
    kept = _recalled(roll, kept)
    out = Counter(faces_of(roll)) - Counter(faces)
    # What the camera never showed may be out, or lie there still.
    surely = out - Counter(faces_of(die for die in roll if die.is_unseen))
    if earlier is None:
        return PickUp(kept, (*roll, *kept), Bounds(_sorted(surely), _sorted(out)))
    # A die back on a spot of its own was put down there; one elsewhere may have been thrown.
    stayed = tuple(kept[j] for _, j in kept_in_place(earlier.spots, kept))
    ever_out = Counter(earlier.bounds.most) & (Counter(faces_of(roll)) - Counter(faces_of(stayed)))
    bounds = Bounds(_sorted(surely), _sorted(out | ever_out))
    if bounds.most == _sorted(out):
        # None of the dice there was ever thrown, so wherever they were pushed is their spot.
        stayed = kept
    return PickUp(kept, (*earlier.spots, *stayed), bounds)


def reroll(roll: Sequence[Lying], thrown: Sequence[Lying], seen: PickUp | None = None) -> Bounds:
    """What was thrown again when `roll` became `thrown`, both ten dice with known faces.

    `seen` is the pick-up as it was seen. Without it every die that does not lie where it lay
    may have been thrown, and surely as many of each face as are missing among the others, unless
    one lies so near its place that it may have been tipped over there.
    """
    in_place = kept_in_place(roll if seen is None else seen.spots, thrown)
    stayed = Counter(faces_of(thrown[j] for _, j in in_place))
    may_be_thrown = Counter(faces_of(roll)) - stayed
    if seen is None:
        left = without(roll, (i for i, _ in in_place))
        found = without(thrown, (j for _, j in in_place))
        least = may_be_thrown - Counter(faces_of(found)) - _tipped(left, found)
        return Bounds(_sorted(least), _sorted(may_be_thrown))
    snatched, perhaps = _snatched(seen.kept, thrown, hurried=seen.hurried)
    least = (Counter(seen.bounds.least) + snatched) & may_be_thrown
    most = (Counter(seen.bounds.most) + perhaps | least) & may_be_thrown
    # What was out and lies on its spot, but not to a hair, was put back unseen or came to lie
    # there.
    missed = Counter(faces_of(thrown[j] for _, j in untouched(seen.spots, thrown, TO_A_HAIR)))
    most |= Counter(seen.bounds.least) & (Counter(faces_of(roll)) - missed)
    return Bounds(_sorted(least), _sorted(most))


def reroll_unread(roll: Sequence[Lying], thrown: Sequence[Lying], seen: PickUp | None) -> Bounds:
    """What was thrown again when the dice `thrown` were taken up before all were known.

    Anything may have been; and surely what was `seen` to be picked up, save what may lie on its
    spot, if faces lay there that show that it was not just laid back. Where a die lay nobody knows,
    it may be any of those.
    """
    faces = faces_of(roll)
    new = Counter(faces_of(thrown)) - Counter(faces)
    if seen is None or not new or any(math.isnan(die.x) for die in (*seen.spots, *thrown)):
        return Bounds((), faces)
    stayed = Counter(
        face
        for i, j in unmoved(seen.spots, thrown)
        if (face := seen.spots[i].face) is not None and thrown[j].face in (None, face)
    )
    return Bounds(_sorted(Counter(seen.bounds.least) & (Counter(faces) - stayed)), faces)


def _snatched(
    kept: Sequence[Lying], thrown: Sequence[Lying], *, hurried: bool
) -> tuple[Counter[int], Counter[int]]:
    """Which of the dice kept were surely thrown after all, and which may have been.

    Who keeps a die may push it aside or knock against it, but it shows its face nearby; if it
    all went on in a hurry it may have been thrown all the same. Where its face is gone, but a die
    lies near that may be it, it may have been tipped over or be misread; where none does, it was
    snatched.
    """
    accounted = kept_in_place(kept, thrown)
    moved = without(kept, (i for i, _ in accounted))
    found = without(thrown, (j for _, j in accounted))
    left, found = _not_pushed(moved, found)
    # What a person named and nobody saw is taken for a die that was kept, if it shows its face.
    unplaced = Counter(faces_of(die for die in found if math.isnan(die.x)))
    perhaps = Counter(faces_of(moved if hurried else left)) - unplaced
    gone = Counter(faces_of(kept)) - Counter(faces_of(thrown))
    tipped = Counter(faces_of(left[i] for i, _ in beside(left, found)))
    return gone - tipped, perhaps


def _not_pushed(left: Dice, found: Dice) -> tuple[Dice, Dice]:
    """Both without the dice that show the same face not far away."""
    knocked = pushed(left, found)
    return without(left, (i for i, _ in knocked)), without(found, (j for _, j in knocked))


def _tipped(left: Dice, found: Dice) -> Counter[int]:
    """The faces of the dice `left` of a roll that may have been tipped over where they lay."""
    left, found = _not_pushed(left, found)
    return Counter(faces_of(left[i] for i, _ in beside(left, found, TIPPED)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two or three looks at one reroll tell.

    `before` and `after` hold a face per die, None where it is in doubt; `picked_up` is None
    where it is not certain. `why` says in words why the verdict is `cannot-tell`, else empty.
    """

    finding: Finding
    before: tuple[int | None, ...]
    picked_up: Faces | None
    after: tuple[int | None, ...]
    why: str = ""


def compare(
    before: TrayView,
    between: TrayView | None,
    after: TrayView,
    phase: Phase,
    rules: HouseRules = DEFAULT_RULES,
) -> Comparison:
    """Judge one reroll by the tray before it and after it, and by the dice kept if seen."""
    roll, thrown = lying(before.readings), lying(after.readings)

    def cannot(why: str) -> Comparison:
        finding = Finding(Verdict.CANNOT_TELL)
        return Comparison(finding, _faces_seen(roll), None, _faces_seen(thrown), why)

    for name, dice in (("before", roll), ("after", thrown)):
        if len(dice) != DICE:
            return cannot(f"{len(dice)} dice lie in the picture {name} the reroll, not {DICE}.")
    if contradicted(roll, thrown):
        return cannot("A die that has not moved reads differently before and after.")
    roll, thrown = remembered(thrown, roll), remembered(roll, thrown)
    for name, dice in (("before", roll), ("after", thrown)):
        if not all_known(dice):
            return cannot(f"A die in the picture {name} the reroll cannot be read for certain.")
    seen = None
    if between is not None:
        kept = remembered(roll, lying(between.readings))
        seen = pick_up(roll, kept)
        # What nobody can read is no evidence; what was read and does not fit is a contradiction.
        if seen is None and all_known(kept):
            return cannot("The dice kept are not part of the roll before.")
    bounds = reroll(roll, thrown, seen)
    finding = bounds.judge(faces_of(roll), phase, rules)
    return Comparison(
        finding,
        _faces_seen(roll),
        bounds.least if bounds.least == bounds.most else None,
        _faces_seen(thrown),
        "A die that moved may have been pushed aside or thrown again."
        if finding.verdict is Verdict.CANNOT_TELL
        else "",
    )


def _faces_among(roll: Sequence[Lying], kept: Sequence[Lying]) -> Faces | None:
    """The faces of the dice kept, if there is one way only to find them in the roll."""
    faces = list(faces_of(kept))
    # A die that has not moved is the same die, whether or not it can be read now.
    for i, j in unmoved(roll, kept):
        old = roll[i].face
        if kept[j].face is None and old is not None:
            faces.append(old)
    have = Counter(faces_of(roll))
    if Counter(faces) - have:
        return None
    rest = have - Counter(faces)
    unknown = len(kept) - len(faces)
    if unknown and unknown != rest.total() and len(rest) > 1:
        return None
    if unknown > rest.total():
        return None
    faces += list(rest.elements())[:unknown]
    return _sorted(Counter(faces))


def _recalled(roll: Sequence[Lying], kept: Sequence[Lying]) -> Dice:
    """The dice kept, with the faces of those that have not moved."""
    dice = list(kept)
    for i, j in unmoved(roll, kept):
        if dice[j].face is None:
            dice[j] = replace(dice[j], face=roll[i].face)
    return tuple(dice)


def _faces_seen(dice: Iterable[Lying]) -> tuple[int | None, ...]:
    return tuple(die.face for die in dice)


def _sorted(counts: Counter[int]) -> Faces:
    return tuple(sorted(counts.elements()))
