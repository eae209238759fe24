"""What the record of a game says now: which of its events still count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from boxcars.memory import counting
from boxcars.wording import AlertKind
from scoring.cars import Faces
from scoring.events import Alert, Event, PickedUp
from scoring.game import Game
from scoring.rules import Verdict

COACH_ON, COACH_OFF = "coach-on", "coach-off"
"""Kinds of the alerts that keep on record when the coach was asked."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An illegal reroll that nobody has dealt with yet.

    `seq` is the alert's number, `judged` that of the pick-up or reroll it is about, `before` that
    of the throw before it. `picked_up` is None where nobody saw it; `thrown` says that the dice
    have left the hand.
    """

    seq: int
    judged: int
    before: int
    text: str
    reasons: tuple[str, ...]
    picked_up: Faces | None
    thrown: bool


class History:
    """All events of a game so far, and the game they lead to."""

    def __init__(self, events: Sequence[Event], game: Game) -> None:
        self.events = tuple(events)
        self.game = game

    @cached_property
    def counting(self) -> frozenset[int]:
        """The numbers of the events that no undo has taken back; undos themselves never count."""
        return frozenset(counting(self.events))

    @cached_property
    def faces(self) -> Mapping[int, Faces]:
        """By the number of a roll or reroll that counts: its faces, corrections included."""
        return {throw.seq: throw.faces for throw in self.game.throws}

    @cached_property
    def coached(self) -> bool:
        """Whether the coach was on at some time in this game."""
        return any(isinstance(it, Alert) and it.kind == COACH_ON for it in self.events)

    @cached_property
    def alarm(self) -> Alarm | None:
        """The illegal reroll to be dealt with, if the latest verdict is "illegal"."""
        turn = self.game.current
        if turn is None or self.game.verdict is not Verdict.ILLEGAL:
            return None
        in_hand = turn.hand is not None
        judged = (
            self._latest(lambda event: isinstance(event, PickedUp))
            if in_hand
            else turn.throws[-1].seq
        )
        alert = self.latest_alert(AlertKind.ILLEGAL_REROLL)
        if judged is None or alert is None:
            return None
        allowed = self.latest_alert(AlertKind.ALLOWED)
        if allowed is not None and allowed > alert:
            return None
        pick_up = turn.hand or turn.throws[-1].pick_up
        return Alarm(
            seq=alert,
            judged=judged,
            before=turn.throws[-1 if in_hand else -2].seq,
            text=_alert_text(self.events[alert]),
            reasons=self.game.reasons,
            picked_up=pick_up.picked_up if pick_up else None,
            thrown=not in_hand,
        )

    def latest_alert(self, kind: str) -> int | None:
        """The number of the latest alert of a kind that counts."""
        return self._latest(lambda event: isinstance(event, Alert) and event.kind == kind)

    def _latest(self, is_meant: Callable[[Event], bool]) -> int | None:
        """The number of the latest event that counts and is meant."""
        return max((seq for seq in self.counting if is_meant(self.events[seq])), default=None)


def _alert_text(event: Event) -> str:
    assert isinstance(event, Alert)
    return event.text
