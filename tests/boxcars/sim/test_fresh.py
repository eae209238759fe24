"""Simulated games that nobody has seen before, each time the tests run."""

from __future__ import annotations

import secrets

import pytest

from boxcars.sim.evening import Evening, troubled_evening
from boxcars.sim.source import SimSource
from boxcars.sim.trial import GameReport, play
from scoring.rules import Verdict
from tests.boxcars.sim.oracle import Oracle
from vision.remembering import RememberingReader


def fresh_seed() -> int:
    return secrets.randbelow(1_000_000)


def assert_nobody_is_wronged(report: GameReport) -> None:
    """Whatever was legal was never called illegal, and whatever was illegal never legal."""
    replay = f"replay with `boxcars simulate --games 1 --seed {report.seed}`"
    assert not [judged for judged in report.judged if judged.is_false_alarm], replay
    wronged = [j for j in report.judged if not j.legal and j.verdict is Verdict.LEGAL]
    assert not wronged, replay


@pytest.mark.beside
@pytest.mark.slow
def test_a_fresh_evening_is_settled_and_refereed_without_a_false_alarm() -> None:
    """Whatever happens at the table; the dice that can be seen are read rightly here."""
    source = SimSource(troubled_evening(fresh_seed()), fast=True)
    assert_nobody_is_wronged(play(source.evening, Oracle(source), source))


@pytest.mark.beside
@pytest.mark.slow
def test_a_fresh_evening_is_read_and_refereed_to_the_right_totals() -> None:
    """As `boxcars simulate` does it, from pictures to totals, with the nets that are delivered."""
    report = play(for_one(fresh_seed()), RememberingReader())
    assert report.aided_right, f"replay with `boxcars simulate --games 1 --seed {report.seed}`"
    assert_nobody_is_wronged(report)


def for_one(seed: int) -> Evening:
    """The first evening from `seed` on with a single player: half as long as others."""
    while len((evening := troubled_evening(seed)).look.hands) > 1:
        seed += 1
    return evening
