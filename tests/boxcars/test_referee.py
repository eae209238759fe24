"""Tests of the referee: what each thing that happens in the tray means."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from boxcars.referee import NoPlayers, Referee
from scoring.events import Alert, Event, PickedUp, Question, Rerolled, Rolled, Scored, Stood
from scoring.game import WrongMoment
from scoring.phases import Phase
from scoring.rules import HouseRules, Verdict
from tests.boxcars.table import Die, kinds, row, thrown, view, without
from vision.records import Doubt

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
BREAKDOWN = "breakdown-without-way-car"
TOO_MANY = "too-many-dice"


class Table:
    """A referee and a clock that ticks with each view."""

    def __init__(self, *players: str, rules: HouseRules | None = None) -> None:
        self.referee = Referee(players or ["Ann"], rules or HouseRules())
        self.t = 0.0

    def see(self, dice: list[Die], *, settled: bool = True, hand: bool = False) -> list[Event]:
        self.t += 1.0
        return list(self.referee.see(view(dice, self.t, settled=settled, hand=hand)))

    def see_late(self, dice: list[Die]) -> list[Event]:
        """See a view before which a rest of the dice may have gone by unread."""
        self.t += 1.0
        return list(self.referee.see(replace(view(dice, self.t), overlooked=True)))


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def rolled(table: Table) -> Table:
    table.see(ROLL)
    return table


def verdicts(events: list[Event]) -> list[tuple[str, Verdict, tuple[str, ...]]]:
    return [
        (event.KIND, event.verdict, event.reasons)
        for event in events
        if isinstance(event, PickedUp | Rerolled)
    ]


class TestTheRoll:
    def test_ten_dice_at_rest_are_a_roll(self, table: Table) -> None:
        assert table.see(ROLL) == [
            Rolled(1.0, "Ann", 1, Phase.ROLL_10, (0, 0, 1, 2, 3, 4, 5, 6, 7, 8))
        ]

    def test_seeing_them_again_is_nothing_new(self, rolled: Table) -> None:
        assert rolled.see(ROLL) == []
        assert rolled.see([die.moved(0.1, 0.1, turn=0.1) for die in ROLL]) == []

    def test_nor_is_nudging_them(self, rolled: Table) -> None:
        assert rolled.see([die.moved(0, 2, turn=1) for die in ROLL]) == []

    def test_moving_dice_and_hands_are_waited_for(self, table: Table) -> None:
        assert table.see(ROLL, settled=False) == []
        assert table.see(ROLL, hand=True) == []
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_an_empty_tray_before_it_means_nothing(self, table: Table) -> None:
        assert table.see([]) == []

    def test_too_few_dice_are_said_once_and_waited_for(self, table: Table) -> None:
        assert kinds(table.see(ROLL[:9])) == ["off-tray"]
        assert table.see(ROLL[:9]) == []
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_eleven_dice_are_said_once_and_waited_for(self, table: Table) -> None:
        extra = Die(4, 600.0, 600.0)
        (alert,) = table.see([*ROLL, extra])
        assert isinstance(alert, Alert)
        assert (alert.kind, alert.text) == (
            "eleven-dice",
            "Eleven dice lie in the tray: take out what is not in play.",
        )
        assert table.see([*ROLL, extra]) == []
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_an_alert_comes_again_when_its_cause_does(self, table: Table) -> None:
        assert kinds(table.see(ROLL[:9])) == ["off-tray"]
        assert table.see([]) == []
        assert kinds(table.see(ROLL[:8])) == ["off-tray"]

    def test_a_thing_that_is_no_d10_beside_the_ten_is_left_out(self, table: Table) -> None:
        coin = Die(4, 600.0, 600.0, doubts=Doubt.NOT_A_D10)
        assert table.see([coin]) == []
        assert kinds(table.see([*ROLL, coin])) == ["roll"]
        assert kinds(table.see([*ROLL[2:], coin])) == ["pickup", "illegal-reroll"]
        assert kinds(table.see([coin])) == ["stand", "score"]

    def test_a_die_thrown_to_where_the_cloth_looked_like_one_counts(self, table: Table) -> None:
        pattern = ROLL[3].doubted(Doubt.NOT_A_D10)
        assert table.see([pattern]) == []
        assert kinds(table.see([*ROLL[:3], ROLL[3].doubted(Doubt.COCKED), *ROLL[4:]])) == ["cocked"]
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_a_die_thrown_to_where_a_person_removed_something_else_counts(
        self, table: Table
    ) -> None:
        phantom = ROLL[3].doubted().moved(0, turn=1.0)
        table.see([*ROLL[:3], phantom, *ROLL[4:8]])
        table.referee.remove_die(9.0, 3)
        assert kinds(table.see([*ROLL[:3], ROLL[3].doubted(), *ROLL[4:]])) == []
        assert kinds(table.see(ROLL)) == ["roll"]
        assert kinds(table.see(ROLL[2:])) == ["pickup", "illegal-reroll"]

    def test_but_the_cloth_beside_the_ten_does_not(self, table: Table) -> None:
        pattern = Die(4, 600.0, 600.0, doubts=Doubt.NOT_A_D10)
        assert table.see([pattern]) == []
        assert kinds(table.see([*ROLL, pattern.doubted()])) == ["roll"]

    def test_but_among_the_ten_it_is_asked_about(self, table: Table) -> None:
        assert kinds(table.see([*ROLL[1:], ROLL[0].doubted(Doubt.NOT_A_D10)])) == ["question"]


class TestDoubt:
    def test_a_doubtful_die_is_asked_about_once(self, table: Table) -> None:
        (question,) = table.see([ROLL[0].doubted(Doubt.GLARE), *ROLL[1:]])
        assert isinstance(question, Question)
        assert question.center == (100.0, 100.0)
        assert question.candidates[0] == 0
        assert question.doubts == ("glare",)
        assert table.see([ROLL[0].doubted(Doubt.GLARE), *ROLL[1:]]) == []

    def test_a_later_look_that_is_clear_settles_it(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), *ROLL[1:]])
        assert kinds(table.see(ROLL)) == ["roll"]
        assert table.referee.questions == {}

    def test_each_die_needs_one_clear_look_only(self, table: Table) -> None:
        assert kinds(table.see([ROLL[0].doubted(), *ROLL[1:]])) == ["question"]
        assert kinds(table.see([ROLL[0], ROLL[1].doubted(), *ROLL[2:]])) == ["roll"]

    def test_looks_that_contradict_each_other_leave_it_open(self, table: Table) -> None:
        assert kinds(table.see([ROLL[0].doubted(), ROLL[1], *ROLL[2:]])) == ["question"]
        events = table.see([ROLL[0], ROLL[1].read_as(6), *ROLL[2:]])
        assert [event.doubts for event in events if isinstance(event, Question)] == [
            ("contradiction",)
        ]
        assert table.referee.game.faces == ()

    def test_a_reading_that_flickers_is_asked_about_once(self, rolled: Table) -> None:
        flickering = [*ROLL[:9], ROLL[9].read_as(3)]
        assert kinds(rolled.see(flickering)) == ["question"]
        for _ in range(3):
            assert rolled.see(ROLL) == []
            assert rolled.referee.questions == {}
            assert rolled.see(flickering) == []
            assert len(rolled.referee.questions) == 1

    def test_a_leaning_die_is_said_and_not_asked(self, table: Table) -> None:
        cocked = [ROLL[0].doubted(Doubt.COCKED | Doubt.UNSURE), *ROLL[1:]]
        assert kinds(table.see(cocked)) == ["cocked"]
        assert table.see(cocked) == []
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_a_leaning_die_may_be_thrown_again(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        assert kinds(rolled.see([*after[:9], after[9].doubted(Doubt.COCKED)])) == ["cocked"]
        assert rolled.see(after[:9]) == []
        again = [*after[:9], Die(5, 900.0, 600.0)]
        assert verdicts(rolled.see(again)) == [("reroll", Verdict.LEGAL, ())]

    def test_the_die_that_lay_under_it_is_known_then(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        upper = after[9].moved(0.4).doubted(Doubt.COCKED)
        both = Die(4, after[9].x - 20, 600.0, doubts=Doubt.COCKED)
        assert kinds(rolled.see([*after[:8], both, upper])) == ["cocked"]
        lower = Die(9, after[9].x - 45, 600.0)
        assert rolled.see([*after[:8], lower]) == []
        again = [*after[:8], lower, Die(5, 900.0, 600.0)]
        assert verdicts(rolled.see(again)) == [("reroll", Verdict.LEGAL, ())]

    def test_so_may_two_of_them_one_by_one(self, table: Table) -> None:
        first, second = (die.doubted(Doubt.COCKED) for die in ROLL[:2])
        assert kinds(table.see([first, second, *ROLL[2:]])) == ["cocked"]
        assert table.see([second, *ROLL[2:]]) == []
        assert table.see(ROLL[2:]) == []
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_a_die_known_before_is_known_as_long_as_it_does_not_move(self, rolled: Table) -> None:
        assert rolled.see([ROLL[0].doubted(), *ROLL[1:]]) == []
        kept = [ROLL[0].doubted(Doubt.COVERED), *ROLL[5:]]
        (pick_up, alert) = rolled.see(kept)
        assert isinstance(pick_up, PickedUp)
        assert pick_up.kept == (0, 4, 5, 6, 7, 8)
        assert isinstance(alert, Alert)

    def test_a_kept_die_pushed_aside_and_unreadable_is_asked_about(self, rolled: Table) -> None:
        assert kinds(rolled.see([ROLL[9].moved(0, 3).doubted(), *ROLL[:5]])) == ["question"]
        assert kinds(rolled.see([ROLL[9].moved(0, 3), *ROLL[:5]])) == ["pickup"]

    def test_a_face_that_changes_without_a_move_is_asked_about(self, rolled: Table) -> None:
        (question,) = rolled.see([*ROLL[:9], ROLL[9].read_as(3)])
        assert isinstance(question, Question)
        assert question.candidates == (3, 8)
        assert rolled.see(ROLL) == []
        assert rolled.referee.questions == {}

    def test_the_die_in_question_counts_as_what_it_was_while_it_is_kept(
        self, rolled: Table
    ) -> None:
        kept = [*ROLL[:5], ROLL[9].read_as(3)]
        assert verdicts(rolled.see(kept)) == [("pickup", Verdict.LEGAL, ())]
        assert rolled.referee.game.picked_up == (4, 5, 6, 7)

    def test_a_throw_with_a_doubtful_die_waits(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        assert kinds(rolled.see([*after[:9], after[9].doubted()])) == ["question"]
        assert kinds(rolled.see(after)) == ["reroll"]

    def test_the_dice_left_after_the_next_pick_up_may_settle_it(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        events = rolled.see(after[2:])
        assert kinds(events) == ["reroll", "pickup"]
        assert verdicts(events) == [
            ("reroll", Verdict.LEGAL, ()),
            ("pickup", Verdict.LEGAL, ()),
        ]

    def test_a_die_pushed_aside_and_unreadable_for_a_while_was_not_thrown(
        self, rolled: Table
    ) -> None:
        pushed = ROLL[9].moved(0.6, 0.4, turn=0.5)
        assert kinds(rolled.see([*ROLL[:9], pushed.doubted(Doubt.COVERED)])) == ["question"]
        kept = [ROLL[0], ROLL[1], *ROLL[4:9], pushed]
        assert verdicts(rolled.see(kept)) == [("pickup", Verdict.LEGAL, ())]

    def test_nor_was_one_that_was_laid_back_unreadable(self, rolled: Table) -> None:
        rolled.see(ROLL[1:])
        back = ROLL[0].moved(0, 5)
        assert kinds(rolled.see([back.doubted(), *ROLL[1:]])) == ["question"]
        events = rolled.see([back, *without(ROLL, 0, 2)])
        assert verdicts(events) == [
            ("pickup", Verdict.LEGAL, ()),
            ("pickup", Verdict.LEGAL, ()),
        ]
        assert [event.picked_up for event in events if isinstance(event, PickedUp)] == [(), (1,)]

    def test_contradictions_stay_open_whatever_else_is_remembered(self, rolled: Table) -> None:
        """Once it was misread in the roll; the looks at the kept dice and at the throw agree."""
        kept = [*ROLL[:2], *ROLL[3:9], ROLL[9].read_as(3)]
        assert kinds(rolled.see(kept)) == ["pickup"]
        after = [*kept, Die(9, 500.0, 600.0)]
        (question,) = rolled.see(after)
        assert isinstance(question, Question)
        assert question.candidates == (3, 8)
        (seq,) = rolled.referee.questions
        told = rolled.referee.answer(9.0, seq, 3)
        assert kinds(told) == ["answer", "correction", "reroll"]
        assert rolled.referee.game.faces == (0, 0, 2, 3, 3, 4, 5, 6, 7, 9)

    def test_nothing_is_called_illegal_for_a_die_that_was_perhaps_misread(
        self, rolled: Table
    ) -> None:
        kept = [*ROLL[1:9], ROLL[9].read_as(9)]
        assert verdicts(rolled.see(kept)) == [("pickup", Verdict.CANNOT_TELL, (BREAKDOWN,))]
        assert kinds(rolled.see(ROLL[1:])) == ["pickup", "illegal-reroll"]

    def test_a_throw_taken_up_unread_makes_the_next_verdict_uncertain(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        assert kinds(rolled.see(after[:5])) == ["unread-throw"]
        assert rolled.see(after[:4]) == []
        events = rolled.see(after[:4] + row([1, 1, 1, 1, 1, 1], y=400))
        assert verdicts(events) == [("reroll", Verdict.CANNOT_TELL, (TOO_MANY, BREAKDOWN))]

    def test_a_last_throw_never_read_does_not_stop_the_game(self, rolled: Table) -> None:
        after = thrown(ROLL, {2: 9, 3: 9})
        rolled.see([*after[:9], after[9].doubted()])
        assert kinds(rolled.see([])) == ["unread-throw"]
        assert rolled.see([]) == []
        assert kinds(rolled.see(row(range(10), y=300))) == ["stand", "score", "roll"]

    def test_nor_is_it_taken_for_the_throw_after_it(self, table: Table) -> None:
        assert kinds(table.see([ROLL[0].doubted(Doubt.COCKED), *ROLL[1:]])) == ["cocked"]
        assert kinds(table.see([])) == ["unread-throw"]
        second = row(range(10), y=400)
        assert kinds(table.see([second[0].doubted(), *second[1:]])) == ["question"]
        (seq,) = table.referee.questions
        assert kinds(table.referee.answer(9.0, seq, 0)) == ["answer", "roll"]
        assert kinds(table.see(second[1:])) == ["pickup"]

    @pytest.mark.parametrize("restarted", [False, True])
    def test_nor_is_the_throw_after_it_judged_by_it(self, rolled: Table, restarted: bool) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 4})
        rolled.see([*after[:9], after[9].doubted()])
        kept = [*after[2:8]]
        assert kinds(rolled.see(kept)) == ["unread-throw"]
        again = kept + row([1, 1, 1, 1], y=400)
        assert kinds(rolled.see([*again[:9], again[9].doubted()])) == ["question"]
        if restarted:
            before = rolled.referee
            rolled.referee = Referee(events=before.events, evidence=before.evidence)
        (seq,) = rolled.referee.questions
        told = rolled.referee.answer(9.0, seq, 1)
        assert verdicts(list(told)) == [("reroll", Verdict.CANNOT_TELL, (BREAKDOWN,))]

    def test_an_empty_tray_after_a_pick_up_and_a_gap_may_hide_a_throw(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        assert kinds(rolled.see_late([])) == ["unread-throw"]
        assert rolled.see([]) == []
        faces = (0, 0, 3, 4, 5, 6, 7, 8, 9, 9)
        told = rolled.referee.enter(9.0, faces)
        assert kinds(told) == ["reroll", "stand", "score"]
        assert verdicts(list(told)) == [("reroll", Verdict.LEGAL, ())]

    def test_without_a_gap_it_is_a_stand(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        assert kinds(rolled.see([])) == ["stand", "score"]

    def test_the_hidden_throw_does_not_stop_the_game(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        rolled.see_late([])
        assert kinds(rolled.see(row(range(10), y=300))) == ["stand", "score", "roll"]

    def test_new_faces_after_a_gap_may_be_left_of_a_hidden_throw(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 4})
        assert kinds(rolled.see_late(after[1:])) == ["unread-throw"]
        told = rolled.referee.enter(9.0, (0, 0, 3, 4, 4, 5, 6, 7, 8, 9))
        assert kinds(told) == ["reroll", "pickup"]
        assert verdicts(list(told)) == [
            ("reroll", Verdict.LEGAL, ()),
            ("pickup", Verdict.LEGAL, ()),
        ]

    def test_without_a_gap_dice_are_still_to_come(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        assert kinds(rolled.see(thrown(ROLL, {2: 9, 3: 4})[1:])) == ["off-tray"]

    def test_it_may_be_told_after_a_restart(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        rolled.see_late([])
        before = rolled.referee
        again = Referee(events=before.events, evidence=before.evidence)
        assert again.see(view([], 8.0)) == ()
        assert kinds(again.enter(9.0, (0, 0, 3, 4, 5, 6, 7, 8, 9, 9))) == [
            "reroll",
            "stand",
            "score",
        ]


class TestThePickUp:
    def test_it_is_judged_before_the_throw(self, rolled: Table) -> None:
        assert rolled.see(without(ROLL, 2, 3)) == [
            PickedUp(
                2.0,
                "Ann",
                1,
                Phase.REROLL_8,
                (1, 2),
                (0, 0, 3, 4, 5, 6, 7, 8),
                Verdict.LEGAL,
            )
        ]

    def test_a_breakdown_without_a_way_car_is_an_alarm(self, rolled: Table) -> None:
        pick_up, alert = rolled.see(without(ROLL, 0, 3))
        assert verdicts([pick_up]) == [("pickup", Verdict.ILLEGAL, (BREAKDOWN,))]
        assert isinstance(alert, Alert)
        assert alert.kind == "illegal-reroll"
        assert alert.text == (
            "Ann, that reroll is not allowed: a Breakdown may be rerolled only with a Way Car "
            "in play."
        )

    def test_two_pick_ups_of_which_one_was_overlooked_are_not_called_one(
        self, rolled: Table
    ) -> None:
        """A starved computer missed a whole throw: what lies elsewhere may have been thrown."""
        left = [
            die.moved(0, 2 + 3 * k * k % 7, turn=k) for k, die in enumerate(without(ROLL, 0, 3))
        ]
        assert verdicts(rolled.see_late(left)) == [("pickup", Verdict.CANNOT_TELL, (BREAKDOWN,))]
        again = [die.moved(0.3) for die in left]
        assert verdicts(rolled.see(again)) == []
        begun_again = Referee(events=rolled.referee.events, evidence=rolled.referee.evidence)
        for referee in (rolled.referee, begun_again):
            thrown = [*again, *(die.moved(7, 8) for die in row([9, 9]))]
            (event, *_) = referee.see(view(thrown, 9.0))
            assert isinstance(event, Rerolled)
            assert event.verdict is Verdict.CANNOT_TELL

    def test_a_throw_and_a_pick_up_unseen_after_another_pick_up_are_not_called_one(
        self, rolled: Table
    ) -> None:
        """Two dice are thrown, a 9 comes up, and then the Breakdown may go: nobody saw that."""
        rolled.see(without(ROLL, 2, 3))
        left = without(ROLL, 2, 3, 0)
        thrown = [die.moved(1.0, 6.0) for die in row([9, 3])]
        assert verdicts(rolled.see_late([*left, *thrown])) == []
        again = [die.moved(5.0, 6.0) for die in row([5])]
        told = verdicts(rolled.see([*left, *thrown, *again]))
        assert [verdict for _, verdict, _ in told] == [Verdict.CANNOT_TELL]

    def test_nor_is_one_that_was_perhaps_laid_back_and_came_up_again(self, rolled: Table) -> None:
        """The Breakdown laid back, one die thrown, a 9, then the Breakdown is taken: legal."""
        assert verdicts(rolled.see(without(ROLL, 0, 2))) == [
            ("pickup", Verdict.ILLEGAL, (BREAKDOWN,))
        ]
        left = without(ROLL, 0, 2, 3)
        thrown = [die.moved(1.0, 6.0) for die in row([9])]
        assert verdicts(rolled.see_late([*left, *thrown])) == []
        again = [die.moved(5.0, 6.0) for die in row([5, 3])]
        told = verdicts(rolled.see([*left, *thrown, *again]))
        assert [verdict for _, verdict, _ in told] == [Verdict.CANNOT_TELL]

    def test_illegal_stays_illegal_if_a_die_is_thrown_once_more_before_it_is_known(
        self, rolled: Table
    ) -> None:
        rolled.see(without(ROLL, 0, 2))
        after = thrown(ROLL, {0: 9, 2: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.see(after[:7])
        told = verdicts(rolled.see([*after[:7], *(die.moved(0, 2) for die in after[7:])]))
        assert told == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]

    def test_unless_nobody_knows_any_more_where_the_dice_lay(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 2))
        after = thrown(ROLL, {0: 9, 2: 9})
        rolled.see([*after[:9], after[9].doubted()])
        rolled.see(after[:7])
        rolled.referee.note(9.0, "camera-moved", "The camera was bumped.")
        told = verdicts(rolled.see([die.moved(k % 3, 1 + k % 4) for k, die in enumerate(after)]))
        assert [verdict for _, verdict, _ in told] == [Verdict.CANNOT_TELL]

    def test_unless_the_dice_were_perhaps_just_laid_back(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 2))
        back = thrown(ROLL, {0: 0, 2: 1})
        rolled.see([*back[:9], back[9].doubted()])
        rolled.see(without(back, 2, 3, 9))
        after = [*without(back, 2, 3, 9), *(die.moved(7, 8) for die in row([3, 9, 1]))]
        told = verdicts(rolled.see(after))
        assert [verdict for _, verdict, _ in told] == [Verdict.CANNOT_TELL]

    def test_dice_that_never_moved_tell_even_so(self, rolled: Table) -> None:
        left = without(ROLL, 0, 3)
        assert verdicts(rolled.see_late(left)) == [("pickup", Verdict.ILLEGAL, (BREAKDOWN,))]

    def test_all_reasons_are_given(self, rolled: Table) -> None:
        pick_up, alert = rolled.see([ROLL[5]])
        assert verdicts([pick_up]) == [("pickup", Verdict.ILLEGAL, (TOO_MANY, BREAKDOWN))]
        assert isinstance(alert, Alert)
        assert alert.text == (
            "Ann, that reroll is not allowed: nine dice are more than the eight of this "
            "reroll and a Breakdown may be rerolled only with a Way Car in play."
        )

    def test_the_house_rules_hold(self) -> None:
        table = Table(rules=HouseRules(way_car_must_stay=True))
        dice = row([0, 9, 1, 2, 3, 4, 5, 6, 7, 8])
        table.see(dice)
        assert verdicts(table.see(dice[2:])) == [("pickup", Verdict.ILLEGAL, (BREAKDOWN,))]
        assert verdicts(table.see(dice[1:])) == [("pickup", Verdict.LEGAL, ())]

    def test_seeing_it_again_is_nothing_new(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 3))
        assert rolled.see(without(ROLL, 0, 3)) == []
        assert rolled.see([die.moved(0, 4) for die in without(ROLL, 0, 3)]) == []

    def test_more_dice_picked_up_are_judged_anew_with_one_alarm_for_one_wrong(
        self, rolled: Table
    ) -> None:
        assert kinds(rolled.see(without(ROLL, 3))) == ["pickup"]
        assert kinds(rolled.see(without(ROLL, 0, 3))) == ["pickup", "illegal-reroll"]
        assert kinds(rolled.see(without(ROLL, 0, 3, 4))) == ["pickup"]
        assert kinds(rolled.see([ROLL[1]])) == ["pickup", "illegal-reroll"]

    def test_a_die_put_back_where_it_lay_is_judged_anew(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 3))
        events = rolled.see(without(ROLL, 3))
        assert verdicts(events) == [("pickup", Verdict.LEGAL, ())]
        assert kinds(events) == ["pickup"]

    def test_all_put_back_is_an_empty_pick_up(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        (event,) = rolled.see(ROLL)
        assert isinstance(event, PickedUp)
        assert (event.picked_up, event.verdict) == ((), Verdict.LEGAL)
        assert rolled.referee.game.phase is Phase.REROLL_8

    def test_an_illegal_one_put_back_anywhere_is_taken_back(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 3))
        (event,) = rolled.see(thrown(ROLL, {0: 0, 3: 2}))
        assert isinstance(event, PickedUp)
        assert event.picked_up == ()

    def test_but_not_if_a_die_that_leant_was_thrown_once_more(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0))
        leant = thrown(ROLL, {0: 4})
        assert kinds(rolled.see([*leant[:9], leant[9].doubted(Doubt.COCKED)])) == ["cocked"]
        assert rolled.see(without(ROLL, 0)) == []
        events = rolled.see(thrown(ROLL, {0: 0}, y=400.0))
        assert verdicts(events) == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]

    def test_a_die_that_only_seemed_to_lean_was_laid_back_all_the_same(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0))
        back = thrown(ROLL, {0: 0})
        rolled.see([*back[:9], back[9].doubted(Doubt.COCKED)])
        assert verdicts(rolled.see(back)) == [("pickup", Verdict.LEGAL, ())]

    def test_a_legal_one_that_comes_back_elsewhere_was_thrown(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        events = rolled.see(thrown(ROLL, {2: 1, 3: 2}))
        assert verdicts(events) == [("reroll", Verdict.LEGAL, ())]
        assert kinds(events) == ["same-faces", "reroll"]

    def test_or_that_comes_to_lie_on_its_spot_turned(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2))
        back = [*without(ROLL, 2), ROLL[2].moved(0.08, turn=1.8)]
        assert kinds(rolled.see(back)) == ["same-faces", "reroll"]

    def test_of_one_die_that_is_no_wonder(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2))
        assert kinds(rolled.see(thrown(ROLL, {2: 1}))) == ["reroll"]

    def test_more_dice_may_be_thrown_one_by_one(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3, 4))
        first = [*without(ROLL, 2, 3, 4), Die(3, 100.0, 600.0)]
        assert rolled.see(first) == []
        second = [*first, Die(9, 300.0, 600.0)]
        assert kinds(rolled.see(second)) == ["off-tray"]
        last = [*second, Die(9, 500.0, 600.0)]
        assert verdicts(rolled.see(last)) == [("reroll", Verdict.LEGAL, ())]

    def test_of_too_many_thrown_one_by_one_the_first_is_not_forgotten(self, rolled: Table) -> None:
        assert kinds(rolled.see([ROLL[0]])) == ["pickup", "illegal-reroll"]
        events = rolled.see([ROLL[0], Die(0, 100.0, 600.0)])
        assert verdicts(events) == [("pickup", Verdict.CANNOT_TELL, (TOO_MANY, BREAKDOWN))]
        assert kinds(events) == ["pickup", "cannot-tell"]

    def test_a_die_thrown_to_where_another_lay_contradicts_nothing(self, rolled: Table) -> None:
        """Even while not all of those thrown are seen."""
        rolled.see(without(ROLL, 2, 3))
        after = [*without(ROLL, 2, 3), ROLL[2].read_as(9)]
        assert kinds(rolled.see(after)) == ["off-tray"]
        assert kinds(rolled.see([*after, Die(4, 300.0, 600.0)])) == ["reroll"]
        assert rolled.referee.game.faces == (0, 0, 3, 4, 4, 5, 6, 7, 8, 9)

    def test_a_die_off_the_tray_is_said_and_waited_for(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        assert kinds(rolled.see(after[:9])) == ["off-tray"]
        assert rolled.see(after[:9]) == []
        assert kinds(rolled.see(after)) == ["reroll"]

    def test_eleven_dice_in_a_reroll_are_waited_for(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = thrown(ROLL, {2: 9, 3: 9})
        assert kinds(rolled.see([*after, Die(1, 700.0, 300.0)])) == ["eleven-dice"]
        assert kinds(rolled.see(after)) == ["reroll"]


class TestTheReroll:
    def test_it_repeats_the_verdict_and_raises_no_second_alarm(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 0, 3))
        events = rolled.see(thrown(ROLL, {0: 9, 3: 9}))
        assert kinds(events) == ["reroll"]
        assert verdicts(events) == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]

    def test_kept_dice_may_be_knocked_about(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        after = [die.moved(0.5, 1.5, turn=2) for die in without(ROLL, 2, 3)]
        events = rolled.see([*after, *row([9, 9], y=600)])
        assert verdicts(events) == [("reroll", Verdict.LEGAL, ())]

    @pytest.mark.parametrize(
        ("knocked", "verdict", "reasons"),
        [(0, Verdict.CANNOT_TELL, (BREAKDOWN,)), (4, Verdict.LEGAL, ())],
    )
    def test_a_die_knocked_in_a_hurry_may_have_been_thrown_too(
        self, rolled: Table, knocked: int, verdict: Verdict, reasons: tuple[str, ...]
    ) -> None:
        kept = replace(view(without(ROLL, 3), rolled.t + 0.1), hurried=True)
        assert verdicts(list(rolled.referee.see(kept))) == [("pickup", Verdict.LEGAL, ())]
        after = list(ROLL)
        after[knocked] = ROLL[knocked].moved(0.5, 1.5, turn=2)
        after[3] = Die(ROLL[3].face, 700.0, 600.0)
        events = rolled.see(after)
        assert verdicts(events) == [("reroll", verdict, reasons)]

    def test_it_settles_a_pick_up_of_which_a_die_was_overlooked(self, rolled: Table) -> None:
        assert verdicts(rolled.see(without(ROLL, 0, 3))) == [
            ("pickup", Verdict.ILLEGAL, (BREAKDOWN,))
        ]
        events = rolled.see(thrown(ROLL, {3: 9}))
        assert verdicts(events) == [("reroll", Verdict.LEGAL, ())]
        assert kinds(events) == ["reroll"]

    def test_it_settles_a_pick_up_to_which_more_was_added(self, rolled: Table) -> None:
        assert verdicts(rolled.see(without(ROLL, 2, 3))) == [("pickup", Verdict.LEGAL, ())]
        events = rolled.see(thrown(ROLL, {0: 9, 2: 9, 3: 9}))
        assert verdicts(events) == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]
        assert kinds(events) == ["reroll", "illegal-reroll"]

    def test_unseen_and_certain_it_is_legal(self, rolled: Table) -> None:
        assert verdicts(rolled.see(thrown(ROLL, {2: 9, 3: 9}))) == [("reroll", Verdict.LEGAL, ())]

    def test_unseen_and_certain_it_is_illegal(self, rolled: Table) -> None:
        events = rolled.see(thrown(ROLL, {0: 9, 3: 9}))
        assert verdicts(events) == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]
        assert kinds(events) == ["reroll", "illegal-reroll"]

    def test_unseen_and_uncertain_it_says_why(self, rolled: Table) -> None:
        events = rolled.see(thrown(ROLL, {0: 0, 3: 9}))
        assert verdicts(events) == [("reroll", Verdict.CANNOT_TELL, (BREAKDOWN,))]
        assert isinstance(events[1], Alert)
        assert events[1].kind == "cannot-tell"
        assert events[1].text == (
            "Ann, nobody saw for certain which dice were thrown again: a Breakdown would need a "
            "Way Car in play."
        )

    def test_play_goes_on_after_an_illegal_one(self, rolled: Table) -> None:
        after = thrown(ROLL, {0: 9, 3: 9})
        rolled.see(after)
        assert rolled.referee.game.phase is Phase.REROLL_6
        assert verdicts(rolled.see(after[1:])) == [("pickup", Verdict.LEGAL, ())]

    def test_one_tipped_over_by_a_throw_of_which_nobody_saw_the_pick_up_is_none(
        self, rolled: Table
    ) -> None:
        after = thrown(ROLL, {5: 9, 6: 9})
        tipped = [after[0].moved(0.3, 0.6, turn=2).read_as(7), *after[1:]]
        assert verdicts(rolled.see(tipped)) == [("reroll", Verdict.CANNOT_TELL, (BREAKDOWN,))]

    def test_but_far_from_its_place_it_was_thrown(self, rolled: Table) -> None:
        after = thrown(ROLL, {5: 9, 6: 9})
        far = [after[0].moved(0, 1.5, turn=2).read_as(7), *after[1:]]
        assert verdicts(rolled.see(far)) == [("reroll", Verdict.ILLEGAL, (BREAKDOWN,))]

    def test_a_kept_die_tipped_over_by_a_throw_is_no_crime(self, rolled: Table) -> None:
        """A Breakdown that was kept shows another face on nearly the same spot."""
        rolled.see(without(ROLL, 2, 3))
        tipped = ROLL[0].moved(0.3, 0.6, turn=2).read_as(4)
        after = [tipped, *thrown(ROLL, {2: 9, 3: 9})[1:]]
        events = rolled.see(after)
        assert verdicts(events) == [("reroll", Verdict.CANNOT_TELL, (BREAKDOWN,))]


def bump(referee: Referee, t: float) -> None:
    """The camera was bumped, as whoever noticed says it."""
    (alert,) = referee.note(t, "camera-moved", "The camera was bumped.")
    assert isinstance(alert, Alert)
    assert alert.kind == "camera-moved"


class TestTheCamera:
    def test_after_it_dice_are_known_by_how_they_lie_to_each_other(self, rolled: Table) -> None:
        bump(rolled.referee, 2.0)
        moved = bumped(ROLL)
        assert rolled.see(moved) == []
        events = rolled.see(thrown(moved, {2: 1, 3: 9}))
        assert verdicts(events) == [("reroll", Verdict.LEGAL, ())]

    def test_also_if_nobody_said_that_it_moved(self, rolled: Table) -> None:
        after = thrown(bumped(ROLL), {2: 1, 3: 9})
        assert verdicts(rolled.see(after)) == [("reroll", Verdict.LEGAL, ())]

    def test_what_people_said_moves_along(self, table: Table) -> None:
        phantom = Die(4, 600.0, 600.0)
        table.see([phantom, *ROLL])
        table.referee.remove_die(2.0, 0)
        table.referee.set_face(2.0, 9, 3)
        bump(table.referee, 3.0)
        assert table.see(bumped([phantom, *ROLL])) == []
        events = table.see(bumped([phantom, *ROLL[3:]]))
        assert verdicts(events) == [("pickup", Verdict.ILLEGAL, (BREAKDOWN,))]
        assert table.referee.game.on_table == (2, 3, 3, 4, 5, 6, 7)

    def test_where_too_few_dice_tell_only_faces_count(self, rolled: Table) -> None:
        assert kinds(rolled.see(ROLL[8:])) == ["pickup", "illegal-reroll"]
        bump(rolled.referee, 3.0)
        assert rolled.see([ROLL[8].moved(3, 3), ROLL[9].moved(5, 5)]) == []
        assert rolled.referee.game.on_table == (7, 8)

    def test_a_bump_is_remembered_after_a_stop(self, rolled: Table) -> None:
        bump(rolled.referee, 2.0)
        again = Referee(events=rolled.referee.events, evidence=rolled.referee.evidence)
        assert again.see(view(bumped(ROLL), 4.0)) == ()
        (event,) = again.see(view(thrown(bumped(ROLL), {2: 1, 3: 9}), 5.0))
        assert isinstance(event, Rerolled)
        assert event.verdict is Verdict.LEGAL


def bumped(dice: list[Die]) -> list[Die]:
    """The dice as they lie in the picture after the camera was pushed and turned."""
    turn = 0.2
    return [
        Die(
            die.face,
            die.x * math.cos(turn) - die.y * math.sin(turn) + 77.0,
            die.x * math.sin(turn) + die.y * math.cos(turn) - 40.0,
            die.angle + turn,
        )
        for die in dice
    ]


class TestTheEndOfATurn:
    def play_to_the_end(self, table: Table, y: float = 600.0) -> list[Die]:
        dice = ROLL
        for n, _ in enumerate(range(4)):
            dice = thrown(dice, {9: 9 - n}, y=y - 80 * n)
            table.see(dice)
        return dice

    def test_the_last_reroll_is_scored_at_once(self, rolled: Table) -> None:
        dice = self.play_to_the_end(rolled)
        assert isinstance(rolled.referee.events[-1], Scored)
        assert rolled.referee.game.totals == {"Ann": 45}
        assert rolled.see(dice) == []
        assert rolled.see([]) == []
        assert rolled.referee.game.turn == 2

    def test_an_empty_tray_is_a_stand(self, rolled: Table) -> None:
        events = rolled.see([])
        assert events[0] == Stood(2.0, "Ann", 1, Phase.REROLL_8)
        assert kinds(events) == ["stand", "score"]
        assert rolled.see([]) == []

    def test_so_it_is_after_a_part_was_picked_up(self, rolled: Table) -> None:
        rolled.see(without(ROLL, 2, 3))
        assert kinds(rolled.see([])) == ["stand", "score"]

    def test_a_hand_over_an_empty_tray_is_not(self, rolled: Table) -> None:
        assert rolled.see([], hand=True) == []
        assert rolled.see([], settled=False) == []

    def test_so_is_saying_so(self, rolled: Table) -> None:
        assert kinds(list(rolled.referee.stand(1.5))) == ["stand", "score"]

    def test_nobody_can_stand_before_the_roll(self, table: Table) -> None:
        with pytest.raises(WrongMoment, match="Expected 'roll'"):
            table.referee.stand(1.0)
        assert kinds(table.see(ROLL)) == ["roll"]

    def test_players_take_turns(self) -> None:
        table = Table("Ann", "Bob")
        for n in range(10):
            events = table.see(row(range(10), y=100.0 + n))
            assert [event.player for event in events] == ["Ann" if n % 2 == 0 else "Bob"]
            table.see([])
        assert kinds(table.referee.events[-1:]) == ["game-over"]
        assert table.referee.game.winners == ("Ann", "Bob")

    def test_after_the_game_nothing_more_is_judged(self) -> None:
        table = Table()
        for _ in range(5):
            table.see(ROLL)
            table.see([])
        assert table.referee.game.over
        assert table.see(ROLL) == []
        assert table.see(ROLL[:4]) == []

    def test_gathering_the_dice_is_no_pick_up(self, rolled: Table) -> None:
        dice = self.play_to_the_end(rolled)
        assert rolled.see(dice[3:]) == []
        assert rolled.see(dice[8:]) == []
        assert rolled.see([]) == []
        assert kinds(rolled.see(row(range(10)))) == ["roll"]

    def test_a_new_roll_with_a_die_off_the_tray_is_said(self, rolled: Table) -> None:
        self.play_to_the_end(rolled)
        new = row([1, 1, 2, 2, 3, 3, 4, 4, 9], y=300)
        assert kinds(rolled.see(new)) == ["off-tray"]
        assert kinds(rolled.see([*new, Die(9, 1100.0, 300.0)])) == ["roll"]

    def test_a_new_roll_is_known_even_if_nobody_saw_the_tray_empty(self, rolled: Table) -> None:
        self.play_to_the_end(rolled)
        events = rolled.see(row([1, 1, 2, 2, 3, 3, 4, 4, 5, 5], y=300))
        assert kinds(events) == ["roll"]
        assert events[0].turn == 2

    def test_the_old_dice_shoved_about_are_no_new_roll(self, rolled: Table) -> None:
        dice = self.play_to_the_end(rolled)
        assert rolled.see([die.moved(1, 1, turn=1) for die in dice]) == []

    def test_dice_thrown_after_the_score_are_said_to_come_too_late(self, rolled: Table) -> None:
        dice = self.play_to_the_end(rolled)
        late = thrown(dice, {0: 5}, y=700)
        assert kinds(rolled.see(late)) == ["turn-over"]
        assert rolled.see(late) == []

    def test_a_final_face_that_reads_differently_later_is_asked_about(self, rolled: Table) -> None:
        dice = self.play_to_the_end(rolled)
        (question,) = rolled.see([dice[0].read_as(6), *dice[1:]])
        assert isinstance(question, Question)
        assert rolled.see(dice) == []

    @pytest.mark.parametrize("answered", [False, True])
    def test_old_dice_in_doubt_are_no_throw_of_the_next_player(self, answered: bool) -> None:
        table = Table("Ann", "Bob")
        table.see(ROLL)
        table.referee.stand(2.0)
        shoved = ROLL[0].moved(0.6, 0.3, turn=0.5).doubted(Doubt.COVERED)
        assert kinds(table.see([shoved, *ROLL[1:]])) == ["question"]
        if answered:
            (seq,) = table.referee.questions
            assert kinds(table.referee.answer(9.0, seq, 0)) == ["answer"]
        assert table.see(ROLL[5:]) == []
        assert table.see([]) == []
        (roll,) = table.see(row(range(10), y=400))
        assert isinstance(roll, Rolled)
        assert roll.player == "Bob"

    def test_a_source_that_ends_first_says_so(self, rolled: Table) -> None:
        (alert,) = rolled.referee.ended(9.0)
        assert alert == Alert(
            9.0,
            "Ann",
            1,
            Phase.REROLL_8,
            "source-ended",
            "The source ended in Ann's turn 1, reroll 8: the game is not over.",
        )

    def test_open_questions_are_told_of_then(self, table: Table) -> None:
        table.see([ROLL[0].doubted(), ROLL[1].doubted(), *ROLL[2:]])
        (alert,) = table.referee.ended(9.0)
        assert isinstance(alert, Alert)
        assert "2 questions unanswered" in alert.text

    def test_one_that_ends_after_the_game_does_not(self) -> None:
        table = Table()
        for _ in range(5):
            table.see(ROLL)
            table.see([])
        assert table.referee.ended(99.0) == ()


def test_a_game_needs_a_player() -> None:
    with pytest.raises(NoPlayers, match="at least one player"):
        Referee([])


def test_times_are_rounded_to_milliseconds() -> None:
    referee = Referee(["Ann"])
    (event,) = referee.see(view(ROLL, 1 / 3))
    assert event.t == 0.333
