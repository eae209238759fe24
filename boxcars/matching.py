"""Which reading belongs to which true die of one picture, and what that makes of it.

A reading and a true d10 belong together when the reading's centre lies in the die's box,
nearest centres first and each used once. Where the truth knows only the up face's centre, that
centre must lie in the reading's box. Where it knows no place at all, the die is the only d10 in
the picture and the picture's best reading (the most confident, then the best sighted) is its
own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from boxcars.truth import OtherThing, TrueDie, TruePicture
from vision.records import Box, DieReading, Point


class Outcome(StrEnum):
    """What became of one true d10."""

    CORRECT = "correct"
    ABSTAINED = "abstained"
    SILENT_MISREAD = "silent-misread"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Judged:
    """One true d10, the reading that belongs to it (None: missed), and the outcome."""

    die: TrueDie
    reading: DieReading | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class FalseDie:
    """A face read where no d10 lies; `kind` is what lies there instead, None if nothing does."""

    reading: DieReading
    kind: str | None


@dataclass(frozen=True, slots=True)
class PictureResult:
    """Everything that was right and wrong in one picture."""

    picture: TruePicture
    judged: tuple[Judged, ...]
    false_dice: tuple[FalseDie, ...]

    @property
    def is_roll(self) -> bool:
        """Whether a d10 lies in the picture."""
        return bool(self.judged)

    @property
    def is_exact(self) -> bool:
        """Whether every d10 of a roll was read rightly and nothing else was read."""
        all_correct = all(it.outcome is Outcome.CORRECT for it in self.judged)
        return self.is_roll and all_correct and not self.false_dice


def judge_picture(picture: TruePicture, readings: Sequence[DieReading]) -> PictureResult:
    """Compare one picture's readings with its truth."""
    owner = _match(picture.dice, readings)
    judged = tuple(
        _judge(die, None if (at := owner.get(index)) is None else readings[at])
        for index, die in enumerate(picture.dice)
    )
    taken = set(owner.values())
    return PictureResult(
        picture,
        judged,
        tuple(
            FalseDie(reading, _kind_there(reading, picture.other))
            for index, reading in enumerate(readings)
            if index not in taken and reading.face is not None
        ),
    )


def _judge(die: TrueDie, reading: DieReading | None) -> Judged:
    if reading is None:
        outcome = Outcome.MISSED
    elif reading.face is None:
        outcome = Outcome.ABSTAINED
    elif reading.face == die.face:
        outcome = Outcome.CORRECT
    else:
        outcome = Outcome.SILENT_MISREAD
    return Judged(die, reading, outcome)


def _match(dice: Sequence[TrueDie], readings: Sequence[DieReading]) -> dict[int, int]:
    """The index of each die's reading, by the die's index; missed dice are left out."""
    candidates = sorted(
        (distance, die_at, reading_at)
        for die_at, die in enumerate(dice)
        for reading_at, reading in enumerate(readings)
        if (distance := _distance(die, reading)) is not None
    )
    owner: dict[int, int] = {}
    taken: set[int] = set()
    for _, die_at, reading_at in candidates:
        if die_at not in owner and reading_at not in taken:
            owner[die_at] = reading_at
            taken.add(reading_at)
    return owner


def _distance(die: TrueDie, reading: DieReading) -> float | None:
    """How far the reading is from the die, or None if it cannot belong to it."""
    sighting = reading.sighting
    if die.box is not None:
        x_min, y_min, x_max, y_max = die.box
        middle = ((x_min + x_max) / 2, (y_min + y_max) / 2)
        return math.dist(sighting.center, middle) if _inside(sighting.center, die.box) else None
    if die.center is not None:
        near = _inside(die.center, sighting.box)
        return math.dist(sighting.center, die.center) if near else None
    # The only d10, somewhere: the better the reading the nearer it counts.
    return -reading.confidence - sighting.score * 1e-6


def _kind_there(reading: DieReading, other: Sequence[OtherThing]) -> str | None:
    center = reading.sighting.center
    there = [it for it in other if it.box is None or _inside(center, it.box)]
    return there[0].kind if there else None


def _inside(point: Point, box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
