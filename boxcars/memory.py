"""What the referee remembers from one look to the next, and how the record brings it back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from boxcars.lying import Dice, Lying, all_known, faces_of, near, placed, remembered, unmoved
from boxcars.pickups import Bounds, PickUp, pick_up
from boxcars.wording import BY_HAND, WARNINGS, AlertKind
from scoring.cars import DICE, Faces
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    PickedUp,
    PlayerAdded,
    Question,
    Rerolled,
    Rolled,
    Stood,
    Undone,
)
from scoring.game import Game, Throw, Turn
from scoring.phases import REROLLS
from scoring.rules import Verdict


@dataclass(slots=True)
class Memory:
    """What is known of the tray besides the game. Its values are replaced, never changed."""

    table: Dice = ()
    """The dice of the turn's latest throw where they were last seen all together."""
    old: Dice = ()
    """The dice of the turn before, until the tray was seen empty."""
    pick_up: PickUp | None = None
    seen: Dice | None = None
    """The latest view; None before the first."""
    waiting: Dice = ()
    """A view that waits for a doubtful die to be known."""
    overlooked: bool = False
    """Whether, when the pick-up was first seen, a throw may have gone by unseen before it."""
    skipped: bool = False
    """Whether a throw may have gone by unseen just before the latest view."""
    unread_dice: int = 0
    """The most dice that lay there unread just before the latest view."""
    hurried: bool = False
    """Whether more may have been picked up than the latest view shows."""
    unread: bool = False
    """Whether `waiting` is a throw that was taken up before it was known."""
    emptied: bool = False
    """Whether the tray was empty since that throw."""
    restoring: Dice | None = None
    """While the table lays dice back as they were before a reroll taken back: how they lay when
    it was.
    """
    said: Dice = ()
    """Dice whose face a person told since the latest throw."""
    asked: Mapping[int, Lying] = field(default_factory=dict)
    """The questions since something last happened that nobody answered, by their numbers."""
    questions: Mapping[int, Lying] = field(default_factory=dict)
    """Those of them that are open: what is asked about is in doubt as far as was seen."""
    told: frozenset[AlertKind] = frozenset()
    """Alerts that were told and whose cause is still there."""
    dismissed: Dice | None = None
    """A view that a person has dealt with; it is not judged again."""
    strangers: Dice = ()
    """Things that are no dice of ours; `said` where a person named them."""
    camera_moved: bool = False
    """Whether the camera moved and no view was seen since."""

    def settled(self) -> None:
        """No die is in doubt any more."""
        self.waiting, self.questions = (), {}
        self.unread = self.emptied = False

    def move(self, moved: Callable[[Lying], Lying]) -> None:
        """Everything remembered lies elsewhere now."""

        def dice(before: Dice) -> Dice:
            return tuple(map(moved, before))

        self.table, self.old, self.waiting = dice(self.table), dice(self.old), dice(self.waiting)
        self.said, self.strangers = dice(self.said), dice(self.strangers)
        self.asked = {seq: moved(die) for seq, die in self.asked.items()}
        self.questions = {seq: moved(die) for seq, die in self.questions.items()}
        if self.pick_up is not None:
            kept, spots = dice(self.pick_up.kept), dice(self.pick_up.spots)
            self.pick_up = replace(self.pick_up, kept=kept, spots=spots)
        if self.dismissed is not None:
            self.dismissed = dice(self.dismissed)
        if self.restoring is not None:
            self.restoring = dice(self.restoring)
        if self.seen is not None:
            self.seen = dice(self.seen)

    def forget_places(self) -> None:
        """Only the faces are known from now on."""
        unread = self.waiting, self.asked, self.questions
        if not self.unread:
            self.settled()
            unread = (), {}, {}
        self.move(lambda die: die if die.is_unseen else die.of_unknown_place)
        # A throw taken up unread lies nowhere any more; what it showed can still be told.
        self.waiting, self.asked, self.questions = unread
        self.said, self.strangers, self.dismissed = (), (), None


def without_place(dice: Dice, phantom: Lying) -> Dice:
    """The dice where what is no die is as if never shown: its face counts, its place does not."""
    return tuple(
        replace(die.of_unknown_place, said=True) if _is_same(die, phantom) else die for die in dice
    )


def _is_same(die: Lying, phantom: Lying) -> bool:
    return die == phantom or bool(unmoved([phantom], [die]))


def recall(game: Game, events: Sequence[Event], evidence: Mapping[int, Dice]) -> Memory:
    """What is to be remembered of a game whose record this is.

    The same record gives the same memory, whether the program ran all the time or begins with
    it. What left no trace in it, like a nudge, is learned again from the next view.
    """
    return _Record(game, events, evidence).memory()


