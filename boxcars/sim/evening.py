"""A whole simulated evening: one table, its script, its camera and its weather, by seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxcars.sim.director import BRISK, CALM, FOR_SHOW, Director, Habits
from boxcars.sim.film import Film, Trouble, Truth
from boxcars.sim.look import Look, draw_look
from boxcars.sim.players import Player, Policy, Slip, best, player_of
from boxcars.sim.webcam import Bump, Shake, Weather
from vision.records import Point

_SLOW_FPS = 12.0
_TILTED = math.radians(12)


@dataclass(frozen=True, slots=True)
class Evening:
    """Everything about one simulated game; `troubles` are those that last all evening."""

    seed: int
    look: Look
    film: Film
    weather: Weather
    troubles: frozenset[Trouble]

    @property
    def truth(self) -> tuple[Truth, ...]:
        """What truly happens, in order; for tests only."""
        return tuple(self.film.truth)

    def dice_at(self, t: float) -> tuple[tuple[Point, int | None], ...]:
        """Where in the picture each die lies at `t`, and its true face, None while it leans.

        For tests only.
        """
        motion = self.weather.motion(t)
        dice = []
        for die in self.film.at(t).lying:
            x, y = self.look.camera.project(die.center(self.look.die_mm))[0]
            if motion is not None:
                x, y = motion @ np.array([x, y, 1.0])
            dice.append(((float(x), float(y)), die.face if die.flat else None))
        return tuple(dice)


def troubled_evening(seed: int, policies: Sequence[Policy] | None = None) -> Evening:
    """An evening on which everything that may happen at a table may happen.

    Without `policies`, one or two players of any kind play, by the seed.
    """
    rng = np.random.default_rng([seed, 0])
    if policies is None:
        count = 1 if rng.random() < 0.6 else 2
        policies = [Policy(str(kind)) for kind in rng.choice(list(Policy), count)]
    look = draw_look(seed, len(policies))
    players = [player_of(policy) for policy in policies]
    film = Director(look, players, Habits(), BRISK, rng).direct()
    fps = float(rng.choice([8, 9, 10, 12, 15], p=[0.3, 0.3, 0.2, 0.15, 0.05]))
    weather = Weather(fps=fps, noise=look.noise)
    lasting = _draw_weather(weather, film, rng)
    if fps < _SLOW_FPS:
        lasting.add(Trouble.SLOW)
    if look.tilt > _TILTED:
        lasting.add(Trouble.TILTED)
    return Evening(seed, look, film, weather, frozenset(lasting))


def calm_evening(seed: int, players: int = 1) -> Evening:
    """An evening of even light and steady hands, for people to watch.

    The first player once picks up a Breakdown that no Way Car frees, and takes it back.
    """
    rng = np.random.default_rng([seed, 0])
    look = draw_look(seed, players)
    table: list[Player] = [Slip(), *[best] * (players - 1)]
    habits = replace(CALM, taken_back=1.0, pushed=0.1, nudged=0.1, hover=0.05)
    film = Director(look, table, habits, FOR_SHOW, rng).direct()
    return Evening(seed, look, film, Weather(fps=25.0, noise=look.noise), frozenset())


def _draw_weather(weather: Weather, film: Film, rng: np.random.Generator) -> set[Trouble]:
    """Let light and camera misbehave; what lasts all evening."""
    lasting = set()
    if rng.random() < 0.3:
        weather.pumping, weather.pump_s = float(rng.uniform(0.02, 0.07)), float(rng.uniform(3, 9))
        lasting.add(Trouble.PUMPING)
    if rng.random() < 0.25:
        weather.flicker = float(rng.uniform(0.01, 0.04))
        weather.band_hz = float(rng.uniform(0.5, 7))
        lasting.add(Trouble.FLICKER)
    passing: list[tuple[float, float, Trouble]] = []

    def whenever(trouble: Trouble, lasts: float) -> float:
        t = float(rng.uniform(2, film.length - 2))
        passing.append((t, t + lasts, trouble))
        return t

    for _ in range(int(rng.poisson(0.6))):
        lasts = float(rng.uniform(0.3, 1.0))
        t = whenever(Trouble.SHAKE, lasts)
        weather.shakes.append(Shake(t, lasts, float(rng.uniform(1, 6))))
    for _ in range(int(rng.poisson(0.3))):
        t = whenever(Trouble.BUMP, 1.0)
        weather.shakes.append(Shake(t, 0.4, float(rng.uniform(4, 12))))
        dx, dy = rng.uniform(-12, 12, 2)
        weather.bumps.append(Bump(t, float(dx), float(dy), float(rng.uniform(-0.012, 0.012))))
    weather.bumps.sort(key=lambda bump: bump.t)
    for _ in range(int(rng.poisson(0.3))):
        t = whenever(Trouble.LIGHT_JUMP, 1.0)
        weather.lamps.append((t, float(rng.uniform(0.7, 1.15))))
    weather.lamps.sort()
    for _ in range(int(rng.poisson(1.5))):
        lasts = float(rng.uniform(0.15, 0.6))
        t = whenever(Trouble.DROPPED, lasts)
        weather.dropped.append((t, t + lasts))
    for _ in range(int(rng.poisson(0.8))):
        lasts = float(rng.uniform(0.2, 0.9))
        t = whenever(Trouble.FROZEN, lasts)
        weather.frozen.append((t, t + lasts))
    _mark(film, passing)
    return lasting


def _mark(film: Film, passing: list[tuple[float, float, Trouble]]) -> None:
    """Note at everything that truly happened what went wrong around it."""
    earlier = 0.0
    for index, truth in enumerate(film.truth):
        around = {
            trouble
            for start, end, trouble in passing
            if start < truth.t + 1.0 and end > earlier - 0.5
        }
        film.truth[index] = replace(truth, troubles=truth.troubles | around)
        earlier = truth.t
