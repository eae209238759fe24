"""Whole random games of all kinds of players, recorded and gone on with at random points."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from boxcars.journal import Journal, event_line
from boxcars.session import Session
from scoring.cars import Car
from scoring.events import GameOver, PickedUp, Rerolled, Rolled, Scored
from scoring.phases import REROLLS, Phase
from scoring.rules import Verdict, judge, legal_pick_ups
from scoring.score import score
from tests.boxcars.table import Die, scattered, view
from vision.records import Doubt

Faces = tuple[int, ...]
Policy = Callable[[Faces, Phase, random.Random], Faces]
"""Which faces to pick up from a roll; none to stand."""


def careful(roll: Faces, phase: Phase, rng: random.Random) -> Faces:
    """Always legal, and keeps what scores."""
    best = score(roll).points
    choices = [faces for faces in legal_pick_ups(roll, phase) if len(faces) <= 3]
    unwanted = [
        faces
        for faces in choices
        if not {Car.LOCOMOTIVE, Car.CABOOSE, Car.MAIL_CAR} & set(faces) and 9 not in faces
    ]
    return rng.choice(unwanted) if best < 90 else ()


def careless(roll: Faces, phase: Phase, rng: random.Random) -> Faces:
    """Takes what comes to hand, so that it is illegal now and then."""
    return tuple(sorted(rng.sample(roll, rng.randint(1, min(9, phase.limit + 1)))))


def cheating(roll: Faces, phase: Phase, rng: random.Random) -> Faces:
    """Takes every Breakdown, and too many dice."""
    hand = [face for face in roll if face == Car.BREAKDOWN]
    others = [face for face in roll if face != Car.BREAKDOWN]
    return tuple(sorted(hand + rng.sample(others, min(phase.limit, 9 - len(hand)))))


@dataclass
class Evening:
    """A game as it is really played: `seen` is what lies there, time after time.

    Now and then kept dice are pushed aside, a die cannot be read at first, or lies covered.
    """

    players: int
    policy: Policy
    rng: random.Random
    seen: list[list[Die]] = field(default_factory=list)
    throws: list[Faces] = field(default_factory=list)
    legal: list[bool] = field(default_factory=list)
    points: list[int] = field(default_factory=list)

    def play(self) -> Evening:
        for _ in range(5 * self.players):
            dice = scattered(self.rng.choices(range(10), k=10), self.rng)
            self.rest(dice)
            for phase in REROLLS:
                roll = faces_of(dice)
                hand = self.policy(roll, phase, self.rng)
                if not hand:
                    break
                self.legal.append(not judge(roll, hand, phase))
                dice = self.reroll(dice, hand)
            self.points.append(score(faces_of(dice)).points)
            self.seen.append([])
        return self

    def reroll(self, dice: list[Die], hand: Faces) -> list[Die]:
        kept = list(dice)
        for face in hand:
            kept.remove(next(die for die in kept if die.face == face))
        taken = [die for die in dice if die not in kept]
        if kept and self.rng.random() < 0.5:
            (kept[0],) = scattered([kept[0].face], self.rng, dice)
        self.seen.append(kept)
        new = self.rng.choices(range(10), k=len(hand))
        if sorted(new) == sorted(hand):
            new[0] = (new[0] + 1) % 10
        dice = kept + scattered(new, self.rng, [*kept, *taken])
        self.rest(dice)
        return dice

    def rest(self, dice: list[Die]) -> None:
        if self.rng.random() < 0.3:
            doubt = self.rng.choice([Doubt.UNSURE, Doubt.COCKED, Doubt.GLARE])
            self.seen.append([*dice[:-1], dice[-1].doubted(doubt)])
        self.seen.append(dice)
        if self.rng.random() < 0.3:
            self.seen.append([dice[0].doubted(Doubt.COVERED), *dice[1:]])
        self.throws.append(faces_of(dice))


def faces_of(dice: list[Die]) -> Faces:
    return tuple(sorted(die.face for die in dice))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "games.db") as journal:
        yield journal


@pytest.mark.parametrize("policy", [careful, careless, cheating])
def test_a_game_stopped_and_gone_on_with_is_told_as_it_was(
    journal: Journal, policy: Policy
) -> None:
    rng = random.Random(policy.__name__)
    evening = Evening(2, policy, rng).play()
    session = Session.begin(journal, ["Ann", "Bob"], started="2026-01-01T20:00", source="views")
    stops = 0
    for t, dice in enumerate(evening.seen):
        session.see(view(dice, float(t)))
        if rng.random() < 0.15:
            stops += 1
            session = Session.resume(journal, session.number)
            # The camera shows the table as it lies.
            assert session.see(view(dice, t + 0.5)) == ()
    assert stops > 5
    events = session.events
    assert [e.faces for e in events if isinstance(e, Rolled | Rerolled)] == evening.throws
    right = [Verdict.LEGAL if legal else Verdict.ILLEGAL for legal in evening.legal]
    assert [e.verdict for e in events if isinstance(e, PickedUp)] == right
    assert [e.verdict for e in events if isinstance(e, Rerolled)] == right
    assert [e.points for e in events if isinstance(e, Scored)] == evening.points
    assert isinstance(events[-1], GameOver)
    totals = {"Ann": sum(evening.points[::2]), "Bob": sum(evening.points[1::2])}
    assert session.game.totals == totals
    assert journal.game(session.number) == session.game
    assert list(journal.lines(session.number)) == [event_line(event) for event in events]


def test_the_policies_are_what_they_say() -> None:
    verdicts = {}
    for policy in (careful, careless, cheating):
        legal = Evening(4, policy, random.Random(1)).play().legal
        verdicts[policy.__name__] = sum(legal) / len(legal)
    assert verdicts["careful"] == 1.0
    assert 0.2 < verdicts["careless"] < 0.95
    assert verdicts["cheating"] < 0.5
