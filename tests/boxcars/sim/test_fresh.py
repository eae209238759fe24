"""A simulated game that nobody has seen before, each time the tests run."""

from __future__ import annotations

import secrets

import pytest

from boxcars.sim.evening import troubled_evening
from boxcars.sim.source import SimSource
from boxcars.sim.trial import play
from scoring.rules import Verdict
from tests.boxcars.sim.oracle import Oracle


@pytest.mark.beside
@pytest.mark.slow
def test_a_fresh_evening_is_settled_and_refereed_without_a_false_alarm() -> None:
    """Whatever happens at the table; the dice that can be seen are read rightly here."""
    seed = secrets.randbelow(1_000_000)
    source = SimSource(troubled_evening(seed), fast=True)
    report = play(source.evening, Oracle(source), source)
    replay = f"replay with seed {seed}"
    assert not any(judged.alarmed for judged in report.judged), replay
    assert not any(j.legal and j.verdict is Verdict.ILLEGAL for j in report.judged), replay
    assert not any(not j.legal and j.verdict is Verdict.LEGAL for j in report.judged), replay
