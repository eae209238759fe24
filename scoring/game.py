"""A whole game as a fold of events: whose turn, which phase, every score and total."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from scoring.cars import Faces
from scoring.events import (
    Corrected,
    Event,
    GameOver,
    PickedUp,
    PlayerAdded,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
)
from scoring.phases import REROLLS, TURNS, Phase
from scoring.rules import (
    DEFAULT_RULES,
    HouseRules,
    Illegality,
    NotOnTheTable,
    Verdict,
    judge,
    legal_pick_ups,
    remaining,
)
from scoring.score import Score, ScoreLine, score


class WrongMoment(RuntimeError):
    """An event came that cannot come now."""


class NoSuchEvent(ValueError):
    """A correction or an undo names an event that it cannot apply to."""


@dataclass(frozen=True, slots=True)
class PickUp:
    """The dice in a player's hand, or that were in it: what was taken and what stayed."""

    picked_up: Faces
    kept: Faces
    verdict: Verdict
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Throw:
    """One roll or reroll of a turn, corrections included.

    `seq` is its event's number; `faces` are all ten after it, sorted. `pick_up` is None for a
    first roll and where nobody saw what was picked up; `verdict` is None for a first roll.
    """

    seq: int
    phase: Phase
    faces: Faces
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    pick_up: PickUp | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one player; `number` is 1-5.

    `hand` is the pick-up not yet thrown. `announced` holds the score lines last announced and
    is None until the turn is scored.
    """

    player: str
    number: int
    throws: tuple[Throw, ...] = ()
    hand: PickUp | None = None
    stood: bool = False
    announced: tuple[ScoreLine, ...] | None = None

    @property
    def phase(self) -> Phase:
        """The phase the turn is in; scoring once the player stood or the last reroll is made."""
        if self.stood:
            return Phase.SCORING
        return self.throws[-1].phase.next if self.throws else Phase.ROLL_10

    @property
    def closed(self) -> bool:
        """Whether the turn is scored."""
        return self.announced is not None

    @property
    def faces(self) -> Faces:
        """The ten faces that count, sorted; none before the first roll."""
        return self.throws[-1].faces if self.throws else ()


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line on the scoreboard.

    `scores` has an entry for each finished turn, `running` the total after it.
    """

    player: str
    scores: tuple[Score, ...]
    running: tuple[int, ...]

    @property
    def total(self) -> int:
        """The player's total so far."""
        return self.running[-1] if self.running else 0


