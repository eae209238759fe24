"""`boxcars score`: what ten faces are worth."""

from __future__ import annotations

import typer

from boxcars.commands.options import FacesArgument, HouseRuleOption, JsonOption, house_rules
from boxcars.console import refusing, write_json, write_lines
from scoring.cars import FacesNotParsed, parse_faces
from scoring.score import score


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("score", epilog="Example: boxcars score 1,1,2,4,4,6,6,7,7,7")(score_faces)


def score_faces(
    faces: FacesArgument, house_rule: HouseRuleOption = None, as_json: JsonOption = False
) -> None:
    """Score ten faces at the end of a turn, line by line."""
    with refusing(FacesNotParsed):
        result = score(parse_faces(" ".join(faces)), house_rules(house_rule))
    if as_json:
        lines = [{"name": line.name, "points": line.points} for line in result.lines]
        write_json({"faces": sorted(result.faces), "points": result.points, "lines": lines})
        return
    from boxcars.show import score_lines

    write_lines(score_lines(result))
