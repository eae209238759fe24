"""What happens on a simulated table, as a script in time: dice, throws and hands."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from boxcars.sim import shape
from scoring.cars import Faces
from scoring.phases import Phase

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Die:
    """A die that lies in the tray: the face up, its middle in millimetres, its turn in radians.

    `lean` tips it over towards `toward`; `on` is the height of what it lies on.
    """

    face: int
    x: float
    y: float
    yaw: float
    lean: float = 0.0
    toward: float = 0.0
    on: float = 0.0

    @property
    def flat(self) -> bool:
        """Whether it shows its face by the rules of the table."""
        return self.lean == 0.0 and self.on == 0.0

    @property
    def turn(self) -> Array:
        """How it is turned, die to world, shape (3, 3)."""
        lying = shape.lying(self.face, self.yaw)
        return shape.lean(lying, self.toward, self.lean) if self.lean else lying

    def center(self, radius: float) -> Array:
        """Its middle in the world, millimetres; `radius` is half its face-to-face distance."""
        return np.array([self.x, self.y, self.on + radius * shape.height(self.turn)])


class Motion(StrEnum):
    """How a die gets to where it will lie."""

    ROLL = "roll"
    SLIDE = "slide"


@dataclass(frozen=True, slots=True)
class Flight:
    """A die on its way from `(x, y)`, where it is at `start`, to where it lies from `end` on.

    Seconds and millimetres. `die` None: it leaves the table and is not seen again.
    """

    die: Die | None
    x: float
    y: float
    start: float
    end: float
    to: tuple[float, float]
    motion: Motion = Motion.ROLL
    seed: int = 0

    def place(self, t: float) -> tuple[float, float, float]:
        """Its middle at `t`: x, y, and its height above where it will lie, millimetres."""
        share = self._share(t)
        gone = 1 - (1 - share) ** 2
        x = self.x + (self.to[0] - self.x) * gone
        y = self.y + (self.to[1] - self.y) * gone
        if self.motion is Motion.SLIDE:
            return x, y, 0.0
        hops = 3 + self.seed % 2
        high = 34 * (1 - share) ** 2 * abs(math.sin(math.pi * hops * gone**0.8))
        return x, y, high

    def rolled(self, t: float) -> float:
        """The share of its way done at `t`, 0-1, by distance."""
        return 1 - (1 - self._share(t)) ** 2

    def _share(self, t: float) -> float:
        """The share of its time that is over at `t`, 0-1."""
        return min(1.0, max(0.0, (t - self.start) / (self.end - self.start)))


@dataclass(frozen=True, slots=True)
class HandPath:
    """A hand through time: `points` are `(t, x, y)` of its palm, seconds and millimetres.

    `heading` is where it points in the picture, radians clockwise from +x.
    """

    player: int
    heading: float
    points: tuple[tuple[float, float, float], ...]

    @property
    def start(self) -> float:
        return self.points[0][0]

    @property
    def end(self) -> float:
        return self.points[-1][0]

    def place(self, t: float) -> tuple[float, float] | None:
        """Where its palm is at `t`; None while it is away."""
        if not self.start <= t <= self.end:
            return None
        later = bisect.bisect_right([point[0] for point in self.points], t)
        if later >= len(self.points):
            return self.points[-1][1:]
        (t0, x0, y0), (t1, x1, y1) = self.points[later - 1], self.points[later]
        share = (t - t0) / max(t1 - t0, 1e-9)
        eased = share * share * (3 - 2 * share)
        return x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased


@dataclass(frozen=True, slots=True)
class Moment:
    """What is to be seen at one time."""

    t: float
    lying: tuple[Die, ...]
    flying: tuple[Flight, ...]
    hands: tuple[HandPath, ...]


class Trouble(StrEnum):
    """What makes reading and refereeing hard, as the tally names it."""

    QUICK = "quick pick-up"
    ONE_BY_ONE = "picked up one by one"
    TRIPS = "picked up in several trips"
    THROWN_SINGLY = "thrown one by one"
    PUSHED = "kept dice pushed aside"
    NUDGED = "kept dice nudged"
    TURNED = "kept dice turned in place"
    KNOCKED = "kept dice knocked by thrown ones"
    HOVER = "a hand that touches nothing"
    COCKED = "cocked die"
    STACKED = "stacked die"
    OFF_TRAY = "die off the tray"
    TAKEN_BACK = "illegal pick-up taken back"
    FLICKER = "flickering lamp"
    PUMPING = "exposure pumping"
    LIGHT_JUMP = "lamp switched"
    SHAKE = "camera shaking"
    BUMP = "camera bumped"
    DROPPED = "dropped frames"
    FROZEN = "frozen picture"
    SLOW = "under 12 frames a second"
    TILTED = "camera tilted over 12 degrees"


class Deed(StrEnum):
    """What truly happened, by the names of the events that should tell it."""

    ROLL = "roll"
    PICK_UP = "pickup"
    PUT_BACK = "put-back"
    REROLL = "reroll"
    STAND = "stand"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class Truth:
    """One thing that truly happened, complete at `t`; for tests only.

    `faces` are all ten of a throw, those in the hand of a pick-up; `illegal` are the reasons
    that apply to the pick-up or the throw after it; `points` those of a scored turn.
    """

    t: float
    deed: Deed
    player: int
    turn: int
    phase: Phase
    faces: Faces = ()
    illegal: tuple[str, ...] = ()
    points: int = 0
    troubles: frozenset[Trouble] = frozenset()


@dataclass(slots=True)
class Film:
    """The script of a game; times only grow while it is written."""

    stages: list[tuple[float, tuple[Die, ...]]] = field(default_factory=lambda: [(0.0, ())])
    """From each time on, these dice lie in the tray, besides those that have landed since."""
    flights: list[Flight] = field(default_factory=list)
    hands: list[HandPath] = field(default_factory=list)
    truth: list[Truth] = field(default_factory=list)
    length: float = 0.0
    """Seconds until nothing more happens."""

    @property
    def lying(self) -> tuple[Die, ...]:
        """The dice of the latest stage."""
        return self.stages[-1][1]

    def lay(self, t: float, dice: tuple[Die, ...]) -> None:
        """From `t` on, these dice lie in the tray."""
        self.stages.append((t, dice))

    def at(self, t: float) -> Moment:
        """What is to be seen at `t`."""
        index = bisect.bisect_right(self.stages, t, key=lambda stage: stage[0]) - 1
        since, lying = self.stages[max(0, index)]
        near = self._near(t)
        flying = [f for f in near if f.start <= t < f.end]
        landed = [f.die for f in near if since < f.end <= t and f.die is not None]
        hands = [h for h in self.hands if h.start <= t <= h.end]
        return Moment(t, (*lying, *landed), tuple(flying), tuple(hands))

    def _near(self, t: float) -> list[Flight]:
        """The flights that may matter at `t`: no stage outlives a throw by a minute."""
        first = bisect.bisect_left(self.flights, t - 60, key=lambda flight: flight.start)
        return self.flights[first:]
