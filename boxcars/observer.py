"""The observer: follows a game by settled views of the tray, judging by evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from boxcars import wording
from boxcars.lying import (
    Lying,
    all_known,
    faces_of,
    is_stranger,
    lying,
    near,
    placed,
    remembered,
    unmoved,
)
from boxcars.pickups import Bounds, Finding, PickUp, pick_up, reroll
from scoring.cars import DICE
from scoring.events import Alert, Answer, Event, PickedUp, Question, Rerolled, Rolled, Stood
from scoring.game import Game
from scoring.phases import REROLLS, Phase
from scoring.rules import DEFAULT_RULES, HouseRules, Verdict, remaining
from vision.records import DieReading, TrayView

OLD_DICE = 3
"""If this many dice still lie where a finished turn left them, no new roll was thrown.

Raising it takes the old dice for a new roll when most of them were shoved about.
"""

LEANING = frozenset({"cocked", "stacked"})
"""Doubts about how a die lies, which no better look can clear."""

Now = tuple[str, int, Phase]
"""Whose turn it is, which turn and which phase."""


class AlertKind(StrEnum):
    """What an alert is about, as other programs see it."""

    ILLEGAL_REROLL = "illegal-reroll"
    CANNOT_TELL = "cannot-tell"
    COCKED = "cocked"
    ELEVEN_DICE = "eleven-dice"
    OFF_TRAY = "off-tray"
    TURN_OVER = "turn-over"
    UNREAD_THROW = "unread-throw"
    ALLOWED = "allowed"
    SOURCE_ENDED = "source-ended"


class Observer:
    """Sees what happens in the tray and says what it means.

    A view is judged only if it is settled and no hand is in it. A doubtful die that matters is
    asked about once, and the view waits until a later look, or somebody, tells its face. An
    alert comes once for as long as its cause is there. No clock is looked at: the same views
    give the same events. Times are seconds of source time and go into the events rounded to
    milliseconds.
    """

    def __init__(
        self,
        rules: HouseRules = DEFAULT_RULES,
        events: Iterable[Event] = (),
        evidence: Mapping[int, tuple[Lying, ...]] | None = None,
    ) -> None:
        self.game = Game(rules)
        """Where the game stands."""
        self.events: list[Event] = []
        """Everything that happened; an event's number is its place."""
        self.evidence: dict[int, tuple[Lying, ...]] = dict(evidence or {})
        """How the dice lay, by the number of the roll, pick-up or stand."""
        self._table: tuple[Lying, ...] = ()
        """The dice of the turn's latest throw where they were last seen all together."""
        self._old: tuple[Lying, ...] = ()
        """The dice of the turn before, until the tray was seen empty."""
        self._pick_up: PickUp | None = None
        self._seen: tuple[Lying, ...] = ()
        """The latest view."""
        self._waiting: tuple[Lying, ...] = ()
        """A view that cannot be judged until its doubtful dice are known."""
        self._unread = False
        """Whether the dice of a waiting throw have left the table since."""
        self._emptied = False
        """Whether the tray was empty since that throw."""
        self._restoring = False
        """Whether the table lays dice back as they were before a reroll taken back."""
        self._said: tuple[Lying, ...] = ()
        """Dice whose face a person told before they were part of a roll."""
        self._questions: dict[int, Lying] = {}
        self._told: set[AlertKind] = set()
        self._causes: set[AlertKind] = set()
        self._dismissed: tuple[Lying, ...] | None = None
        """A view that a person has dealt with; it is not judged again."""
        self._strangers: tuple[Lying, ...] = ()
        """Things that are no dice of ours."""
        for event in events:
            self._apply(event)
        if self.events:
            self._restore()
            self._reopen()

    def see(self, view: TrayView) -> tuple[Event, ...]:
        """What a view of the tray tells, applied to the game already."""
        if not view.settled or view.hand or self.game.current is None:
            return ()
        start = len(self.events)
        dice = lying(self._without_strangers(view.readings))
        if self._dismissed is not None:
            if _same_view(self._dismissed, dice):
                return ()
            self._dismissed = None
        self._look(in_ms(view.t), dice)
        return tuple(self.events[start:])

    def ended(self, t: float) -> tuple[Event, ...]:
        """The source has no more pictures: say so if the game is not over."""
        start = len(self.events)
        game = self.game
        if game.player is not None:
            text = wording.source_ended(game.player, game.turn, game.phase, len(self._questions))
            self._alert(in_ms(t), AlertKind.SOURCE_ENDED, text)
        return tuple(self.events[start:])

    # Looking at the tray.

    def _look(self, t: float, dice: tuple[Lying, ...]) -> None:
        """Judge one settled view."""
        dice = self._recall(dice)
        self._seen = dice
        self._causes = set()
        if len(dice) > DICE:
            self._warn(t, AlertKind.ELEVEN_DICE, wording.too_many_dice(len(dice)))
        elif len(dice) == DICE or not self._waits_for_throw(t, dice):
            if self._emptied and self.game.phase in REROLLS:
                # Nobody told what the throw before the empty tray showed: the game goes on.
                self._stand(t)
                self._old = ()
            if self.game.phase is Phase.ROLL_10:
                self._look_for_roll(t, dice)
            elif len(dice) == DICE:
                self._look_at_ten(t, dice)
            elif self._restoring:
                pass  # Dice come and go until they lie as they did.
            elif dice:
                self._look_at_kept(t, dice)
            else:
                self._stand(t)
                self._old = ()
        self._told &= self._causes

    def _waits_for_throw(self, t: float, dice: tuple[Lying, ...]) -> bool:
        """Whether dice were taken up while a throw waits for its doubtful dice to be known.

        If the dice still there now tell what was in doubt, the throw is booked first. If only
        dice in doubt have left, they are thrown again, as one does with a die that leans. Else
        the throw stays unread unless somebody tells what it showed.
        """
        throw = self._waiting
        if len(throw) != DICE or len(unmoved(self._table, throw)) == DICE:
            return False
        if self._unread:
            self._emptied |= not dice
        elif all_known(known := remembered(dice, throw)):
            self._book_throw(t, known)
            return False
        elif not dice or faces_of(dice) != faces_of(throw):
            self._unread, self._emptied = True, not dice
        if self._unread:
            self._warn(t, AlertKind.UNREAD_THROW, wording.unread(self._now[0]))
        return True

    def _look_for_roll(self, t: float, dice: tuple[Lying, ...]) -> None:
        if not dice:
            self._old = ()
            self._settle()
        elif self._old and self._is_old(dice):
            if not all_known(dice):
                self._ask(t, dice)
            elif faces_of(dice) == faces_of(self._old):
                self._settle()
                self._old = dice
            else:
                self._warn(t, AlertKind.TURN_OVER, wording.turn_over(self._now[0]))
        elif len(dice) < DICE:
            if not self._old:
                self._warn(t, AlertKind.OFF_TRAY, wording.dice_missing(len(dice)))
        elif not all_known(dice):
            self._ask(t, dice)
        else:
            self._book_throw(t, dice)

    def _is_old(self, dice: tuple[Lying, ...]) -> bool:
        """Whether the ten dice that lie there are those of the turn before."""
        if len(dice) == DICE and len(unmoved(self._old, dice)) >= OLD_DICE:
            return True
        return faces_of(dice) == faces_of(self._old)

    def _look_at_kept(self, t: float, dice: tuple[Lying, ...]) -> None:
        """Some dice have left the table: this is the moment to judge."""
        found = pick_up(self._table, dice, self._pick_up)
        if found is not None:
            self._settle()
            self._pick_up = found
            finding = found.bounds.judge(self.game.faces, self.game.phase, self.game.rules)
            if not self._is_told(found, finding):
                self._book_pick_up(t, found, finding)
        elif all_known(dice):
            # Faces that were not there: some dice are thrown, and not all of them.
            self._warn(t, AlertKind.OFF_TRAY, wording.dice_missing(len(dice)))
        else:
            self._ask(t, dice)

    def _is_told(self, found: PickUp, finding: Finding) -> bool:
        """Whether there is nothing new to tell about the dice in the hand."""
        turn = self.game.current
        hand = turn.hand if turn else None
        if hand is None or (hand.verdict, hand.reasons) != (finding.verdict, finding.reasons):
            return False
        if found.faces == hand.picked_up:
            return True
        # If more dice lie there than before, those back on their spots were put down; others may
        # have been thrown already, one by one, and then the pick-up is what it was.
        more = Counter(found.faces) < Counter(hand.picked_up)
        return more and found.bounds.least != found.bounds.most

    def _look_at_ten(self, t: float, dice: tuple[Lying, ...]) -> None:
        if not all_known(dice):
            self._ask(t, dice)
        elif self._unread or faces_of(dice) != self.game.faces:
            self._book_throw(t, dice)
        elif self._pick_up is None:
            # Nudged at most. A reroll that nobody saw and that gave the same faces is missed.
            self._settle()
            self._table, self._restoring = dice, False
        elif self._was_put_back(dice):
            self._settle()
            if self.game.picked_up:
                self._tell(PickedUp(t, *self._now, (), self.game.faces, Verdict.LEGAL), dice)
            self._table, self._pick_up = dice, None
        else:
            self._book_throw(t, dice)

    def _was_put_back(self, dice: tuple[Lying, ...]) -> bool:
        """Whether the same faces as before the pick-up were laid back, not thrown.

        Dice on their old spots were. Elsewhere it is anybody's guess: then a legal pick-up
        counts as thrown, and any other as taken back, as the alarm asked.
        """
        return len(unmoved(self._table, dice)) == DICE or self.game.verdict is not Verdict.LEGAL

    def _recall(self, dice: tuple[Lying, ...]) -> tuple[Lying, ...]:
        """The dice with what is known of those that have not moved."""
        earlier = [self._old, self._table, self._waiting, self._said]
        if self._pick_up is not None:
            # What was picked up has left its place, so what lies there in the end is another die.
            earlier[1] = self._pick_up.kept if len(dice) >= DICE else self._table
            earlier.insert(2, self._pick_up.kept)
        for before in earlier:
            dice = remembered(before, dice)
        return dice

    def _without_strangers(self, readings: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
        """The readings that may be dice of ours.

        What is flagged as no d10 is left out where it cannot be one of the ten: it lies there
        besides ten others, or before a roll; and later on as long as it has not moved.
        """
        dice = lying(readings)
        known = {j for _, j in unmoved(self._strangers, dice)}
        left = [j for j in range(len(dice)) if j not in known]
        flagged = [j for j in left if is_stranger(readings[j])]
        before_roll = self.game.phase is Phase.ROLL_10 and len(left) != DICE
        if before_roll or len(left) - len(flagged) >= DICE:
            self._strangers += tuple(dice[j] for j in flagged)
            left = [j for j in left if j not in flagged]
        return tuple(readings[j] for j in left)

    # Saying what happened.

    def _book_throw(self, t: float, dice: tuple[Lying, ...]) -> None:
        """Ten dice were thrown, or some of them again."""
        game, now = self.game, self._now
        faces = faces_of(dice)
        if game.phase is Phase.ROLL_10:
            self._tell(Rolled(t, *now, faces), dice)
        else:
            told = (game.verdict, game.reasons) if game.picked_up else None
            bounds = reroll(self._table, dice, self._pick_up)
            if self._unread:
                bounds = Bounds((), game.faces)
            finding = bounds.judge(game.faces, game.phase, game.rules)
            self._tell(Rerolled(t, *now, faces, finding.verdict, finding.reasons), dice)
            if told != (finding.verdict, finding.reasons):
                self._say_finding(t, now, finding, bounds)
        self._settle()
        self._old, self._table, self._pick_up = (), dice, None
        self._said, self._restoring = (), False
        self._announce(t)

    def _book_pick_up(self, t: float, found: PickUp, finding: Finding) -> None:
        game, now = self.game, self._now
        told = (game.verdict, game.reasons) if game.picked_up else None
        kept = remaining(game.faces, found.faces)
        event = PickedUp(t, *now, found.faces, kept, finding.verdict, finding.reasons)
        self._tell(event, found.kept)
        if told != (finding.verdict, finding.reasons):
            self._say_finding(t, now, finding, found.bounds)

    def _say_finding(self, t: float, now: Now, finding: Finding, bounds: Bounds) -> None:
        """Alert the table to a verdict that is not "legal"."""
        player, _, phase = now
        if finding.verdict is Verdict.ILLEGAL:
            text = wording.illegal(player, phase, finding.reasons, len(bounds.least))
            self._tell(Alert(t, *now, AlertKind.ILLEGAL_REROLL.value, text))
        elif finding.verdict is Verdict.CANNOT_TELL:
            text = wording.cannot_tell(player, phase, finding.reasons, len(bounds.most))
            self._tell(Alert(t, *now, AlertKind.CANNOT_TELL.value, text))

    def _stand(self, t: float, dice: tuple[Lying, ...] = ()) -> None:
        """The player stands; `dice` are those still in the tray."""
        self._tell(Stood(t, *self._now), dice)
        self._settle()
        self._announce(t)

    def _announce(self, t: float) -> None:
        """Say the scores that are due; the dice of a finished turn are old dice then."""
        while due := self.game.due(t):
            self._tell(due)
        if self._table and self.game.phase not in REROLLS:
            self._old, self._table, self._pick_up = self._table, (), None
            self._restoring = False

    def _ask(self, t: float, dice: tuple[Lying, ...]) -> None:
        """Ask for each die nobody knows, once, and let the view wait."""
        self._waiting = dice
        unknown = [die for die in dice if die.face is None]
        leaning = [die for die in unknown if LEANING & set(die.doubts)]
        if leaning:
            self._warn(t, AlertKind.COCKED, wording.leaning(leaning))
        questions = {}
        for die in unknown:
            if die not in leaning:
                asked = [seq for seq, other in self._questions.items() if near(other, die)]
                questions[asked[0] if asked else self._tell(question(t, self._now, die))] = die
        self._questions = questions

    def _warn(self, t: float, kind: AlertKind, text: str) -> None:
        """Alert to something in the tray, unless that was said and still is so."""
        self._causes.add(kind)
        if kind not in self._told:
            self._told.add(kind)
            self._alert(t, kind, text)

    def _alert(self, t: float, kind: AlertKind, text: str) -> None:
        self._tell(Alert(t, *self._now, kind.value, text))

    def _settle(self) -> None:
        """No die is in doubt any more."""
        self._waiting, self._questions = (), {}
        self._unread = self._emptied = False

    def _tell(self, event: Event, dice: tuple[Lying, ...] = ()) -> int:
        """Apply an event, keep how the dice lay, and give the event's number."""
        self._apply(event)
        seq = len(self.events) - 1
        if dice:
            self.evidence[seq] = dice
        return seq

    def _apply(self, event: Event) -> None:
        self.game = self.game.apply(event)
        self.events.append(event)

    @property
    def _now(self) -> Now:
        game = self.game
        return game.player or game.players[-1], game.turn, game.phase

    # Remembering from the record.

    def _restore(self) -> None:
        """Take what lies in the tray from the record of the game."""
        self._settle()
        self._told, self._said, self._restoring = set(), (), False
        self._old, self._table, self._pick_up = (), (), None
        turn = self.game.current
        throws = [throw for each in self.game.turns for throw in each.throws]
        if not throws:
            return
        latest = throws[-1]
        dice = placed(self.evidence.get(latest.seq, ()), latest.faces)
        if turn is None or not turn.throws:
            stand = self._latest_of(Stood, latest.seq)
            if stand is None or stand in self.evidence:
                self._old = dice
            return
        self._table = dice
        if turn.hand and turn.hand.picked_up:
            out = turn.hand.picked_up
            seen = self._latest_of(PickedUp, latest.seq)
            kept = placed(self.evidence.get(seen or 0, ()), turn.hand.kept)
            # A verdict left open says that more may have been out of the tray, not what.
            open_end = turn.hand.verdict is Verdict.CANNOT_TELL
            bounds = Bounds(out, latest.faces if open_end else out)
            self._pick_up = PickUp(kept, (*dice, *kept), bounds)

    def _latest_of(self, kind: type[Event], after: int) -> int | None:
        """The number of the latest event of a kind since event number `after`."""
        for seq in range(len(self.events) - 1, after, -1):
            if isinstance(self.events[seq], kind):
                return seq
        return None

    def _reopen(self) -> None:
        """Take from the record what was asked, told and said since something last happened."""
        for seq in range(len(self.events) - 1, -1, -1):
            event = self.events[seq]
            if isinstance(event, Alert):
                if event.kind in set(AlertKind):
                    self._told.add(AlertKind(event.kind))
            elif isinstance(event, Answer):
                asked = self.events[event.seq]
                if isinstance(asked, Question):
                    self._said += (_asked_about(asked, event.face),)
            elif isinstance(event, Question):
                die = _asked_about(event, None)
                if not any(near(die, other) for other in self._said):
                    self._questions[seq] = die
            else:
                return


def question(t: float, now: Now, die: Lying) -> Question:
    """The question what a die shows."""
    center = (round(die.x, 1), round(die.y, 1))
    return Question(t, *now, wording.question(die), center, die.candidates, die.doubts)


def in_ms(t: float) -> float:
    """Seconds rounded to milliseconds, as events have them."""
    return round(float(t), 3)


def _asked_about(event: Question, face: int | None) -> Lying:
    x, y = event.center
    said = face is not None
    return Lying(face, x, y, 0.0, math.nan, event.candidates, event.doubts, said)


def _same_view(before: tuple[Lying, ...], dice: tuple[Lying, ...]) -> bool:
    """Whether the same dice lie there as before, dice of unknown place left aside."""
    there = [die for die in before if not math.isnan(die.x)]
    return len(there) == len(dice) == len(unmoved(there, dice))
