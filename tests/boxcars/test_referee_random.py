"""The referee against a small model of the table, over random games with all their troubles."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from boxcars.lying import from_values, to_values
from boxcars.referee import Referee
from scoring.events import PickedUp, Question, Rerolled, Rolled, from_dict, to_dict
from scoring.game import fold
from scoring.phases import REROLLS, Phase
from scoring.rules import HouseRules, Verdict, judge
from scoring.score import score
from tests.boxcars.table import SIZE, Die, apart, scattered, view
from vision.records import Doubt

FACES = st.integers(0, 9)
PLACES = st.sets(st.integers(0, 9), min_size=1, max_size=9)
SEEDS = st.integers(0, 2**32 - 1)


class TableModel(RuleBasedStateMachine):
    """Knows what really lies on the table, and what the referee may say of it.

    The dice in `lie` are on the table. While some are in the hand, `hand` holds where and as
    what they lay, and `thrown` those of them that are on the table again, thrown one by one.
    Only what a camera cannot possibly tell apart is left out: a die thrown onto the very spot
    of another, and a hand thrown to exactly the faces it had.
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
        self.fuzzy = False
        """Whether places no longer tell everything: kept dice were knocked about unseen."""
        self.restarted = False
        self.throws: list[tuple[int, ...]] = []
        self.points: list[int] = []
        self.legal: list[bool] = []
        """For each reroll, whether it really was."""
        self.certain: list[bool] = []
        """For each reroll, whether the pick-up was plainly seen."""

    @initialize(players=st.integers(1, 3), way_car_must_stay=st.booleans())
    def sit_down(self, players: int, way_car_must_stay: bool) -> None:
        self.house = HouseRules(way_car_must_stay=way_car_must_stay)
        self.players = ["Ann", "Bob", "Cid"][:players]
        self.referee = Referee(self.players, self.house)

    # What happens.

    @precondition(lambda self: self.phase is Phase.ROLL_10)
    @rule(faces=st.lists(FACES, min_size=10, max_size=10), seed=SEEDS, cleared=st.booleans())
    def roll_ten(self, faces: list[int], seed: int, cleared: bool) -> None:
        # Nobody could tell the same ten faces from the old dice if the tray was not seen empty.
        if cleared or sorted(faces) == sorted(die.face for die in self.lie):
            self.lie = []
            self.look()
        self.lie = scattered(faces, random.Random(seed), self.lie)
        self.came_to_rest()
        self.look()

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
        if all(apart(die, other) > SIZE for other in self.lie):
            self.hand.remove(die)
            self.lie.append(die)
            self.look()

    @precondition(lambda self: len(self.hand) - len(self.thrown) > 1)
    @rule(face=FACES, seed=SEEDS)
    def throw_one(self, face: int, seed: int) -> None:
        (die,) = scattered([face], random.Random(seed), [*self.lie, *self.roll])
        self.thrown.append(die)
        self.lie.append(die)
        self.look()

    @precondition(lambda self: self.hand)
    @rule(
        faces=st.lists(FACES, min_size=10, max_size=10),
        seed=SEEDS,
        knock=st.integers(0, 12),
        doubtful=st.booleans(),
    )
    def throw(self, faces: list[int], seed: int, knock: int, doubtful: bool) -> None:
        certain = not self.thrown
        self.throw_rest(faces, seed, knock)
        self.rerolled(certain)
        self.look_twice(doubtful, seed)

    @precondition(lambda self: self.phase in REROLLS and not self.hand)
    @rule(
        places=PLACES,
        faces=st.lists(FACES, min_size=10, max_size=10),
        seed=SEEDS,
        knock=st.integers(0, 12),
        doubtful=st.booleans(),
    )
    def reroll_quickly(
        self, places: set[int], faces: list[int], seed: int, knock: int, doubtful: bool
    ) -> None:
        self.take(places)
        self.throw_rest(faces, seed, knock)
        self.rerolled(certain=False)
        self.look_twice(doubtful, seed)

    @precondition(lambda self: self.phase in REROLLS and not self.thrown)
    @rule(by_hand=st.booleans())
    def stand(self, by_hand: bool) -> None:
        self.phase = Phase.SCORING
        if by_hand and not self.hand:
            self.referee.stand(self.t)
        else:
            self.lie = []
            self.look()
        self.score()

    # What changes nothing.

    @rule(seed=SEEDS, doubts=st.sampled_from([Doubt.UNSURE, Doubt.COVERED, Doubt.GLARE]))
    def look_badly(self, seed: int, doubts: Doubt) -> None:
        """A die that was read once and has not moved need not be read again."""
        if self.lie and not self.thrown:
            before = len(self.referee.events)
            dice = list(self.lie)
            place = random.Random(seed).randrange(len(dice))
            dice[place] = dice[place].doubted(doubts)
            self.look(dice)
            assert self.referee.events[before:] == []

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
                die.moved(rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.2, 0.2))
                for die in self.lie
            ]
        )

    @precondition(lambda self: self.lie and not self.thrown)
    @rule(place=st.integers(0, 9), seed=SEEDS)
    def nudge(self, place: int, seed: int) -> None:
        self.push_aside(place % len(self.lie), seed)
        if not self.hand:
            self.roll = list(self.lie)
        self.look()

    @rule()
    def begin_again(self) -> None:
        """The program is killed and goes on from its record; unrecorded nudges are lost."""
        referee = self.referee
        evidence = {
            seq: from_values(json.loads(json.dumps(to_values(dice))))
            for seq, dice in referee.evidence.items()
        }
        self.referee = Referee(rules=self.house, events=referee.events, evidence=evidence)
        assert self.referee.game == referee.game
        self.restarted = True
        self.look()
        assert len(self.referee.events) == len(referee.events)

    # How.

    def look(self, dice: list[Die] | None = None) -> None:
        self.t += 1.0
        self.referee.see(view(self.lie if dice is None else dice, self.t))

    def look_twice(self, doubtful: bool, seed: int) -> None:
        """Perhaps a die is unreadable at first, and then nothing may be said of the throw."""
        if doubtful:
            place = random.Random(seed).choice([self.lie.index(die) for die in self.new])
            dice = list(self.lie)
            dice[place] = dice[place].doubted()
            before = len(self.referee.events)
            self.look(dice)
            told = self.referee.events[before:]
            assert [type(event) for event in told] == [Question]
        self.came_to_rest()
        self.look()

    def take(self, places: set[int]) -> None:
        self.hand += [die for n, die in enumerate(self.lie) if n in places]
        self.lie = [die for n, die in enumerate(self.lie) if n not in places]

    def push_aside(self, place: int, seed: int) -> None:
        rng = random.Random(seed)
        (spot,) = scattered([self.lie[place].face], rng, [*self.lie, *self.roll, *self.hand])
        self.lie[place] = spot

    def throw_rest(self, faces: list[int], seed: int, knock: int) -> None:
        """Throw what is in the hand, perhaps knocking a kept die about on the way."""
        rng = random.Random(seed)
        kept = [die for die in self.lie if die not in self.thrown]
        left = len(self.hand) - len(self.thrown)
        new = faces[:left]
        if Counter([*new, *(d.face for d in self.thrown)]) == Counter(d.face for d in self.hand):
            new[0] = (new[0] + 1) % 10
        self.fuzzy = knock < len(kept)
        if self.fuzzy:
            turn, way = rng.uniform(0.5, 3), rng.uniform(-math.pi, math.pi)
            far = rng.uniform(0.3, 2.5)
            die = kept[knock].moved(far * math.cos(way), far * math.sin(way), turn)
            if all(apart(die, other) > SIZE for other in [*self.lie, *self.roll]):
                self.lie[self.lie.index(kept[knock])] = die
        self.new = scattered(new, rng, [*self.lie, *self.roll])
        self.lie += self.new

    def rerolled(self, certain: bool) -> None:
        roll = tuple(die.face for die in self.roll)
        picked_up = tuple(die.face for die in self.hand)
        self.legal.append(not judge(roll, picked_up, self.phase, self.house))
        self.certain.append(certain and not self.fuzzy and not self.restarted)
        self.restarted = False

    def came_to_rest(self) -> None:
        self.throws.append(tuple(sorted(die.face for die in self.lie)))
        self.roll, self.hand, self.thrown = list(self.lie), [], []
        self.phase = self.phase.next
        if self.phase is Phase.SCORING:
            self.score()

    def score(self) -> None:
        self.points.append(score(self.throws[-1], self.house).points)
        self.phase, self.roll, self.hand, self.thrown = Phase.ROLL_10, [], [], []
        if len(self.points) == 5 * len(self.players):
            self.phase = Phase.SCORING

    # What must hold at any time.

    @invariant()
    def every_throw_is_told_and_no_other(self) -> None:
        told = [e.faces for e in self.referee.events if isinstance(e, Rolled | Rerolled)]
        assert told == self.throws

    @invariant()
    def no_legal_reroll_is_called_illegal_and_no_illegal_one_legal(self) -> None:
        told = [e for e in self.referee.events if isinstance(e, Rerolled)]
        for event, legal, certain in zip(told, self.legal, self.certain, strict=True):
            right = Verdict.LEGAL if legal else Verdict.ILLEGAL
            assert event.verdict is right or (event.verdict is Verdict.CANNOT_TELL and not certain)

    @invariant()
    def what_is_in_the_hand_is_known_and_judged(self) -> None:
        if self.hand and not self.thrown:
            event = next(e for e in reversed(self.referee.events) if isinstance(e, PickedUp))
            picked_up = tuple(sorted(die.face for die in self.hand))
            roll = tuple(die.face for die in self.roll)
            wrong = judge(roll, picked_up, self.phase, self.house)
            assert event.picked_up == picked_up
            assert event.verdict is (Verdict.ILLEGAL if wrong else Verdict.LEGAL)
            assert event.reasons == wrong.reasons

    @invariant()
    def scores_and_totals_are_right(self) -> None:
        game = self.referee.game
        assert game.phase is self.phase
        totals = dict.fromkeys(self.players, 0)
        for n, points in enumerate(self.points):
            totals[self.players[n % len(self.players)]] += points
        assert game.totals == totals

    def teardown(self) -> None:
        events = self.referee.events
        assert fold(events, self.house) == self.referee.game
        assert [from_dict(to_dict(event)) for event in events] == events


