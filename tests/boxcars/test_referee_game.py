"""The referee over the sample game, read perfectly: every event as it really was."""

from __future__ import annotations

from typing import Any

import pytest

from boxcars.journal import event_line
from boxcars.referee import Referee
from scoring.events import Alert, GameOver, PickedUp, Rerolled, Rolled, Scored
from scoring.rules import Verdict
from tests.boxcars.table import game_frames, game_truth


def play(*kinds: str) -> Referee:
    referee = Referee(["Ann"])
    for _, view in game_frames(*kinds):
        referee.see(view)
    return referee


def verdict(frame: dict[str, Any]) -> tuple[Verdict, tuple[str, ...]]:
    return Verdict.ILLEGAL if frame["illegal"] else Verdict.LEGAL, tuple(frame["illegal"])


def values(frame: dict[str, Any]) -> tuple[int, ...]:
    return tuple(sorted(die["value"] for die in frame["dice"]))


def test_every_roll_pick_up_and_verdict_is_right() -> None:
    told = [
        event
        for event in play("roll", "pickup", "cleared").events
        if isinstance(event, Rolled | PickedUp | Rerolled)
    ]
    frames = [frame for frame, _ in game_frames("roll", "pickup")]
    assert len(told) == len(frames) == 45
    for event, frame in zip(told, frames, strict=True):
        assert (event.turn, event.phase) == (frame["turn"], frame["phase"])
        match event:
            case PickedUp():
                assert event.picked_up == tuple(sorted(frame["picked_up"]))
                assert event.kept == values(frame)
            case _:
                assert event.faces == values(frame)
        if isinstance(event, PickedUp | Rerolled):
            assert (event.verdict, event.reasons) == verdict(frame)


def test_each_illegal_reroll_raises_one_alarm_and_nothing_else_does() -> None:
    alerts = [
        event for event in play("roll", "pickup", "cleared").events if isinstance(event, Alert)
    ]
    assert [(alert.kind, alert.turn) for alert in alerts] == [
        ("illegal-reroll", 1),
        ("illegal-reroll", 2),
    ]


@pytest.mark.parametrize(
    "kinds",
    [
        ("roll", "pickup", "cleared"),
        ("roll", "pickup"),
        ("roll", "cleared"),
        ("roll",),
    ],
    ids="+".join,
)
def test_the_scores_are_right_whatever_was_not_seen(kinds: tuple[str, ...]) -> None:
    referee = play(*kinds)
    scores = [event for event in referee.events if isinstance(event, Scored)]
    assert [(event.turn, event.points, event.total) for event in scores] == [
        (turn["turn"], turn["score"], turn["total"]) for turn in game_truth()["turns"]
    ]
    assert isinstance(referee.events[-1], GameOver)
    assert referee.game.totals == {"Ann": 380}


@pytest.mark.parametrize("kinds", [("roll", "cleared"), ("roll",)], ids="+".join)
def test_without_the_pick_ups_verdicts_are_right_or_open(kinds: tuple[str, ...]) -> None:
    told = [event for event in play(*kinds).events if isinstance(event, Rerolled)]
    frames = [frame for frame, _ in game_frames("roll") if frame["phase"] != "roll-10"]
    right = 0
    for event, frame in zip(told, frames, strict=True):
        if event.verdict is not Verdict.CANNOT_TELL:
            assert (event.verdict, event.reasons) == verdict(frame)
            right += 1
    assert right == 19  # of 20: one thrown Breakdown came up a Breakdown again


def test_the_same_views_give_the_same_bytes() -> None:
    first, second = (
        [event_line(event) for event in play("roll", "pickup", "cleared").events] for _ in range(2)
    )
    assert first == second
