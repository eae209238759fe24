"""What happens at the table, as immutable events, and their JSON form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from scoring.cars import DICE, Faces, NotTenFaces, ten_faces
from scoring.phases import TURNS, Phase
from scoring.rules import Verdict
from scoring.score import ScoreLine


class EventNotParsed(ValueError):
    """This is no event's JSON form."""


class WrongEvent(ValueError):
    """An event holds values that cannot be."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When an event came and where the game then stood.

    `t` is seconds of source time, finite; `player` is whose turn it was; `turn` is 1-5.

    Raises:
        WrongEvent: a value is out of its range.
    """

    t: float
    player: str
    turn: int
    phase: Phase

    KIND: ClassVar[str]

    def __post_init__(self) -> None:
        if not math.isfinite(self.t):
            raise WrongEvent(f"An event's time is a finite number of seconds, not {self.t}.")
        if not 1 <= self.turn <= TURNS:
            raise WrongEvent(f"An event's turn is 1-{TURNS}, not {self.turn}.")


@dataclass(frozen=True, slots=True)
class PlayerAdded(Moment):
    """`player` joins, before the first roll."""

    turn: int = 1
    phase: Phase = Phase.ROLL_10

    KIND: ClassVar[str] = "player"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        if not self.player.strip():
            raise WrongEvent("A player needs a name.")


@dataclass(frozen=True, slots=True)
class Rolled(Moment):
    """The first roll of a turn. `faces`: all ten, kept sorted."""

    faces: Faces

    KIND: ClassVar[str] = "roll"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        _sort_roll(self)


@dataclass(frozen=True, slots=True)
class PickedUp(Moment):
    """Dice left the table for a reroll; `kept` are those still on it.

    Both are kept sorted and together are ten. `reasons` say what is wrong with it, or with the
    verdict "cannot tell" what may be. A second pick-up in the same phase replaces the first; an
    empty one says that the dice were put back.
    """

    picked_up: Faces
    kept: Faces
    verdict: Verdict
    reasons: tuple[str, ...] = ()

    KIND: ClassVar[str] = "pickup"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        _ten(self.picked_up + self.kept)
        object.__setattr__(self, "picked_up", tuple(sorted(self.picked_up)))
        object.__setattr__(self, "kept", tuple(sorted(self.kept)))


@dataclass(frozen=True, slots=True)
class Rerolled(Moment):
    """The dice picked up were thrown. `faces`: all ten now on the table, kept sorted.

    `verdict` and `reasons` repeat or settle the pick-up's.
    """

    faces: Faces
    verdict: Verdict
    reasons: tuple[str, ...] = ()

    KIND: ClassVar[str] = "reroll"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        _sort_roll(self)


@dataclass(frozen=True, slots=True)
class Stood(Moment):
    """The player keeps all dice and ends the turn in the reroll phase `phase`."""

    KIND: ClassVar[str] = "stand"


@dataclass(frozen=True, slots=True)
class Scored(Moment):
    """A turn's score as it was announced; `total` is that player's running total.

    The fold counts what it derives from the faces. After a correction the same turn may be
    announced again.
    """

    points: int
    lines: tuple[ScoreLine, ...]
    total: int

    KIND: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        if self.points != sum(line.points for line in self.lines):
            raise WrongEvent(f"The lines of a score must add up to its {self.points} points.")


@dataclass(frozen=True, slots=True)
class GameOver(Moment):
    """The last turn is scored. `totals`: players in order with their points; a tie has
    several `winners`.
    """

    totals: tuple[tuple[str, int], ...]
    winners: tuple[str, ...]

    KIND: ClassVar[str] = "game-over"


@dataclass(frozen=True, slots=True)
class Corrected(Moment):
    """The faces of an earlier roll or reroll were set by hand.

    `seq` is the number of the event corrected; `faces` are all ten as they should be, kept
    sorted.
    """

    seq: int
    faces: Faces

    KIND: ClassVar[str] = "correction"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        _sort_roll(self)


@dataclass(frozen=True, slots=True)
class Undone(Moment):
    """The game goes back to where it stood before event number `seq`.

    That event and all after it no longer count. Undoing an undo brings back what it undid.
    """

    seq: int

    KIND: ClassVar[str] = "undo"


@dataclass(frozen=True, slots=True)
class Question(Moment):
    """The reader is not sure of a die and asks.

    `center` is where the die lies, in pixels of the picture; `candidates` are the faces it may
    show, the likeliest first; `doubts` name why it asks.
    """

    text: str
    center: tuple[float, float]
    candidates: Faces
    doubts: tuple[str, ...]

    KIND: ClassVar[str] = "question"


