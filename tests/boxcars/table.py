"""Dice laid on an imaginary table: tray views with whatever lies where, and the sample game."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samples import GAME
from scoring.events import Alert, Event
from vision.records import DieReading, Doubt, Frame, Sighting, TrayView

SIZE = 60.0
"""A die on this table is so many pixels across."""

STARTED = "2026-01-01T20:00:00+01:00"
"""When tests begin a game, as ISO 8601 text."""


@dataclass(frozen=True)
class Die:
    """A die on the table; `doubts` are what the reader would report."""

    face: int
    x: float
    y: float
    angle: float = 0.0
    doubts: Doubt = Doubt.NONE

    def moved(self, dx: float, dy: float = 0.0, turn: float = 0.0) -> Die:
        """The die pushed by so many of its sizes and turned by so many radians."""
        return replace(self, x=self.x + dx * SIZE, y=self.y + dy * SIZE, angle=self.angle + turn)

    def doubted(self, doubts: Doubt = Doubt.UNSURE) -> Die:
        return replace(self, doubts=doubts)

    def read_as(self, face: int) -> Die:
        return replace(self, face=face)

    def reading(self) -> DieReading:
        """A perfect reading of it."""
        top = np.array([math.cos(self.angle), math.sin(self.angle)]) * SIZE / 2
        side = np.array([-top[1], top[0]])
        center = np.array([self.x, self.y])
        corners = np.array([center + top, center + side, center - top, center - side], np.float32)
        half = SIZE / 2
        box = (self.x - half, self.y - half, self.x + half, self.y + half)
        probabilities = np.full(10, 0.01, np.float32)
        probabilities[self.face] = 0.91
        sighting = Sighting((self.x, self.y), box, 0.9, corners, 0.0)
        return DieReading(sighting, probabilities, self.doubts)


def row(faces: Iterable[int], y: float = 100.0) -> list[Die]:
    """Dice side by side, well apart."""
    return [Die(face, 100.0 * (n + 1), y) for n, face in enumerate(faces)]


def without(dice: Sequence[Die], *places: int) -> list[Die]:
    """The dice but for those at `places`."""
    return [die for place, die in enumerate(dice) if place not in places]


def thrown(before: Sequence[Die], places: Mapping[int, int], y: float = 600.0) -> list[Die]:
    """The dice with those at `places` thrown again: their new faces, elsewhere."""
    far = [Die(face, 100.0 * (place + 1), y) for place, face in places.items()]
    return without(before, *places) + far


def kinds(events: Iterable[Event]) -> list[str]:
    """What each event tells, and what each alert is about."""
    return [event.kind if isinstance(event, Alert) else event.KIND for event in events]


def view(
    dice: Sequence[Die], t: float = 0.0, *, settled: bool = True, hand: bool = False
) -> TrayView:
    """What the camera sees of these dice."""
    picture = Frame(t, np.zeros((2, 2, 3), np.uint8), f"{t}.jpg")
    return TrayView(t, tuple(die.reading() for die in dice), settled, hand, picture)


def scattered(faces: Iterable[int], rng: random.Random, clear_of: Sequence[Die] = ()) -> list[Die]:
    """Dice lying at random, none where another die of these or of `clear_of` lies."""
    dice: list[Die] = []
    for face in faces:
        while True:
            angle = rng.uniform(-math.pi, math.pi)
            die = Die(face, rng.uniform(40, 1240), rng.uniform(40, 680), angle)
            if all(apart(die, other) > SIZE for other in [*clear_of, *dice]):
                dice.append(die)
                break
    return dice


def apart(a: Die, b: Die) -> float:
    """Pixels between two dice."""
    return math.hypot(a.x - b.x, a.y - b.y)


def game_truth() -> dict[str, Any]:
    """What the sample game's stills really show."""
    truth: dict[str, Any] = json.loads((GAME / "truth.json").read_text(encoding="utf-8"))
    return truth


def game_frames(*kinds: str) -> list[tuple[dict[str, Any], TrayView]]:
    """The sample game's stills of these kinds: the truth, and a perfect view of it.

    The truth tells no angles, so each die of each throw is given one of its own.
    """
    frames = []
    for t, frame in enumerate(game_truth()["frames"]):
        if frame["kind"] in kinds:
            dice = [
                Die(die["value"], x, y, angle=math.remainder(x + y, 3))
                for die in frame["dice"]
                for x, y in [die["center"]]
            ]
            frames.append((frame, view(dice, float(t))))
    return frames


def random_game(seed: int, players: int) -> list[list[Die]]:
    """What a camera sees of a whole game, view after view, legal and illegal, to its end."""
    rng = random.Random(seed)
    views: list[list[Die]] = []
    for _ in range(5 * players):
        dice = scattered(rng.choices(range(10), k=10), rng)
        views.append(dice)
        for _ in range(rng.choice([1, 3, 4, 4])):
            hand = rng.sample(dice, rng.randint(1, 9))
            kept = [die for die in dice if die not in hand]
            if rng.random() < 0.8:
                views.append(kept)
            faces = rng.choices(range(10), k=len(hand))
            if sorted(faces) == sorted(die.face for die in hand):
                faces[0] = (faces[0] + 1) % 10
            dice = kept + scattered(faces, rng, dice)
            views.append(dice)
        views.append([])
    return views