class _Record:
    def __init__(self, game: Game, events: Sequence[Event], evidence: Mapping[int, Dice]) -> None:
        self._game = game
        self._events = events
        self._evidence = evidence
        self._live = counting(events)

    def memory(self) -> Memory:
        memory = Memory(seen=self._seen(), dismissed=self._dismissed(), strangers=self._phantoms())
        throws = self._game.throws
        self._recall_notes(memory, throws[-1].seq if throws else -1)
        if throws:
            self._recall_dice(memory, throws[-1])
        if memory.pick_up is not None:
            # The record does not tell whether more may have been picked up unseen.
            memory.pick_up = replace(memory.pick_up, hurried=True)
        return memory

    def _recall_dice(self, memory: Memory, throw: Throw) -> None:
        lay = self._lay(throw)
        for phantom in memory.strangers:
            lay = without_place(lay, phantom)
        turn = self._game.current
        if turn is None or not turn.throws:
            stand = self._latest(Stood, throw.seq)
            if stand is None or self._evidence.get(stand):
                memory.old = lay
            return
        seen = memory.seen or ()
        memory.pick_up, lay = self._pick_up(lay, turn, throw, seen)
        if memory.pick_up and turn.hand and turn.hand.verdict is Verdict.CANNOT_TELL:
            # What its dice say more surely was not believed.
            game = self._game
            finding = memory.pick_up.bounds.judge(throw.faces, game.phase, game.rules)
            memory.overlooked |= finding.verdict is Verdict.ILLEGAL
        nothing_moved = len(seen) == DICE and all_known(seen) and faces_of(seen) == throw.faces
        if nothing_moved:
            memory.restoring = None
        memory.table = seen if nothing_moved and memory.pick_up is None else lay

    def _lay(self, throw: Throw) -> Dice:
        """The dice of a throw as they were last recorded to lie, with its faces."""
        lay: Dice = ()
        faces: Faces = ()
        for seq in self._live:
            event, given = self._events[seq], self._evidence.get(seq)
            if isinstance(event, Rolled | Rerolled) and seq == throw.seq:
                faces = event.faces
                lay = _with_faces(given or (), faces, given)
            elif isinstance(event, Corrected) and event.seq == throw.seq:
                faces = event.faces
                lay = _with_faces(lay, faces, given)
            elif seq > throw.seq and isinstance(event, PickedUp | Stood):
                lay = given if given and _is_all_of(given, faces) else lay
        return lay

    def _pick_up(
        self, lay: Dice, turn: Turn, throw: Throw, seen: Dice
    ) -> tuple[PickUp | None, Dice]:
        """The dice in the hand, looked at again as they were picked up, and the throw's dice."""
        hand = turn.hand
        if hand is None or not hand.picked_up:
            return None, lay
        # What was overlooked once may have been seen before the pick-up; its faces tell.
        shown = tuple(die.of_unknown_place if die.is_unseen else die for die in lay)
        for dice in (lay, shown):
            found = self._looked_again(dice, throw)
            if found is not None and found.faces == hand.picked_up:
                # Dice kept may have been pushed aside since.
                now = pick_up(dice, seen, found)
                return now if now and now.faces == found.faces else found, dice
        # The roll was corrected since.
        latest = self._latest(PickedUp, throw.seq)
        kept = placed(self._evidence.get(-1 if latest is None else latest, ()), hand.kept)
        open_end = hand.verdict is Verdict.CANNOT_TELL
        bounds = Bounds(hand.picked_up, throw.faces if open_end else hand.picked_up)
        return PickUp(kept, (*lay, *kept), bounds), lay

    def _looked_again(self, lay: Dice, throw: Throw) -> PickUp | None:
        found: PickUp | None = None
        for seq in self._live:
            event, given = self._events[seq], self._evidence.get(seq)
            if seq > throw.seq and isinstance(event, PickedUp):
                kept = given if given and all_known(given) else placed(given or (), event.kept)
                found = pick_up(lay, kept, found) if event.picked_up else None
        return found

    def _recall_notes(self, memory: Memory, throw: int) -> None:
        """What was asked, answered, told and done since something last happened."""
        answers = [
            asked_about(asked, event.face, self._evidence.get(event.seq, ()))
            for seq in self._live
            for event in [self._events[seq]]
            if seq > throw and isinstance(event, Answer)
            for asked in [self._events[event.seq]]
            if isinstance(asked, Question)
        ]
        memory.said = tuple(answers)
        undos = [seq for seq, event in enumerate(self._events) if isinstance(event, Undone)]
        undone = undos[-1] if undos else -1
        asked: dict[int, Lying] = {}
        for seq in self._notes():
            event, given = self._events[seq], self._evidence.get(seq, ())
            if isinstance(event, Answer):
                asked.pop(event.seq, None)
            elif isinstance(event, Question):
                if len(given) == DICE and memory.unread:
                    memory.unread, memory.overlooked = False, True
                    asked.clear()
                asked[seq] = asked_about(event, None, given)
                if len(given) > 1:
                    memory.waiting = given
            elif isinstance(event, Alert) and event.kind in set(AlertKind):
                self._recall_alert(memory, AlertKind(event.kind), seq)
            if seq < undone:
                # Whoever undid what followed has dealt with it.
                memory.settled()
                memory.told, memory.restoring = frozenset(), None
        memory.waiting = remembered(memory.said, memory.waiting)
        memory.asked = asked
        memory.questions = {seq: die for seq, die in asked.items() if seq > undone}
        if memory.dismissed is not None:
            memory.settled()
            memory.told = frozenset()

    def _recall_alert(self, memory: Memory, kind: AlertKind, seq: int) -> None:
        given = self._evidence.get(seq, ())
        if kind is AlertKind.TAKEN_BACK:
            memory.restoring = given
        elif kind is AlertKind.DIE_ADDED and memory.unread:
            memory.waiting = given
        elif kind is AlertKind.CAMERA_MOVED:
            memory.camera_moved = all(other <= seq for other in self._evidence)
        elif kind in WARNINGS:
            memory.told |= {kind}
            if kind is AlertKind.UNREAD_THROW:
                memory.unread = True
                # Nobody knows what else went by.
                memory.overlooked |= self._game.phase in REROLLS
            if kind in (AlertKind.COCKED, AlertKind.UNREAD_THROW):
                memory.waiting = given

    def _notes(self) -> list[int]:
        """The events since a throw, pick-up or stand, which only say something about it."""
        notes: list[int] = []
        for seq in reversed(self._live):
            if isinstance(self._events[seq], Rolled | Rerolled | PickedUp | Stood | PlayerAdded):
                break
            notes.append(seq)
        return notes[::-1]

    def _dismissed(self) -> Dice | None:
        """The view a person has dealt with, unless another was judged since."""
        for seq in range(len(self._events) - 1, -1, -1):
            given = self._evidence.get(seq)
            match self._events[seq]:
                case Undone():
                    return given
                case Rolled() | Rerolled() | Corrected() as event:
                    return None if given is None or _is_all_of(given, event.faces) else given
                case PickedUp() | Question():
                    return None
                case Stood() if not given:
                    return None
                case Alert(kind=kind) if kind in set(AlertKind) - BY_HAND - _ELSEWHERE:
                    return None
        return None

    def _seen(self) -> Dice | None:
        """The latest view on record."""
        for seq in range(len(self._events) - 1, -1, -1):
            given, event = self._evidence.get(seq), self._events[seq]
            if given is None:
                continue
            match event:
                case Corrected() if _is_all_of(given, event.faces):
                    continue
                case Question() if len(given) == 1:
                    continue
                case Alert(kind=AlertKind.DIE_REMOVED):
                    continue
            # Of a throw that nobody read some dice were perhaps never seen.
            return tuple(die for die in given if die.face is not None or not math.isnan(die.x))
        return None

    def _phantoms(self) -> Dice:
        """What people said is no die, undone or not: it is none."""
        return tuple(
            replace(die, said=True)
            for seq, event in enumerate(self._events)
            if isinstance(event, Alert) and event.kind == AlertKind.DIE_REMOVED
            for die in self._evidence.get(seq, ())
            if not math.isnan(die.x)
        )

    def _latest(self, kind: type[Event], after: int) -> int | None:
        """The number of the latest event of a kind that counts, since event number `after`."""
        found = [seq for seq in self._live if seq > after and isinstance(self._events[seq], kind)]
        return found[-1] if found else None


