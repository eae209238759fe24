"""What people at the table can do, and when that still fits what they saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from boxcars.referee import Referee
from boxcars.snapshot import Snapshot
from scoring.cars import Faces
from scoring.events import Event
from scoring.rules import HouseRules


class Unfit(RuntimeError):
    """What somebody wants to do no longer fits the table; the message is one sentence."""


class Hands(Protocol):
    """What an action may do to a table."""

    def act(self, action: Callable[[Referee, float], tuple[Event, ...]]) -> None:
        """Let the referee hear it, at the time of the latest picture."""

    def begin(self, players: Sequence[str], rules: HouseRules) -> None:
        """Begin a new game; the one so far stays on record as it is."""

    def choose(self, offer: str) -> None:
        """Watch another of the sources offered."""

    def coach(self, *, on: bool) -> None:
        """Switch the coach, and put that on record."""


class Action(Protocol):
    """Something a person does, having seen `then`; the table stands at `now`."""

    def check(self, then: Snapshot, now: Snapshot) -> None:
        """Raises `Unfit` if it no longer means what it meant."""
        ...

    def do(self, hands: Hands, now: Snapshot) -> None:
        """Do it."""
        ...


CHANGED = "Something else happened at the table meanwhile: look again."
DIE_GONE = "That die does not lie there any more: look again."


class _OnTheGame:
    """An action that is about the game as it stood: no event may have come since."""

    __slots__ = ()

    def check(self, then: Snapshot, now: Snapshot) -> None:
        if len(then.history.events) != len(now.history.events):
            raise Unfit(CHANGED)


@dataclass(frozen=True, slots=True)
class Stand(_OnTheGame):
    """End the turn with the dice as they are."""

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.stand(t))


@dataclass(frozen=True, slots=True)
class Undo(_OnTheGame):
    """Go back to before event `seq`, or before the latest thing done."""

    seq: int | None = None

    def do(self, hands: Hands, now: Snapshot) -> None:
        seq = now.game.undoable if self.seq is None else self.seq
        # Who plays is settled when a game begins.
        if seq is None or seq < len(now.game.players):
            raise Unfit("There is nothing to undo.")
        hands.act(lambda referee, t: referee.undo(t, seq))


@dataclass(frozen=True, slots=True)
class Redo(_OnTheGame):
    """Take the latest undo back."""

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.redo(t))


@dataclass(frozen=True, slots=True)
class Enter(_OnTheGame):
    """Say what the whole throw shows."""

    faces: Faces

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.enter(t, self.faces))


@dataclass(frozen=True, slots=True)
class Correct(_OnTheGame):
    """Set the faces of an earlier roll."""

    seq: int
    faces: Faces

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.correct(t, self.faces, self.seq))


@dataclass(frozen=True, slots=True)
class Allow:
    """Let the illegal reroll stand that `alarm` is about."""

    alarm: int

    def check(self, then: Snapshot, now: Snapshot) -> None:
        _same_alarm(self.alarm, now)

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.allow(t))


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the latest reroll, or the pick-up, back; with `alarm` the one that it is about."""

    alarm: int | None = None

    def check(self, then: Snapshot, now: Snapshot) -> None:
        if self.alarm is not None:
            _same_alarm(self.alarm, now)
        elif len(then.history.events) != len(now.history.events):
            raise Unfit(CHANGED)

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.take_back(t))


def _same_alarm(alarm: int, now: Snapshot) -> None:
    present = now.history.alarm
    if present is None or present.seq != alarm:
        raise Unfit("That reroll was dealt with already.")


class _OnADie:
    """An action that is about a die: it must lie there still and show what it showed."""

    __slots__ = ()
    die: int

    def check(self, then: Snapshot, now: Snapshot) -> None:
        before, after = then.die(self.die), now.die(self.die)
        if before is None or after is None or after.index is None:
            raise Unfit(DIE_GONE)
        if before.die.face != after.die.face:
            raise Unfit("That die shows something else meanwhile: look again.")

    def _index(self, now: Snapshot) -> int:
        seen = now.die(self.die)
        assert seen is not None
        assert seen.index is not None
        return seen.index


@dataclass(frozen=True, slots=True)
class SetFace(_OnADie):
    """Say what a die shows."""

    die: int
    face: int

    def do(self, hands: Hands, now: Snapshot) -> None:
        index = self._index(now)
        hands.act(lambda referee, t: referee.set_face(t, index, self.face))


@dataclass(frozen=True, slots=True)
class RemoveDie(_OnADie):
    """Say that something is no die."""

    die: int

    def do(self, hands: Hands, now: Snapshot) -> None:
        index = self._index(now)
        hands.act(lambda referee, t: referee.remove_die(t, index))


@dataclass(frozen=True, slots=True)
class AddDie:
    """Add a die that the camera does not show."""

    face: int

    def check(self, then: Snapshot, now: Snapshot) -> None:
        if [it.id for it in then.dice] != [it.id for it in now.dice]:
            raise Unfit("The dice have changed meanwhile: look again.")

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.add_die(t, self.face))


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer a question."""

    question: int
    face: int

    def check(self, then: Snapshot, now: Snapshot) -> None:
        if self.question not in now.questions:
            raise Unfit("That question is settled already.")

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.act(lambda referee, t: referee.answer(t, self.question, self.face))


class _Always:
    """An action that always means the same within one game."""

    __slots__ = ()

    def check(self, then: Snapshot, now: Snapshot) -> None:
        """Nothing can come between."""


@dataclass(frozen=True, slots=True)
class NewGame(_OnTheGame):
    """Begin a new game."""

    players: tuple[str, ...]
    rules: HouseRules

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.begin(self.players, self.rules)


@dataclass(frozen=True, slots=True)
class ChooseSource(_Always):
    """Watch another of the sources offered."""

    id: str

    def do(self, hands: Hands, now: Snapshot) -> None:
        if all(offer.id != self.id for offer in now.offers):
            raise Unfit("That source is not on offer: choose one from the list.")
        hands.choose(self.id)


@dataclass(frozen=True, slots=True)
class SetCoach(_Always):
    """Switch the coach on or off."""

    on: bool

    def do(self, hands: Hands, now: Snapshot) -> None:
        hands.coach(on=self.on)
