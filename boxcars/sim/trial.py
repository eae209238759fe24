"""One simulated game through the real reader, settler and referee, against what truly happened."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import takewhile

from boxcars.lying import Lying
from boxcars.referee import AlertKind, Referee
from boxcars.sim.evening import Evening
from boxcars.sim.film import Deed, Film, Motion, Trouble, Truth
from boxcars.sim.source import SimSource
from scoring.cars import Faces
from scoring.events import Alert, Event, PickedUp, Question, Rerolled, Rolled, Stood
from scoring.rules import Verdict
from vision.records import DieReading, Image, Point, TrayView
from vision.settle import Reader, Settler

_NEAR_PX = 45.0
"""A question is about the true die no further away than this."""
_ANSWERS = 40
"""A table that was asked so often in one game gives up."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that truly happened: was it found, and how late after it was complete?"""

    deed: Deed
    found: bool
    troubles: frozenset[Trouble]
    turn: int
    t: float
    late_s: float | None = None
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """One reroll that was found: what it truly was and what the referee said in the end.

    `alarmed`: at some time before, a pick-up that truly was legal was called illegal.
    """

    legal: bool
    verdict: Verdict
    alarmed: bool
    troubles: frozenset[Trouble]
    t: float

    @property
    def is_false_alarm(self) -> bool:
        """Whether a legal reroll was, at any time, called illegal."""
        return self.alarmed or (self.legal and self.verdict is Verdict.ILLEGAL)


@dataclass(frozen=True, slots=True)
class GameReport:
    """How one game went. `extra` counts events told that never happened, by their kind."""

    seed: int
    players: int
    troubles: frozenset[Trouble]
    checks: tuple[Check, ...]
    judged: tuple[Judged, ...]
    extra: Counter[str]
    standing_alarms: int
    """Turns ended by emptying the tray in which that was first taken for an illegal reroll."""
    questions: int
    unaided_right: bool
    aided_right: bool
    frames: int
    reads: int
    seconds: float


@dataclass(slots=True)
class _Run:
    """A referee and the events it told, each with the time of its view."""

    referee: Referee
    events: list[Event] = field(default_factory=list)


class _CountingReader:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.reads = 0

    def read(self, image: Image) -> tuple[DieReading, ...]:
        self.reads += 1
        return self._reader.read(image)


def play(evening: Evening, reader: Reader, source: SimSource | None = None) -> GameReport:
    """Watch the whole evening, twice refereed: without help, and with questions answered.

    `source` is the evening's own, if it was opened already.
    """
    began = time.perf_counter()
    counting = _CountingReader(reader)
    settler = Settler(counting)
    names = [f"Player {number + 1}" for number in range(len(evening.look.hands))]
    alone, helped = _Run(Referee(names)), _Run(Referee(names))
    answers = _Answers(evening, helped)
    frames = 0
    with source or SimSource(evening, fast=True) as opened:
        for frame in opened:
            frames += 1
            view = settler.push(frame)
            if view is not None:
                alone.events.extend(alone.referee.see(view))
                answers.see(view)
    return _report(evening, alone, helped, answers.asked, frames, counting.reads, began)


class _Answers:
    """Somebody at the table who answers whatever is asked, with the truth, and does no more."""

    def __init__(self, evening: Evening, run: _Run) -> None:
        self._evening = evening
        self._run = run
        self.asked = 0

    def see(self, view: TrayView) -> None:
        """Let the referee see a view, and answer what it asks."""
        told = self._run.referee.see(view)
        while told and self.asked < _ANSWERS:
            self._run.events.extend(told)
            told = self._answer(view.t, told)
        self._run.events.extend(told)

    def _answer(self, t: float, told: Sequence[Event]) -> tuple[Event, ...]:
        referee = self._run.referee
        for event in told:
            if isinstance(event, Alert) and event.kind == AlertKind.UNREAD_THROW:
                self.asked += 1
                faces = throw_at(self._evening.film, t)
                # Whose die leans throws it again and has nothing to say yet.
                return referee.enter(t, faces) if faces else ()
            if isinstance(event, Question):
                self.asked += 1
        for seq, die in referee.questions.items():
            found = self._near(t, die)
            if found is None:
                return self._remove(t, die)
            _, face = found
            if face is not None:
                return referee.answer(t, seq, face)
        return ()

    def _remove(self, t: float, die: Lying) -> tuple[Event, ...]:
        """What was asked about is no die."""
        referee = self._run.referee
        for index, other in enumerate(referee.dice):
            if math.dist((die.x, die.y), (other.x, other.y)) < 1:
                return referee.remove_die(t, index)
        return ()

    def _near(self, t: float, die: Lying) -> tuple[Point, int | None] | None:
        """The true die that a question is about, if one lies there."""

        def apart(it: tuple[Point, int | None]) -> float:
            return math.dist(it[0], (die.x, die.y))

        nearest = min(self._evening.dice_at(t), key=apart, default=None)
        return nearest if nearest and apart(nearest) < _NEAR_PX else None


def throw_at(film: Film, t: float) -> Faces | None:
    """What the latest throw shows at `t`; None while some of its dice are still to be thrown."""
    throws = [it for it in film.truth if it.t <= t and it.deed in (Deed.ROLL, Deed.REROLL)]
    if not throws:
        return None
    latest = throws[-1]
    if any(latest.t < f.start <= t for f in film.flights if f.motion is Motion.ROLL):
        return None
    return latest.faces


