"""Whole games as folds of events: order, totals, corrections, undo, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.cars import Faces, parse_faces
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    GameOver,
    PickedUp,
    PlayerAdded,
    Question,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
    from_dict,
    to_dict,
)
from scoring.game import Game, NoSuchEvent, Row, WrongMoment, fold
from scoring.phases import REROLLS, Phase
from scoring.rules import (
    DEFAULT_RULES,
    HouseRules,
    NotOnTheTable,
    Verdict,
    judge,
    legal_pick_ups,
    remaining,
)
from scoring.score import ScoreLine, score

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

STAYS = HouseRules(way_car_must_stay=True)

SAMPLE_GAME = """
0011135778 011358 0000136779 00003 1134677999 1399 1144667779 19 1124466777
0112556779 01255 0126667779 09 1266667779 9 1226666777 277 0123566667
1123347789 12334 0012457789 0045 1122477789 1249 1227778999 29 1267778999
0024699999 00249999 0014567899 00459 0116778899 0199 0124667788 4 0122667788
0011144568 11568 0013334445 3335 0011133444 1133 0001444788 7 0001444889
"""
"""Five turns: a roll, then four times what was picked up and the roll it made."""


class Table:
    """Plays events onto a game, each ten seconds after the one before."""

    def __init__(self, *players: str, rules: HouseRules = DEFAULT_RULES) -> None:
        self.game = Game(rules)
        self.events: list[Event] = []
        for player in players:
            self.add(PlayerAdded(self.t, player))

    @property
    def t(self) -> float:
        return len(self.events) * 10.0

    @property
    def now(self) -> tuple[float, str, int, Phase]:
        return self.t, self.game.player or "", self.game.turn, self.game.phase

    def add(self, event: Event) -> int:
        """Apply an event; its number."""
        self.game = self.game.apply(event)
        self.events.append(event)
        return len(self.events) - 1

    def roll(self, faces: Faces) -> int:
        return self.add(Rolled(*self.now, faces))

    def pick_up(self, dice: Faces) -> int:
        wrong = judge(self.game.faces, dice, self.game.phase, self.game.rules)
        verdict = Verdict.ILLEGAL if wrong else Verdict.LEGAL
        kept = remaining(self.game.faces, dice)
        return self.add(PickedUp(*self.now, dice, kept, verdict, wrong.reasons))

    def reroll(self, faces: Faces) -> int:
        verdict = self.game.verdict or Verdict.CANNOT_TELL
        return self.add(Rerolled(*self.now, faces, verdict, self.game.reasons))

    def stand(self) -> int:
        return self.add(Stood(*self.now))

    def announce(self) -> list[Event]:
        """Apply all that is due; those events."""
        announced: list[Event] = []
        while due := self.game.due(self.t):
            self.add(due)
            announced.append(due)
        return announced

    def correct(self, seq: int, faces: Faces) -> int:
        return self.add(Corrected(*self.now, seq, faces))

    def undo(self, seq: int | None) -> int:
        assert seq is not None
        return self.add(Undone(*self.now, seq))


def play_sample(table: Table) -> Iterator[list[Event]]:
    """Play the sample game; after each turn what was announced."""
    for line in SAMPLE_GAME.split("\n")[1:-1]:
        first, *rest = (parse_faces(word, None) for word in line.split())
        table.roll(first)
        for picked_up, faces in zip(rest[::2], rest[1::2], strict=True):
            table.pick_up(picked_up)
            table.reroll(faces)
        yield table.announce()


def random_game(seed: int, *, finished: bool = False) -> Table:
    """A game with all kinds of turns, cut off somewhere unless it must be finished."""
    dice = random.Random(seed)
    players = dice.sample(["Ann", "Bob", "Cy"], k=dice.randint(1, 3))
    table = Table(*players, rules=dice.choice([DEFAULT_RULES, STAYS]))
    while not table.game.over and (finished or dice.random() < 0.97):
        game = table.game
        if game.phase is Phase.ROLL_10:
            table.roll(tuple(dice.choices(range(10), k=10)))
        elif game.phase is Phase.SCORING:
            table.announce()
        else:
            chance = dice.random()
            if chance < 0.1:
                table.stand()
            elif chance < 0.2:
                table.add(Alert(*table.now, "cocked", "A die leans."))
            else:
                taken = tuple(dice.sample(game.faces, k=dice.randint(0, 10)))
                if chance < 0.9:
                    table.pick_up(taken)
                thrown = tuple(dice.choices(range(10), k=len(taken)))
                table.reroll(remaining(game.faces, taken) + thrown)
    table.announce()
    return table


seeds = st.integers(0, 2**32)


def judged(table: Table) -> tuple[Verdict | None, tuple[str, ...]]:
    """The verdict that shows now, and its reasons."""
    return table.game.verdict, table.game.reasons


def winners(table: Table) -> tuple[str, ...]:
    """Who has won now."""
    return table.game.winners


def playing(table: Table) -> tuple[str | None, int, Phase]:
    """Whose turn it is now, which one and in which phase."""
    return table.game.player, table.game.turn, table.game.phase


def test_the_sample_game_with_its_verdicts_scores_and_total() -> None:
    table = Table("Ann")
    announced = list(play_sample(table))
    scores = [events[0] for events in announced]
    assert [(e.points, e.total) for e in scores if isinstance(e, Scored)] == [
        (100, 100),
        (90, 190),
        (80, 270),
        (80, 350),
        (30, 380),
    ]
    illegal = [
        (e.turn, e.phase.value, e.reasons)
        for e in table.events
        if isinstance(e, Rerolled) and e.verdict is Verdict.ILLEGAL
    ]
    assert illegal == [
        (1, "reroll-8", ("breakdown-without-way-car",)),
        (2, "reroll-2", ("too-many-dice",)),
    ]
    assert announced[-1][1] == GameOver(
        table.t - 10, "Ann", 5, Phase.SCORING, (("Ann", 380),), ("Ann",)
    )
    game = table.game
    assert game.over
    assert game.winners == ("Ann",)
    assert game.rows == (
        Row("Ann", tuple(score(t.faces) for t in game.turns), (100, 190, 270, 350, 380)),
    )
    assert game == fold(table.events)


def test_a_new_game_waits_for_players() -> None:
    game = Game()
    assert (game.players, game.player, game.turn, game.phase) == ((), None, 1, Phase.ROLL_10)
    assert (game.faces, game.picked_up, game.on_table, game.score) == ((), (), (), None)
    assert (game.verdict, game.reasons, game.rows, game.winners) == (None, (), (), ())
    assert (game.over, game.due(0), list(game.legal_pick_ups())) == (False, None, [])


def test_what_a_scoreboard_shows_during_a_turn() -> None:
    table = Table("Ann", "Bob")
    roll = parse_faces("0011135778")
    assert playing(table) == ("Ann", 1, Phase.ROLL_10)
    table.roll(roll)
    assert (table.game.phase, table.game.faces) == (Phase.REROLL_8, roll)
    assert (table.game.verdict, table.game.picked_up, table.game.on_table) == (None, (), roll)
    assert table.game.score == score(roll)
    assert list(table.game.legal_pick_ups()) == list(legal_pick_ups(roll, Phase.REROLL_8))
    table.pick_up((0, 1, 1))
    assert (table.game.picked_up, table.game.on_table) == ((0, 1, 1), (0, 1, 3, 5, 7, 7, 8))
    assert judged(table) == (Verdict.ILLEGAL, ("breakdown-without-way-car",))
    table.pick_up((1, 1))
    assert judged(table) == (Verdict.LEGAL, ())
    table.reroll(parse_faces("0001235778"))
    assert (table.game.phase, table.game.picked_up) == (Phase.REROLL_6, ())
    assert judged(table) == (Verdict.LEGAL, ())
    table.stand()
    assert playing(table) == ("Ann", 1, Phase.SCORING)
    assert table.game.totals == {"Ann": 0, "Bob": 0}
    assert len(table.announce()) == 1
    assert table.game.totals == {"Ann": 30, "Bob": 0}
    assert playing(table) == ("Bob", 1, Phase.ROLL_10)
    assert table.game.faces == ()
    assert table.game.row("Bob") == Row("Bob", (), ())


def test_players_take_five_turns_in_rotation() -> None:
    table = Table("Ann", "Bob", "Cy")
    order = []
    while not table.game.over:
        order.append((table.game.player, table.game.turn))
        table.roll((1,) * 10)
        table.stand()
        table.announce()
    assert order == [(player, turn) for turn in range(1, 6) for player in ("Ann", "Bob", "Cy")]
    assert playing(table) == (None, 5, Phase.SCORING)


def test_equal_totals_are_a_tie() -> None:
    table = Table("Ann", "Bob", "Cy")
    for _ in range(5):
        for faces in ("1244444444", "1255555555", "0244444444"):
            table.roll(parse_faces(faces))
            table.stand()
            assert not winners(table)
            last = table.announce()
    assert winners(table) == ("Ann", "Bob")
    assert isinstance(last[-1], GameOver)
    assert last[-1].totals == (("Ann", 850), ("Bob", 850), ("Cy", 0))
    assert last[-1].winners == ("Ann", "Bob")


def test_all_four_rerolls_end_a_turn_without_standing() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    for phase in REROLLS:
        assert table.game.phase is phase
        table.reroll((1,) * 10)
    assert table.game.phase is Phase.SCORING


def test_the_table_may_stand_with_the_dice_in_hand() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    table.pick_up((1, 1))
    table.stand()
    assert (table.game.picked_up, table.game.faces) == ((), (1,) * 10)


def test_the_house_rules_count_in_the_scores() -> None:
    table = Table("Ann", rules=HouseRules(penalties_without_locomotive=True))
    table.roll((0,) * 10)
    table.stand()
    table.announce()
    assert table.game.totals == {"Ann": -110}


@unhurried
@given(seeds)
def test_the_same_events_make_the_same_game_to_the_byte(seed: int) -> None:
    table = random_game(seed)
    lines = [json.dumps(to_dict(event)) for event in table.events]
    again = fold((from_dict(json.loads(line)) for line in lines), table.game.rules)
    assert again == table.game
    assert repr(again) == repr(table.game)


@unhurried
@given(seeds)
def test_totals_are_the_scores_of_the_last_throws(seed: int) -> None:
    table = random_game(seed, finished=True)
    game = table.game
    for player in game.players:
        finals = [turn.faces for turn in game.turns if turn.player == player]
        assert len(finals) == 5
        assert game.totals[player] == sum(score(f, game.rules).points for f in finals)
    assert sum(isinstance(event, GameOver) for event in table.events) == 1


# Corrections.


def test_a_corrected_face_changes_the_score_and_every_total_after_it() -> None:
    table = Table("Ann", "Bob")
    numbers = []
    for _ in range(5):
        for faces in ("1244444444", "1266666666"):
            numbers.append(table.roll(parse_faces(faces)))
            table.stand()
            table.announce()
    assert winners(table) == ("Ann", "Bob")
    table.correct(numbers[2], parse_faces("0244444444"))
    assert table.game.over
    assert table.game.rows[0].running == (170, 170, 340, 510, 680)
    assert winners(table) == ("Bob",)
    announced = table.announce()
    assert announced == [
        Scored(table.t - 20, "Ann", 2, Phase.SCORING, 0, (ScoreLine("No Locomotive", 0),), 680),
        GameOver(table.t - 10, "Bob", 5, Phase.SCORING, (("Ann", 680), ("Bob", 850)), ("Bob",)),
    ]
    # Set right again.
    table.correct(numbers[2], parse_faces("1244444444"))
    again, over = table.announce()
    assert isinstance(again, Scored)
    assert (again.player, again.turn, again.points, again.total) == ("Ann", 2, 170, 850)
    assert isinstance(over, GameOver)
    assert winners(table) == over.winners == ("Ann", "Bob")


def test_a_correction_that_changes_no_points_is_not_announced() -> None:
    table = Table("Ann")
    number = table.roll(parse_faces("0023456789"))
    table.stand()
    table.announce()
    table.correct(number, parse_faces("0023456799"))
    assert table.announce() == []
    assert table.game.turns[0].throws[0].corrected


def test_a_correction_during_a_turn_shows_at_once() -> None:
    table = Table("Ann")
    number = table.roll(parse_faces("1234567899"))
    table.correct(number, parse_faces("1234567896"))
    assert table.game.faces == parse_faces("1234566789")
    assert table.game.verdict is None
    table.stand()
    table.correct(number, parse_faces("0234567896"))
    assert table.announce() == [
        Scored(table.t - 10, "Ann", 1, Phase.SCORING, 0, (ScoreLine("No Locomotive", 0),), 0)
    ]


@unhurried
@given(seeds, st.data())
def test_a_correction_counts_as_if_the_faces_had_been_read_so(
    seed: int, data: st.DataObject
) -> None:
    table = random_game(seed)
    rolls = [n for n, e in enumerate(table.events) if isinstance(e, Rolled | Rerolled)]
    if not rolls:
        return
    number = data.draw(st.sampled_from(rolls))
    faces = tuple(data.draw(st.lists(st.integers(0, 9), min_size=10, max_size=10)))
    table.correct(number, faces)
    right = []
    for turn in table.game.turns:
        last = turn.throws[-1].seq
        read = table.events[last]
        assert isinstance(read, Rolled | Rerolled)
        right.append(tuple(sorted(faces)) if last == number else read.faces)
    assert [turn.faces for turn in table.game.turns] == right
    table.announce()
    for row in table.game.rows:
        assert row.scores == tuple(
            score(faces, table.game.rules)
            for turn, faces in zip(table.game.turns, right, strict=True)
            if turn.player == row.player and turn.closed
        )
    assert fold(table.events, table.game.rules) == table.game


@pytest.mark.parametrize("thrown", [False, True])
@pytest.mark.parametrize(
    ("roll", "picked_up", "corrected", "shown", "verdict", "reasons"),
    [
        # A 6 on the table was a 9: the Breakdown was free after all.
        ("0112345667", "0", "0112345679", "0", "legal", ()),
        # So was a 6 in the hand.
        ("0112345678", "06", "0112345789", "09", "legal", ()),
        # A 9 was a 6: the Breakdown was not free.
        ("0112345679", "0", "0112345667", "0", "illegal", ("breakdown-without-way-car",)),
        # A Breakdown in the hand was an 8.
        ("0112345678", "0", "8112345678", "8", "legal", ()),
        # One of two Breakdowns was an 8; it may be the one in the hand or the other.
        (
            "0012345678",
            "0",
            "8012345678",
            "0",
            "cannot-tell",
            ("breakdown-without-way-car",),
        ),
        # The same with too many dice picked up: illegal either way, but only that is certain.
        (
            "0012345678",
            "012345678",
            "8012345678",
            "012345678",
            "illegal",
            ("too-many-dice",),
        ),
        # Another face, the same verdict.
        ("0112345678", "12", "0112345674", "12", "legal", ()),
        ("1112345678", "1", "2112345678", "1", "legal", ()),
    ],
)
def test_a_pick_up_is_judged_again_when_its_roll_is_corrected(
    roll: str,
    picked_up: str,
    corrected: str,
    shown: str,
    verdict: str,
    reasons: tuple[str, ...],
    *,
    thrown: bool,
) -> None:
    table = Table("Ann")
    number = table.roll(parse_faces(roll))
    table.pick_up(parse_faces(picked_up, None))
    if thrown:
        table.reroll((1,) * 10)
    table.correct(number, parse_faces(corrected))
    assert (table.game.verdict, table.game.reasons) == (verdict, reasons)
    if thrown:
        pick_up = table.game.turns[0].throws[1].pick_up
        assert pick_up is not None
        assert pick_up.picked_up == parse_faces(shown, None)
        assert sorted(pick_up.picked_up + pick_up.kept) == sorted(parse_faces(corrected))
    else:
        assert table.game.picked_up == parse_faces(shown, None)
        assert sorted(table.game.picked_up + table.game.on_table) == sorted(parse_faces(corrected))


def test_the_house_rules_count_when_a_pick_up_is_judged_again() -> None:
    table = Table("Ann", rules=STAYS)
    number = table.roll(parse_faces("0112345678"))
    table.pick_up((0, 6))
    table.correct(number, parse_faces("0112345798"))
    assert table.game.verdict is Verdict.ILLEGAL


def test_a_correction_that_changes_nothing_leaves_the_verdict_of_the_table() -> None:
    table = Table("Ann")
    faces = parse_faces("0112345678")
    number = table.roll(faces)
    table.add(PickedUp(*table.now, (0,), remaining(faces, (0,)), Verdict.CANNOT_TELL))
    table.correct(number, faces)
    assert table.game.verdict is Verdict.CANNOT_TELL
    later = table.reroll(faces)
    table.correct(number, faces)
    assert table.game.verdict is Verdict.CANNOT_TELL
    table.correct(later, (1,) * 10)
    assert table.game.verdict is Verdict.CANNOT_TELL


def test_an_unseen_pick_up_keeps_its_verdict_when_its_roll_is_corrected() -> None:
    table = Table("Ann")
    number = table.roll(parse_faces("0112345678"))
    table.add(Rerolled(*table.now, (1,) * 10, Verdict.LEGAL))
    table.correct(number, parse_faces("0012345678"))
    assert table.game.verdict is Verdict.LEGAL


@unhurried
@given(seeds, st.data())
def test_pick_ups_stay_part_of_their_rolls_under_corrections(
    seed: int, data: st.DataObject
) -> None:
    table = random_game(seed)
    rolls = [n for n, e in enumerate(table.events) if isinstance(e, Rolled | Rerolled)]
    for number in data.draw(st.lists(st.sampled_from(rolls), max_size=4)) if rolls else []:
        faces = next(throw.faces for throw in table.game.throws if throw.seq == number)
        place, face = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
        table.correct(number, (*faces[:place], face, *faces[place + 1 :]))
    for turn in table.game.turns:
        for before, throw in zip(turn.throws, turn.throws[1:], strict=False):
            if throw.pick_up:
                together = throw.pick_up.picked_up + throw.pick_up.kept
                assert tuple(sorted(together)) == before.faces
                if throw.verdict is not Verdict.CANNOT_TELL:
                    wrong = judge(
                        before.faces, throw.pick_up.picked_up, throw.phase, table.game.rules
                    )
                    assert bool(wrong) is (throw.verdict is Verdict.ILLEGAL)


# Undo and redo.


def as_it_stands(game: Game) -> Game:
    """The game without the memory of how it came there."""
    return replace(game, count=0, undoable=None, redoable=None)


@unhurried
@given(seeds, st.data())
def test_an_undo_goes_back_to_before_the_event(seed: int, data: st.DataObject) -> None:
    table = random_game(seed)
    number = data.draw(st.integers(0, len(table.events) - 1))
    table.undo(number)
    then = fold(table.events[:number], table.game.rules)
    assert as_it_stands(table.game) == as_it_stands(then)
    assert table.game.count == len(table.events)
    assert table.game.undoable == then.undoable


@unhurried
@given(seeds, st.integers(1, 5))
def test_undos_taken_back_one_by_one_bring_everything_back(seed: int, times: int) -> None:
    table = random_game(seed)
    steps = [table.game]
    for _ in range(times):
        if table.game.undoable is None:
            break
        table.undo(table.game.undoable)
        steps.append(table.game)
    assert len(steps) > 1
    for step in reversed(steps[:-1]):
        table.undo(table.game.redoable)
        assert replace(table.game, count=0) == replace(step, count=0)
    assert table.game.redoable is None


def test_an_undo_takes_back_what_a_player_did_with_what_was_announced_for_it() -> None:
    table = Table("Ann", "Bob")
    table.roll((1,) * 10)
    stood = table.stand()
    table.announce()
    assert playing(table) == ("Bob", 1, Phase.ROLL_10)
    assert table.game.undoable == stood
    undo = table.undo(table.game.undoable)
    assert playing(table) == ("Ann", 1, Phase.REROLL_8)
    assert table.game.redoable == undo
    table.undo(undo)
    assert playing(table) == ("Bob", 1, Phase.ROLL_10)
    assert table.game.redoable is None


def test_nothing_can_be_redone_after_something_new() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    table.undo(table.game.undoable)
    table.add(Alert(*table.now, "cocked", "A die leans."))
    assert table.game.redoable is not None
    table.roll((2,) * 10)
    assert table.game.redoable is None


def test_an_undo_of_a_redo_can_itself_be_redone() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    undo = table.undo(1)
    redo = table.undo(undo)
    again = table.undo(redo)
    assert (table.game.faces, table.game.redoable) == ((), again)
    table.undo(again)
    assert table.game.faces == (1,) * 10


def test_an_undo_takes_back_a_correction_after_the_game_is_over() -> None:
    table = Table("Ann")
    for _ in play_sample(table):
        pass
    before = table.game
    number = table.correct(before.turns[0].throws[-1].seq, (1,) * 10)
    table.announce()
    assert table.game.totals == {"Ann": 280}
    table.undo(number)
    assert as_it_stands(table.game) == as_it_stands(before)
    assert table.announce() == []


def test_what_was_undone_cannot_be_corrected() -> None:
    table = Table("Ann")
    number = table.roll((1,) * 10)
    table.undo(number)
    with pytest.raises(NoSuchEvent, match="Event 1 is no roll that counts"):
        table.correct(number, (2,) * 10)


@pytest.mark.parametrize("seq", [0, 2, 99, -1])
def test_only_rolls_can_be_corrected(seq: int) -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    table.pick_up((1,))
    with pytest.raises(NoSuchEvent, match=f"Event {seq} is no roll that counts: name one that is."):
        table.correct(seq, (2,) * 10)


@pytest.mark.parametrize("seq", [1, 99, -1])
def test_only_earlier_events_can_be_undone(seq: int) -> None:
    table = Table("Ann")
    with pytest.raises(NoSuchEvent, match=f"Event {seq} cannot be undone because there are 1"):
        table.undo(seq)


def test_a_long_record_is_folded_and_undone() -> None:
    alerts = [Alert(float(n), "Ann", 1, Phase.ROLL_10, "cocked", "") for n in range(20_000)]
    game = fold([PlayerAdded(0.0, "Ann"), *alerts, Undone(0.0, "Ann", 1, Phase.ROLL_10, 0)])
    assert (game.players, game.count) == ((), 20_002)


# What may not come now.


def test_questions_answers_and_alerts_change_nothing_at_any_time() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    before = table.game
    at = (0.0, "Nobody", 5, Phase.SCORING)
    table.add(Question(*at, "6 or 9?", (1.0, 2.0), (6, 9), ("six-or-nine",)))
    table.add(Answer(*at, 2, 9))
    table.add(Alert(*at, "cocked", "A die leans."))
    assert replace(table.game, count=before.count) == before
    assert table.game.count == 5


def test_the_first_roll_needs_a_player() -> None:
    with pytest.raises(WrongMoment) as refused:
        Game().apply(Rolled(0.0, "Ann", 1, Phase.ROLL_10, (1,) * 10))
    assert str(refused.value) == (
        "Expected a player to join first, but 'roll' of Ann's turn 1 in roll-10 came."
    )


def test_players_join_once_and_before_the_first_roll() -> None:
    table = Table("Ann")
    with pytest.raises(WrongMoment, match="a player 'Ann' already: take another name"):
        table.add(PlayerAdded(0.0, "Ann"))
    table.roll((1,) * 10)
    with pytest.raises(WrongMoment, match="but 'player' of Bob's turn 1 in roll-10 came"):
        table.add(PlayerAdded(0.0, "Bob"))


ROLL = Rolled(0.0, "Ann", 1, Phase.ROLL_10, (1,) * 10)
PICK_UP = PickedUp(0.0, "Ann", 1, Phase.REROLL_8, (1,), (1,) * 9, Verdict.LEGAL)
REROLL = Rerolled(0.0, "Ann", 1, Phase.REROLL_8, (1,) * 10, Verdict.LEGAL)
STAND = Stood(0.0, "Ann", 1, Phase.REROLL_8)
SCORE = Scored(0.0, "Ann", 1, Phase.SCORING, 0, (), 0)
OVER = GameOver(0.0, "Ann", 5, Phase.SCORING, (("Ann", 0),), ("Ann",))


@pytest.mark.parametrize(
    ("before", "came", "expected"),
    [
        ([], PICK_UP, "Expected 'roll' of Ann's turn 1 in roll-10, but 'pickup' of Ann's turn 1"),
        ([], REROLL, "Expected 'roll'"),
        ([], STAND, "Expected 'roll'"),
        ([], SCORE, "Expected 'roll'"),
        ([], OVER, "Expected 'roll'"),
        ([], replace(ROLL, player="Bob"), "but 'roll' of Bob's turn 1 in roll-10 came."),
        ([], replace(ROLL, turn=2), "but 'roll' of Ann's turn 2 in roll-10 came."),
        ([], replace(ROLL, phase=Phase.REROLL_8), "but 'roll' of Ann's turn 1 in reroll-8 came."),
        ([ROLL], ROLL, "Expected 'pickup' or 'reroll' or 'stand' of Ann's turn 1 in reroll-8"),
        ([ROLL], replace(REROLL, phase=Phase.REROLL_6), "'reroll' of Ann's turn 1 in reroll-6"),
        ([ROLL], SCORE, "Expected 'pickup' or 'reroll' or 'stand'"),
        ([ROLL, STAND], REROLL, "Expected 'score' of Ann's turn 1 in scoring"),
        ([ROLL, STAND], replace(SCORE, turn=2), "Expected 'score' of Ann's turn 1 in scoring"),
        ([ROLL, STAND], ROLL, "Expected 'score' of Ann's turn 1 in scoring"),
        ([ROLL, STAND, SCORE], ROLL, "Expected 'roll' of Ann's turn 2 in roll-10"),
    ],
)
def test_events_out_of_turn_say_what_was_expected_and_what_came(
    before: list[Event], came: Event, expected: str
) -> None:
    game = fold([PlayerAdded(0.0, "Ann"), *before])
    with pytest.raises(WrongMoment) as refused:
        game.apply(came)
    assert expected in str(refused.value)
    assert game == fold([PlayerAdded(0.0, "Ann"), *before])


def test_nothing_is_rolled_when_the_game_is_over() -> None:
    table = random_game(1, finished=True)
    with pytest.raises(WrongMoment, match=r"The game is over, but 'roll' .* start a new game."):
        table.add(replace(ROLL, player=table.game.players[0]))


def test_only_dice_that_lie_there_can_be_picked_up() -> None:
    game = fold([PlayerAdded(0.0, "Ann"), ROLL])
    with pytest.raises(NotOnTheTable, match="cannot be picked up"):
        game.apply(replace(PICK_UP, picked_up=(2,)))
    with pytest.raises(NotOnTheTable, match=r"\[1\] and \[1, 1, .* 2\] together are not the dice"):
        game.apply(replace(PICK_UP, kept=(1,) * 8 + (2,)))


def test_an_announcement_that_was_wrong_counts_for_nothing_and_is_made_again() -> None:
    table = Table("Ann")
    table.roll((1,) * 10)
    table.stand()
    table.add(Scored(*table.now, 99, (ScoreLine("Luck", 99),), 99))
    assert table.game.totals == {"Ann": 0}
    assert [(e.points, e.total) for e in table.announce() if isinstance(e, Scored)] == [(0, 0)]