_ELSEWHERE = frozenset({AlertKind.CAMERA_MOVED, AlertKind.SOURCE_ENDED})
"""Alerts that do not come from judging a view."""


def counting(events: Sequence[Event]) -> tuple[int, ...]:
    """The numbers of the events that count, in order: those that no undo took back."""
    # An undo goes back to what counted before the event it names.
    before: list[int] = []
    head = -1
    for seq, event in enumerate(events):
        before.append(head)
        head = before[event.seq] if isinstance(event, Undone) else seq
    numbers = []
    while head >= 0:
        numbers.append(head)
        head = before[head]
    return tuple(reversed(numbers))


def latest_lay(game: Game, events: Sequence[Event]) -> int | None:
    """The number of the event that tells where the dice of the latest throw lie."""
    if not game.throws:
        return None
    latest = throw = game.throws[-1].seq
    for seq in counting(events):
        match events[seq]:
            case Corrected(seq=corrected) if corrected == throw:
                latest = seq
            case PickedUp(picked_up=()) if seq > throw:
                latest = seq
    return latest


def asked_about(event: Question, face: int | None, dice: Dice = ()) -> Lying:
    """The die that a question is about, one of `dice`; `face` is the answer."""
    x, y = event.center
    where = Lying(None, x, y, 0.0, math.nan)
    die = next((die for die in dice if near(where, die)), where)
    doubts = () if face is not None else event.doubts
    candidates = event.candidates
    said = face is not None
    return replace(die, face=face, candidates=candidates, doubts=doubts, said=said)


def _with_faces(lay: Dice, faces: Faces, given: Dice | None) -> Dice:
    """The dice given if they show these faces, else those that lay there, as far as is clear."""
    return given if given is not None and _is_all_of(given, faces) else placed(lay, faces)


def _is_all_of(dice: Dice, faces: Faces) -> bool:
    return all_known(dice) and faces_of(dice) == faces
