"""The observer: follows a game by settled views of the tray, judging by evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from boxcars import wording
from boxcars.bumps import find_shift
from boxcars.lying import (
    SAME_PLACE,
    Dice,
    Lying,
    all_known,
    faces_of,
    is_disputed,
    is_stranger,
    kept_in_place,
    lying,
    misread_again,
    near,
    nowhere,
    only_doubtful_left,
    remembered,
    unmoved,
    untouched,
)
from boxcars.memory import latest_lay, recall
from boxcars.pickups import Bounds, Finding, PickUp, pick_up, reroll, reroll_unread
from boxcars.wording import AlertKind
from scoring.cars import DICE
from scoring.events import Alert, Event, PickedUp, Question, Rerolled, Rolled, Stood
from scoring.game import Game
from scoring.phases import REROLLS, Phase
from scoring.rules import DEFAULT_RULES, HouseRules, Verdict, remaining
from vision.records import LEANING as DOUBTS_OF_LEANING
from vision.records import DieReading, TrayView

__all__ = ["LEANING", "AlertKind", "Now", "Observer", "in_ms", "question"]

OLD_DICE = 3
"""If this many dice still lie where a finished turn left them, no new roll was thrown.

Raising it takes the old dice for a new roll when most of them were shoved about.
"""

UNLIKELY_AGAIN = 2
"""So many dice picked up hardly ever come up the same, and were perhaps only laid back."""

STRANGE_DICE = 3
"""If at least so many faces differ from those that were to be laid back, ten dice that come into an
emptied tray are the next roll. Raising it takes a roll for a reroll; of random rolls 1 in 40 has
fewer.
"""

BUMPED_DICE = 5
"""So many dice that kept their faces and relative places, when most lie elsewhere, tell of a bump.
"""

BUMPED_DICE_TOLD = 3
"""The same where it is known that the camera moved."""

LEANING = frozenset(DOUBTS_OF_LEANING.names)
"""The names of the doubts about how a die lies."""

Now = tuple[str, int, Phase]
"""Whose turn it is, which turn and which phase."""


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
        evidence: Mapping[int, Dice] | None = None,
    ) -> None:
        self.game = Game(rules)
        """Where the game stands."""
        self.events: list[Event] = []
        """Everything that happened; an event's number is its place."""
        self.evidence: dict[int, Dice] = dict(evidence or {})
        """How the dice lay, by the number of the event that tells of them. It follows dice that are
        nudged, and a camera that is bumped.
        """
        for event in events:
            self._apply(event)
        self._memory = recall(self.game, self.events, self.evidence)
        self._causes: frozenset[AlertKind] = frozenset()
        """What the latest view gave reason to warn of."""

    def see(self, view: TrayView) -> tuple[Event, ...]:
        """What a view of the tray tells, applied to the game already."""
        if not view.settled or view.hand:
            return ()
        memory, start = self._memory, len(self.events)
        self._follow_camera(lying(view.readings))
        dice = lying(self._without_strangers(view.readings))
        if self.game.current is None:
            memory.seen = dice
            return ()
        if memory.dismissed is not None:
            if _same_view(memory.dismissed, dice):
                return ()
            memory.dismissed = None
        memory.skipped, memory.unread_dice = view.overlooked, view.unread_dice
        memory.hurried = view.hurried
        if memory.pick_up is None:
            memory.overlooked |= view.overlooked
        self._look(in_ms(view.t), dice)
        return tuple(self.events[start:])

    def ended(self, t: float) -> tuple[Event, ...]:
        """The source has no more pictures: say so if the game is not over."""
        start = len(self.events)
        game = self.game
        if game.player is not None:
            open_questions = len(self._memory.questions)
            text = wording.source_ended(game.player, game.turn, game.phase, open_questions)
            self._alert(in_ms(t), AlertKind.SOURCE_ENDED, text)
        return tuple(self.events[start:])

    @property
    def warned(self) -> frozenset[str]:
        """Kinds of the alerts to things in the tray whose cause is still there."""
        return frozenset(kind.value for kind in self._memory.told)

    # Looking at the tray.

    def _look(self, t: float, dice: Dice) -> None:
        """Judge one settled view."""
        memory = self._memory
        dice = self._with_unseen(self._recall(dice))
        memory.seen = dice
        self._causes = frozenset()
        if len(dice) > DICE:
            self._warn(t, AlertKind.ELEVEN_DICE, wording.too_many_dice(len(dice)))
        elif len(dice) == DICE or not self._waits_for_throw(t, dice):
            if self._is_next_roll(dice):
                self._stand(t)
                memory.old = ()
            if self.game.phase is Phase.ROLL_10:
                self._look_for_roll(t, dice)
            elif len(dice) == DICE:
                self._look_at_ten(t, dice)
            elif memory.restoring is not None:
                # Dice come and go until they lie as they did.
                memory.emptied |= not dice
            elif dice:
                self._look_at_kept(t, dice)
            elif self.game.picked_up and memory.skipped:
                # The dice in the hand were perhaps thrown and taken up with the others.
                self._miss_throw(t, memory.pick_up.kept if memory.pick_up else ())
            else:
                self._stand(t)
                memory.old = ()
        memory.told &= self._causes

    def _is_next_roll(self, dice: Dice) -> bool:
        """Whether a turn that nobody ended is over: the tray was empty and ten dice lie there now.

        Where nobody told what the throw before the empty tray showed, the game goes on without.
        Where a reroll was taken back, the dice may have been gathered instead of laid back.
        """
        memory = self._memory
        if not memory.emptied or self.game.phase not in REROLLS or len(dice) < DICE:
            return False
        strange = Counter(faces_of(dice)) - Counter(self.game.faces)
        return memory.restoring is None or strange.total() >= STRANGE_DICE

    def _waits_for_throw(self, t: float, dice: Dice) -> bool:
        """Whether dice were taken up while a throw waits for its doubtful dice to be known.

        If the dice still there now tell what was in doubt, the throw is booked first. If only
        dice in doubt have left, they are thrown again, as one does with a die that leans. Else
        the throw stays unread unless somebody tells what it showed.
        """
        memory = self._memory
        if not self._throw_waits:
            return False
        if self.game.phase is Phase.ROLL_10 and memory.emptied and dice:
            # The turn begins anew; what lay there before the tray was emptied stays unknown.
            memory.settled()
            return False
        throw = memory.waiting
        if memory.unread:
            memory.emptied |= not dice
            if memory.emptied and self.game.phase is Phase.ROLL_10:
                memory.old = ()
        elif all_known(known := remembered(dice, throw)):
            self._look_at_throw(t, known)
            return False
        elif not dice or not only_doubtful_left(throw, dice):
            memory.unread, memory.emptied = True, not dice
        if memory.unread:
            self._warn_unread(t)
        return True

    def _miss_throw(self, t: float, left: Dice) -> None:
        """A whole throw may have gone by unseen, of which the dice `left` are known."""
        memory = self._memory
        memory.waiting = (*left, *nowhere([None] * (DICE - len(left))))
        memory.unread, memory.emptied = True, not (memory.seen or ())
        self._warn_unread(t)

    def _warn_unread(self, t: float) -> None:
        text = wording.unread(self._now[0], self.game.phase)
        self._warn(t, AlertKind.UNREAD_THROW, text, self._memory.waiting)

    @property
    def _throw_waits(self) -> bool:
        """Whether a new throw waits for a die to be known, not one that was told already."""
        table, throw = self._memory.table, self._memory.waiting
        if not table and self._is_old(throw):
            return False
        unseen = min(sum(die.is_unseen for die in dice) for dice in (table, throw))
        return len(throw) == DICE and len(unmoved(table, throw)) + unseen < DICE

    def _look_at_throw(self, t: float, dice: Dice) -> None:
        """Ten dice that waited for one in doubt are known; they may have been nudged only."""
        if self.game.phase is Phase.ROLL_10:
            self._look_for_roll(t, dice)
        else:
            self._look_at_ten(t, dice)

    def _look_for_roll(self, t: float, dice: Dice) -> None:
        memory = self._memory
        if not dice:
            memory.old = ()
            memory.settled()
        elif memory.old and self._is_old(dice):
            if not all_known(dice):
                self._ask(t, dice)
            elif faces_of(dice) == faces_of(memory.old):
                memory.settled()
                memory.old = dice
            else:
                self._warn(t, AlertKind.TURN_OVER, wording.turn_over(self._now[0]))
        elif len(dice) < DICE:
            if self._is_gathered(dice):
                return
            if memory.unread_dice >= DICE:
                # All ten lay there before, and these are what is left of them.
                self._miss_throw(t, dice)
            else:
                self._warn(t, AlertKind.OFF_TRAY, wording.dice_missing(len(dice)))
        elif not all_known(dice):
            self._ask(t, dice)
        else:
            self._book_throw(t, dice)

    def _is_old(self, dice: Dice) -> bool:
        """Whether the ten dice that lie there are those of the turn before."""
        if len(dice) != DICE:
            return False
        old = self._memory.old
        return len(unmoved(old, dice)) >= OLD_DICE or faces_of(dice) == faces_of(old)

    def _is_gathered(self, dice: Dice) -> bool:
        """Whether these may be what is left of the turn before while its dice are gathered."""
        old = self._memory.old
        strange = Counter(faces_of(dice)) - Counter(faces_of(old))
        return bool(old) and (not strange or bool(unmoved(old, dice)))

    def _look_at_kept(self, t: float, dice: Dice) -> None:
        """Some dice have left the table: this is the moment to judge."""
        memory = self._memory
        found = pick_up(memory.table, dice, memory.pick_up)
        if found is not None:
            if memory.pick_up is None:
                # Dice that lie where they lay were never thrown: nothing was overlooked.
                memory.overlooked &= len(unmoved(memory.table, found.kept)) < len(found.kept)
            memory.settled()
            hurried = memory.hurried or (memory.pick_up is not None and memory.pick_up.hurried)
            memory.pick_up = found = replace(found, hurried=hurried)
            finding = self._judge(found.bounds, dice)
            if not self._is_told(found, finding):
                self._book_pick_up(t, found, finding)
        elif all_known(dice):
            # Faces that were not there: some dice are thrown, and not all of them; or all were, and
            # some of them are picked up again.
            if memory.skipped:
                memory.overlooked = True
                self._miss_throw(t, dice)
            else:
                self._warn(t, AlertKind.OFF_TRAY, wording.dice_missing(len(dice)))
        else:
            self._ask(t, dice)

    def _judge(self, bounds: Bounds, dice: Dice) -> Finding:
        """The verdict on a pick-up that left these `dice`, or on the throw that they show.

        Never "illegal" where a whole throw may have gone by unseen: dice that lie elsewhere may
        have been thrown then, and what is missing may be of two pick-ups. Nor where looks at a die
        contradict each other: perhaps it was misread in the roll.
        """
        finding = bounds.judge(self.game.faces, self.game.phase, self.game.rules)
        open_end = self._memory.overlooked or any(map(is_disputed, dice))
        if open_end and finding.verdict is Verdict.ILLEGAL:
            return replace(finding, verdict=Verdict.CANNOT_TELL)
        return finding

    def _is_told(self, found: PickUp, finding: Finding) -> bool:
        """Whether there is nothing new to tell about the dice in the hand."""
        turn = self.game.current
        hand = turn.hand if turn else None
        if hand is None:
            return not found.faces
        if (hand.verdict, hand.reasons) != (finding.verdict, finding.reasons):
            return False
        if found.faces == hand.picked_up:
            return True
        # If more dice lie there than before, those back on their spots were put down; others may
        # have been thrown already, one by one, and then the pick-up is what it was.
        more = Counter(found.faces) < Counter(hand.picked_up)
        return more and found.bounds.least != found.bounds.most

    def _look_at_ten(self, t: float, dice: Dice) -> None:
        memory = self._memory
        if not all_known(dice):
            self._ask(t, dice)
        elif memory.unread or faces_of(dice) != self.game.faces:
            if memory.unread or not self._is_being_restored(dice):
                self._book_throw(t, dice)
        elif memory.pick_up is None:
            # Nudged at most. A reroll that nobody saw and that gave the same faces is missed.
            memory.settled()
            memory.table, memory.restoring, memory.overlooked = dice, None, False
            self._remember_lay(dice)
        elif self._was_put_back(dice):
            memory.settled()
            if self.game.picked_up:
                self._tell(PickedUp(t, *self._now, (), self.game.faces, Verdict.LEGAL), dice)
            memory.table, memory.pick_up = dice, None
        else:
            back = len(unmoved(memory.table, dice)) == DICE
            if back or len(self.game.picked_up) >= UNLIKELY_AGAIN:
                self._alert(t, AlertKind.SAME_FACES, wording.SAME_FACES)
            self._book_throw(t, dice)

    def _remember_lay(self, dice: Dice) -> None:
        """The dice of the latest throw lie like this now, also for whoever undoes what follows."""
        seq = latest_lay(self.game, self.events)
        if seq is not None:
            self.evidence[seq] = dice

    def _is_being_restored(self, dice: Dice) -> bool:
        """Whether a reroll taken back is half undone: some lie as before it, others do not."""
        memory = self._memory
        taken_back = memory.restoring or ()
        if len(taken_back) != DICE:
            return False
        was_kept = {i for _, i in kept_in_place(memory.table, taken_back)}
        in_place = kept_in_place(taken_back, dice)
        kept = Counter(faces_of(taken_back[i] for i, _ in in_place if i in was_kept))
        stayed = {j for _, j in in_place}
        laid_back = Counter(faces_of(die for j, die in enumerate(dice) if j not in stayed))
        return laid_back <= Counter(self.game.faces) - kept

    def _was_put_back(self, dice: Dice) -> bool:
        """Whether the same faces as before the pick-up were laid back, not thrown.

        Dice on their old spots, turned as they were, never left them. Elsewhere it is anybody's
        guess: then a legal pick-up counts as thrown, and any other as taken back, as the alarm
        asked. But nobody lays a die back so that it leans, only to throw it again.
        """
        memory = self._memory
        kept = memory.pick_up.kept if memory.pick_up else ()
        stayed = {j for _, j in (*unmoved(kept, dice), *untouched(memory.table, dice))}
        if len(stayed) + sum(die.is_unseen for die in dice) == DICE:
            return True
        # Of a die whose place is not known any more nobody can say that it is gone from there.
        leant = [die for die in self._memory.waiting if _leans(die) and not math.isnan(die.x)]
        thrown = any(not any(near(die, other) for other in dice) for die in leant)
        return not thrown and self.game.verdict is not Verdict.LEGAL

    def _recall(self, dice: Dice) -> Dice:
        """The dice with what is known of those that have not moved."""
        memory = self._memory
        dice = misread_again(memory.table, dice)
        # Who lays dice back may turn them on their spots: of those only a person's word counts.
        taken_back = tuple(die for die in memory.restoring or () if die.said)
        earlier = [memory.old, memory.table, taken_back, memory.waiting, memory.said]
        if memory.pick_up is not None:
            # What was picked up has left its place, so what lies there once it is thrown is
            # another die.
            new = Counter(faces_of(dice)) - Counter(faces_of(memory.table))
            earlier[1] = memory.pick_up.kept if new or len(dice) >= DICE else memory.table
            earlier.insert(3, memory.pick_up.kept)
        for before in earlier:
            dice = remembered(before, dice)
        return dice

    def _with_unseen(self, dice: Dice) -> Dice:
        """With the dice that people told of and the camera never shows, if all others are here."""
        table = self._memory.table
        whole = (*dice, *(die for die in table if die.is_unseen))
        if len(whole) > len(dice) and len(whole) == DICE and all_known(whole):
            return whole if faces_of(whole) == faces_of(table) else dice
        return dice

    def _without_strangers(self, readings: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
        """The readings that may be dice of ours.

        What is flagged as no d10 is left out where it cannot be one of the ten: it lies there
        besides ten others, or before a roll; and later on as long as it has not moved.
        """
        memory = self._memory
        dice = lying(readings)
        known = self._strangers_among(dice)
        left = [j for j in range(len(dice)) if j not in known]
        flagged = [j for j in left if is_stranger(readings[j])]
        before_roll = self.game.phase is Phase.ROLL_10 and len(left) != DICE
        if before_roll or len(left) - len(flagged) >= DICE:
            memory.strangers += tuple(dice[j] for j in flagged)
            left = [j for j in left if j not in flagged]
        return tuple(readings[j] for j in left)

    def _strangers_among(self, dice: Dice) -> frozenset[int]:
        """Which of these lie where something was that is no die of ours.

        Dice are thrown there too: to where a pattern of the tray was once taken for a stranger,
        while fewer than ten others lie there; and one of ten, plainly read as something else than
        what a person said is none.
        """
        memory = self._memory
        if len(dice) == DICE:
            memory.strangers = tuple(
                stranger
                for stranger in memory.strangers
                if not stranger.said or not _is_replaced(stranger, dice)
            )
        pairs = unmoved(memory.strangers, dice)
        if len(dice) - len(pairs) < DICE:
            pairs = tuple(
                (i, j) for i, j in pairs if memory.strangers[i].said or not _is_die(dice[j])
            )
        return frozenset(j for _, j in pairs)

    def _follow_camera(self, dice: Dice) -> None:
        """If the camera was bumped, bring what is remembered to where it lies in this view."""
        memory = self._memory
        told, memory.camera_moved = memory.camera_moved, False
        seen = memory.seen or ()
        fewest = min(len(seen), len(dice))
        if not told and (fewest < BUMPED_DICE or 3 * len(unmoved(seen, dice)) > fewest):
            return
        shift = find_shift(seen, dice, BUMPED_DICE_TOLD if told else BUMPED_DICE)
        if shift is not None:
            memory.move(shift.of)
            for seq, lay in self.evidence.items():
                self.evidence[seq] = tuple(map(shift.of, lay))
        elif told:
            memory.forget_places()

    # Saying what happened.

    def _book_throw(self, t: float, dice: Dice, given: Dice | None = None) -> None:
        """Ten dice were thrown, or some of them again; `given` is the view if that shows else."""
        game, now, memory = self.game, self._now, self._memory
        faces = faces_of(dice)
        evidence = dice if given is None else given
        if game.phase is Phase.ROLL_10:
            self._tell(Rolled(t, *now, faces), evidence)
        else:
            told = (game.verdict, game.reasons) if game.picked_up else None
            if memory.unread:
                bounds = reroll_unread(memory.table, memory.waiting, memory.pick_up)
            else:
                bounds = reroll(memory.table, dice, memory.pick_up)
            finding = self._judge(bounds, dice)
            self._tell(Rerolled(t, *now, faces, finding.verdict, finding.reasons), evidence)
            if told != (finding.verdict, finding.reasons):
                self._say_finding(t, now, finding, bounds)
        memory.settled()
        memory.old, memory.table, memory.pick_up = (), dice, None
        memory.overlooked = False
        memory.said, memory.asked, memory.restoring = (), {}, None
        self._announce(t)

    def _book_pick_up(self, t: float, found: PickUp, finding: Finding) -> None:
        game, now = self.game, self._now
        told = (game.verdict, game.reasons) if game.picked_up else None
        kept = remaining(game.faces, found.faces)
        event = PickedUp(t, *now, found.faces, kept, finding.verdict, finding.reasons)
        self._tell(event, found.kept)
        self._memory.asked = {}
        if told != (finding.verdict, finding.reasons):
            self._say_finding(t, now, finding, found.bounds)

    def _say_finding(self, t: float, now: Now, finding: Finding, bounds: Bounds) -> None:
        """Alert the table to a verdict that is not "legal"."""
        player, _, phase = now
        if finding.verdict is Verdict.ILLEGAL:
            text = wording.illegal(player, phase, finding.reasons, len(bounds.least))
            self._tell(Alert(t, *now, AlertKind.ILLEGAL_REROLL.value, text))
        elif finding.verdict is Verdict.CANNOT_TELL:
            text = wording.cannot_tell(player, phase, finding.reasons)
            self._tell(Alert(t, *now, AlertKind.CANNOT_TELL.value, text))

    def _stand(self, t: float, dice: Dice = ()) -> None:
        """The player stands; `dice` are those still in the tray."""
        self._tell(Stood(t, *self._now), dice)
        self._memory.settled()
        self._memory.asked, self._memory.restoring = {}, None
        self._announce(t)

    def _announce(self, t: float) -> None:
        """Say the scores that are due; the dice of a finished turn are old dice then."""
        while due := self.game.due(t):
            self._tell(due)
        memory = self._memory
        if memory.table and self.game.phase not in REROLLS:
            memory.old, memory.table, memory.pick_up = memory.table, (), None
            memory.restoring = None

    def _ask(self, t: float, dice: Dice) -> None:
        """Ask for each die nobody knows, once, and let the view wait."""
        memory = self._memory
        if memory.unread and len(dice) == DICE:
            # The throw taken up before stays unknown: what is asked about now is another.
            memory.unread, memory.emptied, memory.overlooked = False, False, True
            memory.asked = {}
        memory.waiting = dice
        unknown = [die for die in dice if die.face is None and not math.isnan(die.x)]
        leaning = [die for die in unknown if _leans(die)]
        if leaning:
            self._warn(t, AlertKind.COCKED, wording.leaning(leaning), dice)
        questions = {}
        for die in unknown:
            if die not in leaning:
                before = [seq for seq, other in memory.asked.items() if near(other, die)]
                seq = before[0] if before else self._question(t, die, dice)
                questions[seq] = die
        memory.questions = questions
        memory.asked = {**memory.asked, **questions}

    def _question(self, t: float, die: Lying, dice: Dice) -> int:
        return self._tell(question(t, self._now, die), dice)

    def _warn(self, t: float, kind: AlertKind, text: str, dice: Dice | None = None) -> None:
        """Alert to something in the tray, unless that was said and still is so."""
        self._causes |= {kind}
        if kind not in self._memory.told:
            self._memory.told |= {kind}
            self._alert(t, kind, text, dice)

    def _alert(self, t: float, kind: AlertKind, text: str, dice: Dice | None = None) -> None:
        self._tell(Alert(t, *self._now, kind.value, text), dice)

    def _tell(self, event: Event, dice: Dice | None = None) -> int:
        """Apply an event, keep how the dice lay, and give the event's number."""
        self._apply(event)
        seq = len(self.events) - 1
        if dice is not None:
            self.evidence[seq] = dice
        return seq

    def _apply(self, event: Event) -> None:
        self.game = self.game.apply(event)
        self.events.append(event)

    @property
    def _now(self) -> Now:
        game = self.game
        return game.player or game.players[-1], game.turn, game.phase

    def _restore(self) -> None:
        """Take what is remembered from the record, and from what was seen since."""
        before = self._memory
        self._memory = recall(self.game, self.events, self.evidence)
        self._memory.seen = before.seen
        self._memory.camera_moved = before.camera_moved
        self._memory.strangers = before.strangers
        self._memory.told &= before.told


def question(t: float, now: Now, die: Lying) -> Question:
    """The question what a die shows."""
    center = (round(die.x, 1), round(die.y, 1))
    return Question(t, *now, wording.question(die), center, die.candidates, die.doubts)


def in_ms(t: float) -> float:
    """Seconds rounded to milliseconds, as events have them."""
    return round(float(t), 3)


def _leans(die: Lying) -> bool:
    """Whether it cannot be read for how it lies."""
    return die.face is None and bool(LEANING & set(die.doubts))


def _is_die(die: Lying) -> bool:
    """Whether it surely is one: it is read, or lies as only a die may."""
    return die.face is not None or _leans(die)


def _is_replaced(stranger: Lying, dice: Dice) -> bool:
    """Whether a die that is read for certain lies there now, another face or turned elsewhere."""
    return any(
        dice[j].face is not None and not untouched([stranger], [dice[j]], SAME_PLACE)
        for _, j in unmoved([stranger], dice)
    )


def _same_view(before: Dice, dice: Dice) -> bool:
    """Whether the same dice lie there as before, dice of unknown place left aside."""
    there = [die for die in before if not math.isnan(die.x)]
    return len(there) == len(dice) == len(unmoved(there, dice))
