"""`boxcars advise`: the best play, and what it is worth."""

from __future__ import annotations

import typer

from boxcars.commands.options import (
    FacesArgument,
    HouseRuleOption,
    JsonOption,
    PhaseOption,
    house_rules,
)
from boxcars.console import refusing, write_json, write_lines
from scoring.cars import FacesNotParsed, parse_faces
from scoring.phases import PhaseNotParsed, parse_phase


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("advise", epilog="Example: boxcars advise 0011135778 --phase reroll-8")(advise)


def advise(
    faces: FacesArgument,
    phase: PhaseOption,
    house_rule: HouseRuleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which dice to keep and which to reroll for the most points on average."""
    with refusing(FacesNotParsed, PhaseNotParsed):
        table = parse_faces(" ".join(faces))
        moment = parse_phase(phase)
    from scoring.advisor import Advisor

    advice = Advisor(house_rules(house_rule)).advise(table, moment)
    if as_json:
        write_json(
            {
                "keep": sorted(advice.keep),
                "reroll": sorted(advice.reroll),
                "expected_points": advice.expected_points,
            }
        )
        return
    from boxcars.show import advice_lines

    write_lines(advice_lines(advice))
