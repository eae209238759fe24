"""Writes the script of a simulated game: who throws and takes what, when, and what goes wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxcars.sim import shape
from boxcars.sim.film import Deed, Die, Film, Flight, HandPath, Motion, Trouble, Truth
from boxcars.sim.look import Look
from boxcars.sim.players import Player, best
from scoring.cars import DICE, Faces
from scoring.phases import REROLLS, TURNS, Phase
from scoring.rules import judge
from scoring.score import score

_APART = 24.5
"""Dice come to rest with their middles at least so many millimetres apart."""
_PLAINLY = math.radians(28)
"""Nobody takes a die for flat whose best face leans by so much."""
_WALL = 15.0
"""A die's middle stays so far from the walls."""
_OUTSIDE = 330.0
"""So far back, in millimetres, a hand is out of the picture."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How fast the table plays: shortest and longest times in seconds."""

    empty_s: tuple[float, float] = (0.7, 1.1)
    think_s: tuple[float, float] = (0.75, 1.3)
    """Between the dice coming to rest and the hand that reaches for them."""
    hold_s: tuple[float, float] = (0.55, 1.1)
    """Between the hand leaving with dice and their throw."""
    speed: float = 900.0
    """Of hands, in millimetres a second."""


BRISK = Tempo()
FOR_SHOW = Tempo((1.1, 1.3), (1.4, 1.8), (1.1, 1.4), 700.0)


@dataclass(frozen=True, slots=True)
class Habits:
    """How often things happen, as probabilities for each throw or pick-up."""

    quick: float = 0.08
    one_by_one: float = 0.15
    trips: float = 0.1
    thrown_singly: float = 0.08
    pushed: float = 0.12
    nudged: float = 0.15
    turned: float = 0.06
    knocked: float = 0.1
    hover: float = 0.08
    cocked: float = 0.04
    stacked: float = 0.02
    off_tray: float = 0.03
    taken_back: float = 0.5
    """Of illegal pick-ups."""


CALM = Habits(**dict.fromkeys(Habits.__dataclass_fields__, 0.0))


@dataclass(slots=True)
class _Turn:
    """The turn under way."""

    player: int
    number: int
    phase: Phase = Phase.ROLL_10


