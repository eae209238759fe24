"""Faces, cars, phases, verdicts and doubts as they are called at the table."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.cars import Car, Faces
from scoring.phases import Phase
from scoring.rules import Verdict

VERDICTS = {
    Verdict.LEGAL: "legal",
    Verdict.ILLEGAL: "illegal",
    Verdict.CANNOT_TELL: "cannot tell",
}
"""The page calls them the same (`verdictText` in `wording.js`)."""

REASONS = {
    "too-many-dice": "too many dice",
    "breakdown-without-way-car": "a Breakdown without a Way Car",
}

DOUBTS = {
    "unsure": "its digit is hard to read",
    "six-or-nine": "it may be a 6 or a 9",
    "neighbours-disagree": "its sides do not fit its face",
    "cocked": "it leans",
    "stacked": "it lies on another die",
    "covered": "something covers it",
    "glare": "light glares on it",
    "blurred": "it is blurred",
    "too-small": "it is too small in the picture",
    "not-a-d10": "it may be no ten-sided die",
    "contradiction": "it was kept, yet looks changed",
}
"""Why a die is asked about, in the page's words (`wording.js`)."""


def faces_text(faces: Faces) -> str:
    """Faces as they are written at the table, sorted: `0 1 1 9`; a dash for none."""
    return " ".join(str(face) for face in sorted(faces)) or "–"


def cars_text(faces: Faces) -> str:
    """Faces as cars, most telling first: `2 Locomotives, Caboose`; `nothing` for none."""
    order = sorted(set(faces), key=lambda face: (face == Car.BREAKDOWN, face))
    named = (_count_cars(Car(face), faces.count(face)) for face in order)
    return ", ".join(named) or "nothing"


def face_and_car(face: int) -> str:
    """`6 (Box Car)`"""
    return f"{face} ({Car(face).title})"


def plural(car: Car) -> str:
    """More than one of a car: `Coaches`, `Box Cars`."""
    return f"{car.title}{'es' if car.title.endswith('ch') else 's'}"


def phase_text(phase: Phase) -> str:
    """A phase as the rules call it: `roll 10`, `reroll 8`, `scoring`."""
    return phase.value.replace("-", " ")


def verdict_words(verdict: Verdict, reasons: Sequence[str]) -> str:
    """A verdict and why, e.g. `illegal: too many dice`."""
    text = VERDICTS[verdict]
    if not reasons:
        return text
    return f"{text}: " + " and ".join(REASONS.get(reason, reason) for reason in reasons)


def doubt_words(doubts: Sequence[str]) -> tuple[str, ...]:
    """Each doubt as a short sentence about the die, e.g. `it leans`."""
    return tuple(DOUBTS.get(doubt, doubt) for doubt in doubts)


def listed(words: Sequence[str]) -> str:
    """`Ann`, `Ann and Bob`, `Ann, Bob and Cem`"""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _count_cars(car: Car, count: int) -> str:
    return car.title if count == 1 else f"{count} {plural(car)}"
