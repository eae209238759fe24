"""Events as lines for people."""

from __future__ import annotations

import pytest

from boxcars.show import EventLines
from scoring.cars import Faces
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    GameOver,
    PickedUp,
    PlayerAdded,
    Question,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
)
from scoring.phases import Phase
from scoring.rules import Verdict
from scoring.score import score

TEN: Faces = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
FIRST, SECOND = Phase.REROLL_8, Phase.REROLL_6
LEGAL, ILLEGAL, CANNOT_TELL = Verdict.LEGAL, Verdict.ILLEGAL, Verdict.CANNOT_TELL


def shown(*events: Event) -> list[str]:
    lines = EventLines()
    return [line.plain.rstrip() for event in events for line in lines.of(event)]


def test_a_turn() -> None:
    result = score(TEN)
    assert shown(
        PlayerAdded(0, "Ann"),
        Rolled(1, "Ann", 1, Phase.ROLL_10, TEN),
        PickedUp(2, "Ann", 1, FIRST, (0, 1), TEN[2:], ILLEGAL, ("too-many-dice",)),
        Rerolled(3, "Ann", 1, FIRST, TEN, ILLEGAL, ("too-many-dice",)),
        Rerolled(4, "Ann", 1, SECOND, TEN, CANNOT_TELL, ("breakdown-without-way-car",)),
        Stood(5, "Ann", 1, Phase.REROLL_4),
        Scored(5, "Ann", 1, Phase.SCORING, result.points, result.lines, result.points),
    ) == [
        "Ann plays.",
        "",
        "Ann, turn 1",
        "roll 10     0 1 2 3 4 5 6 7 8 9",
        "  picked up 0 1   illegal: too many dice",
        "reroll 8    0 1 2 3 4 5 6 7 8 9",
        "reroll 6    0 1 2 3 4 5 6 7 8 9   cannot tell: a Breakdown without a Way Car",
        "  stands",
        "  One Locomotive                 +10",
        "  One Caboose                    +10",
        "  One Mail Car                   +10",
        "  Breakdown                      -10",
        "  One of a Kind: Sleeper          +5",
        "  One of a Kind: Coach            +5",
        "  One of a Kind: Box Car          +5",
        "  One of a Kind: Tank             +5",
        "  One of a Kind: Hopper           +5",
        "score       45",
        "total       Ann 45",
    ]


def test_a_verdict_that_changes_is_told_again() -> None:
    assert shown(
        PickedUp(2, "Ann", 1, FIRST, (1,), (0, *TEN[2:]), LEGAL),
        Rerolled(3, "Ann", 1, FIRST, TEN, ILLEGAL, ("too-many-dice",)),
        PickedUp(2, "Ann", 1, SECOND, (), TEN, LEGAL),
        Rerolled(3, "Ann", 1, SECOND, TEN, LEGAL),
    )[2:] == [
        "  picked up 1   legal",
        "reroll 8    0 1 2 3 4 5 6 7 8 9   illegal: too many dice",
        "  put back",
        "reroll 6    0 1 2 3 4 5 6 7 8 9   legal",
    ]


def test_a_heading_for_each_turn() -> None:
    lines = shown(
        Rolled(1, "Ann", 1, Phase.ROLL_10, TEN),
        Rolled(1, "Ben", 1, Phase.ROLL_10, TEN),
        Rolled(1, "Ann", 2, Phase.ROLL_10, TEN),
    )
    assert [line for line in lines if "turn" in line] == [
        "Ann, turn 1",
        "Ben, turn 1",
        "Ann, turn 2",
    ]


@pytest.mark.parametrize(
    ("totals", "winners", "last"),
    [
        ((("Ann", 10),), ("Ann",), "Game over: Ann 10."),
        ((("Ann", 10), ("Ben", 20)), ("Ben",), "Ben wins."),
        ((("Ann", 20), ("Ben", 20)), ("Ann", "Ben"), "A tie between Ann and Ben."),
    ],
)
def test_the_end(totals: tuple[tuple[str, int], ...], winners: tuple[str, ...], last: str) -> None:
    assert shown(GameOver(9, "Ann", 5, Phase.SCORING, totals, winners))[-1] == last


def test_what_people_say_and_are_asked() -> None:
    now = ("Ann", 1, FIRST)
    assert shown(
        Question(1, *now, "Which face does the die show?", (3.0, 4.0), (6, 9), ("six-or-nine",)),
        Answer(2, *now, 1, 9),
        Corrected(3, *now, 0, TEN),
        Undone(4, *now, 2),
        Alert(5, *now, "eleven-dice", "Eleven dice lie in the tray."),
    ) == [
        "  ? Which face does the die show?",
        "  answer: 9",
        "  corrected: 0 1 2 3 4 5 6 7 8 9",
        "  took back the correction to 0 1 2 3 4 5 6 7 8 9",
        "  ! Eleven dice lie in the tray.",
    ]


def test_what_an_undo_took_back_is_told_in_each_game() -> None:
    """The page begins other games, with events numbered anew, without a word of that."""
    one, other = Phase.ROLL_10, (1, *TEN[1:])
    undone = [
        line
        for line in shown(
            PlayerAdded(0, "Player 1"),
            PlayerAdded(0, "Ben"),
            PlayerAdded(0, "Ann"),
            Rolled(1, "Ben", 1, one, TEN),
            Undone(2, "Ben", 1, FIRST, 2),
            Undone(3, "Ben", 1, one, 3),
            PlayerAdded(0, "Ann"),
            Rolled(1, "Ann", 1, one, TEN),
            Corrected(2, "Ann", 1, FIRST, 1, other),
            Undone(3, "Ann", 1, FIRST, 2),
        )
        if " back " in line
    ]
    assert undone == [
        "  took back the roll of ten dice: 0 1 2 3 4 5 6 7 8 9",
        "  brought back the roll of ten dice: 0 1 2 3 4 5 6 7 8 9",
        "  took back the correction to 1 1 2 3 4 5 6 7 8 9",
    ]