# Comparing.

_Token = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Told:
    """An event that the referee told, or several about one pick-up; `alarm` if one was illegal."""

    token: _Token
    t: float
    verdict: Verdict = Verdict.LEGAL
    alarm: bool = False


def _token(truth: Truth) -> _Token:
    if truth.deed in (Deed.STAND, Deed.PUT_BACK):
        return truth.deed.value, ()
    return truth.deed.value, tuple(sorted(truth.faces))


def _report(
    evening: Evening,
    alone: _Run,
    helped: _Run,
    asked: int,
    frames: int,
    reads: int,
    began: float,
) -> GameReport:
    truths = [truth for truth in evening.truth if truth.deed is not Deed.SCORE]
    told, standing_alarms = _condensed(helped.events)
    matcher = SequenceMatcher(
        None, [_token(truth) for truth in truths], [each.token for each in told], autojunk=False
    )
    pairs = {
        block.a + k: block.b + k
        for block in matcher.get_matching_blocks()
        for k in range(block.size)
    }
    checks = tuple(
        Check(
            truth.deed,
            index in pairs,
            truth.troubles,
            truth.turn,
            truth.t,
            told[pairs[index]].t - truth.t if index in pairs else None,
            Trouble.QUICK in truth.troubles,
        )
        for index, truth in enumerate(truths)
    )
    matched = set(pairs.values())
    extra = Counter(each.token[0] for index, each in enumerate(told) if index not in matched)
    points: Counter[int] = Counter()
    for truth in evening.truth:
        if truth.deed is Deed.SCORE:
            points[truth.player] += truth.points
    totals = [points[player] for player in range(len(evening.look.hands))]
    return GameReport(
        seed=evening.seed,
        players=len(evening.look.hands),
        troubles=evening.troubles,
        checks=checks,
        judged=tuple(_judged(truths, told, pairs)),
        extra=extra,
        standing_alarms=standing_alarms,
        questions=asked,
        unaided_right=_is_right(alone.referee, totals),
        aided_right=_is_right(helped.referee, totals),
        frames=frames,
        reads=reads,
        seconds=time.perf_counter() - began,
    )


def _is_right(referee: Referee, totals: list[int]) -> bool:
    game = referee.game
    return game.over and [game.totals[name] for name in game.players] == totals


def _condensed(events: Sequence[Event]) -> tuple[list[_Told], int]:
    """The rolls, pick-ups, put-backs, rerolls and stands told, and how often a stand alarmed.

    A pick-up that grows is one pick-up, and so is one that shrinks until all was put back; what
    was first taken for a pick-up and then for a stand is a stand.
    """
    told: list[_Told] = []
    alarms = 0
    for event in events:
        match event:
            case Rolled():
                told.append(_Told(("roll", tuple(event.faces)), event.t))
            case Rerolled():
                faces = tuple(event.faces)
                told.append(_Told(("reroll", faces), event.t, event.verdict))
            case PickedUp(picked_up=()):
                shrunk = _while_shrinking(told)
                told[len(told) - shrunk :] = []
                told.append(_Told(("put-back", ()), event.t))
            case PickedUp():
                hand = tuple(sorted(event.picked_up))
                alarm = event.verdict is Verdict.ILLEGAL
                if told and told[-1].token[0] == "pickup":
                    before = Counter(told[-1].token[1])
                    if not before - Counter(hand):
                        alarm = alarm or told[-1].alarm
                        told.pop()
                told.append(_Told(("pickup", hand), event.t, event.verdict, alarm))
            case Stood():
                while told and told[-1].token[0] == "pickup":
                    alarms += told.pop().alarm
                told.append(_Told(("stand", ()), event.t))
    return told, alarms


def _while_shrinking(told: list[_Told]) -> int:
    """How many of the latest pick-ups only repeat a larger one before them."""
    count = 0
    while len(told) > count + 1:
        last, before = told[-1 - count].token, told[-2 - count].token
        if last[0] != "pickup" or before[0] != "pickup":
            break
        if Counter(last[1]) - Counter(before[1]):
            break
        count += 1
    return count


def _judged(
    truths: Sequence[Truth], told: Sequence[_Told], pairs: dict[int, int]
) -> Iterator[Judged]:
    """What was said of each reroll that was found."""
    # An alarm at a pick-up that truly was illegal is right, though its throw was missed.
    right = {told_at for true_at, told_at in pairs.items() if truths[true_at].illegal}
    for index, truth in enumerate(truths):
        if truth.deed is not Deed.REROLL or index not in pairs:
            continue
        # All pick-ups that were told since the throw before.
        since = range(pairs[index])[::-1]
        alarms = [
            at
            for at in takewhile(lambda at: told[at].token[0] in ("pickup", "put-back"), since)
            if told[at].alarm and at not in right
        ]
        back = index - 1
        truly_illegal = bool(truth.illegal)
        while back >= 0 and truths[back].deed in (Deed.PICK_UP, Deed.PUT_BACK):
            truly_illegal = truly_illegal or bool(truths[back].illegal)
            back -= 1
        alarmed = not truly_illegal and bool(alarms)
        verdict = told[pairs[index]].verdict
        yield Judged(not truth.illegal, verdict, alarmed, truth.troubles, truth.t)
