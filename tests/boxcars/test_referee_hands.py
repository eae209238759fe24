"""Tests of what people at the table tell the referee: answers, corrections, undo, taking back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from boxcars.lying import from_values, to_values
from boxcars.referee import NothingToDo, Referee
from scoring.cars import NotTenFaces
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    PickedUp,
    Question,
    Rerolled,
    Rolled,
    Scored,
    Undone,
    WrongEvent,
)
from scoring.game import NoSuchEvent, WrongMoment, fold
from scoring.phases import Phase
from scoring.rules import Verdict
from tests.boxcars.table import Die, kinds, row, thrown, view, without
from vision.records import Doubt

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
FACES = (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)


class Table:
    """A referee, and a clock that ticks with each thing that happens."""

    def __init__(self) -> None:
        self.referee = Referee(["Ann"])
        self.t = 0.0

    def see(self, dice: list[Die]) -> list[str]:
        self.t += 1.0
        return kinds(self.referee.see(view(dice, self.t)))

    def say(self, action: Callable[[Referee, float], tuple[Event, ...]]) -> list[str]:
        self.t += 1.0
        told = kinds(action(self.referee, self.t))
        assert fold(self.referee.events) == self.referee.game
        return told

    @property
    def faces(self) -> tuple[int, ...]:
        return self.referee.game.faces

    @property
    def last(self) -> Event:
        return self.referee.events[-1]


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def rolled(table: Table) -> Table:
    table.see(ROLL)
    return table


def resumed(table: Table, *, evidence: bool = True) -> Table:
    """The table as the program finds it when it begins anew with the record."""
    other = Table()
    other.t = table.t
    lay = {
        seq: from_values(json.loads(json.dumps(to_values(dice))))
        for seq, dice in table.referee.evidence.items()
    }
    other.referee = Referee(events=table.referee.events, evidence=lay if evidence else None)
    assert other.referee.game == table.referee.game
    return other


class TestAnswers:
    def test_an_answer_lets_the_roll_count(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        (seq,) = table.referee.questions
        assert table.say(lambda r, t: r.answer(t, seq, 9)) == ["answer", "roll"]
        assert table.faces == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)

    def test_of_two_questions_both_must_be_answered(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), ROLL[1].doubted(), *ROLL[2:]])
        first, second = table.referee.questions
        assert table.say(lambda r, t: r.answer(t, first, 9)) == ["answer"]
        assert list(table.referee.questions) == [second]
        assert table.say(lambda r, t: r.answer(t, second, 0)) == ["answer", "roll"]

    def test_the_answer_stays_as_long_as_the_die(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        (seq,) = table.referee.questions
        table.say(lambda r, t: r.answer(t, seq, 9))
        assert table.see([ROLL[0].doubted(), *ROLL[1:]]) == []
        assert table.see([ROLL[0].read_as(4), *ROLL[1:]]) == []
        assert table.see([ROLL[0].read_as(4), *ROLL[2:]]) == ["pickup"]
        assert table.referee.game.on_table == (1, 2, 3, 4, 5, 6, 7, 8, 9)

    def test_so_it_does_before_the_roll_is_complete(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), ROLL[1].doubted(), *ROLL[2:]])
        first, _ = table.referee.questions
        table.say(lambda r, t: r.answer(t, first, 9))
        assert table.see([ROLL[0].doubted(), *ROLL[1:]]) == ["roll"]
        assert table.faces == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)

    def test_a_question_that_settled_cannot_be_answered(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        (seq,) = table.referee.questions
        table.see(ROLL)
        with pytest.raises(NothingToDo, match=f"Question {seq} is not open"):
            table.say(lambda r, t: r.answer(t, seq, 9))

    def test_a_face_there_is_not_leaves_the_question_open(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        (seq,) = table.referee.questions
        with pytest.raises(WrongEvent, match="0-9"):
            table.say(lambda r, t: r.answer(t, seq, 10))
        assert list(table.referee.questions) == [seq]

    def test_about_a_contradiction_it_corrects_the_roll(self, rolled: Table) -> None:
        rolled.see([*ROLL[:9], ROLL[9].read_as(3)])
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 3)) == ["answer", "correction"]
        assert rolled.faces == (0, 0, 1, 2, 3, 3, 4, 5, 6, 7)
        assert rolled.see([*ROLL[:9], ROLL[9].read_as(3)]) == []

    def test_or_confirms_it(self, rolled: Table) -> None:
        rolled.see([*ROLL[:9], ROLL[9].read_as(3)])
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 8)) == ["answer"]
        assert rolled.see([*ROLL[:9], ROLL[9].read_as(3)]) == []
        assert rolled.see([*ROLL[1:9], ROLL[9].read_as(3)]) == ["pickup", "illegal-reroll"]

    def test_a_kept_die_pushed_aside_may_be_answered(self, rolled: Table) -> None:
        kept = [ROLL[9].moved(0, 3).doubted(), *ROLL[:5]]
        rolled.see(kept)
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 8)) == ["answer", "pickup"]
        assert rolled.referee.game.picked_up == (4, 5, 6, 7)

    def test_a_throw_taken_up_unread_may_still_be_answered(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.see(after[:7])
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 9)) == ["answer", "reroll", "pickup"]
        assert rolled.referee.game.phase is Phase.REROLL_6
        assert rolled.referee.game.picked_up == (8, 9, 9)

    def test_even_when_the_tray_is_empty(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.see([])
        (seq,) = rolled.referee.questions
        told = rolled.say(lambda r, t: r.answer(t, seq, 9))
        assert told == ["answer", "reroll", "stand", "score"]
        assert rolled.see(row(range(10))) == ["roll"]

    def test_a_die_that_was_only_pushed_aside_is_no_throw_then(self, rolled: Table) -> None:
        pushed = ROLL[9].moved(0.6, 0.4, turn=0.5).doubted()
        assert rolled.see([*ROLL[:9], pushed]) == ["question"]
        assert rolled.see([]) == ["unread-throw"]
        (seq,) = rolled.referee.questions
        told = rolled.say(lambda r, t: r.answer(t, seq, 8))
        assert told == ["answer", "stand", "score"]

    def test_each_die_of_a_throw_that_nobody_saw_may_be_told(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        rolled.t += 1.0
        late = replace(view([], rolled.t), overlooked=True)
        assert kinds(rolled.referee.see(late)) == ["unread-throw"]
        for face, told in ((9, ["die-added"]), (4, ["die-added", "reroll", "stand", "score"])):
            place = [die.face for die in rolled.referee.dice].index(None)
            rolled.t += 1.0
            assert kinds(rolled.referee.set_face(rolled.t, place, face)) == told
            rolled.referee = Referee(events=rolled.referee.events, evidence=rolled.referee.evidence)
            assert rolled.see([]) == []
        assert rolled.referee.game.throws[-1].faces == (0, 0, 3, 4, 4, 5, 6, 7, 8, 9)

    def test_one_of_two_answers_is_not_enough_then(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:8], after[8].doubted(), after[9].doubted()])
        rolled.see([])
        first, second = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, first, 9)) == ["answer"]
        assert rolled.say(lambda r, t: r.answer(t, second, 9))[:2] == ["answer", "reroll"]

    def test_a_first_roll_taken_up_unread_may_be_answered(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        assert table.see([]) == ["unread-throw"]
        (seq,) = table.referee.questions
        told = table.say(lambda r, t: r.answer(t, seq, 0))
        assert told == ["answer", "roll", "stand", "score"]

    def test_a_first_roll_that_nobody_read_is_asked_for(self, table: Table) -> None:
        late = replace(view(without(ROLL, 2, 3), table.t), overlooked=True, unread_dice=10)
        assert kinds(table.referee.see(late)) == ["unread-throw"]
        (alert,) = [event for event in table.referee.events if isinstance(event, Alert)]
        assert alert.text.endswith("say what it showed, or the game goes on without it.")
        told = table.say(lambda r, t: r.enter(t, (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)))
        assert told == ["roll", "pickup"]
        assert table.referee.game.picked_up == (1, 2)
        assert table.see(thrown(ROLL, {2: 9, 3: 9})) == ["reroll"]

    def test_also_when_the_program_was_begun_anew_meanwhile(self, table: Table) -> None:
        table.referee.see(
            replace(view(without(ROLL, 2, 3), table.t), overlooked=True, unread_dice=10)
        )
        table.referee = Referee(events=table.referee.events, evidence=table.referee.evidence)
        told = table.say(lambda r, t: r.enter(t, (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)))
        assert told == ["roll", "pickup"]

    def test_without_an_answer_the_next_ten_dice_are_the_roll(self, table: Table) -> None:
        table.referee.see(
            replace(view(without(ROLL, 2, 3), table.t), overlooked=True, unread_dice=10)
        )
        assert table.see(thrown(ROLL, {2: 9, 3: 9})) == ["roll"]

    def test_once_the_tray_was_emptied_the_turn_begins_anew(self, table: Table) -> None:
        table.referee.see(
            replace(view(without(ROLL, 2, 3), table.t), overlooked=True, unread_dice=10)
        )
        assert table.see([]) == []
        assert table.see(ROLL[1:]) == ["off-tray"]
        assert table.say(lambda r, t: r.add_die(t, 0)) == ["die-added", "roll"]

    def test_a_roll_with_a_die_beside_the_tray_is_no_roll_taken_up(self, table: Table) -> None:
        late = replace(view(ROLL[1:], table.t), overlooked=True, unread_dice=9)
        assert kinds(table.referee.see(late)) == ["off-tray"]
        assert table.say(lambda r, t: r.add_die(t, 0)) == ["die-added", "roll"]
        assert table.see(ROLL) == []


class TestPickedUpInAHurry:
    @pytest.mark.parametrize("anew", [False, True])
    def test_a_throw_answered_later_may_still_hold_more(self, rolled: Table, anew: bool) -> None:
        rolled.referee.see(replace(view(without(ROLL, 3), rolled.t), hurried=True))
        after = list(ROLL)
        after[0] = ROLL[0].moved(0.5, 1.5, turn=2)
        after[3] = Die(2, 700.0, 600.0).doubted()
        assert rolled.see(after) == ["question"]
        if anew:
            before = rolled.referee
            rolled.referee = Referee(events=before.events, evidence=before.evidence)
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 2)) == ["answer", "reroll", "cannot-tell"]

    def test_so_may_one_that_nobody_watched(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 3))
        before = rolled.referee
        rolled.referee = Referee(events=before.events, evidence=before.evidence)
        after = [ROLL[0].moved(0.5, 1.5, turn=2), *ROLL[1:3], Die(2, 700.0, 600.0), *ROLL[4:]]
        assert rolled.see(after) == ["reroll", "cannot-tell"]

    def test_what_is_undone_meanwhile_leaves_it_open(self, rolled: Table) -> None:
        rolled.referee.see(replace(view(without(ROLL, 3), rolled.t), hurried=True))
        after = [ROLL[0].moved(0.5, 1.5, turn=2), *ROLL[1:3], Die(2, 700.0, 600.0), *ROLL[4:]]
        assert rolled.see(after) == ["reroll", "cannot-tell"]
        seq = rolled.referee.game.throws[-1].seq
        assert rolled.say(lambda r, t: r.undo(t, seq)) == ["undo"]
        assert rolled.see([*after[:9], after[9].moved(2, 1)]) == ["reroll", "cannot-tell"]


class TestFacesByHand:
    def test_a_misread_die_is_corrected(self, rolled: Table) -> None:
        assert rolled.say(lambda r, t: r.set_face(t, 9, 3)) == ["correction"]
        assert rolled.last == Corrected(
            2.0, "Ann", 1, Phase.REROLL_8, 1, (0, 0, 1, 2, 3, 3, 4, 5, 6, 7)
        )

    def test_and_stays_so_however_it_is_read(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.set_face(t, 9, 3))
        assert rolled.see(ROLL) == []
        assert rolled.see(ROLL[2:]) == ["pickup", "illegal-reroll"]
        assert rolled.referee.game.on_table == (1, 2, 3, 3, 4, 5, 6, 7)

    def test_also_if_it_was_picked_up_and_put_back(self, rolled: Table) -> None:
        misread = [*ROLL[:9], ROLL[9].read_as(9)]
        table = Table()
        assert table.see(misread) == ["roll"]
        assert table.say(lambda r, t: r.set_face(t, 9, 8)) == ["correction"]
        assert table.see(misread[2:5] + misread[6:9]) == ["pickup", "illegal-reroll"]
        assert table.see(misread[2:5] + misread[6:]) == ["pickup"]
        assert table.referee.game.picked_up == (0, 0, 4)

    def test_a_face_that_was_right_changes_nothing(self, rolled: Table) -> None:
        assert rolled.say(lambda r, t: r.set_face(t, 9, 8)) == []

    def test_a_die_in_question_is_answered(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        assert table.say(lambda r, t: r.set_face(t, 0, 9)) == ["answer", "roll"]

    def test_a_leaning_die_may_be_told(self, table: Table) -> None:
        table.see([ROLL[0].doubted(Doubt.COCKED), *ROLL[1:]])
        assert table.say(lambda r, t: r.set_face(t, 0, 9)) == ["question", "answer", "roll"]

    def test_a_die_of_no_roll_yet_is_remembered(self, table: Table) -> None:
        table.see(ROLL[:9])
        assert table.say(lambda r, t: r.set_face(t, 0, 9)) == ["question", "answer"]
        assert table.see(ROLL) == ["roll"]
        assert table.faces == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)

    def test_there_must_be_such_a_die(self, rolled: Table) -> None:
        with pytest.raises(NothingToDo, match="no die 10: 10 lie there"):
            rolled.say(lambda r, t: r.set_face(t, 10, 9))

    def test_a_missed_die_is_added(self, table: Table) -> None:
        table.see(ROLL[:9])
        assert table.say(lambda r, t: r.add_die(t, 8)) == ["die-added", "roll"]
        assert table.faces == FACES
        assert table.see(ROLL[:9]) == []

    def test_only_where_one_is_missing(self, rolled: Table) -> None:
        with pytest.raises(NothingToDo, match="remove one first"):
            rolled.say(lambda r, t: r.add_die(t, 8))

    def test_and_only_with_a_face(self, table: Table) -> None:
        with pytest.raises(NothingToDo, match="No die shows 12"):
            table.say(lambda r, t: r.add_die(t, 12))

    def test_a_phantom_is_removed_for_good(self, table: Table) -> None:
        phantom = Die(4, 600.0, 600.0)
        assert table.see([phantom, *ROLL]) == ["eleven-dice"]
        assert table.say(lambda r, t: r.remove_die(t, 0)) == ["die-removed", "roll"]
        assert table.see([phantom, *ROLL]) == []
        assert table.see([phantom, *ROLL[2:]]) == ["pickup", "illegal-reroll"]
        assert table.see([phantom]) == ["stand", "score"]

    def test_a_die_that_was_nudged_is_still_one_of_the_roll(self, rolled: Table) -> None:
        nudged = [*ROLL[:9], ROLL[9].moved(0, 2, turn=1)]
        rolled.see(nudged)
        assert rolled.say(lambda r, t: r.set_face(t, 9, 3)) == ["correction"]
        assert rolled.see(nudged) == []

    def test_so_is_one_that_was_pushed_aside_at_a_pick_up(self, rolled: Table) -> None:
        kept = [*ROLL[4:9], ROLL[9].moved(0, 3)]
        rolled.see(kept)
        assert rolled.say(lambda r, t: r.set_face(t, 5, 3)) == ["correction"]
        assert rolled.faces == (0, 0, 1, 2, 3, 3, 4, 5, 6, 7)
        assert rolled.referee.game.on_table == (3, 3, 4, 5, 6, 7)

    def test_one_of_two_alike_stays_corrected_after_a_stop(self, table: Table) -> None:
        dice = row([8, 8, 1, 2, 3, 4, 5, 6, 7, 9])
        table.see(dice)
        table.say(lambda r, t: r.set_face(t, 0, 3))
        again = resumed(table)
        assert again.see(dice) == []
        assert again.see(dice[2:]) == ["pickup"]
        assert again.referee.game.picked_up == (3, 8)

    def test_a_misread_kept_die_that_was_set_right_is_judged_at_once(self, rolled: Table) -> None:
        kept = [*ROLL[4:9], ROLL[9].moved(0, 3).read_as(9)]
        assert rolled.see(kept) == ["off-tray"]
        told = rolled.say(lambda r, t: r.set_face(t, 5, 8))
        assert told == ["question", "answer", "pickup", "illegal-reroll"]
        assert rolled.referee.game.picked_up == (0, 0, 1, 2)

    def test_what_cannot_be_leaves_no_trace(self, table: Table) -> None:
        table.see(ROLL[:9])
        events = list(table.referee.events)
        with pytest.raises(WrongEvent, match="0-9"):
            table.say(lambda r, t: r.set_face(t, 0, 12))
        assert table.referee.events == events
        assert table.see(ROLL) == ["roll"]

    def test_an_added_die_may_be_said_to_show_another_face(self, table: Table) -> None:
        table.see(ROLL[:8])
        table.say(lambda r, t: r.add_die(t, 7))
        assert table.say(lambda r, t: r.set_face(t, 8, 6)) == ["die-added"]
        assert table.say(lambda r, t: r.add_die(t, 8)) == ["die-added", "roll"]
        assert table.faces == (0, 0, 1, 2, 3, 4, 5, 6, 6, 8)

    def test_an_added_die_that_is_seen_later_is_nothing_new(self, table: Table) -> None:
        table.see(ROLL[:9])
        table.say(lambda r, t: r.add_die(t, 8))
        assert table.see(ROLL) == []
        assert table.see(ROLL[:9]) == ["pickup"]
        assert table.referee.game.picked_up == (8,)

    def test_one_that_is_never_seen_was_not_picked_up_for_sure(self, table: Table) -> None:
        """It shows a Breakdown: nobody may be blamed for taking it."""
        table.see(ROLL[1:])
        table.say(lambda r, t: r.add_die(t, 0))
        assert table.see([die.moved(0.05) for die in ROLL[1:]]) == []
        assert table.see(ROLL[1:8]) == ["pickup", "cannot-tell"]
        assert table.referee.game.picked_up == (7, 8)
        again = resumed(table)
        assert again.see(ROLL[1:8]) == []

    def test_adding_a_die_that_was_lost_from_sight_puts_it_back(self, rolled: Table) -> None:
        assert rolled.see(ROLL[:9]) == ["pickup"]
        assert rolled.say(lambda r, t: r.add_die(t, 8)) == ["die-added", "pickup"]
        assert rolled.referee.game.picked_up == ()
        assert rolled.referee.game.phase is Phase.REROLL_8

    def test_a_phantom_stays_one_after_a_stop(self, table: Table) -> None:
        phantom = Die(4, 600.0, 600.0)
        table.see([phantom, *ROLL])
        table.say(lambda r, t: r.remove_die(t, 0))
        again = resumed(table)
        assert again.see([phantom, *ROLL]) == []
        assert again.see([phantom, *ROLL[2:]]) == ["pickup", "illegal-reroll"]

    def test_a_phantom_in_a_roll_is_no_pick_up_when_it_is_removed(self, table: Table) -> None:
        phantom = Die(8, 600.0, 600.0)
        table.see([*ROLL[:9], phantom])
        assert table.say(lambda r, t: r.remove_die(t, 9)) == ["die-removed"]
        assert "say what the tenth die shows" in getattr(table.last, "text", "")
        assert table.see([*ROLL[:9], phantom]) == []
        (unseen,) = [n for n, die in enumerate(table.referee.dice) if die.is_unseen]
        assert table.say(lambda r, t: r.set_face(t, unseen, 1)) == ["correction"]
        assert table.faces == (0, 0, 1, 1, 2, 3, 4, 5, 6, 7)

    def test_after_the_game_dice_are_no_longer_added_or_removed(self, table: Table) -> None:
        for _ in range(5):
            table.see(ROLL)
            table.say(lambda r, t: r.stand(t))
            table.see(ROLL)
            if not table.referee.game.over:
                table.see([])
        for action in (lambda r, t: r.add_die(t, 1), lambda r, t: r.remove_die(t, 0)):
            with pytest.raises(NothingToDo, match="The game is over"):
                table.say(action)
        assert table.say(lambda r, t: r.set_face(t, 9, 1)) == ["correction", "score", "game-over"]

    def test_a_whole_throw_may_be_entered(self, table: Table) -> None:
        assert table.say(lambda r, t: r.enter(t, FACES)) == ["roll"]
        assert table.say(lambda r, t: r.enter(t, (1,) * 10)) == [
            "reroll",
            "illegal-reroll",
        ]
        assert isinstance(table.referee.events[-2], Rerolled)

    def test_it_takes_the_place_of_one_that_cannot_be_read(self, table: Table) -> None:
        table.see([die.doubted() for die in ROLL])
        assert len(table.referee.questions) == 10
        assert table.say(lambda r, t: r.enter(t, FACES)) == ["roll"]
        assert table.referee.questions == {}
        assert table.see([die.doubted() for die in ROLL]) == []

    def test_also_of_one_taken_up_already(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.see([])
        faces = (0, 0, 3, 4, 5, 6, 7, 8, 9, 9)
        assert rolled.say(lambda r, t: r.enter(t, faces)) == ["reroll", "stand", "score"]

    def test_it_needs_ten_faces(self, table: Table) -> None:
        with pytest.raises(NotTenFaces):
            table.say(lambda r, t: r.enter(t, (1, 2, 3)))
        assert table.see(ROLL) == ["roll"]

    def test_what_was_entered_is_not_read_again_after_a_stop(self, table: Table) -> None:
        unreadable = [die.doubted() for die in ROLL]
        table.see(unreadable)
        table.say(lambda r, t: r.enter(t, (1, *FACES[1:])))
        again = resumed(table)
        assert again.see(unreadable) == []
        assert again.faces == (0, 1, 1, 2, 3, 4, 5, 6, 7, 8)


class TestCorrections:
    def test_the_latest_roll_is_meant_if_none_is_named(self, rolled: Table) -> None:
        faces = (0, 0, 1, 2, 3, 4, 5, 6, 7, 9)
        assert rolled.say(lambda r, t: r.correct(t, faces)) == ["correction"]
        assert rolled.faces == faces

    def test_the_one_die_it_can_mean_keeps_its_new_face(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.correct(t, (0, 0, 1, 2, 3, 4, 5, 6, 7, 9)))
        assert rolled.see(ROLL) == []
        assert rolled.see(ROLL[1:]) == ["pickup"]
        assert rolled.referee.game.verdict is Verdict.LEGAL

    def test_an_earlier_roll_may_be_named(self, rolled: Table) -> None:
        rolled.see(thrown(ROLL, {2: 9}))
        rolled.say(lambda r, t: r.correct(t, (0, 1, 1, 2, 3, 4, 5, 6, 7, 8), seq=1))
        assert rolled.referee.game.turns[0].throws[0].corrected
        assert not rolled.referee.game.turns[0].throws[1].corrected

    def test_after_the_turn_its_score_is_told_again(self, rolled: Table) -> None:
        rolled.see([])
        before = rolled.referee.game.totals
        told = rolled.say(lambda r, t: r.correct(t, (0, 1, 1, 2, 3, 4, 5, 6, 7, 8)))
        assert told == ["correction", "score"]
        assert rolled.referee.game.totals["Ann"] == before["Ann"] + 10

    def test_after_the_game_so_is_its_end(self, table: Table) -> None:
        for _ in range(5):
            table.see(ROLL)
            table.see([])
        told = table.say(lambda r, t: r.correct(t, (1, 1, 1, 2, 3, 4, 5, 6, 7, 8)))
        assert told == ["correction", "score", "game-over"]
        assert table.say(lambda r, t: r.undo(t)) == ["undo"]
        assert isinstance(table.referee.game.totals["Ann"], int)

    def test_a_doubt_that_waits_goes_on_waiting(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.say(lambda r, t: r.correct(t, (0, 0, 1, 2, 3, 4, 5, 6, 7, 9)))
        (seq,) = rolled.referee.questions
        assert rolled.say(lambda r, t: r.answer(t, seq, 9)) == ["answer", "reroll"]

    def test_there_must_be_a_roll(self, table: Table) -> None:
        with pytest.raises(NothingToDo, match="no roll to correct"):
            table.say(lambda r, t: r.correct(t, FACES))

    def test_what_is_named_must_be_one(self, rolled: Table) -> None:
        with pytest.raises(NoSuchEvent):
            rolled.say(lambda r, t: r.correct(t, FACES, seq=0))

    def test_what_the_camera_sees_does_not_undo_one_after_a_stop(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.correct(t, (1, 1, 1, 2, 3, 4, 5, 6, 7, 8)))
        again = resumed(rolled)
        assert again.see(ROLL) == []
        assert again.faces == (1, 1, 1, 2, 3, 4, 5, 6, 7, 8)


class TestUndo:
    def test_a_roll_undone_is_not_seen_again_until_the_dice_change(self, rolled: Table) -> None:
        assert rolled.say(lambda r, t: r.undo(t)) == ["undo"]
        assert rolled.faces == ()
        assert rolled.see(ROLL) == []
        assert rolled.see(row(range(10), y=300)) == ["roll"]

    def test_a_stand_undone_waits_for_the_dice(self, rolled: Table) -> None:
        rolled.see([])
        assert rolled.say(lambda r, t: r.undo(t)) == ["undo"]
        assert rolled.referee.game.phase is Phase.REROLL_8
        assert rolled.see([]) == []
        assert rolled.see(ROLL) == []
        assert rolled.see(ROLL[2:]) == ["pickup", "illegal-reroll"]

    def test_a_reroll_undone_leaves_the_dice_in_the_hand(self, rolled: Table) -> None:
        rolled.see([*ROLL[:2], *ROLL[4:]])
        rolled.see(thrown(ROLL, {2: 9, 3: 9}))
        rolled.say(lambda r, t: r.undo(t))
        assert rolled.referee.game.picked_up == (1, 2)
        again = thrown(ROLL, {2: 5, 3: 5}, y=500)
        assert rolled.see(again) == ["reroll"]
        assert rolled.referee.game.verdict is Verdict.LEGAL

    def test_redo_takes_it_back(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.undo(t))
        assert rolled.say(lambda r, t: r.redo(t)) == ["undo"]
        assert rolled.faces == FACES
        assert rolled.see(ROLL[2:]) == ["pickup", "illegal-reroll"]

    def test_a_roll_undone_stays_undone_after_a_stop(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.undo(t))
        again = resumed(rolled)
        assert again.see(ROLL) == []
        assert again.faces == ()
        assert again.see(row(range(10), y=300)) == ["roll"]

    def test_also_if_it_was_asked_about_first(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        (seq,) = rolled.referee.questions
        rolled.say(lambda r, t: r.answer(t, seq, 9))
        rolled.say(lambda r, t: r.undo(t))
        assert rolled.see([*after[:9], Die(9, 900.0, 500.0)][1:]) == ["off-tray"]
        again = resumed(rolled)
        assert again.see([*after[:9], Die(9, 900.0, 500.0)][1:]) == []
        assert again.referee.game.picked_up == (1, 2)

    def test_so_does_a_stand(self, rolled: Table) -> None:
        rolled.see([])
        rolled.say(lambda r, t: r.undo(t))
        again = resumed(rolled)
        assert again.see([]) == []
        assert again.referee.game.phase is Phase.REROLL_8

    def test_a_correction_undone_forgets_no_place(self, table: Table) -> None:
        dice = row([8, 8, 1, 2, 3, 4, 5, 6, 7, 9])
        table.see(dice)
        table.say(lambda r, t: r.set_face(t, 0, 3))
        table.say(lambda r, t: r.undo(t))
        assert table.see(dice) == []
        assert table.see(thrown(dice, {1: 0})) == ["reroll"]
        assert table.referee.game.verdict is Verdict.LEGAL
        assert len(table.referee.table) == 10

    def test_any_event_may_be_named(self, rolled: Table) -> None:
        rolled.see(thrown(ROLL, {2: 9}))
        rolled.say(lambda r, t: r.undo(t, seq=1))
        assert rolled.faces == ()
        assert isinstance(rolled.last, Undone)

    def test_but_there_must_be_one(self, rolled: Table) -> None:
        with pytest.raises(NoSuchEvent):
            rolled.say(lambda r, t: r.undo(t, seq=9))

    def test_there_must_be_something_to_redo(self, rolled: Table) -> None:
        with pytest.raises(NothingToDo, match="nothing to redo"):
            rolled.say(lambda r, t: r.redo(t))

    def test_and_to_undo(self, table: Table) -> None:
        for seq in (None, 0):
            with pytest.raises(NothingToDo, match="nothing to undo"):
                table.referee.undo(9.0, seq)
        assert table.referee.game.players == ("Ann",)


class TestStanding:
    def test_not_on_a_throw_that_is_not_known_yet(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        with pytest.raises(WrongMoment, match="say first what it shows"):
            rolled.say(lambda r, t: r.stand(t))
        (seq,) = rolled.referee.questions
        rolled.say(lambda r, t: r.answer(t, seq, 9))
        assert rolled.say(lambda r, t: r.stand(t)) == ["stand", "score"]
        assert rolled.referee.game.turns[0].faces == (0, 0, 3, 4, 5, 6, 7, 8, 9, 9)

    def test_nor_on_one_that_is_not_whole(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see(after[:9])
        with pytest.raises(WrongMoment, match="Not all ten dice lie in the tray"):
            rolled.say(lambda r, t: r.stand(t))
        rolled.see([*after, Die(4, 900.0, 300.0)])
        with pytest.raises(WrongMoment, match="More than ten dice lie in the tray"):
            rolled.say(lambda r, t: r.stand(t))
        rolled.see(after)
        assert rolled.say(lambda r, t: r.stand(t)) == ["stand", "score"]

    def test_an_eleventh_die_beside_the_ten_is_no_hindrance(self, rolled: Table) -> None:
        rolled.see([*ROLL, Die(4, 900.0, 300.0)])
        assert rolled.say(lambda r, t: r.stand(t)) == ["stand", "score"]

    def test_dice_in_the_hand_are_laid_back_in_thought(self, rolled: Table) -> None:
        rolled.see(ROLL[:8])
        assert rolled.say(lambda r, t: r.stand(t)) == ["stand", "score"]
        assert rolled.referee.game.turns[0].faces == FACES


class TestIllegalRerolls:
    def test_one_may_be_allowed(self, rolled: Table) -> None:
        rolled.see(thrown(ROLL, {0: 9}))
        assert rolled.say(lambda r, t: r.allow(t)) == ["allowed"]
        assert rolled.referee.game.phase is Phase.REROLL_6

    def test_only_an_illegal_one(self, rolled: Table) -> None:
        with pytest.raises(NothingToDo, match="no illegal reroll"):
            rolled.say(lambda r, t: r.allow(t))

    def test_one_may_be_taken_back_and_the_dice_laid_as_they_were(self, rolled: Table) -> None:
        rolled.see(ROLL[1:])
        after = thrown(ROLL, {0: 9})
        rolled.see(after)
        assert rolled.say(lambda r, t: r.take_back(t)) == ["undo", "taken-back"]
        assert (rolled.faces, rolled.referee.game.picked_up) == (FACES, ())
        assert rolled.see(after) == []
        assert rolled.see(after[:9]) == []
        assert rolled.see([]) == []
        laid = [*ROLL[1:], Die(0, 700.0, 500.0)]
        assert rolled.see(laid) == []
        assert rolled.see(laid[3:]) == ["pickup", "illegal-reroll"]
        assert rolled.referee.game.picked_up == (0, 1, 2)

    def test_or_thrown_anew_at_once(self, rolled: Table) -> None:
        rolled.see(ROLL[1:])
        rolled.see(thrown(ROLL, {0: 9}))
        rolled.say(lambda r, t: r.take_back(t))
        assert rolled.see(thrown(ROLL, {2: 9}, y=300)) == ["reroll"]
        assert rolled.referee.game.verdict is Verdict.LEGAL
        assert rolled.see([]) == ["stand", "score"]

    def test_or_the_turn_ends_with_the_dice_gathered(self, rolled: Table) -> None:
        rolled.see(ROLL[1:])
        rolled.see(thrown(ROLL, {0: 9}))
        rolled.say(lambda r, t: r.take_back(t))
        assert rolled.see(ROLL[5:]) == []
        assert rolled.see([]) == []
        assert rolled.see(row([1, 1, 2, 2, 9, 9, 9, 5, 5, 5], y=400)) == ["stand", "score", "roll"]

    def test_dice_misread_or_tipped_in_laying_them_back_end_no_turn(self, rolled: Table) -> None:
        rolled.see(ROLL[1:])
        rolled.say(lambda r, t: r.take_back(t))
        rolled.see([])
        laid = row([0, 0, 1, 2, 3, 4, 5, 6, 9, 9], y=400)
        assert "stand" not in rolled.see(laid)

    def test_so_may_a_pick_up_before_it_is_thrown(self, rolled: Table) -> None:
        rolled.see(ROLL[2:])
        rolled.say(lambda r, t: r.take_back(t))
        assert rolled.referee.game.picked_up == ()
        assert rolled.see(ROLL) == []
        assert rolled.see(ROLL[2:]) == ["pickup", "illegal-reroll"]

    def test_dice_are_laid_back_one_by_one(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 1, 2))
        after = thrown(ROLL, {0: 9, 1: 9, 2: 5})
        rolled.see(after)
        rolled.say(lambda r, t: r.take_back(t))
        half = [*after[:7], Die(0, 500.0, 400.0), *after[8:]]
        assert rolled.see(half) == []
        again = resumed(rolled)
        assert again.see(half) == []
        more = [*half[:8], Die(0, 650.0, 400.0), half[9]]
        done = [*more[:9], Die(1, 800.0, 400.0)]
        for table in (rolled, again):
            assert table.see(more) == []
            assert table.see(done) == []
            assert table.see(done[:7]) == ["pickup", "illegal-reroll"]

    def test_once_they_lie_so_all_is_judged_again(self, rolled: Table) -> None:
        rolled.see(thrown(ROLL, {0: 9}))
        rolled.say(lambda r, t: r.take_back(t))
        laid = [*ROLL[1:], Die(0, 700.0, 500.0)]
        assert rolled.see(laid) == []
        assert rolled.see(thrown(laid, {3: 4}, y=300)) == ["reroll"]
        rolled.say(lambda r, t: r.undo(t))
        assert rolled.see(without(laid, 2, 3)) == ["pickup"]

    def test_a_die_set_right_stays_so_while_others_are_laid_back(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 1))
        after = thrown(ROLL, {0: 9, 1: 5})
        rolled.see(after)
        rolled.say(lambda r, t: r.set_face(t, 8, 3))
        rolled.say(lambda r, t: r.take_back(t))
        half = [*after[:9], Die(0, 650.0, 400.0)]
        assert rolled.see(half) == []
        assert rolled.see([*half[:8], Die(0, 500.0, 400.0), half[9]]) == []
        assert rolled.faces == FACES

    def test_the_last_of_a_turn_may_be_taken_back_after_the_score(self, rolled: Table) -> None:
        dice = ROLL
        for n in range(4):
            before = dice
            dice = thrown(dice, {9: 9 - n, 8: 5}, y=300.0 + 80 * n)
            rolled.see(dice)
        assert rolled.referee.game.turn == 2
        assert rolled.say(lambda r, t: r.take_back(t)) == ["undo", "taken-back"]
        assert (rolled.referee.game.turn, rolled.referee.game.phase) == (1, Phase.REROLL_2)
        assert rolled.see(before) == []
        assert rolled.see([]) == ["stand", "score"]

    def test_an_illegal_one_that_ended_the_turn_may_be_allowed(self, rolled: Table) -> None:
        dice = ROLL
        for n in range(3):
            dice = thrown(dice, {9: 7 - n}, y=300.0 + 80 * n)
            rolled.see(dice)
        assert rolled.see(thrown(dice, {0: 6}, y=600.0)) == ["reroll", "illegal-reroll", "score"]
        assert rolled.say(lambda r, t: r.allow(t)) == ["allowed"]

    def test_what_was_put_right_meanwhile_stays_right(self, rolled: Table) -> None:
        rolled.see([])
        rolled.see(row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8], y=300))
        rolled.see(row([0, 1, 2, 3, 4, 5, 6, 7, 8], y=300)[1:])
        first = rolled.referee.game.turns[0].throws[0].seq
        right = (1, 1, 1, 2, 3, 4, 5, 6, 7, 8)
        rolled.say(lambda r, t: r.correct(t, right, first))
        told = rolled.say(lambda r, t: r.take_back(t))
        assert told[0] == "undo"
        assert rolled.referee.game.turns[0].faces == right

    def test_a_first_roll_is_none(self, rolled: Table) -> None:
        with pytest.raises(NothingToDo, match="no reroll to take back"):
            rolled.say(lambda r, t: r.take_back(t))

    def test_nor_is_there_one_before_it(self, table: Table) -> None:
        with pytest.raises(NothingToDo, match="no reroll to take back"):
            table.say(lambda r, t: r.take_back(t))


class TestGoingOn:
    """From the record of a game: its events, and how the dice lay."""

    def test_with_the_dice_as_they_lie(self, rolled: Table) -> None:
        again = resumed(rolled)
        assert again.see(ROLL) == []
        assert again.see(thrown(ROLL, {2: 9})) == ["reroll"]
        assert again.referee.game.verdict is Verdict.LEGAL

    def test_without_their_places_faces_alone_decide(self, rolled: Table) -> None:
        again = resumed(rolled, evidence=False)
        assert again.see(ROLL) == []
        again = resumed(rolled, evidence=False)
        assert again.see(thrown(ROLL, {2: 9})) == ["reroll", "cannot-tell"]

    def test_with_dice_in_the_hand(self, rolled: Table) -> None:
        rolled.see(ROLL[3:])
        again = resumed(rolled)
        assert again.see(ROLL[3:]) == []
        assert again.see(thrown(ROLL, {0: 9, 1: 9, 2: 9})) == ["reroll"]
        assert again.referee.game.verdict is Verdict.ILLEGAL

    def test_with_the_turn_scored_and_the_dice_still_there(self, rolled: Table) -> None:
        rolled.say(lambda r, t: r.stand(t))
        again = resumed(rolled)
        assert again.see(ROLL) == []
        assert again.see([]) == []
        assert again.see(ROLL) == ["roll"]

    def test_with_a_throw_that_was_taken_up_unread(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        assert rolled.see(after[:5]) == ["unread-throw"]
        again = resumed(rolled)
        assert again.see(after[:5]) == []
        (seq,) = again.referee.questions
        told = again.say(lambda r, t: r.answer(t, seq, 9))
        assert told == ["answer", "reroll", "pickup"]
        assert again.referee.game.picked_up == (6, 7, 8, 9, 9)

    def test_an_answer_before_the_first_view_stands_nobody_up(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        again = resumed(rolled)
        (seq,) = again.referee.questions
        assert again.say(lambda r, t: r.answer(t, seq, 9)) == ["answer", "reroll"]

    def test_what_was_asked_and_told_is_not_asked_and_told_again(self, table: Table) -> None:
        doubtful = [ROLL[0].doubted(), ROLL[1].doubted(), *ROLL[2:9], ROLL[9].doubted(Doubt.COCKED)]
        assert table.see(doubtful) == ["cocked", "question", "question"]
        first, second = table.referee.questions
        table.say(lambda r, t: r.answer(t, first, 9))
        again = resumed(table)
        assert again.see(doubtful) == []
        assert list(again.referee.questions) == [second]
        again.say(lambda r, t: r.answer(t, second, 0))
        assert again.see([*doubtful[:9], ROLL[9]]) == ["roll"]
        assert again.faces == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)

    def test_from_every_event_on_the_game_ends_alike(self, table: Table) -> None:
        views = [ROLL, ROLL[2:], thrown(ROLL, {0: 9, 1: 9}), [], row(range(10))]
        for dice in views:
            table.see(dice)
        for cut in range(1, len(views)):
            first = Table()
            for dice in views[:cut]:
                first.see(dice)
            second = resumed(first)
            for dice in views[cut:]:
                second.see(dice)
            assert second.referee.events == table.referee.events


def test_every_event_of_a_busy_game_tells_its_moment() -> None:
    table = Table()
    table.see([ROLL[0].doubted(), *ROLL[1:]])
    table.say(lambda r, t: r.set_face(t, 0, 0))
    table.see(ROLL[2:])
    table.say(lambda r, t: r.allow(t))
    table.say(lambda r, t: r.stand(t))
    told = {type(event) for event in table.referee.events}
    assert {Question, Answer, Rolled, PickedUp, Alert, Scored} <= told
    for event in table.referee.events:
        assert event.player == "Ann"
        assert event.turn == 1
        assert isinstance(event.phase, Phase)
