"""The coach tells the best play, and what the latest choice cost."""

from __future__ import annotations

import pytest

from boxcars.coach import advice, last_choice
from boxcars.referee import Referee
from scoring.advisor import Advisor
from scoring.phases import Phase
from tests.boxcars.table import row, view

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
FACES = (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)


@pytest.fixture
def referee() -> Referee:
    referee = Referee(["Ann"])
    referee.see(view(ROLL, 0.0))
    return referee


def test_before_a_roll_there_is_nothing_to_advise() -> None:
    game = Referee(["Ann"]).game
    assert advice(game) is None
    assert last_choice(game) is None


def test_the_best_play_is_the_advisors(referee: Referee) -> None:
    assert advice(referee.game) == Advisor().advise(FACES, Phase.REROLL_8)
    assert last_choice(referee.game) is None


def test_with_dice_in_the_hand_the_choice_is_made(referee: Referee) -> None:
    referee.see(view(ROLL[:9], 1.0))
    assert advice(referee.game) is None
    choice = last_choice(referee.game)
    assert choice is not None
    assert (choice.phase, choice.picked_up) == (Phase.REROLL_8, (8,))
    assert choice.cost == pytest.approx(Advisor().cost_of(FACES, Phase.REROLL_8, (8,)))
    assert choice.worth + choice.cost == pytest.approx(
        Advisor().advise(FACES, Phase.REROLL_8).expected_points
    )


def test_after_the_throw_it_is_still_told(referee: Referee) -> None:
    referee.see(view(ROLL[:9], 1.0))
    made = last_choice(referee.game)
    referee.see(view([*ROLL[:9], *row([9], y=500.0)], 2.0))
    assert last_choice(referee.game) == made
    assert advice(referee.game) is not None


def test_standing_is_a_choice_too(referee: Referee) -> None:
    referee.stand(1.0)
    choice = last_choice(referee.game)
    assert choice is not None
    assert choice.picked_up == ()
    assert choice.worth == pytest.approx(35.0)
    assert choice.cost > 0


def test_an_illegal_choice_has_no_price(referee: Referee) -> None:
    referee.see(view(ROLL[1:], 1.0))
    assert last_choice(referee.game) is None
