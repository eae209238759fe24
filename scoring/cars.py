"""The ten faces and the train cars they stand for, and how people write them down."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

Faces = tuple[int, ...]
"""Faces of dice, each 0-9; order means nothing to the game."""

DICE = 10
"""Dice in a roll."""


class FacesNotParsed(ValueError):
    """The text holds something that is no face, or the wrong number of faces."""


class NotTenFaces(ValueError):
    """These are not ten faces between 0 and 9."""


class Car(IntEnum):
    """A train car; its value is the face that stands for it."""

    BREAKDOWN = 0
    LOCOMOTIVE = 1
    CABOOSE = 2
    MAIL_CAR = 3
    SLEEPER = 4
    COACH = 5
    BOX_CAR = 6
    TANK = 7
    HOPPER = 8
    WAY_CAR = 9

    @property
    def title(self) -> str:
        """The car's name as people read it, e.g. `Mail Car`."""
        return self.name.replace("_", " ").title()


PASSENGER_CARS = (Car.SLEEPER, Car.COACH)
FREIGHT_CARS = (Car.BOX_CAR, Car.TANK, Car.HOPPER)
KINDS = PASSENGER_CARS + FREIGHT_CARS
"""The cars that score as so many of a kind."""

_CAR_OF_WORD = {car.name.partition("_")[0].lower(): car for car in Car}
_NAME = re.compile(rf"({'|'.join(_CAR_OF_WORD)})(?:[ _-]?cars?)?(?![a-z0-9])", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]+")


def parse_faces(text: str, count: int | None = DICE) -> Faces:
    """Read faces in the order written.

    Digits with or without spaces or commas (`1,2,3`, `1 2 3`, `123`, `12345 67890`) and car
    names (`locomotive`, `Mail Car`, `mail-car`) may be mixed. `count` is how many faces there
    must be, None for any number, none at all included. Between commas, and beside digits that
    stand alone, `11` is taken for a slip and not for two faces.

    Raises:
        FacesNotParsed: something is no face, or there are not `count` faces.
    """
    stripped = text.strip()
    parts = stripped.split(",") if stripped else []
    faces: list[int] = []
    lone = len(parts) > 1
    runs: list[str] = []
    for part in parts:
        found, digits = _scan(part.strip())
        if lone and len(found) != 1:
            raise _no_face(part.strip())
        faces += found
        runs += digits
    if any(len(run) == 1 for run in runs):
        for run in runs:
            if len(run) > 1:
                raise _no_face(run)
    if count is not None and len(faces) != count:
        raise FacesNotParsed(f"Expected {count} faces but {text!r} has {len(faces)}.")
    return tuple(faces)


def ten_faces(faces: Iterable[int]) -> Faces:
    """The ten faces of a roll, sorted.

    Raises:
        NotTenFaces: they are not ten, or one is not between 0 and 9.
    """
    roll = tuple(sorted(faces))
    if len(roll) != DICE or roll[0] < 0 or roll[-1] >= DICE:
        raise NotTenFaces(f"A roll is ten faces between 0 and 9, not {list(roll)}.")
    return roll


def _scan(text: str) -> tuple[list[int], list[str]]:
    """The faces in text without commas, and its runs of digits as written."""
    faces: list[int] = []
    runs: list[str] = []
    at = 0
    while at < len(text):
        if name := _NAME.match(text, at):
            faces.append(_CAR_OF_WORD[name[1].lower()])
            at = name.end()
        elif digits := _DIGITS.match(text, at):
            faces += map(int, digits[0])
            runs.append(digits[0])
            at = digits.end()
        elif text[at].isspace():
            at += 1
        else:
            raise _no_face(text[at:].split()[0])
    return faces, runs


def _no_face(text: str) -> FacesNotParsed:
    return FacesNotParsed(f"{text!r} is no face: give digits 0-9 or names of cars.")