class Director:
    """Writes one game; `film` holds it when `direct` is done."""

    def __init__(
        self,
        look: Look,
        players: Sequence[Player],
        habits: Habits,
        tempo: Tempo,
        rng: np.random.Generator,
    ) -> None:
        self.film = Film()
        self._look = look
        self._players = players
        self._habits = habits
        self._tempo = tempo
        self._rng = rng
        self._t = 0.0
        self._dice: tuple[Die, ...] = ()
        self._now = _Turn(0, 1)
        self._troubles: set[Trouble] = set()
        # The first player sits before the camera, the second anywhere.
        seats = (-math.pi / 2, *rng.choice([math.pi / 2, 0.0, math.pi], 3, replace=False))
        self._seats = [float(seat) + float(rng.uniform(-0.3, 0.3)) for seat in seats]

    def direct(self) -> Film:
        """Write the whole game."""
        for number in range(1, TURNS + 1):
            for player in range(len(self._players)):
                self._now = _Turn(player, number)
                self._turn()
        self._rest((1.0, 1.0))
        self.film.length = self._t
        return self.film

    def _turn(self) -> None:
        self._rest(self._tempo.empty_s)
        self._throw(self._fresh(DICE))
        self._tell(Deed.ROLL, self._faces)
        for phase in REROLLS:
            self._now.phase = phase
            self._rest(self._tempo.think_s)
            if self._chance(self._habits.hover):
                self._hover()
            if not self._reroll(phase):
                self._clear()
                self._tell(Deed.STAND, ())
                self._score()
                return
        self._now.phase = Phase.SCORING
        self._score()
        self._rest(self._tempo.think_s)
        self._clear()

    def _reroll(self, phase: Phase) -> bool:
        """One reroll; whether there was one."""
        before = self._faces
        picked = self._players[self._now.player](before, phase, self._rng)
        if not picked:
            return False
        wrong = judge(before, picked, phase)
        if wrong and self._chance(self._habits.taken_back):
            self._pick_up(picked, quick=False)
            self._tell(Deed.PICK_UP, picked, wrong.reasons)
            self._rest((1.0, 1.6))
            self._troubles.add(Trouble.TAKEN_BACK)
            self._put_back(before)
            self._tell(Deed.PUT_BACK, ())
            self._rest(self._tempo.think_s)
            picked = best(before, phase, self._rng)
            if not picked:
                return False
            wrong = judge(before, picked, phase)
        quick = self._chance(self._habits.quick)
        self._pick_up(picked, quick=quick)
        if quick:
            self._troubles.add(Trouble.QUICK)
        self._tell(Deed.PICK_UP, picked, wrong.reasons)
        if not quick:
            self._rest(self._tempo.hold_s)
        thrown = self._fresh(len(picked))
        while wrong and sorted(thrown) == sorted(picked):
            # Nobody could tell that from dice that were laid back, as the alarm asks.
            thrown = self._fresh(len(picked))
        self._throw(thrown)
        self._tell(Deed.REROLL, self._faces, wrong.reasons)
        return True

    # Throwing.

    def _throw(self, faces: list[int]) -> None:
        """Throw dice with these faces among those that lie there, until all are flat."""
        habits = self._habits
        kept = self._dice
        spots = self._spots(len(faces), kept)
        dice = [
            Die(face, x, y, self._uniform(-math.pi, math.pi))
            for face, (x, y) in zip(faces, spots, strict=True)
        ]
        bad = (
            self._chance(habits.cocked),
            self._chance(habits.stacked),
            self._chance(habits.off_tray),
        )
        again: Die | None = None
        lost = False
        if bad[0]:
            again = dice[-1] = self._cocked(dice[-1], (*kept, *dice[:-1]))
            self._troubles.add(Trouble.COCKED)
        elif bad[1] and kept:
            again = dice[-1] = self._stacked(dice[-1], kept)
            self._troubles.add(Trouble.STACKED)
        elif bad[2]:
            lost = True
            self._troubles.add(Trouble.OFF_TRAY)
        singly = len(dice) > 1 and self._chance(habits.thrown_singly)
        if singly:
            self._troubles.add(Trouble.THROWN_SINGLY)
        self._fly(dice, singly=singly, lost=lost)
        if again is not None or lost:
            self._rest((1.0, 1.8))
            if again is not None:
                self._take([again])
                self._rest((0.3, 0.8))
            self._throw([int(self._rng.integers(DICE))])

    def _fly(self, dice: list[Die], *, singly: bool, lost: bool) -> None:
        """Let dice roll in from the player's side; `lost`: the last one leaves the table."""
        heading = self._heading()
        ahead = np.array([math.cos(heading), -math.sin(heading)])
        tray = self._look.tray
        edge = -ahead * np.array([tray.width / 2 - 25, tray.depth / 2 - 25])
        edge = edge + self._rng.uniform(-20, 20, 2) * np.abs(ahead[::-1])
        back = edge - ahead * _OUTSIDE
        release = self._t + 0.25
        flights: list[Flight] = []
        for index, die in enumerate(dice):
            way = math.hypot(die.x - edge[0], die.y - edge[1])
            lasts = 0.35 + way / 500 + self._uniform(0, 0.25)
            start = release + self._uniform(0, 0.12)
            x, y = edge + self._rng.uniform(-12, 12, 2)
            landing: Die | None = die
            to = (die.x, die.y)
            if lost and index == len(dice) - 1:
                landing, lasts = None, 0.6
                far = edge + ahead * (tray.width + tray.depth) * 0.9
                to = (float(far[0]), float(far[1]))
            seed = int(self._rng.integers(1000))
            flights.append(
                Flight(landing, float(x), float(y), start, start + lasts, to, Motion.ROLL, seed)
            )
            if singly:
                release += self._uniform(0.15, 0.7)
        last = max(flight.start for flight in flights)
        self._hand(
            heading,
            [
                (self._t, *back),
                (self._t + 0.22, *edge),
                (last + 0.05, *edge),
                (last + 0.4, *back),
            ],
        )
        end = max(flight.end for flight in flights)
        self._launch(flights)
        if self._dice and self._chance(self._habits.knocked):
            self._knock(self._t + 0.7 * (end - self._t))
        self._t = max(end, last + 0.4 if singly else end)
        self._dice = self.film.at(end).lying
        self.film.lay(end, self._dice)

    def _launch(self, flights: list[Flight]) -> None:
        self.film.flights.extend(flights)
        self.film.flights.sort(key=lambda flight: flight.start)

    def _knock(self, t: float) -> None:
        """A rolling die pushes one that was kept."""
        die = self._dice[int(self._rng.integers(len(self._dice)))]
        # Also those of this throw that have come to rest already.
        others = [f.die for f in self.film.flights if f.end > self._t and f.die is not None]
        moved = self._moved(die, (2.0, 25.0), 0.6, (*self._dice, *others))
        if moved is None:
            return
        self._troubles.add(Trouble.KNOCKED)
        lying = self.film.at(t).lying
        self.film.lay(t, tuple(other for other in lying if other is not die))
        lasts = 0.08 + math.hypot(moved.x - die.x, moved.y - die.y) / 200
        self._launch([Flight(moved, die.x, die.y, t, t + lasts, (moved.x, moved.y), Motion.SLIDE)])

    def _fresh(self, count: int) -> list[int]:
        return [int(face) for face in self._rng.integers(0, DICE, count)]

    def _cocked(self, die: Die, others: tuple[Die, ...]) -> Die:
        """The die leaning on the nearest wall."""
        tray = self._look.tray
        x = math.copysign(tray.width / 2 - 12, die.x)
        for _ in range(50):
            y = self._uniform(-tray.depth / 2 + 25, tray.depth / 2 - 25)
            if all(math.hypot(x - other.x, y - other.y) > _APART for other in others):
                break
        return self._leaning(replace(die, x=x, y=y, toward=math.pi if x > 0 else 0.0))

    def _stacked(self, die: Die, others: tuple[Die, ...]) -> Die:
        """The die leaning on one that lies there."""
        below = others[int(self._rng.integers(len(others)))]
        angle = self._uniform(-math.pi, math.pi)
        x, y = below.x + 15 * math.cos(angle), below.y + 15 * math.sin(angle)
        return self._leaning(replace(die, x=x, y=y, toward=angle, on=6.0))

    def _leaning(self, die: Die) -> Die:
        """The die leaning over as it is told to, plainly: on no face by any reading."""
        while True:
            die = replace(die, yaw=self._uniform(-math.pi, math.pi), lean=self._uniform(0.5, 0.8))
            if float((shape.NORMALS @ die.turn.T)[:, 2].max()) < math.cos(_PLAINLY):
                return die

    def _spots(self, count: int, others: Sequence[Die]) -> list[tuple[float, float]]:
        """Places for dice to come to rest, apart from each other and from the others."""
        taken = [(die.x, die.y) for die in others]
        tray = self._look.tray
        spots: list[tuple[float, float]] = []
        while len(spots) < count:
            for _ in range(300):
                x = self._uniform(-tray.width / 2 + _WALL, tray.width / 2 - _WALL)
                y = self._uniform(-tray.depth / 2 + _WALL, tray.depth / 2 - _WALL)
                if all(math.hypot(x - a, y - b) >= _APART for a, b in taken):
                    break
            taken.append((x, y))
            spots.append((x, y))
        return spots

    # Hands.

    def _pick_up(self, faces: Faces, *, quick: bool) -> None:
        """A hand takes dice with these faces, in one of many ways."""
        habits = self._habits
        chosen = self._with_faces(faces)
        left = [die for die in self._dice if die not in chosen]
        if quick:
            self._take(chosen, speed=2.2 * self._tempo.speed, dwell=(0.0, 0.02))
            return
        if left and self._chance(habits.pushed):
            self._troubles.add(Trouble.PUSHED)
            self._shift(left, (30.0, 80.0), math.pi)
        elif left and self._chance(habits.turned):
            self._troubles.add(Trouble.TURNED)
            self._shift(left, (0.0, 0.6), math.pi)
        elif left and self._chance(habits.nudged):
            self._troubles.add(Trouble.NUDGED)
            self._shift(left, (1.0, 4.0), 0.25)
        if len(chosen) > 1 and self._chance(habits.one_by_one):
            self._troubles.add(Trouble.ONE_BY_ONE)
            self._take(chosen, dwell=(0.3, 0.8))
        elif len(chosen) > 2 and self._chance(habits.trips):
            self._troubles.add(Trouble.TRIPS)
            first = int(self._rng.integers(1, len(chosen)))
            self._take(chosen[:first])
            self._rest((0.1, 0.6))
            self._take(chosen[first:])
        else:
            self._take(chosen)

    def _with_faces(self, faces: Faces) -> list[Die]:
        """Dice that show these faces, any where several do, in the order a hand meets them."""
        wanted = Counter(faces)
        chosen = []
        for index in self._rng.permutation(len(self._dice)):
            die = self._dice[index]
            if wanted[die.face] > 0:
                wanted[die.face] -= 1
                chosen.append(die)
        ordered, x, y = [], 0.0, -self._look.tray.depth
        while chosen:
            nearest = min(chosen, key=lambda die: math.hypot(die.x - x, die.y - y))
            chosen.remove(nearest)
            ordered.append(nearest)
            x, y = nearest.x, nearest.y
        return ordered

    def _take(
        self,
        dice: Sequence[Die],
        speed: float | None = None,
        dwell: tuple[float, float] = (0.03, 0.12),
    ) -> None:
        """A hand reaches in, takes these dice one after the other and leaves."""
        visits = [(die.x, die.y) for die in dice]
        times = self._reach(visits, speed or self._tempo.speed, dwell)
        for die, t in zip(dice, times, strict=True):
            self._dice = tuple(other for other in self._dice if other is not die)
            self.film.lay(t, self._dice)

    def _shift(self, left: list[Die], reach: tuple[float, float], turn: float) -> None:
        """A hand moves a kept die or two, without changing what they show."""
        for _ in range(int(self._rng.integers(1, 3))):
            die = left[int(self._rng.integers(len(left)))]
            if die not in self._dice:
                continue
            moved = self._moved(die, reach, turn, self._dice)
            if moved is None:
                continue
            there, then = self._reach([(die.x, die.y), (moved.x, moved.y)], self._tempo.speed)
            rest = tuple(other for other in self._dice if other is not die)
            self.film.lay(there, rest)
            self._launch(
                [Flight(moved, die.x, die.y, there, then, (moved.x, moved.y), Motion.SLIDE)]
            )
            self._dice = (*rest, moved)
            self.film.lay(then, self._dice)

    def _put_back(self, faces: Faces) -> None:
        """A hand lays the missing dice back about where they lay, with the same faces up."""
        missing = list((Counter(faces) - Counter(self._faces)).elements())
        spots = self._spots(len(missing), self._dice)
        dice = [
            Die(face, x, y, self._uniform(-math.pi, math.pi))
            for face, (x, y) in zip(missing, spots, strict=True)
        ]
        times = self._reach(spots, self._tempo.speed, (0.1, 0.3))
        for die, t in zip(dice, times, strict=True):
            self._dice = (*self._dice, die)
            self.film.lay(t, self._dice)

    def _hover(self) -> None:
        """A hand points at something and touches nothing."""
        self._troubles.add(Trouble.HOVER)
        tray = self._look.tray
        spot = (
            self._uniform(-tray.width / 3, tray.width / 3),
            self._uniform(-tray.depth / 3, tray.depth / 3),
        )
        self._reach([spot], self._tempo.speed, (0.2, 1.2))
        self._rest((0.3, 0.8))

    def _clear(self) -> None:
        """A hand sweeps all dice out of the tray."""
        dice = sorted(self._dice, key=lambda die: die.x)
        self._take(dice, speed=1.3 * self._tempo.speed, dwell=(0.0, 0.02))

    def _reach(
        self,
        visits: Sequence[tuple[float, float]],
        speed: float,
        dwell: tuple[float, float] = (0.03, 0.12),
    ) -> list[float]:
        """A hand goes from outside to each place and out again; when it is at each."""
        heading = self._heading()
        ahead = np.array([math.cos(heading), -math.sin(heading)])
        first, last = np.array(visits[0]), np.array(visits[-1])
        start, end = first - ahead * _OUTSIDE, last - ahead * _OUTSIDE
        t = self._t
        points = [(t, float(start[0]), float(start[1]))]
        t += _OUTSIDE / (1.6 * speed)
        times = []
        x, y = visits[0]
        for visit in visits:
            t += math.hypot(visit[0] - x, visit[1] - y) / speed
            x, y = visit
            points.append((t, x, y))
            stay = self._uniform(*dwell)
            times.append(t + stay / 2)
            t += stay
            points.append((t, x, y))
        t += _OUTSIDE / (1.6 * speed)
        points.append((t, float(end[0]), float(end[1])))
        self._hand(heading, points)
        self._t = t
        return times

    def _hand(self, heading: float, points: list[tuple[float, float, float]]) -> None:
        path = tuple((float(t), float(x), float(y)) for t, x, y in points)
        self.film.hands.append(HandPath(self._now.player, heading, path))

    def _heading(self) -> float:
        return self._seats[self._now.player] + self._uniform(-0.15, 0.15)

    # Small things.

    def _moved(
        self, die: Die, reach: tuple[float, float], turn: float, others: Sequence[Die]
    ) -> Die | None:
        """The die somewhere else in the tray with the same face up; None if there is no room."""
        tray = self._look.tray
        for _ in range(60):
            angle, far = self._uniform(-math.pi, math.pi), self._uniform(*reach)
            x, y = die.x + far * math.cos(angle), die.y + far * math.sin(angle)
            inside = abs(x) < tray.width / 2 - _WALL and abs(y) < tray.depth / 2 - _WALL
            if inside and all(
                other is die or math.hypot(x - other.x, y - other.y) >= _APART for other in others
            ):
                yaw = die.yaw + self._uniform(0.3 * turn, turn) * self._rng.choice([-1, 1])
                return replace(die, x=x, y=y, yaw=float(yaw))
        return None

    def _rest(self, lasts: tuple[float, float]) -> None:
        self._t += self._uniform(*lasts)

    def _score(self) -> None:
        self._tell(Deed.SCORE, self._scored, points=score(self._scored).points)

    def _tell(
        self, deed: Deed, faces: Faces, illegal: tuple[str, ...] = (), points: int = 0
    ) -> None:
        now = self._now
        if deed in (Deed.ROLL, Deed.REROLL):
            self._scored = faces
        self.film.truth.append(
            Truth(
                self._t,
                deed,
                now.player,
                now.number,
                now.phase,
                faces,
                illegal,
                points,
                frozenset(self._troubles),
            )
        )
        # What goes wrong in a pick-up bears on the throw that follows it as well.
        if deed is not Deed.PICK_UP and deed is not Deed.PUT_BACK:
            self._troubles = set()

    @property
    def _faces(self) -> Faces:
        return tuple(sorted(die.face for die in self._dice))

    def _chance(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)

    def _uniform(self, low: float, high: float) -> float:
        return float(self._rng.uniform(low, high))
