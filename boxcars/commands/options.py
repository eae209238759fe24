"""Arguments and options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from scoring.rules import HouseRules


class HouseRule(StrEnum):
    """What `--house-rule` can switch on: the fields of `HouseRules`."""

    WAY_CAR_MUST_STAY = "way-car-must-stay"
    FIRST_BREAKDOWN_ONLY = "first-breakdown-only"
    PENALTIES_WITHOUT_LOCOMOTIVE = "penalties-without-locomotive"


def house_rules(chosen: Sequence[HouseRule] | None) -> HouseRules:
    """The rules with the chosen house rules switched on."""
    return HouseRules(**{rule.name.lower(): True for rule in chosen or ()})


FacesArgument: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FACES",
        help="Ten faces: 1234567890 or 1,2,3… or names of cars; 0 is a Breakdown.",
        show_default=False,
    ),
]
PhaseOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help="The phase of the reroll: reroll-8, reroll-6, reroll-4 or reroll-2.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON, one object per line, and nothing else.")
]
HouseRuleOption: TypeAlias = Annotated[
    list[HouseRule] | None,
    typer.Option("--house-rule", help="Play by this house rule; may be given several times."),
]
DataOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="Where the games are kept; without it, this user's data folder.",
        show_default=False,
    ),
]
CalibrationOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--calibration",
        metavar="FILE|auto|none",
        help="What is known of the camera: a file that boxcars calibrate wrote, what is kept for "
        "this camera, or nothing.",
    ),
]
PictureCalibrationOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--calibration",
        metavar="FILE|auto|none",
        help="What is known of the camera. Pictures do not say which camera took them, so auto is "
        "none for them: they need a FILE, which boxcars calibrate writes with --out.",
    ),
]
