"""Each event of a record in a few words, and what an undo takes back."""

from __future__ import annotations

from collections.abc import Sequence

from boxcars.memory import counting
from boxcars.terms import cars_text, face_and_car, faces_text, listed, verdict_words
from boxcars.wording import number
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
from scoring.rules import Verdict

_Deed = Rolled | PickedUp | Rerolled | Stood | Corrected
"""What people do, and an undo takes back."""


def event_text(event: Event, faces: Faces | None = None) -> str:
    """An event in a few words; `faces` are a roll's as corrected since."""
    match event:
        case PlayerAdded():
            return f"{event.player} plays"
        case Rolled():
            return f"rolled ten dice: {faces_text(faces or event.faces)}"
        case Rerolled():
            text = f"rerolled up to {number(event.phase.limit)}: {faces_text(faces or event.faces)}"
            return text if event.verdict is Verdict.LEGAL else f"{text} – {_verdict(event)}"
        case PickedUp(picked_up=()):
            return "put the dice back"
        case PickedUp():
            return f"picked up {faces_text(event.picked_up)} – {_verdict(event)}"
        case Stood():
            return "stands"
        case Scored():
            return f"scores {event.points}, {event.total} in all"
        case GameOver():
            return _game_over(event)
        case Corrected():
            return f"corrected to {faces_text(event.faces)} ({cars_text(event.faces)})"
        case Undone():
            return "took something back"
        case Question() | Alert():
            return event.text
        case Answer():
            return f"answer: {face_and_car(event.face)}"


def deed_text(event: Event, faces: Faces | None = None) -> str:
    """What an undo takes back or a redo brings back, to follow either word."""
    match event:
        case Rolled():
            return f"the roll of ten dice: {faces_text(faces or event.faces)}"
        case Rerolled():
            return (
                f"the reroll up to {number(event.phase.limit)}: {faces_text(faces or event.faces)}"
            )
        case PickedUp(picked_up=()):
            return "putting the dice back"
        case PickedUp():
            return f"picking up {faces_text(event.picked_up)}"
        case Stood():
            return "standing"
        case Scored():
            return f"the score of {event.points}"
        case Corrected():
            return f"the correction to {faces_text(event.faces)}"
        case Answer():
            return f"the answer {face_and_car(event.face)}"
        case _:
            return f"“{event_text(event)}”"


def undo_text(events: Sequence[Event], seq: int) -> str:
    """What the undo with number `seq` did; `events` are the game's, from the first on."""
    undo = events[seq]
    assert isinstance(undo, Undone)
    target = events[undo.seq]
    if isinstance(target, Undone):
        return f"brought back {deed_text(events[target.seq])}"
    deeds = (it for it in reversed(counting(events[:seq])) if isinstance(events[it], _Deed))
    if next(deeds, None) == undo.seq:
        return f"took back {deed_text(target)}"
    return f"went back to before {deed_text(target)}"


def _verdict(event: PickedUp | Rerolled) -> str:
    return verdict_words(event.verdict, event.reasons)


def _game_over(event: GameOver) -> str:
    totals = ", ".join(f"{player} {total}" for player, total in event.totals)
    if len(event.winners) > 1:
        return f"game over: {totals}; a tie between {listed(event.winners)}"
    if len(event.totals) > 1:
        return f"game over: {totals}; {event.winners[0]} wins"
    return f"game over: {totals}"
