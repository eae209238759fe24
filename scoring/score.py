"""What ten dice are worth at the end of a turn, line by line."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.cars import FREIGHT_CARS, KINDS, PASSENGER_CARS, Car, Faces, ten_faces
from scoring.rules import DEFAULT_RULES, HouseRules

LOCOMOTIVE_POINTS = 10
CABOOSE_POINTS = 10
NO_CABOOSE_POINTS = -10
MAIL_CAR_POINTS = 10
BREAKDOWN_POINTS = -10
BONUS_POINTS = 10
BONUS_CARS = 2
"""Passenger (or Freight) Cars needed for their bonus."""
KIND_POINTS = (0, 5, 20, 40, 60, 80, 100, 120, 140, 140, 140)
"""Points for 0-10 of a kind."""

_KIND_NAMES = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven") + ("Eight or more",) * 3


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of the score table that applies, and its points."""

    name: str
    points: int


@dataclass(frozen=True, slots=True)
class Score:
    """What ten faces are worth, and why: the lines add up to the points.

    `faces` are sorted.
    """

    faces: Faces
    lines: tuple[ScoreLine, ...]

    @property
    def points(self) -> int:
        """The turn's points."""
        return sum(line.points for line in self.lines)


def score(faces: Faces, rules: HouseRules = DEFAULT_RULES) -> Score:
    """Score the ten final faces of a turn.

    Lines that bring nothing (a second Locomotive, a Way Car) are left out. Without a
    Locomotive the only line is `No Locomotive` with 0 points, followed by the penalties
    where the house counts them.

    Raises:
        NotTenFaces: `faces` is not ten faces between 0 and 9.
    """
    roll = ten_faces(faces)
    counts = [roll.count(face) for face in range(len(Car))]
    if counts[Car.LOCOMOTIVE]:
        lines = _gains(counts) + _penalties(counts, rules) + _kinds(counts) + _bonus(counts)
    elif rules.penalties_without_locomotive:
        lines = [_no_locomotive(), *_penalties(counts, rules)]
    else:
        lines = [_no_locomotive()]
    return Score(roll, tuple(lines))


def _no_locomotive() -> ScoreLine:
    return ScoreLine("No Locomotive", 0)


def _gains(counts: list[int]) -> list[ScoreLine]:
    lines = [ScoreLine("One Locomotive", LOCOMOTIVE_POINTS)]
    if counts[Car.CABOOSE]:
        lines.append(ScoreLine("One Caboose", CABOOSE_POINTS))
    if counts[Car.MAIL_CAR]:
        lines.append(ScoreLine("One Mail Car", MAIL_CAR_POINTS))
    return lines


def _penalties(counts: list[int], rules: HouseRules) -> list[ScoreLine]:
    lines = []
    if not counts[Car.CABOOSE]:
        lines.append(ScoreLine("No Caboose", NO_CABOOSE_POINTS))
    if breakdowns := counts[Car.BREAKDOWN]:
        paid = 1 if rules.first_breakdown_only else breakdowns
        name = "Breakdown" if paid == 1 else f"{paid} Breakdowns"
        lines.append(ScoreLine(name, BREAKDOWN_POINTS * paid))
    return lines


def _kinds(counts: list[int]) -> list[ScoreLine]:
    return [
        ScoreLine(f"{_KIND_NAMES[counts[car]]} of a Kind: {car.title}", KIND_POINTS[counts[car]])
        for car in KINDS
        if counts[car]
    ]


def _bonus(counts: list[int]) -> list[ScoreLine]:
    passenger = sum(counts[car] for car in PASSENGER_CARS)
    freight = sum(counts[car] for car in FREIGHT_CARS)
    if passenger >= BONUS_CARS and not freight:
        return [ScoreLine("Passenger Car Bonus", BONUS_POINTS)]
    if freight >= BONUS_CARS and not passenger:
        return [ScoreLine("Freight Car Bonus", BONUS_POINTS)]
    return []
