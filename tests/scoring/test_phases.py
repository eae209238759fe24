"""The phases, their order and their limits."""

from __future__ import annotations

import pytest

from scoring.phases import REROLLS, Phase, PhaseNotParsed, parse_phase


def test_a_turn_has_six_phases_with_their_limits() -> None:
    assert [(phase.value, phase.limit) for phase in Phase] == [
        ("roll-10", 0),
        ("reroll-8", 8),
        ("reroll-6", 6),
        ("reroll-4", 4),
        ("reroll-2", 2),
        ("scoring", 0),
    ]
    assert REROLLS == ("reroll-8", "reroll-6", "reroll-4", "reroll-2")


def test_each_phase_leads_to_the_next_and_scoring_to_the_next_turn() -> None:
    phases = list(Phase)
    assert [phase.next for phase in phases] == [*phases[1:], Phase.ROLL_10]


@pytest.mark.parametrize("phase", Phase)
def test_phases_are_read_by_name(phase: Phase) -> None:
    assert parse_phase(f" {phase.upper()} ") is phase


@pytest.mark.parametrize("text", ["", "reroll-7", "reroll 8", "8"])
def test_a_phase_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(PhaseNotParsed, match=r"choose from roll-10, reroll-8, .*, scoring"):
        parse_phase(text)