@dataclass(frozen=True, slots=True)
class Answer(Moment):
    """Somebody answered question number `seq`: the die shows `face`."""

    seq: int
    face: int

    KIND: ClassVar[str] = "answer"

    def __post_init__(self) -> None:
        Moment.__post_init__(self)
        if not 0 <= self.face < DICE:
            raise WrongEvent(f"An answer's face is 0-9, not {self.face}.")


@dataclass(frozen=True, slots=True)
class Alert(Moment):
    """Something the table should know. `kind`, e.g. `illegal-reroll`, is for programs and
    `text` for people.
    """

    kind: str
    text: str

    KIND: ClassVar[str] = "alert"


Event = (
    PlayerAdded
    | Rolled
    | PickedUp
    | Rerolled
    | Stood
    | Scored
    | GameOver
    | Corrected
    | Undone
    | Question
    | Answer
    | Alert
)


def to_dict(event: Event) -> dict[str, Any]:
    """The event as JSON-ready values, always in the same order, `event` (its kind) first.

    `totals` is an object in the players' order, so do not sort keys when writing it down.
    """
    values = {
        field.name: _FORMS[field.name].encode(getattr(event, field.name)) for field in fields(event)
    }
    return {"event": event.KIND, **values}


def from_dict(values: Mapping[str, Any]) -> Event:
    """The event whose `to_dict` is `values`.

    Raises:
        EventNotParsed: the kind is unknown, a value is missing, too many or of the wrong form.
    """
    try:
        event_class = _CLASSES[values["event"]]
    except (KeyError, TypeError):
        kinds = ", ".join(_CLASSES)
        raise EventNotParsed(f"An event is an object with `event` one of {kinds}.") from None
    names = [field.name for field in fields(event_class)]
    if set(values) != {"event", *names}:
        wanted = ", ".join(names)
        raise EventNotParsed(f"Event {event_class.KIND!r} has exactly the values {wanted}.")
    decoded: dict[str, Any] = {}
    for name in names:
        try:
            decoded[name] = _FORMS[name].decode(values[name])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise EventNotParsed(
                f"Event {event_class.KIND!r} cannot have {values[name]!r} as {name!r}."
            ) from None
    try:
        return event_class(**decoded)
    except ValueError as error:
        raise EventNotParsed(f"Event {event_class.KIND!r} makes no sense: {error}") from None


_CLASSES: dict[str, type[Event]] = {
    event_class.KIND: event_class
    for event_class in (
        PlayerAdded,
        Rolled,
        PickedUp,
        Rerolled,
        Stood,
        Scored,
        GameOver,
        Corrected,
        Undone,
        Question,
        Answer,
        Alert,
    )
}


def _ten(faces: Faces) -> Faces:
    try:
        return ten_faces(faces)
    except NotTenFaces as error:
        raise WrongEvent(str(error)) from None


def _sort_roll(event: Rolled | Rerolled | Corrected) -> None:
    object.__setattr__(event, "faces", _ten(event.faces))


# A value's name tells its form, whatever event it belongs to.


def _as_is(value: Any) -> Any:
    return value


def _int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


def _float(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError(value)
    return float(value)


def _str(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(value)
    return value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError(value)
    return value


def _faces(value: Any) -> Faces:
    return tuple(_int(face) for face in _list(value))


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(_str(text) for text in _list(value))


def _center(value: Any) -> tuple[float, float]:
    x, y = _list(value)
    return _float(x), _float(y)


def _line(value: Any) -> ScoreLine:
    return ScoreLine(_str(value["name"]), _int(value["points"]))


@dataclass(frozen=True, slots=True)
class _Form:
    """How a value is written to JSON and read back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_FORMS = {
    "t": _Form(float, _float),
    "player": _Form(_as_is, _str),
    "turn": _Form(_as_is, _int),
    "phase": _Form(str, Phase),
    "faces": _Form(list, _faces),
    "picked_up": _Form(list, _faces),
    "kept": _Form(list, _faces),
    "verdict": _Form(str, Verdict),
    "reasons": _Form(list, _strings),
    "points": _Form(_as_is, _int),
    "lines": _Form(
        lambda lines: [{"name": line.name, "points": line.points} for line in lines],
        lambda value: tuple(_line(line) for line in _list(value)),
    ),
    "total": _Form(_as_is, _int),
    "totals": _Form(dict, lambda value: tuple((_str(k), _int(v)) for k, v in value.items())),
    "winners": _Form(list, _strings),
    "seq": _Form(_as_is, _int),
    "text": _Form(_as_is, _str),
    "center": _Form(list, _center),
    "candidates": _Form(list, _faces),
    "doubts": _Form(list, _strings),
    "face": _Form(_as_is, _int),
    "kind": _Form(_as_is, _str),
}