TableModel.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestTableModel = TableModel.TestCase


ANY_DIE = st.builds(
    Die,
    FACES,
    st.integers(1, 5).map(lambda column: 100.0 * column),
    st.integers(1, 4).map(lambda line: 100.0 * line),
    st.sampled_from([0.0, 0.1, 2.0]),
    st.sampled_from([Doubt.NONE, Doubt.NONE, Doubt.UNSURE, Doubt.COCKED, Doubt.NOT_A_D10]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(ANY_DIE, max_size=12), max_size=25))
def test_whatever_the_camera_claims_to_see_the_game_stays_a_game(views: list[list[Die]]) -> None:
    referee = Referee(["Ann", "Bob"])
    for t, dice in enumerate(views):
        seen = referee.see(view(dice, float(t)))
        certain = [die.face for die in dice if die.doubts is Doubt.NONE]
        for event in seen:
            if isinstance(event, Rolled):
                # Faces come from what was seen, now or in views before; never from nowhere.
                known = {die.face for earlier in views[: t + 1] for die in earlier}
                assert set(event.faces) <= known
        if len(certain) == len(dice) > 10:
            assert not any(isinstance(event, Rolled | Rerolled | PickedUp) for event in seen)
    assert fold(referee.events) == referee.game
    assert [event.t for event in referee.events] == sorted(event.t for event in referee.events)
