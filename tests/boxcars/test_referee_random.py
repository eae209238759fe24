"""The referee against a small model of the table, over random games with all their troubles."""

from __future__ import annotations

import cmath
import json
import math
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from boxcars.lying import from_values, to_values
from boxcars.referee import Referee
from scoring.events import Event, Question, from_dict, to_dict
from scoring.game import fold
from scoring.phases import REROLLS, Phase
from scoring.rules import HouseRules, Verdict, judge
from scoring.score import score
from tests.boxcars.table import SIZE, Die, apart, scattered, view
from vision.records import Doubt

FACES = st.integers(0, 9)
TEN = st.lists(FACES, min_size=10, max_size=10)
PLACES = st.sets(st.integers(0, 9), min_size=1, max_size=9)
SEEDS = st.integers(0, 2**32 - 1)
TROUBLES = st.sampled_from(
    ["none", "none", "none", "doubt", "doubt answered", "misread", "misread", "overlooked"]
)
"""What may go wrong when a throw is read."""

Place = tuple[float, float]


@dataclass
class Thrown:
    """A throw as it really was. `legal` is None for a first roll and where a correction left it
    open; `certain` if the pick-up was plainly seen.
    """

    turn: int
    faces: tuple[int, ...]
    legal: bool | None = None
    certain: bool = False


@dataclass(frozen=True)
class Before:
    """The table just before a throw."""

    lie: list[Die]
    hand: list[Die]
    roll: list[Die]
    phase: Phase
    seen: bool


