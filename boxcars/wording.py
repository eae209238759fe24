"""What the referee says, in kinds for programs and in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from boxcars.terms import doubt_words, face_and_car, listed, phase_text
from scoring.phases import Phase
from scoring.rules import Illegality

if TYPE_CHECKING:
    from boxcars.lying import Lying


class AlertKind(StrEnum):
    """What an alert is about, as other programs see it."""

    ILLEGAL_REROLL = "illegal-reroll"
    CANNOT_TELL = "cannot-tell"
    COCKED = "cocked"
    ELEVEN_DICE = "eleven-dice"
    OFF_TRAY = "off-tray"
    SAME_FACES = "same-faces"
    TURN_OVER = "turn-over"
    UNREAD_THROW = "unread-throw"
    CAMERA_MOVED = "camera-moved"
    SOURCE_ENDED = "source-ended"
    # What people did, kept on record.
    ALLOWED = "allowed"
    TAKEN_BACK = "taken-back"
    DIE_ADDED = "die-added"
    DIE_REMOVED = "die-removed"


BY_HAND = frozenset(
    {AlertKind.ALLOWED, AlertKind.TAKEN_BACK, AlertKind.DIE_ADDED, AlertKind.DIE_REMOVED}
)
"""Alerts that say what somebody at the table did, not what lies in the tray."""

WARNINGS = frozenset(
    {
        AlertKind.COCKED,
        AlertKind.ELEVEN_DICE,
        AlertKind.OFF_TRAY,
        AlertKind.TURN_OVER,
        AlertKind.UNREAD_THROW,
    }
)
"""Alerts to something that lies in the tray, told once for as long as it lies there."""

_TOO_MANY, _BREAKDOWN = (flag.reasons[0] for flag in Illegality)
_SIX_OR_NINE = "six-or-nine"
_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)

ALLOWED = "The table allows the reroll."
TAKEN_BACK = "The reroll is taken back: lay the dice as they were before it."
SAME_FACES = "The same faces again count as a reroll: undo it if the dice were only laid back."


def illegal(player: str, phase: Phase, reasons: Sequence[str], dice: int) -> str:
    """Why a pick-up is illegal; `dice` are surely in the hand."""
    parts = []
    if _TOO_MANY in reasons:
        parts.append(f"{dice_count(dice)} are more than the {number(phase.limit)} of this reroll")
    if _BREAKDOWN in reasons:
        parts.append("a Breakdown may be rerolled only with a Way Car in play")
    return f"{player}, that reroll is not allowed: {' and '.join(parts)}."


def cannot_tell(player: str, phase: Phase, reasons: Sequence[str]) -> str:
    """Why a verdict is left open."""
    parts = []
    if _TOO_MANY in reasons:
        parts.append(f"more than {number(phase.limit)} would be too many")
    if _BREAKDOWN in reasons:
        parts.append("a Breakdown would need a Way Car in play")
    return f"{player}, nobody saw for certain which dice were thrown again: {' and '.join(parts)}."


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
    if len(dice) == 1:
        return "One die leans or lies on another: lay it flat or throw it again."
    count = dice_count(len(dice)).capitalize()
    return f"{count} lean or lie on others: lay them flat or throw them again."


def unread(player: str, phase: Phase) -> str:
    """Dice left the table before a doubtful one was known."""
    without = "without it" if phase is Phase.ROLL_10 else "with the faces before it"
    return (
        f"{player}'s throw was taken up before every die was known: say what it showed, "
        f"or the game goes on {without}."
    )


def turn_over(player: str) -> str:
    """Dice were thrown again after a turn was scored."""
    return f"The last turn is scored: clear the tray, then {player} rolls all ten dice."


def die_added(face: int) -> str:
    """Somebody added a die."""
    return f"A die was added by hand: {face_and_car(face)}."


def die_removed(face: int | None, *, counted: bool) -> str:
    """Somebody said that something is no die; `counted` if the latest throw counts it."""
    if counted and face is not None:
        return f"What read {face} is no die: say what the tenth die shows, or undo the throw."
    return "Something in the tray is no die: it is left out."


def question(die: Lying) -> str:
    """Which face does this die show? Where it lies is all that tells it from others in words."""
    six_or_nine = _six_or_nine(die)
    if six_or_nine:
        one, other = map(face_and_car, six_or_nine)
        asked = f"Is this die a {one} or a {other}?"
    elif die.candidates:
        likely = " or ".join(map(face_and_car, die.candidates[:2]))
        asked = f"Which face does this die show, perhaps {likely}?"
    else:
        asked = "Which face does this die show?"
    where = f"it lies {die.x:.0f} pixels from the left and {die.y:.0f} from the top of the picture"
    unsaid = [it for it in die.doubts if not (six_or_nine and it == _SIX_OR_NINE)]
    told = listed((*doubt_words(unsaid), where))
    return f"{asked} {told[0].upper()}{told[1:]}."


def _six_or_nine(die: Lying) -> tuple[int, ...]:
    """6 and 9, the likelier first, if those are what the die is asked about; else nothing."""
    likely = die.candidates[:2]
    if _SIX_OR_NINE in die.doubts and set(likely) == {6, 9}:
        return likely
    if die.doubts == (_SIX_OR_NINE,) and likely[:1] in ((6,), (9,)):
        return likely[0], 15 - likely[0]
    return ()


def source_ended(player: str, turn: int, phase: Phase, questions: int) -> str:
    """The pictures ended before the game did."""
    asked = ""
    if questions:
        asked = f", {questions} question{'s' if questions > 1 else ''} unanswered"
    return (
        f"The source ended in {player}'s turn {turn}, {phase_text(phase)}{asked}: "
        "the game is not over."
    )


def dice_count(count: int) -> str:
    """`no dice`, `one die`, `ten dice`."""
    return f"{number(count)} {'die' if count == 1 else 'dice'}"


def number(count: int) -> str:
    """`no`, `one`, `twelve`, `13`."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
