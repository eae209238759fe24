"""What the referee says in words."""

from __future__ import annotations

from collections.abc import Sequence

from boxcars.lying import Lying
from scoring.cars import Car
from scoring.phases import Phase
from scoring.rules import Illegality

_TOO_MANY, _BREAKDOWN = (flag.reasons[0] for flag in Illegality)
_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def illegal(player: str, phase: Phase, reasons: Sequence[str], dice: int) -> str:
    """Why a pick-up is illegal; `dice` are surely in the hand."""
    return f"{player}, that reroll is not allowed: {_because(phase, reasons, dice)}."


def cannot_tell(player: str, phase: Phase, reasons: Sequence[str], dice: int) -> str:
    """Why a verdict is left open; `dice` may have been thrown."""
    return (
        f"Nobody saw for certain what {player} picked up: dice that moved may have been pushed "
        f"aside or thrown again, and then {_because(phase, reasons, dice)}."
    )


def _because(phase: Phase, reasons: Sequence[str], dice: int) -> str:
    parts = []
    if _TOO_MANY in reasons:
        parts.append(f"{dice_count(dice)} are more than the {phase.limit} of {phase}")
    if _BREAKDOWN in reasons:
        parts.append("a Breakdown may be rerolled only with a Way Car in play")
    return " and ".join(parts)


def too_many_dice(count: int) -> str:
    """Eleven dice or more lie there."""
    return f"{dice_count(count).capitalize()} lie in the tray: take out what is not in play."


def dice_missing(count: int) -> str:
    """Fewer than ten lie there after a throw."""
    lie = "lies" if count == 1 else "lie"
    return (
        f"{dice_count(count).capitalize()} {lie} in the tray, not ten: is one beside it, "
        "hidden or still in the hand?"
    )


def leaning(dice: Sequence[Lying]) -> str:
    """Dice lean or lie on others."""
    count = dice_count(len(dice)).capitalize()
    verb = "leans or lies" if len(dice) == 1 else "lean or lie"
    return f"{count} {verb} on something: settle what that means and lay the dice flat."


def unread(player: str) -> str:
    """Dice left the table before a doubtful one was known."""
    return (
        f"{player}'s throw was taken up before every die was known: say what it showed, "
        "or the game goes on with the faces before it."
    )


def turn_over(player: str) -> str:
    """Dice were thrown again after a turn was scored."""
    return f"The last turn is scored: clear the tray, then {player} rolls all ten dice."


def question(die: Lying) -> str:
    """Which face does this die show?"""
    likely = " or ".join(f"{face} ({Car(face).title})" for face in die.candidates[:2])
    why = f" ({', '.join(die.doubts)})" if die.doubts else ""
    where = f"the die at {die.x:.0f}, {die.y:.0f}"
    return (
        f"Which face does {where} show{why}? Perhaps {likely}."
        if likely
        else (f"Which face does {where} show{why}?")
    )


def source_ended(player: str, turn: int, phase: Phase, questions: int) -> str:
    """The pictures ended before the game did."""
    asked = ""
    if questions:
        asked = f", {questions} question{'s' if questions > 1 else ''} unanswered"
    return f"The source ended in {player}'s turn {turn}, {phase}{asked}: the game is not over."


def dice_count(count: int) -> str:
    """`no dice`, `one die`, `ten dice`."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {'die' if count == 1 else 'dice'}"
