"""The referee: what the camera sees of a game together with what people at the table say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from boxcars import wording
from boxcars.lying import Dice, Lying, all_known, faces_of, near, nowhere, placed, unmoved
from boxcars.memory import counting, without_place
from boxcars.observer import AlertKind, Observer, in_ms
from scoring.cars import DICE, Faces, ten_faces
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    PickedUp,
    PlayerAdded,
    Rerolled,
    Undone,
)
from scoring.game import Throw, WrongMoment
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
    at the table do. Each returns the events that follow, applied to `game` already. Where one
    raises, nothing has changed.

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
        evidence: Mapping[int, Dice] | None = None,
        t: float = 0.0,
    ) -> None:
        super().__init__(rules, events, evidence)
        if not self.events:
            for player in players:
                self._tell(PlayerAdded(in_ms(t), player))
        if not self.game.players:
            raise NoPlayers("A game needs at least one player: name one.")

    @property
    def dice(self) -> Dice:
        """The dice as they were last seen; `set_face` and `remove_die` count from its first."""
        return self._memory.waiting or self._memory.seen or ()

    @property
    def table(self) -> Dice:
        """The dice of the turn's latest throw where they were last seen all together."""
        return self._memory.table

    @property
    def left_untold(self) -> bool:
        """Whether ten dice lie there that were thrown since the game was over."""
        seen = self._memory.seen or ()
        return self.game.over and len(seen) == DICE and not self._is_old(seen)

    @property
    def questions(self) -> dict[int, Lying]:
        """The open questions: by the question's number, the die it is about."""
        return dict(self._memory.questions)

    def stand(self, t: float) -> tuple[Event, ...]:
        """The player keeps all dice and ends the turn.

        Raises:
            WrongMoment: no turn is under way, or its latest throw is not known yet.
        """
        if self.game.phase in REROLLS and (why := self._unknown_throw):
            raise WrongMoment(why)
        return self._act(lambda: self._stand(in_ms(t), self._memory.table))

    @property
    def _unknown_throw(self) -> str:
        """Why the faces of the latest throw are not known yet, as a sentence; else empty."""
        memory = self._memory
        if self._throw_waits and not memory.unread:
            return "A die of the latest throw is in doubt: say first what it shows."
        if AlertKind.OFF_TRAY in memory.told:
            return "Not all ten dice lie in the tray: lay the missing one there or add it first."
        in_place = unmoved(memory.table, memory.seen or ())
        if AlertKind.ELEVEN_DICE in memory.told and len(in_place) < DICE:
            return "More than ten dice lie in the tray: take out what is not in play first."
        return ""

    def answer(self, t: float, seq: int, face: int) -> tuple[Event, ...]:
        """Question number `seq` is answered: the die shows `face`.

        Raises:
            NothingToDo: there is no such open question.
            WrongEvent: `face` is not 0-9.
        """
        die = self._memory.questions.get(seq)
        if die is None:
            raise NothingToDo(f"Question {seq} is not open: it was answered or has settled.")

        def act() -> None:
            self._answer(in_ms(t), seq, face)
            self._take_word(in_ms(t), die, face)

        return self._act(act)

    def set_face(self, t: float, die: int, face: int) -> tuple[Event, ...]:
        """A person says what die number `die` of `dice` shows.

        Raises:
            NothingToDo: there is no such die, or it belongs to no roll and the game is over.
            NothingToDo, WrongEvent: `face` is not 0-9.
        """
        where = self._die(die)
        for seq, asked in self._memory.questions.items():
            if near(asked, where):
                return self.answer(t, seq, face)
        is_of_throw = self._belonging(where) is not None
        if not is_of_throw and self.game.over:
            raise NothingToDo("The game is over and counts no such die: correct a roll instead.")

        if not is_of_throw and math.isnan(where.x):
            return self._add(t, tuple(die for die in self.dice if die is not where), face)

        def act() -> None:
            if not is_of_throw:
                # No roll has this die yet, so the record keeps what was said as an answer.
                seq = self._question(in_ms(t), where, (where,))
                self._answer(in_ms(t), seq, face)
            self._take_word(in_ms(t), where, face)

        return self._act(act)

    def add_die(self, t: float, face: int) -> tuple[Event, ...]:
        """A person adds a die that the camera does not show.

        Raises:
            NothingToDo: the game is over, ten dice lie there already, or `face` is not 0-9.
        """
        self._expect_dice_to_count()
        if len(self.dice) >= DICE:
            raise NothingToDo("Ten dice lie there already: remove one first.")
        return self._add(t, self.dice, face)

    def remove_die(self, t: float, die: int) -> tuple[Event, ...]:
        """A person says that number `die` of `dice` is none.

        If the latest throw counts it, its face counts until somebody says what the tenth die
        shows.

        Raises:
            NothingToDo: there is no such die, or the game is over.
        """
        self._expect_dice_to_count()
        raw = self.dice
        phantom = self._die(die)

        def act() -> None:
            memory = self._memory
            counted = not math.isnan(phantom.x) and bool(unmoved(memory.table, [phantom]))
            text = wording.die_removed(phantom.face, counted=counted)
            self._alert(in_ms(t), AlertKind.DIE_REMOVED, text, (phantom,))
            if not math.isnan(phantom.x):
                memory.strangers += (replace(phantom, said=True),)
                memory.table = without_place(memory.table, phantom)
                memory.old = without_place(memory.old, phantom)
            self._change(in_ms(t), raw, tuple(other for other in raw if other is not phantom))

        return self._act(act)

    def enter(self, t: float, faces: Faces) -> tuple[Event, ...]:
        """A person says what the ten dice show after a throw that the camera could not read.

        Raises:
            WrongMoment: the game is over.
            NotTenFaces: these are not ten faces.
        """
        if self.game.over:
            raise WrongMoment("The game is over: start a new game.")
        view = self.dice
        throw = placed(view, ten_faces(faces))

        def act() -> None:
            if self._memory.unread:
                self._finish_unread(in_ms(t), throw)
            else:
                self._book_throw(in_ms(t), throw, view)
                self._memory.dismissed = self._memory.seen

        return self._act(act)

    def correct(self, t: float, faces: Faces, seq: int | None = None) -> tuple[Event, ...]:
        """A person sets the faces of a roll: of event number `seq`, or of the latest roll.

        Raises:
            NothingToDo: nothing was rolled yet.
            NoSuchEvent: event `seq` is no roll that counts.
            WrongEvent: these are not ten faces.
        """
        if seq is None:
            throws = self.game.throws
            if not throws:
                raise NothingToDo("There is no roll to correct yet.")
            seq = throws[-1].seq
        number, memory = seq, self._memory

        def act() -> None:
            view = None if memory.waiting else memory.seen
            self._tell(Corrected(in_ms(t), *self._now, number, faces), view)
            self._start_over(in_ms(t), memory.waiting)

        return self._act(act)

    def undo(self, t: float, seq: int | None = None) -> tuple[Event, ...]:
        """Go back to before event number `seq`, or before the latest thing that was done.

        What lies in the tray then is not judged again until it changes.

        Raises:
            NothingToDo: nothing was done yet, or only players joined since.
            NoSuchEvent: there is no event `seq`.
        """
        seq = self.game.undoable if seq is None else seq
        if seq is None or 0 <= seq < len(self.game.players):
            raise NothingToDo("There is nothing to undo: who plays stays as it is.")
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
        """The table takes the latest reroll, or the pick-up not yet thrown, back.

        That of the turn before may be taken back until the next turn's first roll. The dice are
        then laid as they were before it; until they lie so, nothing is judged but ten dice.

        Raises:
            NothingToDo: this turn has no reroll.
        """
        turn = self.game.turns[-1] if self.game.turns else None
        throws = turn.throws if turn else ()
        in_hand = bool(turn and turn.hand and turn.hand.picked_up)
        if turn is None or len(throws) + in_hand < 2:
            raise NothingToDo("There is no reroll to take back in this turn.")
        before = throws[-1 if in_hand else -2].seq
        since = [seq for seq in counting(self.events) if seq > before]
        first = next(n for n in since if isinstance(self.events[n], PickedUp | Rerolled))

        def act() -> None:
            lay = self._memory.seen or ()
            self._tell(Undone(in_ms(t), *self._now, first), self._memory.seen)
            for seq in since:
                event = self.events[seq]
                if isinstance(event, Corrected) and event.seq < first < seq:
                    # What was put right in earlier throws meanwhile stays right.
                    again = Corrected(in_ms(t), *self._now, event.seq, event.faces)
                    self._tell(again, self.evidence.get(seq))
            self._alert(in_ms(t), AlertKind.TAKEN_BACK, wording.TAKEN_BACK, lay)
            self._return(in_ms(t))

        return self._act(act)

    def allow(self, t: float) -> tuple[Event, ...]:
        """The table lets an illegal reroll stand, and the record keeps that it did.

        Raises:
            NothingToDo: the latest verdict is not "illegal".
        """
        turn = self.game.turns[-1] if self.game.turns else None
        judged = turn and (turn.hand or turn.throws[-1])
        if not judged or judged.verdict is not Verdict.ILLEGAL:
            raise NothingToDo("There is no illegal reroll to allow.")
        return self._act(lambda: self._alert(in_ms(t), AlertKind.ALLOWED, wording.ALLOWED))

    def note(self, t: float, kind: str, text: str) -> tuple[Event, ...]:
        """Something the table should know that is not about the dice, as an alert.

        After a `camera-moved` the next view's dice are known again by their faces and relative
        places; where too few of them tell, places are forgotten and faces alone decide, so that
        nothing false is said.
        """
        start = len(self.events)
        self._tell(Alert(in_ms(t), *self._now, kind, text))
        self._memory.camera_moved |= kind == AlertKind.CAMERA_MOVED
        return tuple(self.events[start:])

    # How it is done.

    def _act(self, act: Callable[[], None]) -> tuple[Event, ...]:
        """The events an action brings; if it raises, nothing of it has happened."""
        start, game = len(self.events), self.game
        memory, evidence = replace(self._memory), dict(self.evidence)
        try:
            act()
        except Exception:
            del self.events[start:]
            self.game, self.evidence, self._memory = game, evidence, memory
            raise
        return tuple(self.events[start:])

    def _add(self, t: float, others: Dice, face: int) -> tuple[Event, ...]:
        """Besides these dice there is one more, which the camera does not show."""
        if not 0 <= face < DICE:
            raise NothingToDo(f"No die shows {face}: name a face 0-9.")
        raw = self.dice
        dice = (*others, replace(nowhere([face])[0], said=True))

        def act() -> None:
            self._alert(in_ms(t), AlertKind.DIE_ADDED, wording.die_added(face), dice)
            if self._memory.unread:
                self._finish_unread(in_ms(t), dice)
            else:
                self._change(in_ms(t), raw, dice)

        return self._act(act)

    def _answer(self, t: float, seq: int, face: int) -> None:
        self._tell(Answer(t, *self._now, seq, face))
        memory = self._memory
        memory.questions = {n: die for n, die in memory.questions.items() if n != seq}
        memory.asked = {n: die for n, die in memory.asked.items() if n != seq}

    def _take_word(self, t: float, die: Lying, face: int) -> None:
        """A person named a die's face: correct the roll it belongs to, and look again."""
        memory = self._memory
        said = replace(die, face=face, said=True, doubts=())
        waiting = tuple(said if near(die, other) else other for other in memory.waiting)
        belonging = self._belonging(die)
        memory.said += (said,)
        if belonging is not None:
            throw, lay, index = belonging
            wrong = faces_of([lay[index]])
            lay = (*lay[:index], said, *lay[index + 1 :])
            if wrong != (face,):
                faces = (Counter(throw.faces) - Counter(wrong) + Counter([face])).elements()
                self._tell(Corrected(t, *self._now, throw.seq, tuple(faces)), lay)
                self._start_over(t, waiting)
                return
            memory.table, memory.old = (lay, ()) if memory.table else ((), lay)
        if memory.unread:
            self._finish_unread(t, waiting)
        elif waiting:
            self._look(t, waiting)
        elif self.game.current is not None and memory.seen is not None:
            memory.dismissed = None
            self._look(t, tuple(said if near(die, other) else other for other in memory.seen))

    def _finish_unread(self, t: float, throw: Dice) -> None:
        """Book a throw that was taken up before it was known, if it is known now."""
        memory = self._memory
        memory.waiting = throw
        if not all_known(throw):
            return
        emptied, seen = memory.emptied, memory.seen
        memory.unread = memory.emptied = False
        self._look_at_throw(t, throw)
        if emptied:
            if self.game.phase in REROLLS:
                self._stand(t)
            self._memory.old = ()
        elif not emptied and seen is not None:
            self._look(t, seen)

    def _start_over(self, t: float, waiting: Dice) -> None:
        """Look at the tray afresh after the record of the game was changed."""
        self._announce(t)
        self._restore()
        memory = self._memory
        if memory.unread:
            self._finish_unread(t, waiting)
        elif waiting:
            self._look(t, waiting)
        else:
            memory.dismissed = memory.seen

    def _change(self, t: float, raw: Dice, dice: Dice) -> None:
        """Judge what lies there after a person changed it, and not again what the camera sees."""
        self._memory.waiting, self._memory.unread_dice = (), 0
        self._look(t, dice)
        self._memory.dismissed = raw

    def _go_back(self, t: float, seq: int) -> tuple[Event, ...]:
        def act() -> None:
            self._tell(Undone(in_ms(t), *self._now, seq), self._memory.seen)
            self._return(in_ms(t))

        return self._act(act)

    def _return(self, t: float) -> None:
        """Be where the record is after an undo."""
        self._announce(t)
        self._restore()
        self._memory.dismissed = self._memory.seen

    def _expect_dice_to_count(self) -> None:
        if self.game.over:
            raise NothingToDo("The game is over: correct one of its rolls instead.")

    def _belonging(self, die: Lying) -> tuple[Throw, Dice, int] | None:
        """The latest throw with its dice, and which of them this one is, if it is one."""
        throws, memory = self.game.throws, self._memory
        lay = memory.table or memory.old
        if not throws or not lay:
            return None
        if math.isnan(die.x):
            same = [i for i, other in enumerate(lay) if other.is_unseen and other.face == die.face]
        else:
            same = [i for i, _ in unmoved(lay, [die])]
        if not same and memory.pick_up is not None:
            # A die that was kept and pushed aside: one of its face whose place is empty.
            kept = memory.pick_up.kept
            faces = [kept[i].face for i, _ in unmoved(kept, [die])]
            left = {i for i, _ in unmoved(lay, kept)}
            same = [i for i, other in enumerate(lay) if other.face in faces and i not in left]
        return (throws[-1], lay, same[0]) if same else None

    def _die(self, index: int) -> Lying:
        if not 0 <= index < len(self.dice):
            raise NothingToDo(f"There is no die {index}: {len(self.dice)} lie there.")
        return self.dice[index]
