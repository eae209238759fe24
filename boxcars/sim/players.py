"""How simulated players choose the dice to pick up: optimal, careless, cheating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from scoring.advisor import Advisor
from scoring.cars import KINDS, Car, Faces
from scoring.phases import Phase
from scoring.rules import DEFAULT_RULES, judge


class Policy(StrEnum):
    """A way to play."""

    OPTIMAL = "optimal"
    CARELESS = "careless"
    CHEATING = "cheating"


Player: TypeAlias = Callable[[Faces, Phase, np.random.Generator], Faces]
"""Chooses from ten faces the dice to pick up in a phase, sorted; none means to stand."""


def player_of(policy: Policy) -> Player:
    """Somebody who plays that way."""
    return {Policy.OPTIMAL: best, Policy.CARELESS: careless, Policy.CHEATING: cheating}[policy]


class Slip:
    """Plays well, but once forgets that a Breakdown needs a Way Car."""

    def __init__(self) -> None:
        self._slipped = False

    def __call__(self, faces: Faces, phase: Phase, rng: np.random.Generator) -> Faces:
        """The best choice, or, at the first chance, with the Breakdowns as well."""
        picked = best(faces, phase, rng)
        stuck = int(Car.BREAKDOWN) in faces and int(Car.WAY_CAR) not in faces
        if self._slipped or not stuck or not 1 < len(picked) < phase.limit:
            return picked
        self._slipped = True
        return tuple(sorted((int(Car.BREAKDOWN), *picked)))


def best(faces: Faces, phase: Phase, rng: np.random.Generator) -> Faces:
    """What a perfect player picks up."""
    return Advisor().advise(faces, phase).reroll


def cheating(faces: Faces, phase: Phase, rng: np.random.Generator) -> Faces:
    """Now and then something that the rules do not allow."""
    if rng.random() < 0.3:
        return _illegal(faces, phase, rng) or best(faces, phase, rng)
    return best(faces, phase, rng)


def careless(faces: Faces, phase: Phase, rng: np.random.Generator) -> Faces:
    """Keep the kind there is most of and what looks useful, more or less."""
    if rng.random() < 0.06:
        return ()
    count = Counter(faces)
    kind = max(KINDS, key=lambda car: count[int(car)])
    wanted = {int(kind), int(Car.LOCOMOTIVE), int(Car.CABOOSE)}
    loose = [face for face in faces if face not in wanted or rng.random() < 0.1]
    rng.shuffle(loose)
    if int(Car.WAY_CAR) not in faces:
        loose = [face for face in loose if face != Car.BREAKDOWN]
    return tuple(sorted(loose[: int(rng.integers(1, phase.limit + 1))]))


def _illegal(faces: Faces, phase: Phase, rng: np.random.Generator) -> Faces:
    """A pick-up that the rules do not allow, or none if there is no plausible one."""
    dice = list(faces)
    rng.shuffle(dice)
    if int(Car.BREAKDOWN) in dice and int(Car.WAY_CAR) not in dice and rng.random() < 0.7:
        others = [face for face in dice if face != Car.BREAKDOWN]
        grabbed = [0, *others[: int(rng.integers(0, phase.limit))]]
    else:
        grabbed = dice[: min(9, phase.limit + int(rng.integers(1, 3)))]
    picked = tuple(sorted(grabbed))
    return picked if judge(faces, picked, phase, DEFAULT_RULES) else ()
