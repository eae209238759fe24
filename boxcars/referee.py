"""The referee: what the camera sees of a game together with what people at the table say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from boxcars.lying import Lying, all_known, faces_of, near, nowhere, placed, unmoved
from boxcars.observer import AlertKind, Observer, in_ms, question
from scoring.cars import DICE, Faces, ten_faces
from scoring.events import (
    Answer,
    Corrected,
    Event,
    PickedUp,
    PlayerAdded,
    Rerolled,
    Undone,
)
from scoring.game import Throw
from scoring.phases import REROLLS
from scoring.rules import DEFAULT_RULES, HouseRules, Verdict

__all__ = ["AlertKind", "NoPlayers", "NothingToDo", "Referee"]


class NoPlayers(ValueError):
    """A game was begun without a player."""


class NothingToDo(ValueError):
    """There is no such die, question, roll or event to act on."""


class Referee(Observer):
    """Referees one game.

    `see` takes views of the tray in the order of their times; the other methods are what people
    at the table do. Each returns the events that follow, applied to `game` already.

    To go on with a recorded game, give its `events`, and as `evidence` how the dice lay at its
    rolls and pick-ups; without that, the first reroll is judged by its faces alone.

    Raises:
        NoPlayers: neither `players` nor `events` name one.
        WrongMoment, NoSuchEvent, NotOnTheTable: `events` make no game.
        WrongEvent: a player has no name.
    """

    def __init__(
        self,
        players: Sequence[str] = (),
        rules: HouseRules = DEFAULT_RULES,
        *,
        events: Iterable[Event] = (),
        evidence: Mapping[int, tuple[Lying, ...]] | None = None,
        t: float = 0.0,
    ) -> None:
        super().__init__(rules, events, evidence)
        if not self.events:
            for player in players:
                self._tell(PlayerAdded(in_ms(t), player))
        if not self.game.players:
            raise NoPlayers("A game needs at least one player: name one.")

    @property
    def dice(self) -> tuple[Lying, ...]:
        """The dice as they were last seen; `set_face` and `remove_die` count from its first."""
        return self._waiting or self._seen

    @property
    def questions(self) -> dict[int, Lying]:
        """The open questions: by the question's number, the die it is about."""
        return dict(self._questions)

    def stand(self, t: float) -> tuple[Event, ...]:
        """The player keeps all dice and ends the turn.

        Raises:
            WrongMoment: no turn is under way.
        """
        start = len(self.events)
        self._stand(in_ms(t), self._table)
        return tuple(self.events[start:])

    def answer(self, t: float, seq: int, face: int) -> tuple[Event, ...]:
        """Question number `seq` is answered: the die shows `face`.

        Raises:
            NothingToDo: there is no such open question.
            WrongEvent: `face` is not 0-9.
        """
        if seq not in self._questions:
            raise NothingToDo(f"Question {seq} is not open: it was answered or has settled.")
        start = len(self.events)
        self._tell(Answer(in_ms(t), *self._now, seq, face))
        self._take_word(in_ms(t), self._questions.pop(seq), face)
        return tuple(self.events[start:])

    def set_face(self, t: float, die: int, face: int) -> tuple[Event, ...]:
        """A person says what die number `die` of `dice` shows.

        Raises:
            NothingToDo: there is no such die.
            WrongEvent: `face` is not 0-9.
        """
        where = self._die(die)
        for seq, asked in self._questions.items():
            if near(asked, where):
                return self.answer(t, seq, face)
        start = len(self.events)
        if self._throw_of(where) is None:
            # No roll has this die yet, so the record keeps what was said as an answer.
            seq = self._tell(question(in_ms(t), self._now, where))
            self._tell(Answer(in_ms(t), *self._now, seq, face))
        self._take_word(in_ms(t), where, face)
        return tuple(self.events[start:])

    def add_die(self, t: float, face: int) -> tuple[Event, ...]:
        """A person adds a die that the camera does not show.

        Raises:
            NothingToDo: ten dice lie there already, or `face` is not 0-9.
        """
        if len(self.dice) >= DICE:
            raise NothingToDo("Ten dice lie there already: remove one first.")
        if not 0 <= face < DICE:
            raise NothingToDo(f"No die shows {face}: name a face 0-9.")
        return self._change(t, (*self.dice, replace(nowhere([face])[0], said=True)))

    def remove_die(self, t: float, die: int) -> tuple[Event, ...]:
        """A person says that number `die` of `dice` is none.

        Raises:
            NothingToDo: there is no such die.
        """
        phantom = self._die(die)
        self._strangers += (phantom,)
        return self._change(t, tuple(other for other in self.dice if other is not phantom))

    def enter(self, t: float, faces: Faces) -> tuple[Event, ...]:
        """A person says what the ten dice show after a throw that the camera could not read.

        Raises:
            WrongMoment: the game is over.
            NotTenFaces: these are not ten faces.
        """
        start = len(self.events)
        throw = placed(self._waiting, ten_faces(faces))
        if self._unread:
            self._finish_unread(in_ms(t), throw)
        else:
            self._book_throw(in_ms(t), throw)
            self._dismissed = self._seen
        return tuple(self.events[start:])

    def correct(self, t: float, faces: Faces, seq: int | None = None) -> tuple[Event, ...]:
        """A person sets the faces of a roll: of event number `seq`, or of the latest roll.

        Raises:
            NothingToDo: nothing was rolled yet.
            NoSuchEvent: event `seq` is no roll that counts.
            WrongEvent: these are not ten faces.
        """
        if seq is None:
            throws = self._throws
            if not throws:
                raise NothingToDo("There is no roll to correct yet.")
            seq = throws[-1].seq
        start = len(self.events)
        self._tell(Corrected(in_ms(t), *self._now, seq, faces))
        self.evidence[seq] = placed(self.evidence.get(seq, ()), faces)
        self._start_over(in_ms(t))
        return tuple(self.events[start:])

    def undo(self, t: float, seq: int | None = None) -> tuple[Event, ...]:
        """Go back to before event number `seq`, or before the latest thing that was done.

        What lies in the tray then is not judged again until it changes.

        Raises:
            NothingToDo: nothing was done yet.
            NoSuchEvent: there is no event `seq`.
        """
        seq = self.game.undoable if seq is None else seq
        if seq is None:
            raise NothingToDo("There is nothing to undo.")
        return self._go_back(t, seq)

    def redo(self, t: float) -> tuple[Event, ...]:
        """Take the latest undo back.

        Raises:
            NothingToDo: the latest thing done was no undo.
        """
        if self.game.redoable is None:
            raise NothingToDo("There is nothing to redo.")
        return self._go_back(t, self.game.redoable)

    def take_back(self, t: float) -> tuple[Event, ...]:
        """The table takes this turn's latest reroll, or the pick-up not yet thrown, back.

        The dice are then laid as they were before it; until they lie so, nothing is judged
        but ten dice.

        Raises:
            NothingToDo: this turn has no reroll.
        """
        turn = self.game.current
        throws = turn.throws if turn else ()
        if turn is None or len(throws) + bool(turn.hand) < 2:
            raise NothingToDo("There is no reroll to take back in this turn.")
        before = throws[-1 if turn.hand else -2].seq
        first = next(
            seq
            for seq in range(before + 1, len(self.events))
            if isinstance(self.events[seq], PickedUp | Rerolled)
        )
        events = self._go_back(t, first)
        self._restoring = True
        return events

    def allow(self, t: float) -> tuple[Event, ...]:
        """The table lets an illegal reroll stand, and the record keeps that it did.

        Raises:
            NothingToDo: the latest verdict is not "illegal".
        """
        if self.game.verdict is not Verdict.ILLEGAL:
            raise NothingToDo("There is no illegal reroll to allow.")
        start = len(self.events)
        self._alert(in_ms(t), AlertKind.ALLOWED, "The table allows the reroll.")
        return tuple(self.events[start:])

    # How it is done.

    def _take_word(self, t: float, die: Lying, face: int) -> None:
        """A person named a die's face: correct the roll it belongs to, and look again."""
        said = replace(die, face=face, said=True, doubts=())
        pending = tuple(said if near(die, other) else other for other in self._waiting)
        throw = self._throw_of(die)
        if throw is None:
            self._said += (said,)
        else:
            lay = self.evidence[throw.seq]
            ((index, _),) = unmoved(lay, [die])
            self.evidence[throw.seq] = (*lay[:index], said, *lay[index + 1 :])
            wrong = faces_of([lay[index]])
            if wrong != (face,):
                faces = (Counter(throw.faces) - Counter(wrong) + Counter([face])).elements()
                self._tell(Corrected(t, *self._now, throw.seq, tuple(faces)))
        if throw is None and self._unread:
            self._finish_unread(t, pending)
        elif throw is None:
            if pending:
                self._look(t, pending)
        else:
            self._start_over(t, pending)

    def _finish_unread(self, t: float, throw: tuple[Lying, ...]) -> None:
        """Book a throw that was taken up before it was known, if it is known now."""
        self._waiting = throw
        if not all_known(throw):
            return
        emptied, seen = self._emptied, self._seen
        self._unread = False
        self._book_throw(t, throw)
        if not emptied:
            self._look(t, seen)
        elif self.game.phase in REROLLS:
            self._stand(t)
            self._old = ()

    def _start_over(self, t: float, pending: tuple[Lying, ...] = ()) -> None:
        """Look at the tray afresh after the record of the game was changed."""
        pending = pending or self._waiting
        questions, seen = self._questions, self._seen
        self._announce(t)
        self._restore()
        self._seen = seen
        if pending:
            self._questions = questions
            self._look(t, pending)
        else:
            self._dismissed = seen

    def _change(self, t: float, dice: tuple[Lying, ...]) -> tuple[Event, ...]:
        """Judge what lies there after a person changed it, and not again what the camera sees."""
        start = len(self.events)
        raw = self.dice
        self._waiting = ()
        self._look(in_ms(t), dice)
        self._dismissed = raw
        return tuple(self.events[start:])

    def _go_back(self, t: float, seq: int) -> tuple[Event, ...]:
        start = len(self.events)
        self._tell(Undone(in_ms(t), *self._now, seq))
        self._announce(in_ms(t))
        self._restore()
        self._dismissed = self._seen
        return tuple(self.events[start:])

    @property
    def _throws(self) -> list[Throw]:
        return [throw for turn in self.game.turns for throw in turn.throws]

    def _throw_of(self, die: Lying) -> Throw | None:
        """The latest roll, if this die still lies where it lay then."""
        throws = self._throws
        if throws and unmoved(self.evidence.get(throws[-1].seq, ()), [die]):
            return throws[-1]
        return None

    def _die(self, index: int) -> Lying:
        if not 0 <= index < len(self.dice):
            raise NothingToDo(f"There is no die {index}: {len(self.dice)} lie there.")
        return self.dice[index]
