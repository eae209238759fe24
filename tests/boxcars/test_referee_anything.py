"""Whatever the camera claims to see and people say, in any order, the game stays a game."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from boxcars.lying import from_values, to_values
from boxcars.referee import NothingToDo, Referee
from scoring.cars import DICE, NotTenFaces
from scoring.events import (
    Event,
    PickedUp,
    Rerolled,
    Rolled,
    Scored,
    WrongEvent,
    from_dict,
    to_dict,
)
from scoring.game import Game, NoSuchEvent, WrongMoment, fold
from scoring.rules import Verdict
from scoring.score import score
from tests.boxcars.table import Die, view
from vision.records import Doubt

FACES = st.integers(0, 9)
TEN = st.lists(FACES, min_size=10, max_size=10)
PLACES = st.tuples(st.integers(1, 6), st.integers(1, 3))
DOUBTS = st.sampled_from(
    [
        *[Doubt.NONE] * 6,
        Doubt.UNSURE,
        Doubt.COVERED,
        Doubt.COCKED,
        Doubt.STACKED,
        Doubt.NOT_A_D10,
    ]
)


@st.composite
def any_die(draw: st.DrawFn) -> Die:
    column, line = draw(PLACES)
    angle = draw(st.sampled_from([0.0, 0.1, 2.0]))
    return Die(draw(FACES), 100.0 * column, 100.0 * line, angle, draw(DOUBTS))


class Anything(RuleBasedStateMachine):
    """Views and words without sense or order: nothing may break, and all must be told."""

    def __init__(self) -> None:
        super().__init__()
        self.t = 0.0
        self.lie: list[Die] = []

    @initialize(players=st.integers(1, 2))
    def begin(self, players: int) -> None:
        self.referee = Referee(["Ann", "Bob"][:players])

    # What the camera claims to see.

    @rule(dice=st.lists(any_die(), min_size=8, max_size=12))
    def throw_anything(self, dice: list[Die]) -> None:
        self.look(dice)

    @rule(faces=TEN, line=st.integers(1, 4))
    def throw_ten(self, faces: list[int], line: int) -> None:
        self.look([Die(face, 100.0 * n, 150.0 * line) for n, face in enumerate(faces, 1)])

    @rule(places=st.sets(st.integers(0, 11), max_size=12))
    def take_some(self, places: set[int]) -> None:
        self.look([die for n, die in enumerate(self.lie) if n not in places])

    @precondition(lambda self: len(self.lie) < 13)
    @rule(die=any_die())
    def put_one(self, die: Die) -> None:
        self.look([*self.lie, die])

    @rule(place=st.integers(0, 11), face=FACES)
    def read_another_face(self, place: int, face: int) -> None:
        self.change(place, lambda die: die.read_as(face))

    @rule(place=st.integers(0, 11), doubts=DOUBTS)
    def doubt_one(self, place: int, doubts: Doubt) -> None:
        self.change(place, lambda die: die.doubted(doubts))

    @rule(place=st.integers(0, 11), far=st.sampled_from([0.1, 0.2, 1.0, 3.0]), turn=st.booleans())
    def push_one(self, place: int, far: float, turn: bool) -> None:
        self.change(place, lambda die: die.moved(far, far, turn=float(turn)))

    @rule(far=st.sampled_from([0.1, 0.5, 2.0]))
    def bump(self, far: float) -> None:
        self.look([die.moved(far, far) for die in self.lie])

    @rule()
    def look_again(self) -> None:
        self.look(self.lie)

    @rule()
    def clear(self) -> None:
        self.look([])

    @rule(dice=st.lists(any_die(), max_size=3), hand=st.booleans())
    def move(self, dice: list[Die], hand: bool) -> None:
        """Nothing is judged while a hand is in the view or dice roll."""
        self.t += 1.0
        assert self.referee.see(view(dice, self.t, settled=hand, hand=hand)) == ()

    # What people say.

    @rule(die=st.integers(-1, 12), face=st.integers(-1, 11))
    def set_face(self, die: int, face: int) -> None:
        self.say(lambda referee, t: referee.set_face(t, die, face))

    @rule(face=st.integers(-1, 10))
    def add_die(self, face: int) -> None:
        self.say(lambda referee, t: referee.add_die(t, face))

    @rule(die=st.integers(-1, 12))
    def remove_die(self, die: int) -> None:
        self.say(lambda referee, t: referee.remove_die(t, die))

    @rule(which=st.integers(0, 3), face=st.integers(-1, 10))
    def answer(self, which: int, face: int) -> None:
        questions = [*self.referee.questions, 0]
        self.say(lambda referee, t: referee.answer(t, questions[which % len(questions)], face))

    @rule(faces=st.lists(FACES, min_size=9, max_size=11))
    def enter(self, faces: list[int]) -> None:
        self.say(lambda referee, t: referee.enter(t, tuple(faces)))

    @rule(faces=TEN, latest=st.booleans(), which=st.integers(0, 30))
    def correct(self, faces: list[int], latest: bool, which: int) -> None:
        seq = None if latest else which
        self.say(lambda referee, t: referee.correct(t, tuple(faces), seq))

    @rule()
    def stand(self) -> None:
        self.say(lambda referee, t: referee.stand(t))

    @rule()
    def allow(self) -> None:
        self.say(lambda referee, t: referee.allow(t))

    @rule()
    def take_back(self) -> None:
        self.say(lambda referee, t: referee.take_back(t))

    @rule(seq=st.one_of(st.none(), st.none(), st.integers(-1, 60)))
    def undo(self, seq: int | None) -> None:
        self.say(lambda referee, t: referee.undo(t, seq))

    @rule()
    def redo(self) -> None:
        self.say(lambda referee, t: referee.redo(t))

    @rule()
    def undo_and_redo(self) -> None:
        """Each takes the other back."""
        before = self.referee.game
        if self.say(lambda referee, t: referee.undo(t)):
            told = self.say(lambda referee, t: referee.redo(t))
            assert told
            assert standing(self.referee.game) == standing(before)

    @rule()
    def camera_moved(self) -> None:
        self.say(lambda referee, t: referee.note(t, "camera-moved", "It moved."))

    @rule()
    def begin_again(self) -> None:
        """The program is killed and goes on from its record."""
        told = [json.loads(json.dumps(to_dict(event))) for event in self.referee.events]
        evidence = {
            seq: from_values(json.loads(json.dumps(to_values(dice))))
            for seq, dice in self.referee.evidence.items()
        }
        before = self.referee
        self.referee = Referee(events=map(from_dict, told), evidence=evidence)
        assert self.referee.game == before.game
        assert self.referee.events == before.events

    # How.

    def look(self, dice: list[Die]) -> None:
        self.lie = dice
        self.t += 1.0
        before = len(self.referee.events)
        told = self.referee.see(view(dice, self.t))
        assert list(told) == self.referee.events[before:]

    def change(self, place: int, change: Callable[[Die], Die]) -> None:
        dice = list(self.lie)
        if dice:
            dice[place % len(dice)] = change(dice[place % len(dice)])
        self.look(dice)

    def say(self, action: Callable[[Referee, float], tuple[Event, ...]]) -> bool:
        """Whether it could be done; if not, nothing has changed."""
        self.t += 1.0
        events, game = list(self.referee.events), self.referee.game
        dice, questions = self.referee.dice, self.referee.questions
        refusal = ""
        told: tuple[Event, ...] = ()
        try:
            told = action(self.referee, self.t)
        except (NothingToDo, WrongMoment, NoSuchEvent, WrongEvent, NotTenFaces) as error:
            refusal = str(error)
        assert self.referee.events == [*events, *told]
        if refusal:
            assert refusal.endswith(".")
            assert self.referee.game == game
            assert (self.referee.dice, self.referee.questions) == (dice, questions)
        return not refusal

    # What must hold at any time.

    @invariant()
    def a_throw_has_ten_faces_and_a_reroll_one_of_three_verdicts(self) -> None:
        for turn in self.referee.game.turns:
            for n, throw in enumerate(turn.throws):
                assert len(throw.faces) == DICE
                assert isinstance(throw.verdict, Verdict) if n else throw.verdict is None

    @invariant()
    def scores_are_those_of_the_final_faces(self) -> None:
        game = self.referee.game
        for turn in game.turns:
            if turn.closed:
                assert turn.announced == score(turn.faces).lines
        assert sum(game.totals.values()) == sum(
            score(turn.faces).points for turn in game.turns if turn.closed
        )
        assert game.due(self.t) is None

    @invariant()
    def open_questions_are_about_dice_in_doubt(self) -> None:
        assert set(self.referee.questions) <= set(range(len(self.referee.events)))
        assert len(self.referee.dice) <= 14

    def teardown(self) -> None:
        events = self.referee.events
        assert fold(events) == self.referee.game
        assert [from_dict(to_dict(event)) for event in events] == events
        assert [event.t for event in events] == sorted(event.t for event in events)
        for event in events:
            if isinstance(event, Rolled | PickedUp | Rerolled | Scored):
                assert event.player in self.referee.game.players


def standing(game: Game) -> tuple[object, ...]:
    """Where a game stands, however many events it took."""
    return game.players, game.turns, game.announced, game.undoable


Anything.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnything = Anything.TestCase