@dataclass(frozen=True, slots=True)
class Game:
    """Where a game stands after its first `count` events; `Game()` is a game without any.

    Events are numbered from 0 in the order they came, all kinds alike. A turn goes `Rolled`,
    then up to four times `PickedUp` (which may have gone unseen) and `Rerolled`, or `Stood`
    after any throw, then `Scored`, and the next player's turn begins. Verdicts never stop the
    game. All scores and totals are derived from the faces, never from what was announced:

    - `Corrected` replaces the faces of the roll or reroll it names, in any turn, at any time,
      also after the game is over. If it was known what was picked up from that roll, the
      pick-up is judged again; where the correction leaves open whether the corrected die was
      in the hand and that matters, the verdict becomes "cannot tell". A reroll whose pick-up
      nobody saw keeps its verdict. Later throws keep the faces they were read with.
    - `Undone` goes back to the game as it stood before the event it names: that event and all
      after it, corrections and undos too, no longer count. So undoing an undo is a redo, which
      drops whatever came after the undo.
    - Questions, answers and alerts change nothing.

    Games are equal if they stand alike, whatever way they came there, their number of events
    included.
    """

    rules: HouseRules = DEFAULT_RULES
    players: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    """Every turn with a roll, in the order played."""
    announced: tuple[tuple[str, int], ...] | None = None
    """The totals last announced by `GameOver`."""
    count: int = 0
    """Events so far, and so the number of the next one."""
    undoable: int | None = None
    """The latest thing somebody did that an undo would take back: the number for `Undone`."""
    redoable: int | None = None
    """The undo that a redo would take back, None unless it was the latest thing done."""
    _before: Game | None = field(default=None, repr=False, compare=False)

    # What a scoreboard shows.

    @property
    def over(self) -> bool:
        """Whether every player's five turns are scored."""
        return self._closed == len(self.players) * TURNS > 0

    @property
    def current(self) -> Turn | None:
        """The turn being played, before its first roll too; None without players and at the end."""
        if not self.players or self.over:
            return None
        if self.turns and not self.turns[-1].closed:
            return self.turns[-1]
        number, place = divmod(len(self.turns), len(self.players))
        return Turn(self.players[place], number + 1)

    @property
    def player(self) -> str | None:
        """Whose turn it is; None without players and when the game is over."""
        return self.current.player if self.current else None

    @property
    def turn(self) -> int:
        """Which turn is played, 1-5; 5 when the game is over."""
        if self.current:
            return self.current.number
        return TURNS if self.over else 1

    @property
    def phase(self) -> Phase:
        """The phase the current turn is in; scoring when the game is over."""
        if self.current:
            return self.current.phase
        return Phase.SCORING if self.over else Phase.ROLL_10

    @property
    def faces(self) -> Faces:
        """The ten faces of the current turn's latest throw, sorted; empty before it."""
        return self.current.faces if self.current else ()

    @property
    def picked_up(self) -> Faces:
        """The dice in the player's hand, sorted."""
        hand = self.current.hand if self.current else None
        return hand.picked_up if hand else ()

    @property
    def on_table(self) -> Faces:
        """The dice lying in the tray, sorted: `faces` without those picked up."""
        return remaining(self.faces, self.picked_up)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the dice in the hand, else on the latest reroll of the turn."""
        judged = self._judged
        return judged.verdict if judged else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why `verdict` is not "legal"."""
        judged = self._judged
        return judged.reasons if judged else ()

    @property
    def score(self) -> Score | None:
        """What `faces` would score as they are; None before the first roll of a turn."""
        return score(self.faces, self.rules) if self.faces else None

    @property
    def throws(self) -> tuple[Throw, ...]:
        """Every roll and reroll that counts, of all turns, in the order made."""
        return tuple(throw for turn in self.turns for throw in turn.throws)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The scoreboard: one row for each player, in playing order."""
        return tuple(self.row(player) for player in self.players)

    def row(self, player: str) -> Row:
        """One player's line on the scoreboard."""
        scores = tuple(
            self.score_of(turn) for turn in self.turns if turn.player == player and turn.closed
        )
        running = itertools.accumulate(score.points for score in scores)
        return Row(player, scores, tuple(running))

    @property
    def totals(self) -> dict[str, int]:
        """Every player's total so far, in playing order."""
        return {row.player: row.total for row in self.rows}

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has the most points when the game is over, several at a tie; nobody before."""
        if not self.over:
            return ()
        totals = self.totals
        best = max(totals.values())
        return tuple(player for player, total in totals.items() if total == best)

    def score_of(self, turn: Turn) -> Score:
        """What a turn with a roll scores as it stands."""
        return score(turn.faces, self.rules)

    def legal_pick_ups(self) -> Iterator[Faces]:
        """Every pick-up that is legal now, as sorted multisets; none before a turn's first roll."""
        return legal_pick_ups(self.faces, self.phase, self.rules) if self.faces else iter(())

    # What may happen next.

    def due(self, t: float) -> Scored | GameOver | None:
        """The next announcement that the game owes the table, at time `t`, if any.

        A finished turn's score, a score that a correction has changed, the end of the game and
        its changed totals. Apply what it gives and ask again until it gives None.
        """
        for turn in self.turns:
            if turn.phase is Phase.SCORING:
                now = self.score_of(turn)
                if turn.announced != now.lines:
                    total = self.row(turn.player).total + (0 if turn.closed else now.points)
                    return Scored(
                        t, turn.player, turn.number, turn.phase, now.points, now.lines, total
                    )
        totals = tuple(self.totals.items())
        if self.over and self.announced != totals:
            return GameOver(t, self.players[-1], TURNS, Phase.SCORING, totals, self.winners)
        return None

    def apply(self, event: Event) -> Game:
        """The game after one more event.

        Raises:
            WrongMoment: the event cannot come now, or is of another player, turn or phase.
            NoSuchEvent: a correction names no roll that counts, or an undo no earlier event.
            NotOnTheTable: the dice picked up and kept are not those that lay there.
        """
        match event:
            case PlayerAdded():
                after = self._add_player(event)
            case Rolled() | Rerolled():
                after = self._throw(event)
            case PickedUp():
                after = self._pick_up(event)
            case Stood():
                after = self._with_turn(replace(self._expect(event), stood=True, hand=None))
            case Scored():
                after = self._announce(event)
            case GameOver():
                if not self.over:
                    raise self._wrong(event)
                after = replace(self, announced=event.totals)
            case Corrected():
                after = self._correct(event)
            case Undone():
                return self._undo(event)
            case _:
                return replace(self, count=self.count + 1, _before=self)
        if not isinstance(event, Scored | GameOver):
            after = replace(after, undoable=self.count)
        return replace(after, count=self.count + 1, redoable=None, _before=self)

    def _add_player(self, event: PlayerAdded) -> Game:
        if self.turns:
            raise self._wrong(event)
        if event.player in self.players:
            raise WrongMoment(f"There is a player {event.player!r} already: take another name.")
        return replace(self, players=(*self.players, event.player))

    def _throw(self, event: Rolled | Rerolled) -> Game:
        turn = self._expect(event)
        if isinstance(event, Rolled):
            throw = Throw(self.count, event.phase, event.faces)
        else:
            throw = Throw(
                self.count, event.phase, event.faces, event.verdict, event.reasons, turn.hand
            )
        return self._with_turn(replace(turn, throws=(*turn.throws, throw), hand=None))

    def _pick_up(self, event: PickedUp) -> Game:
        turn = self._expect(event)
        if remaining(turn.faces, event.picked_up) != event.kept:
            raise NotOnTheTable(
                f"{list(event.picked_up)} and {list(event.kept)} together are not the dice on the "
                f"table, {list(turn.faces)}."
            )
        hand = PickUp(event.picked_up, event.kept, event.verdict, event.reasons)
        return self._with_turn(replace(turn, hand=hand))

    def _announce(self, event: Scored) -> Game:
        for place, turn in enumerate(self.turns):
            if turn.closed and (turn.player, turn.number) == (event.player, event.turn):
                return self._with_turn(replace(turn, announced=event.lines), place)
        return self._with_turn(replace(self._expect(event), announced=event.lines))

    def _correct(self, event: Corrected) -> Game:
        for place, turn in enumerate(self.turns):
            for nth, throw in enumerate(turn.throws):
                if throw.seq == event.seq:
                    return self._with_turn(self._corrected(turn, nth, event.faces), place)
        raise NoSuchEvent(f"Event {event.seq} is no roll that counts: name one that is.")

    def _corrected(self, turn: Turn, nth: int, faces: Faces) -> Turn:
        """The turn with other faces in its `nth` throw, and what followed it judged again."""
        throws = list(turn.throws)
        before = throws[nth].faces
        throws[nth] = replace(throws[nth], faces=faces, corrected=True)
        hand = turn.hand
        if nth + 1 < len(throws):
            pick_up = throws[nth + 1].pick_up
            if pick_up and faces != before:
                pick_up = _judged_again(pick_up, before, faces, throws[nth + 1].phase, self.rules)
                throws[nth + 1] = replace(
                    throws[nth + 1],
                    pick_up=pick_up,
                    verdict=pick_up.verdict,
                    reasons=pick_up.reasons,
                )
        elif hand and faces != before:
            hand = _judged_again(hand, before, faces, turn.phase, self.rules)
        return replace(turn, throws=tuple(throws), hand=hand)

    def _undo(self, event: Undone) -> Game:
        if not 0 <= event.seq < self.count:
            raise NoSuchEvent(
                f"Event {event.seq} cannot be undone because there are {self.count} events so far."
            )
        then = self
        while then.count > event.seq:
            assert then._before is not None
            undone, then = then, then._before
        redo = undone.redoable == event.seq
        return replace(
            then,
            count=self.count + 1,
            redoable=then.redoable if redo else self.count,
            _before=self,
        )

    # Helpers.

    @property
    def _closed(self) -> int:
        return sum(turn.closed for turn in self.turns)

    @property
    def _judged(self) -> PickUp | Throw | None:
        turn = self.current
        if turn is None:
            return None
        return turn.hand or (turn.throws[-1] if turn.throws else None)

    def _with_turn(self, turn: Turn, place: int | None = None) -> Game:
        """The game with the current turn, or the one at `place`, replaced."""
        if place is None:
            place = len(self.turns) - bool(self.turns and not self.turns[-1].closed)
        return replace(self, turns=(*self.turns[:place], turn, *self.turns[place + 1 :]))

    def _expect(self, event: Event) -> Turn:
        """The current turn, if this event may come in it now."""
        turn = self.current
        if (
            turn is None
            or not isinstance(event, _EXPECTED[turn.phase])
            or (event.player, event.turn, event.phase) != (turn.player, turn.number, turn.phase)
        ):
            raise self._wrong(event)
        return turn

    def _wrong(self, event: Event) -> WrongMoment:
        came = f"{event.KIND!r} of {event.player}'s turn {event.turn} in {event.phase} came"
        turn = self.current
        if turn is not None:
            kinds = " or ".join(repr(kind.KIND) for kind in _EXPECTED[turn.phase])
            return WrongMoment(
                f"Expected {kinds} of {turn.player}'s turn {turn.number} in {turn.phase}, "
                f"but {came}."
            )
        if self.over:
            return WrongMoment(f"The game is over, but {came}: start a new game.")
        return WrongMoment(f"Expected a player to join first, but {came}.")


