"""The scripts of simulated games: every one is a game that could have been played."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from boxcars.sim import DEMO_SEED
from boxcars.sim.evening import Evening, calm_evening, troubled_evening
from boxcars.sim.film import Deed, Trouble, Truth
from boxcars.sim.players import Policy, Slip, careless, cheating, player_of
from scoring.phases import REROLLS, TURNS, Phase
from scoring.rules import judge
from scoring.score import score


@pytest.fixture(scope="module", params=range(20, 30))
def evening(request: pytest.FixtureRequest) -> Evening:
    return troubled_evening(request.param)


def test_the_truth_is_a_game_by_the_rules_but_for_what_it_calls_illegal(evening: Evening) -> None:
    players = len(evening.look.hands)
    latest: dict[int, Truth] = {}
    hand: Truth | None = None
    scored: Counter[int] = Counter()
    for truth in evening.truth:
        match truth.deed:
            case Deed.ROLL:
                latest[truth.player] = truth
            case Deed.PICK_UP:
                hand = truth
                wrong = judge(latest[truth.player].faces, truth.faces, truth.phase)
                assert wrong.reasons == truth.illegal
            case Deed.PUT_BACK:
                hand = None
            case Deed.REROLL:
                assert hand is not None
                before = Counter(latest[truth.player].faces)
                kept = before - Counter(hand.faces)
                assert not kept - Counter(truth.faces)
                assert truth.illegal == hand.illegal
                latest[truth.player] = truth
            case Deed.SCORE:
                assert truth.faces == latest[truth.player].faces
                assert truth.points == score(truth.faces).points
                scored[truth.player] += 1
    assert scored == Counter(dict.fromkeys(range(players), TURNS))
    assert all(a.t <= b.t for a, b in pairwise(evening.truth))


def test_dice_lie_as_the_truth_says_and_apart(evening: Evening) -> None:
    for truth in evening.truth:
        lying = evening.film.at(truth.t + 1e-6).lying
        if truth.deed in (Deed.ROLL, Deed.REROLL):
            assert tuple(sorted(die.face for die in lying)) == truth.faces
            assert all(die.flat for die in lying)
            for k, die in enumerate(lying):
                for other in lying[:k]:
                    assert np.hypot(die.x - other.x, die.y - other.y) > 20
        if truth.deed is Deed.STAND:
            assert lying == ()


def test_a_seed_always_tells_the_same_story() -> None:
    one, two = troubled_evening(5), troubled_evening(5)
    assert one.truth == two.truth
    assert one.film.hands == two.film.hands
    assert troubled_evening(6).truth != one.truth


def test_every_trouble_happens_sooner_or_later() -> None:
    seen: set[Trouble] = set()
    for seed in range(60):
        evening = troubled_evening(seed)
        seen |= evening.troubles
        for truth in evening.truth:
            seen |= truth.troubles
    assert seen == set(Trouble)


def test_the_demo_has_one_illegal_reroll_taken_back_and_ends_in_time() -> None:
    demo = calm_evening(DEMO_SEED)
    assert demo.film.length < 150
    illegal = [t for t in demo.truth if t.illegal]
    assert [t.illegal for t in illegal] == [("breakdown-without-way-car",)]
    following = demo.truth[demo.truth.index(illegal[0]) + 1]
    assert following.deed is Deed.PUT_BACK
    assert sum(t.deed is Deed.SCORE for t in demo.truth) == TURNS


ROLL = (0, 0, 1, 3, 3, 5, 6, 6, 7, 8)


@pytest.mark.parametrize("phase", REROLLS)
def test_careless_players_stay_legal_and_cheats_do_not_always(phase: Phase) -> None:
    rng = np.random.default_rng(1)
    assert not any(judge(ROLL, careless(ROLL, phase, rng), phase) for _ in range(50))
    assert any(judge(ROLL, cheating(ROLL, phase, rng), phase) for _ in range(50))
    assert not judge(ROLL, player_of(Policy.OPTIMAL)(ROLL, phase, rng), phase)


def test_a_slip_happens_once() -> None:
    rng = np.random.default_rng(1)
    slip = Slip()
    assert 0 in slip(ROLL, Phase.REROLL_8, rng)
    assert not judge(ROLL, slip(ROLL, Phase.REROLL_8, rng), Phase.REROLL_8)
