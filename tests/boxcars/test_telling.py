"""Events in words."""

from __future__ import annotations

import pytest

from boxcars.referee import Referee
from boxcars.telling import deed_text, event_text, undo_text
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    PickedUp,
    PlayerAdded,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
)
from scoring.phases import Phase
from scoring.rules import Verdict
from scoring.score import score
from tests.boxcars.table import random_game, row, view

NOW = ("Ann", 1, Phase.REROLL_8)
TEN = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
TOO_MANY = (Verdict.ILLEGAL, ("too-many-dice",))
RESULT = score(TEN)


def test_every_event_has_words() -> None:
    referee = Referee(["Ann", "Bob"])
    for t, dice in enumerate(random_game(3, 2)):
        referee.see(view(dice, float(t)))
    texts = {event.KIND: event_text(event) for event in referee.events}
    assert texts["player"] == "Bob plays"
    assert texts["roll"].startswith("rolled ten dice: ")
    assert texts["game-over"].startswith("game over: Ann ")
    assert all(texts.values())


@pytest.mark.parametrize(
    ("event", "text", "deed"),
    [
        (
            Rolled(1, "Ann", 1, Phase.ROLL_10, TEN),
            "rolled ten dice: 0 1 2 3 4 5 6 7 8 9",
            "the roll of ten dice: 0 1 2 3 4 5 6 7 8 9",
        ),
        (
            Rerolled(1, *NOW, TEN, *TOO_MANY),
            "rerolled up to eight: 0 1 2 3 4 5 6 7 8 9 – illegal: too many dice",
            "the reroll up to eight: 0 1 2 3 4 5 6 7 8 9",
        ),
        (
            PickedUp(1, *NOW, (1,), (0, *TEN[2:]), Verdict.LEGAL),
            "picked up 1 – legal",
            "picking up 1",
        ),
        (
            PickedUp(1, *NOW, (), TEN, Verdict.LEGAL),
            "put the dice back",
            "putting the dice back",
        ),
        (Stood(1, *NOW), "stands", "standing"),
        (
            Scored(1, *NOW, RESULT.points, RESULT.lines, 90),
            f"scores {RESULT.points}, 90 in all",
            f"the score of {RESULT.points}",
        ),
        (
            Corrected(1, *NOW, 1, (5, 5, *TEN[2:])),
            (
                "corrected to 2 3 4 5 5 5 6 7 8 9 (Caboose, Mail Car, Sleeper, 3 Coaches, Box Car, "
                "Tank, Hopper, Way Car)"
            ),
            "the correction to 2 3 4 5 5 5 6 7 8 9",
        ),
        (Answer(1, *NOW, 1, 9), "answer: 9 (Way Car)", "the answer 9 (Way Car)"),
        (Alert(1, *NOW, "cocked", "A die leans."), "A die leans.", "“A die leans.”"),
    ],
    ids=lambda value: value.KIND if isinstance(value, PlayerAdded | Rolled) else None,
)
def test_an_event_is_told_and_what_an_undo_takes_back(event: Event, text: str, deed: str) -> None:
    assert (event_text(event), deed_text(event)) == (text, deed)


def test_an_undo_says_what_it_took_back() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.stand(1.0)
    referee.undo(2.0)
    referee.redo(3.0)
    referee.undo(4.0, seq=1)
    undos = [seq for seq, event in enumerate(referee.events) if isinstance(event, Undone)]
    assert [undo_text(referee.events, seq) for seq in undos] == [
        "took back standing",
        "brought back standing",
        "went back to before the roll of ten dice: 0 0 1 2 3 4 5 6 7 8",
    ]
