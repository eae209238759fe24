"""`boxcars check`: whether a reroll is legal, told by faces or by pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boxcars.commands.opening import open_calibrated
from boxcars.commands.options import (
    HouseRuleOption,
    JsonOption,
    PhaseOption,
    PictureCalibrationOption,
    house_rules,
)
from boxcars.console import (
    ExitCode,
    Refusal,
    advance,
    progress,
    refusing,
    say,
    write_json,
    write_lines,
)
from scoring.cars import FacesNotParsed, parse_faces
from scoring.phases import Phase, PhaseNotParsed, parse_phase
from scoring.rules import HouseRules, NotOnTheTable, Verdict, judge

EXIT_CODES = {
    Verdict.LEGAL: ExitCode.FINE,
    Verdict.ILLEGAL: ExitCode.NO,
    Verdict.CANNOT_TELL: ExitCode.CANNOT_TELL,
}


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(
        "check",
        epilog="Example: boxcars check --before 0011135778 --picked-up 011358 --phase reroll-8",
    )(check)


def check(
    phase: PhaseOption,
    pictures: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PICTURES",
            help="The tray before the reroll, with the kept dice only (may be left out), after it.",
            show_default=False,
            readable=False,
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="FACES", help="The ten faces before the reroll.", show_default=False),
    ] = None,
    picked_up: Annotated[
        str | None,
        typer.Option(metavar="FACES", help="The faces of the dice picked up.", show_default=False),
    ] = None,
    house_rule: HouseRuleOption = None,
    calibration: PictureCalibrationOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Say whether a reroll is legal: exit code 0 legal, 1 illegal, 3 cannot tell.

    Give the faces with --before and --picked-up, or two or three pictures.
    """
    with refusing(PhaseNotParsed):
        moment = parse_phase(phase)
    rules = house_rules(house_rule)
    by_faces = before is not None or picked_up is not None
    if by_faces and not pictures and before is not None and picked_up is not None:
        verdict = _check_faces(before, picked_up, moment, rules, as_json)
    elif pictures and not by_faces and len(pictures) in (2, 3):
        verdict = _check_pictures(pictures, moment, rules, calibration, as_json)
    else:
        raise Refusal("Give either --before and --picked-up, or two or three pictures.")
    raise typer.Exit(EXIT_CODES[verdict])


def _check_faces(
    before: str, picked_up: str, phase: Phase, rules: HouseRules, as_json: bool
) -> Verdict:
    with refusing(FacesNotParsed, NotOnTheTable):
        wrong = judge(parse_faces(before), parse_faces(picked_up, count=None), phase, rules)
    verdict = Verdict.ILLEGAL if wrong else Verdict.LEGAL
    if as_json:
        write_json({"verdict": verdict.value, "reasons": list(wrong.reasons)})
    else:
        from boxcars.show import verdict_text

        write_lines([verdict_text(verdict, wrong.reasons)])
    return verdict


def _check_pictures(
    pictures: list[Path], phase: Phase, rules: HouseRules, calibration: str, as_json: bool
) -> Verdict:
    from boxcars.pickups import compare
    from calibration.profile import ProfileError
    from vision.pictures import UnreadablePicture, load_picture
    from vision.records import Frame, TrayView

    with refusing(UnreadablePicture):
        frames = [Frame(float(t), load_picture(path), str(path)) for t, path in enumerate(pictures)]
    views: list[TrayView] = []
    reader = open_calibrated(calibration)
    with progress("Reading", len(frames)) as bar:
        for frame in frames:
            with refusing(ProfileError):
                readings = tuple(reader.read(frame.image))
            views.append(TrayView(frame.t, readings, settled=True, hand=False, picture=frame))
            advance(bar)
    for view in (views[0], views[-1]):
        if not view.readings:
            raise Refusal(f"{view.picture.name} shows no dice.")
    between = views[1] if len(views) == 3 else None
    comparison = compare(views[0], between, views[-1], phase, rules)
    finding = comparison.finding
    if as_json:
        write_json(
            {
                "verdict": finding.verdict.value,
                "reasons": list(finding.reasons),
                "before": list(comparison.before),
                "picked_up": None if comparison.picked_up is None else list(comparison.picked_up),
                "after": list(comparison.after),
            }
        )
    else:
        from boxcars.show import comparison_lines

        write_lines(comparison_lines(comparison))
    if comparison.why and as_json:
        say(f"boxcars: {comparison.why}")
    return finding.verdict