def fold(events: Iterable[Event], rules: HouseRules = DEFAULT_RULES) -> Game:
    """The game that these events make; see `Game.apply` for what it raises."""
    game = Game(rules)
    for event in events:
        game = game.apply(event)
    return game


_EXPECTED: dict[Phase, tuple[type[Event], ...]] = {
    Phase.ROLL_10: (Rolled,),
    **dict.fromkeys(REROLLS, (PickedUp, Rerolled, Stood)),
    Phase.SCORING: (Scored,),
}


def _judged_again(
    pick_up: PickUp, before: Faces, after: Faces, phase: Phase, rules: HouseRules
) -> PickUp:
    """A pick-up as it is to be judged when the roll it was taken from is corrected.

    Every way to share the corrected dice out between hand and table is judged. The pick-up is
    shown as the one that leaves most of them on the table.
    """
    hands = list(dict.fromkeys(_possible_hands(pick_up, before, after)))
    wrongs = [judge(after, hand, phase, rules) for hand in hands]
    certain, possible = Illegality(~0), Illegality.NONE
    for wrong in wrongs:
        certain &= wrong
        possible |= wrong
    if not possible:
        verdict = Verdict.LEGAL
    elif all(wrongs):
        verdict, possible = Verdict.ILLEGAL, certain
    else:
        verdict = Verdict.CANNOT_TELL
    return PickUp(hands[0], remaining(after, hands[0]), verdict, possible.reasons)


def _possible_hands(pick_up: PickUp, before: Faces, after: Faces) -> Iterator[Faces]:
    """What may have been picked up, fewest corrected dice first."""
    wrong = Counter(before) - Counter(after)
    right = Counter(after) - Counter(before)
    for size in range(wrong.total() + 1):
        for taken in itertools.combinations(sorted(wrong.elements()), size):
            in_hand = Counter(taken)
            if in_hand <= Counter(pick_up.picked_up) and wrong - in_hand <= Counter(pick_up.kept):
                for given in itertools.combinations(sorted(right.elements()), size):
                    hand = Counter(pick_up.picked_up) - in_hand + Counter(given)
                    yield tuple(sorted(hand.elements()))
