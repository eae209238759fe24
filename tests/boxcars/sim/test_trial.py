"""Whole simulated games through the settler and the referee, and how they are tallied."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from boxcars.sim.evening import Evening, calm_evening, troubled_evening
from boxcars.sim.film import Deed, Die, Film, Flight, Motion, Trouble, Truth
from boxcars.sim.source import SimSource
from boxcars.sim.tally import Tally
from boxcars.sim.trial import Check, GameReport, Judged, play, throw_at
from scoring.phases import Phase
from scoring.rules import Verdict
from tests.boxcars.sim.oracle import Oracle
from tests.running import boxcars


def watched(evening: Evening) -> GameReport:
    """The evening as settled and refereed when every die at rest can be read."""
    source = SimSource(evening, fast=True)
    return play(evening, Oracle(source), source)


@pytest.mark.beside
@pytest.mark.slow
def test_a_calm_evening_is_told_without_a_fault() -> None:
    evening = calm_evening(4)
    evening = replace(evening, weather=replace(evening.weather, fps=10.0))
    report = watched(evening)
    assert report.unaided_right
    assert report.aided_right
    assert report.questions == 0
    assert all(check.found for check in report.checks)
    assert report.extra == Counter()
    late = [check.late_s for check in report.checks if check.deed in (Deed.ROLL, Deed.REROLL)]
    assert max(each for each in late if each is not None) <= 0.7


@pytest.mark.beside
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1000, 1003])
def test_a_troubled_evening_ends_with_the_right_totals_and_no_false_alarm(seed: int) -> None:
    report = watched(troubled_evening(seed))
    assert report.aided_right
    assert not any(judged.alarmed for judged in report.judged)
    assert not any(j.legal and j.verdict is Verdict.ILLEGAL for j in report.judged)


def test_whoever_answers_does_not_take_a_throw_for_the_one_before_it() -> None:
    """While a die that leans is thrown again, what the throw shows is not known yet."""
    roll, reroll = (0,) * 10, (1,) * 10
    die = Die(1, 0.0, 0.0, 0.0)
    leaning, again = (Flight(die, 0.0, 0.0, start, start + 0.5, (0.0, 0.0)) for start in (6.0, 9.0))
    nudge = replace(leaning, start=3.0, end=3.1, motion=Motion.SLIDE)
    film = Film(
        flights=[nudge, leaning, again],
        truth=[
            Truth(2.0, Deed.ROLL, 0, 1, Phase.ROLL_10, roll),
            Truth(5.0, Deed.PICK_UP, 0, 1, Phase.REROLL_8, (0,)),
            Truth(9.5, Deed.REROLL, 0, 1, Phase.REROLL_8, reroll),
        ],
    )
    assert throw_at(film, 1.0) is None
    assert throw_at(film, 4.0) == throw_at(film, 5.5) == roll
    assert throw_at(film, 7.0) is None
    assert throw_at(film, 10.0) == reroll


CHECKS = (
    Check(Deed.ROLL, True, frozenset(), 1, 1.0, 0.3),
    Check(Deed.PICK_UP, False, frozenset({Trouble.QUICK}), 1, 2.0, None, quick=True),
    Check(Deed.REROLL, True, frozenset({Trouble.QUICK}), 1, 3.0, 0.5),
    Check(Deed.STAND, False, frozenset(), 1, 4.0),
)
JUDGED = (
    Judged(True, Verdict.LEGAL, False, frozenset(), 3.0),
    Judged(False, Verdict.CANNOT_TELL, False, frozenset({Trouble.QUICK}), 3.0),
)
REPORT = GameReport(
    seed=5,
    players=1,
    troubles=frozenset({Trouble.SLOW}),
    checks=CHECKS,
    judged=JUDGED,
    extra=Counter({"roll": 1}),
    standing_alarms=0,
    questions=1,
    unaided_right=False,
    aided_right=True,
    frames=10,
    reads=2,
    seconds=1.0,
)


def test_a_tally_counts_what_was_found_missed_and_made_up() -> None:
    tally = Tally([REPORT])
    assert (tally.found(Deed.ROLL).recall, tally.found(Deed.ROLL).precision) == (1.0, 0.5)
    assert tally.found(Deed.PICK_UP).truly == 0, "a quick pick-up may be missed"
    assert tally.found(Deed.STAND).recall == 0.0
    assert tally.unaided_right == 0.0
    assert tally.questions == 1.0
    assert tally.late_s(0.95) == 0.5
    assert tally.is_sound
    lines = {line.trouble: line for line in tally.lines}
    assert lines[Trouble.QUICK].things == 2
    assert lines[Trouble.QUICK].missed == 0
    assert lines[Trouble.QUICK].cannot_tell == 1
    assert lines[Trouble.SLOW].missed == 1
    json.dumps(tally.record())


@pytest.mark.parametrize(
    "judged",
    [
        Judged(True, Verdict.ILLEGAL, False, frozenset(), 3.0),
        Judged(True, Verdict.LEGAL, True, frozenset(), 3.0),
        Judged(False, Verdict.LEGAL, False, frozenset(), 3.0),
    ],
)
def test_a_broken_promise_makes_a_tally_unsound(judged: Judged) -> None:
    assert not Tally([replace(REPORT, judged=(judged,))]).is_sound


def test_wrong_totals_after_all_answers_make_a_tally_unsound() -> None:
    assert not Tally([replace(REPORT, aided_right=False)]).is_sound


def test_more_jobs_than_games_are_refused() -> None:
    ran = boxcars("simulate", "--games", "1", "--jobs", "2")
    assert ran.code == 2
    assert "give --jobs at most 1" in ran.err


@pytest.mark.beside
@pytest.mark.slow
def test_simulate_plays_through_the_real_reader_and_prints_its_table() -> None:
    ran = boxcars("simulate", "--games", "1", "--seed", "1003")
    assert "from seed 1003" in ran.err
    assert ran.code in (0, 1)
    for word in ("rolls", "pick-ups", "rerolls", "stands", "Final totals right", "Questions"):
        assert word in ran.out
