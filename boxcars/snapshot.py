"""The table at one moment, as an immutable record that every display draws from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from boxcars.history import History
from boxcars.lying import Lying, near, unmoved
from boxcars.observer import LEANING
from calibration.profile import Profile
from calibration.quality import QualityReport
from scoring.game import Game
from vision.records import DieReading, TrayView
from vision.settle import Scene


class SourceState(StrEnum):
    """How it is with the pictures."""

    OPENING = "opening"
    RUNNING = "running"
    TROUBLE = "trouble"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Offer:
    """A source that may be chosen at the page, by its `id` alone; `spec` never leaves us."""

    id: str
    title: str
    spec: str


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is being watched, and how that goes; `trouble` is its kind and one sentence."""

    title: str
    live: bool
    state: SourceState
    offer: str | None = None
    trouble: tuple[str, str] | None = None


class DieState(StrEnum):
    """What is to be said of a die first."""

    CERTAIN = "certain"
    KEPT = "kept"
    DOUBTFUL = "doubtful"
    COCKED = "cocked"
    STACKED = "stacked"
    PICKED_UP = "picked-up"


@dataclass(frozen=True, slots=True, eq=False)
class SeenDie:
    """A die as it lies, or lay before it was picked up.

    `index` is its number among the referee's dice, None for one that was picked up; `reading` is
    the latest look at it, None where there is none.
    """

    id: int
    die: Lying
    state: DieState
    index: int | None
    reading: DieReading | None


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A settled view and its number; numbers are never used twice."""

    id: int
    view: TrayView


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The table at one moment. `rev` grows with every change; `size` is the picture's (w, h)."""

    rev: int
    number: int
    started: str
    history: History
    pictured: frozenset[int]
    source: SourceStatus
    offers: tuple[Offer, ...]
    scene: Scene | None
    """None while no picture comes."""
    size: tuple[int, int] | None
    view: View | None
    dice: tuple[SeenDie, ...]
    questions: Mapping[int, Lying]
    warned: frozenset[str]
    """Kinds of the alerts whose cause is still there."""
    coach: bool
    quality: QualityReport | None = None
    """How good the picture was when it was last judged."""
    calibrates: bool = False
    """Whether a calibration may be made and kept for what is watched."""
    profile: Profile | None = None
    """The calibration that is read with, as far as the pictures have told."""

    @property
    def game(self) -> Game:
        """Where the game stands."""
        return self.history.game

    def die(self, number: int) -> SeenDie | None:
        """The die of that id, if it is here."""
        return next((die for die in self.dice if die.id == number), None)


class DiceNames:
    """Gives dice numbers that they keep while they lie where they lie."""

    def __init__(self) -> None:
        self._known: list[tuple[int, Lying]] = []
        self._next = 1

    def name(self, dice: Sequence[Lying]) -> list[int]:
        """A number for each die, in their order."""
        names: list[int | None] = [None] * len(dice)
        known = self._known
        for i, j in unmoved([die for _, die in known], dice):
            names[j] = known[i][0]
        nowhere = [(number, die) for number, die in known if math.isnan(die.x)]
        for j, die in enumerate(dice):
            if names[j] is None and math.isnan(die.x):
                same = next((it for it in nowhere if it[1].face == die.face), None)
                if same is not None:
                    nowhere.remove(same)
                    names[j] = same[0]
        given = []
        for name in names:
            given.append(self._next if name is None else name)
            self._next += name is None
        self._known = list(zip(given, dice, strict=True))
        return given


def seen_dice(
    game: Game,
    dice: Sequence[Lying],
    thrown: Sequence[Lying],
    view: View | None,
    names: DiceNames,
) -> tuple[SeenDie, ...]:
    """The dice as they lie, then those in the hand; `thrown` are the latest throw's as it lay."""
    dice = _as_said(dice, thrown)
    gone = _picked_up(game, dice, thrown)
    numbers = names.name([*dice, *gone])
    readings = view.view.readings if view else ()
    lie = [
        SeenDie(number, die, _state(die, game), index, _reading_of(die, readings))
        for index, (number, die) in enumerate(zip(numbers, dice, strict=False))
    ]
    out = [
        SeenDie(number, die, DieState.PICKED_UP, None, None)
        for number, die in zip(numbers[len(dice) :], gone, strict=True)
    ]
    return (*lie, *out)


def _as_said(dice: Sequence[Lying], thrown: Sequence[Lying]) -> list[Lying]:
    """The dice, those that people corrected in the throw as they said."""
    known = list(dice)
    for i, j in unmoved(thrown, dice):
        if thrown[i].said and not known[j].said:
            known[j] = replace(known[j], face=thrown[i].face, said=True, doubts=())
    return known


def _picked_up(game: Game, dice: Sequence[Lying], thrown: Sequence[Lying]) -> list[Lying]:
    """The dice that are in the hand, as they lay."""
    wanted = Counter(game.picked_up)
    if not wanted:
        return []
    there = {i for i, _ in unmoved(thrown, dice)}
    gone = []
    # Those whose place is empty come first; where dice were pushed about, any of the face will do.
    for i in sorted(range(len(thrown)), key=lambda i: (i in there, i)):
        face = thrown[i].face
        if face is not None and wanted[face] > 0:
            wanted[face] -= 1
            gone.append(thrown[i])
    return gone


def _state(die: Lying, game: Game) -> DieState:
    leaning = LEANING & set(die.doubts)
    if die.face is None and leaning:
        return DieState(min(leaning))
    if die.face is None:
        return DieState.DOUBTFUL
    return DieState.KEPT if game.picked_up else DieState.CERTAIN


def _reading_of(die: Lying, readings: Sequence[DieReading]) -> DieReading | None:
    for reading in readings:
        x, y = reading.sighting.center
        here = Lying(None, float(x), float(y), float(reading.sighting.size), math.nan)
        if near(die, here):
            return reading
    return None