class TableModel(RuleBasedStateMachine):
    """Knows what really lies on the table, and what the referee may say of it.

    The dice in `lie` are on the table, with their true faces; `reads` holds what the reader takes
    those for that it misreads, `hidden` those it overlooks, by their places, and `phantoms` what
    it takes for dice. While some are in the hand, `hand` holds where and as what they lay, and
    `thrown` those of them that are on the table again, thrown one by one. Only what a camera
    cannot possibly tell apart is left out: a die thrown onto the very spot of another, and a
    hand thrown to exactly the faces it had.
    """

    def __init__(self) -> None:
        super().__init__()
        self.t = 0.0
        self.phase = Phase.ROLL_10
        self.lie: list[Die] = []
        self.hand: list[Die] = []
        self.thrown: list[Die] = []
        self.roll: list[Die] = []
        self.new: list[Die] = []
        self.reads: dict[Place, int] = {}
        self.hidden: set[Place] = set()
        self.phantoms: list[Die] = []
        self.ghosts: list[Die] = []
        """Phantoms that were, so that no die is thrown where people said that none is."""
        self.open = False
        """Whether the referee may be in doubt about the next reroll."""
        self.blind = False
        """Whether dice were overlooked when they last came to rest."""
        self.nudged = False
        """Whether dice were moved since they came to rest."""
        self.bumped = False
        """Whether the record tells of other places than those of now."""
        self.before: Before | None = None
        """The table before the latest throw, if that may be undone and thrown again."""
        self.turn = 0
        self.book: list[Thrown] = []
        self.twin: Referee | None = None
        """Another referee that went on from the record and must say the same."""

    @initialize(players=st.integers(1, 3), way_car_must_stay=st.booleans())
    def sit_down(self, players: int, way_car_must_stay: bool) -> None:
        self.house = HouseRules(way_car_must_stay=way_car_must_stay)
        self.players = ["Ann", "Bob", "Cid"][:players]
        self.referee = Referee(self.players, self.house)

    # What happens.

    @precondition(lambda self: self.phase is Phase.ROLL_10)
    @rule(faces=TEN, seed=SEEDS, cleared=st.booleans(), trouble=TROUBLES)
    def roll_ten(self, faces: list[int], seed: int, cleared: bool, trouble: str) -> None:
        # Nobody could tell the same ten faces from the old dice if the tray was not seen empty.
        if cleared or sorted(faces) == sorted(die.face for die in self.lie):
            self.lie = []
            self.look()
        self.before = None
        self.new = self.scatter(faces, seed, self.lie)
        self.lie = self.new
        self.book.append(Thrown(self.turn, ()))
        self.come_to_rest(trouble, seed)

    @precondition(lambda self: self.phase in REROLLS and not self.hand)
    @rule(places=PLACES, seed=SEEDS, aside=st.integers(0, 9))
    def pick_up(self, places: set[int], seed: int, aside: int) -> None:
        self.take(places)
        if aside < len(self.lie):
            self.push_aside(aside, seed)
        self.look()

    @precondition(lambda self: self.hand and not self.thrown and len(self.lie) > 1)
    @rule(place=st.integers(0, 9))
    def pick_up_another(self, place: int) -> None:
        self.take({place % len(self.lie)})
        self.look()

    @precondition(lambda self: len(self.hand) > 1 and not self.thrown)
    @rule(place=st.integers(0, 9))
    def put_one_back(self, place: int) -> None:
        """Where it lay, so that there is no doubt that it was not thrown."""
        die = self.hand[place % len(self.hand)]
        if all(apart(die, other) > SIZE for other in [*self.lie, *self.ghosts]):
            self.hand.remove(die)
            self.lie.append(die)
            self.look()

    @precondition(lambda self: len(self.hand) - len(self.thrown) > 1 and not self.hidden)
    @rule(face=FACES, seed=SEEDS)
    def throw_one(self, face: int, seed: int) -> None:
        (die,) = self.scatter([face], seed)
        self.thrown.append(die)
        self.lie.append(die)
        self.look()

    @precondition(lambda self: self.hand)
    @rule(faces=TEN, seed=SEEDS, knock=st.integers(0, 12), trouble=TROUBLES)
    def throw(self, faces: list[int], seed: int, knock: int, trouble: str) -> None:
        self.reroll(faces, seed, knock, trouble, seen=not self.thrown)

    @precondition(lambda self: self.phase in REROLLS and not self.hand)
    @rule(places=PLACES, faces=TEN, seed=SEEDS, knock=st.integers(0, 12), trouble=TROUBLES)
    def reroll_quickly(
        self, places: set[int], faces: list[int], seed: int, knock: int, trouble: str
    ) -> None:
        self.take(places)
        self.reroll(faces, seed, knock, trouble, seen=False)

    @precondition(lambda self: self.phase in REROLLS and not self.thrown)
    @rule(by_hand=st.booleans())
    def stand(self, by_hand: bool) -> None:
        if by_hand and not self.hand:
            self.say(lambda referee, t: referee.stand(t))
        else:
            self.lie = []
            self.look()
        self.end_turn()

    # What people do about it.

    @precondition(lambda self: self.before is not None and not self.hand)
    @rule()
    def undo_the_throw_and_pick_up_again(self) -> None:
        """The same dice are picked up again as before the throw."""
        assert self.before is not None
        seq = self.referee.game.turns[-1].throws[-1].seq
        self.say(lambda referee, t: referee.undo(t, seq))
        self.look()
        self.book.pop()
        self.phase, self.roll = self.before.phase, self.before.roll
        self.lie, self.hand = list(self.before.lie), list(self.before.hand)
        self.hidden = set()
        self.before, self.open = None, True
        self.look()

    @precondition(lambda self: self.before is not None and self.before.seen and not self.hand)
    @rule(seed=SEEDS)
    def take_back_and_lay_the_dice_as_they_were(self, seed: int) -> None:
        """One by one, so that the camera sees dice half laid back."""
        assert self.before is not None
        self.say(lambda referee, t: referee.take_back(t))
        self.look()
        self.book.pop()
        new = [die for die in self.lie if die not in self.before.lie]
        for was, die in zip(self.before.hand, new, strict=True):
            self.lie.remove(die)
            self.hidden.discard((die.x, die.y))
            self.lie += self.scatter([was.face], seed)
            before = len(self.referee.events)
            self.look()
            assert self.referee.events[before:] == []
        self.phase, self.roll, self.before = self.before.phase, list(self.lie), None
        self.open = self.blind = False

    @rule()
    def undo_and_redo(self) -> None:
        if self.book:
            before = self.referee.game
            self.say(lambda referee, t: referee.undo(t))
            self.say(lambda referee, t: referee.redo(t))
            after = self.referee.game
            assert (after.turns, after.announced) == (before.turns, before.announced)
            self.expect_nothing_new()
            # Where thrown dice of several lay is not on record.
            self.open |= bool(self.thrown) or bool(self.hidden)

    @precondition(lambda self: self.book)
    @rule(which=st.integers(0, 100), place=st.integers(0, 9), face=FACES)
    def correct_an_earlier_throw(self, which: int, place: int, face: int) -> None:
        """Also after the game; not one whose dice still lie there and show else."""
        n = which % len(self.book)
        throw = self.book[n]
        if n == len(self.book) - 1 and (throw.turn == self.turn or self.lie):
            return
        faces = list(throw.faces)
        faces[place] = face
        throw.faces = tuple(sorted(faces))
        if n + 1 < len(self.book) and self.book[n + 1].turn == throw.turn:
            self.book[n + 1].legal = None
        seqs = [each.seq for turn in self.referee.game.turns for each in turn.throws]
        self.say(lambda referee, t: referee.correct(t, throw.faces, seqs[n]))
        self.expect_nothing_new()
        self.before = None

    @precondition(lambda self: self.can_add_phantom)
    @rule(face=FACES, seed=SEEDS)
    def see_a_phantom(self, face: int, seed: int) -> None:
        """It is said to be none, and stays none as long as it does not move."""
        (phantom,) = self.scatter([face], seed, self.hand)
        self.phantoms.append(phantom)
        self.ghosts.append(phantom)
        self.look()
        if self.phase is not Phase.SCORING:
            self.say(lambda referee, t: referee.remove_die(t, self.index(referee, phantom)))
        self.look()

    @property
    def can_add_phantom(self) -> bool:
        lie = len(self.visible())
        return (
            not self.thrown
            and not self.hidden
            and (lie == 10 or (lie < 9 and self.phase in REROLLS))
        )

    @rule()
    def phantoms_vanish(self) -> None:
        self.phantoms = []
        self.look()

    @rule()
    def the_overlooked_are_seen(self) -> None:
        if not self.hand:
            self.hidden, self.blind = set(), False
        self.look()

    # What changes nothing.

    @rule(seed=SEEDS, doubts=st.sampled_from([Doubt.UNSURE, Doubt.COVERED, Doubt.GLARE]))
    def look_badly(self, seed: int, doubts: Doubt) -> None:
        """A die that was read once and has not moved need not be read again."""
        dice = self.visible()
        if dice and not self.thrown:
            place = random.Random(seed).randrange(len(dice))
            dice[place] = dice[place].doubted(doubts)
            self.expect_nothing_new(dice)

    @rule(seed=SEEDS)
    def look_at_a_tumble(self, seed: int) -> None:
        rng = random.Random(seed)
        dice = scattered(rng.choices(range(10), k=rng.randrange(12)), rng)
        self.t += 0.1
        settled = rng.random() < 0.5
        assert self.referee.see(view(dice, self.t, settled=settled, hand=settled)) == ()

    @rule(seed=SEEDS)
    def tremble(self, seed: int) -> None:
        rng = random.Random(seed)
        self.look(
            [
                die.moved(
                    rng.uniform(-0.08, 0.08), rng.uniform(-0.08, 0.08), rng.uniform(-0.2, 0.2)
                )
                for die in self.visible()
            ]
        )

    @precondition(lambda self: self.lie and not self.thrown)
    @rule(place=st.integers(0, 9), seed=SEEDS)
    def nudge(self, place: int, seed: int) -> None:
        self.push_aside(place % len(self.lie), seed)
        if not self.hand:
            self.roll = list(self.lie)
        self.before, self.nudged = None, True
        self.look()

    @precondition(lambda self: not self.hidden)
    @rule(seed=SEEDS, told=st.booleans())
    def bump_the_camera(self, seed: int, told: bool) -> None:
        """All dice lie elsewhere in the picture, as they lay to each other."""
        dice = len(self.visible()) - len(self.phantoms)
        if dice < (4 if told else 6):
            return
        rng = random.Random(seed)
        turn = cmath.rect(1, rng.uniform(-0.3, 0.3))
        offset = complex(rng.uniform(-300, 300), rng.uniform(-300, 300))
        if abs(offset) < SIZE:
            return
        self.move_all(turn, offset)
        if told:
            self.say(lambda referee, t: referee.note(t, "camera-moved", "It moved."))
        self.expect_nothing_new()
        self.bumped = True

    @precondition(lambda self: self.is_on_record)
    @rule()
    def begin_again(self) -> None:
        """The program is killed and goes on from its record."""
        self.referee = self.resumed()
        self.expect_nothing_new()
        self.open |= bool(self.thrown)

    @precondition(lambda self: self.is_on_record and not self.thrown)
    @rule()
    def go_on_twice(self) -> None:
        """From now on a second referee, who has only the record, must say the same."""
        self.twin = self.resumed()
        self.expect_nothing_new()

    @property
    def is_on_record(self) -> bool:
        """Whether the record and a look at the table tell where all dice lay."""
        return not self.bumped and not (self.nudged and self.hand)

    # How.

    def resumed(self) -> Referee:
        referee = self.referee
        events = [from_dict(json.loads(json.dumps(to_dict(event)))) for event in referee.events]
        evidence = {
            seq: from_values(json.loads(json.dumps(to_values(dice))))
            for seq, dice in referee.evidence.items()
        }
        other = Referee(rules=self.house, events=events, evidence=evidence)
        assert other.game == referee.game
        return other

    def visible(self) -> list[Die]:
        """What the reader reports of the dice as they lie."""
        dice = [die for die in self.lie if (die.x, die.y) not in self.hidden]
        return [die.read_as(self.reads.get((die.x, die.y), die.face)) for die in dice]

    def look(self, dice: list[Die] | None = None) -> tuple[Event, ...]:
        self.t += 1.0
        seen = view([*(self.visible() if dice is None else dice), *self.phantoms], self.t)
        told = self.referee.see(seen)
        if self.twin is not None:
            assert self.twin.see(seen) == told
        return told

    def expect_nothing_new(self, dice: list[Die] | None = None) -> None:
        assert self.look(dice) == ()

    def say(self, action: Callable[[Referee, float], tuple[Event, ...]]) -> None:
        self.t += 1.0
        told = action(self.referee, self.t)
        if self.twin is not None:
            assert action(self.twin, self.t) == told

    def index(self, referee: Referee, die: Die) -> int:
        """The die's number among those the referee sees."""
        where = [other for other in referee.dice if math.dist(other.center, (die.x, die.y)) < 10]
        (found,) = where
        return referee.dice.index(found)

    def scatter(self, faces: list[int], seed: int, clear_of: list[Die] | None = None) -> list[Die]:
        clear = [*self.lie, *self.roll, *self.ghosts, *(clear_of or [])]
        dice = scattered(faces, random.Random(seed), clear)
        for die in dice:
            self.reads.pop((die.x, die.y), None)
            self.hidden.discard((die.x, die.y))
        return dice

    def take(self, places: set[int]) -> None:
        self.hand += [die for n, die in enumerate(self.lie) if n in places]
        self.lie = [die for n, die in enumerate(self.lie) if n not in places]
        self.hidden &= {(die.x, die.y) for die in self.lie}
        if not self.visible():
            # What looks like an empty tray is a stand.
            self.hidden = set()

    def push_aside(self, place: int, seed: int) -> None:
        die = self.lie[place]
        if (die.x, die.y) not in self.hidden:
            (spot,) = self.scatter([die.face], seed, self.hand)
            self.lie[place] = spot

    def reroll(self, faces: list[int], seed: int, knock: int, trouble: str, *, seen: bool) -> None:
        roll = tuple(die.face for die in self.roll)
        picked_up = tuple(die.face for die in self.hand)
        legal = not judge(roll, picked_up, self.phase, self.house)
        hand, was_seen, phase = list(self.hand), seen and not self.hidden, self.phase
        fuzzy = self.throw_rest(faces, seed, knock)
        certain = was_seen and not fuzzy and not self.open and trouble != "overlooked"
        kept = [die for die in self.lie if die not in self.new and die not in self.thrown]
        self.before = None
        if not self.thrown and not self.blind:
            self.before = Before(kept, hand, self.roll, phase, seen)
        self.book.append(Thrown(self.turn, (), legal, certain))
        self.come_to_rest(trouble, seed)

    def throw_rest(self, faces: list[int], seed: int, knock: int) -> bool:
        """Throw what is in the hand, perhaps knocking a kept die about on the way."""
        rng = random.Random(seed)
        kept = [die for die in self.lie if die not in self.thrown]
        left = len(self.hand) - len(self.thrown)
        new = faces[:left]
        if Counter([*new, *(d.face for d in self.thrown)]) == Counter(d.face for d in self.hand):
            new[0] = (new[0] + 1) % 10
        fuzzy, spots = knock < len(kept), list(self.lie)
        if fuzzy and (kept[knock].x, kept[knock].y) not in self.hidden:
            turn, way = rng.uniform(0.5, 3), rng.uniform(-math.pi, math.pi)
            far = rng.uniform(0.3, 2.5)
            die = kept[knock].moved(far * math.cos(way), far * math.sin(way), turn)
            if all(apart(die, other) > SIZE for other in [*self.lie, *self.roll, *self.ghosts]):
                self.lie[self.lie.index(kept[knock])] = die
        self.new = self.scatter(new, seed, spots)
        self.lie += self.new
        return fuzzy

    def come_to_rest(self, trouble: str, seed: int) -> None:
        """The throw is read, with a trouble, and people help as far as they must."""
        self.book[-1].faces = tuple(sorted(die.face for die in self.lie))
        die = random.Random(seed).choice(self.new)
        where = die.x, die.y
        if trouble.startswith("doubt"):
            self.doubt(die, answered=trouble == "doubt answered")
        elif trouble == "overlooked":
            # If the others show what lay there before, they look like dice kept and pushed aside.
            shown = Counter(it.face for it in self.lie if it is not die)
            if shown - Counter(it.face for it in self.roll):
                self.hidden.add(where)
        elif trouble == "misread":
            wrong = (die.face + seed % 9 + 1) % 10
            read = [wrong if it is die else it.face for it in self.lie]
            if sorted(read) != sorted(it.face for it in self.roll):
                self.reads[where] = wrong
        self.look()
        for overlooked in [it for it in self.lie if (it.x, it.y) in self.hidden]:
            face = overlooked.face
            self.say(lambda referee, t, face=face: referee.add_die(t, face))  # type: ignore[misc]
        if where in self.reads:
            self.say(lambda referee, t: referee.set_face(t, self.index(referee, die), die.face))
        self.expect_nothing_new()
        self.roll, self.hand, self.thrown = list(self.lie), [], []
        self.open = self.blind = bool(self.hidden)
        self.bumped = self.nudged = False
        self.phase = self.phase.next
        if self.phase is Phase.SCORING:
            self.end_turn()

    def doubt(self, die: Die, *, answered: bool) -> None:
        """A die is unreadable at first, and then nothing may be said of the throw."""
        if self.hidden:
            return
        dice = [other.doubted() if other is die else other for other in self.lie]
        told = self.look(dice)
        assert [type(event) for event in told] == [Question]
        self.expect_nothing_new(dice)
        if answered:
            (seq,) = self.referee.questions
            self.say(lambda referee, t: referee.answer(t, seq, die.face))
            assert self.referee.questions == {}

    def end_turn(self) -> None:
        self.turn += 1
        self.phase, self.roll, self.hand, self.thrown = Phase.ROLL_10, [], [], []
        self.before, self.open, self.blind = None, False, False
        if self.turn == 5 * len(self.players):
            self.phase = Phase.SCORING

    def move_all(self, turn: complex, offset: complex) -> None:
        def place(x: float, y: float) -> Place:
            moved = complex(x, y) * turn + offset
            return moved.real, moved.imag

        def moved(dice: list[Die]) -> list[Die]:
            return [dice_moved[id(die)] for die in dice]

        groups = [self.lie, self.hand, self.thrown, self.roll, self.new, self.phantoms, self.ghosts]
        if self.before is not None:
            groups += [self.before.lie, self.before.hand, self.before.roll]
        dice_moved = {}
        for die in [die for group in groups for die in group]:
            x, y = place(die.x, die.y)
            dice_moved[id(die)] = replace(die, x=x, y=y, angle=die.angle + cmath.phase(turn))
        self.reads = {place(*where): face for where, face in self.reads.items()}
        self.lie, self.hand, self.thrown = moved(self.lie), moved(self.hand), moved(self.thrown)
        self.roll, self.new = moved(self.roll), moved(self.new)
        self.phantoms, self.ghosts = moved(self.phantoms), moved(self.ghosts)
        if self.before is not None:
            lie, hand, roll = self.before.lie, self.before.hand, self.before.roll
            self.before = replace(self.before, lie=moved(lie), hand=moved(hand), roll=moved(roll))

    # What must hold at any time.

    @invariant()
    def every_throw_counts_as_it_was_and_no_other(self) -> None:
        told = [throw.faces for throw in self.referee.game.throws]
        assert told == [throw.faces for throw in self.book]

    @invariant()
    def no_legal_reroll_is_called_illegal_and_no_illegal_one_legal(self) -> None:
        for throw, truth in zip(self.referee.game.throws, self.book, strict=True):
            if truth.legal is not None:
                right = Verdict.LEGAL if truth.legal else Verdict.ILLEGAL
                is_open = throw.verdict is Verdict.CANNOT_TELL and not truth.certain
                assert throw.verdict is right or is_open

    @invariant()
    def what_is_in_the_hand_is_known_and_judged(self) -> None:
        turn = self.referee.game.current
        if self.hand and not self.thrown and not self.blind:
            assert turn is not None
            assert turn.hand is not None
            picked_up = tuple(sorted(die.face for die in self.hand))
            roll = tuple(die.face for die in self.roll)
            wrong = judge(roll, picked_up, self.phase, self.house)
            assert turn.hand.picked_up == picked_up
            assert turn.hand.verdict is (Verdict.ILLEGAL if wrong else Verdict.LEGAL)
            assert turn.hand.reasons == wrong.reasons

    @invariant()
    def scores_and_totals_are_right(self) -> None:
        game = self.referee.game
        assert game.phase is self.phase
        last = {throw.turn: throw for throw in self.book}
        totals = dict.fromkeys(self.players, 0)
        for turn in range(self.turn):
            points = score(last[turn].faces, self.house).points
            totals[self.players[turn % len(self.players)]] += points
        assert game.totals == totals

    @invariant()
    def nothing_is_asked_that_is_known(self) -> None:
        assert self.referee.questions == {}

    def teardown(self) -> None:
        events = self.referee.events
        assert fold(events, self.house) == self.referee.game
        assert [from_dict(to_dict(event)) for event in events] == events


OTHER_GAMES = int(os.environ.get("BOXCARS_OTHER_GAMES", "0"))
"""So many games that were never played before; without it the same ones every time."""

TableModel.TestCase.settings = settings(
    max_examples=OTHER_GAMES or 120,
    derandomize=not OTHER_GAMES,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestTableModel = TableModel.TestCase
