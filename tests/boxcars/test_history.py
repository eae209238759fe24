"""What of a record still counts, and what it says."""

from __future__ import annotations

import random

import pytest

from boxcars.history import History
from boxcars.referee import NothingToDo, Referee
from scoring.events import Undone
from scoring.game import Game, fold
from tests.boxcars.table import random_game, row, view

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def history_of(referee: Referee) -> History:
    return History(referee.events, referee.game)


@pytest.mark.parametrize("seed", range(6))
def test_what_counts_alone_makes_the_same_game(seed: int) -> None:
    """Undos and what they took back can be left out, and nothing changes but the numbers."""
    rng = random.Random(seed)
    referee = Referee(["Ann", "Bob"])
    for t, dice in enumerate(random_game(seed, 2)):
        referee.see(view(dice, float(t)))
        if rng.random() < 0.3 and referee.game.turns:
            referee.undo(float(t))
            if rng.random() < 0.5:
                referee.redo(float(t))
    history = history_of(referee)
    kept = [referee.events[seq] for seq in sorted(history.counting)]
    assert any(isinstance(event, Undone) for event in referee.events)
    assert not any(isinstance(event, Undone) for event in kept)
    game = fold(kept)
    assert game.totals == referee.game.totals
    assert [turn.faces for turn in game.turns] == [turn.faces for turn in referee.game.turns]
    assert (game.player, game.phase, game.over) == (
        referee.game.player,
        referee.game.phase,
        referee.game.over,
    )


def test_an_undo_undone_counts_again() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.undo(1.0)
    assert history_of(referee).counting == {0}
    referee.redo(2.0)
    assert history_of(referee).counting == {0, 1}


def test_an_alarm_lasts_until_it_is_dealt_with() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    assert history_of(referee).alarm is None
    referee.see(view(ROLL[1:], 1.0))
    alarm = history_of(referee).alarm
    assert alarm is not None
    assert (alarm.before, alarm.judged, alarm.seq) == (1, 2, 3)
    assert (alarm.picked_up, alarm.thrown) == ((0,), False)
    assert alarm.reasons == ("breakdown-without-way-car",)
    referee.allow(2.0)
    assert history_of(referee).alarm is None


def test_a_second_illegal_reroll_alarms_again() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.see(view(ROLL[1:], 1.0))
    referee.allow(2.0)
    thrown = [*ROLL[1:], *row([6], y=500.0)]
    referee.see(view(thrown, 3.0))
    assert history_of(referee).alarm is None
    referee.see(view(thrown[1:], 4.0))
    alarm = history_of(referee).alarm
    assert alarm is not None
    assert referee.events[alarm.before].KIND == "reroll"


def test_putting_the_dice_back_ends_the_alarm() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.see(view(ROLL[1:], 1.0))
    referee.see(view(ROLL, 2.0))
    assert history_of(referee).alarm is None


def test_a_thrown_illegal_reroll_can_still_be_dealt_with() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.see(view(ROLL[1:], 1.0))
    referee.see(view([*ROLL[1:], *row([9], y=500.0)], 2.0))
    alarm = history_of(referee).alarm
    assert alarm is not None
    assert alarm.thrown
    referee.take_back(3.0)
    assert history_of(referee).alarm is None


def test_nobody_alarms_about_nothing() -> None:
    assert History((), Game()).alarm is None
    referee = Referee(["Ann"])
    with pytest.raises(NothingToDo):
        referee.allow(0.0)


def test_corrected_faces_are_told() -> None:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    referee.correct(1.0, tuple([1] * 10))
    assert history_of(referee).faces == {1: tuple([1] * 10)}
