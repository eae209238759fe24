"""Posts that act: JSON values in, an action at the table, the state after it out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from boxcars.actions import (
    Action,
    AddDie,
    Allow,
    AnswerQuestion,
    ChooseSource,
    Correct,
    Enter,
    NewGame,
    Redo,
    RemoveDie,
    SetCoach,
    SetFace,
    Stand,
    TakeBack,
    Undo,
    Unfit,
)
from boxcars.journal import JournalError
from boxcars.names import WrongName, player_names
from boxcars.page.bodies import asked_for, json_body, nothing_left
from boxcars.page.security import Refused
from boxcars.page.state import state_bytes
from boxcars.snapshot import Snapshot
from boxcars.table import Table
from scoring.cars import DICE, Faces
from scoring.rules import HouseRules

Values = dict[str, Any]

ID_LENGTH = 40
NUMBER_MOST = 2**53


async def act(request: Request) -> Response:
    """`POST /api/actions/{action}`."""
    table: Table = request.app.state.table
    parse = asked_for(request, ACTIONS)
    values = await json_body(request)
    rev = _number(values, "rev")
    action = parse(values)
    nothing_left(values)
    try:
        # A thread may wait for the table and for the disk; the loop that serves others may not.
        snapshot = await run_in_threadpool(table.perform, action, rev)
    except Unfit as unfit:
        return _answer(409, table.snapshot, str(unfit))
    except JournalError as error:
        raise Refused(500, str(error)) from None
    return _answer(200, snapshot)


def _answer(status: int, snapshot: Snapshot, error: str | None = None) -> Response:
    told = b"" if error is None else b'"error":' + json.dumps(error).encode() + b","
    body = b"{" + told + b'"state":' + state_bytes(snapshot) + b"}"
    return Response(body, status, media_type="application/json")


# Values; each is taken out of those given, so that what is left is too much.


def _number(values: Values, name: str) -> int:
    value = values.pop(name, None)
    if type(value) is not int or not 0 <= value <= NUMBER_MOST:
        raise Refused(400, f"{name!r} must be a whole number from 0 on.")
    return value


def _number_or_none(values: Values, name: str) -> int | None:
    if values.get(name) is None:
        values.pop(name, None)
        return None
    return _number(values, name)


def _is_face(value: object) -> bool:
    return type(value) is int and 0 <= value < DICE


def _face(values: Values) -> int:
    value = values.pop("face", None)
    if type(value) is not int or not _is_face(value):
        raise Refused(400, "'face' must be a number 0-9.")
    return value


def _faces(values: Values) -> Faces:
    value = values.pop("faces", None)
    if not isinstance(value, list) or len(value) != DICE or not all(map(_is_face, value)):
        raise Refused(400, "'faces' must be ten numbers 0-9.")
    return tuple(value)


def _flag(values: Values, name: str) -> bool:
    value = values.pop(name, None)
    if type(value) is not bool:
        raise Refused(400, f"{name!r} must be true or false.")
    return value


def _names(values: Values) -> tuple[str, ...]:
    given = values.pop("players", None)
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise Refused(400, "'players' must be a list of names.")
    try:
        return player_names(given)
    except WrongName as error:
        raise Refused(400, str(error)) from error


def _rules(values: Values) -> HouseRules:
    given = values.pop("rules", {})
    known = {field.name for field in fields(HouseRules)}
    if not isinstance(given, dict) or not set(given) <= known:
        raise Refused(400, f"'rules' may have {', '.join(sorted(known))}.")
    return HouseRules(**{name: _flag(given, name) for name in list(given)})


def _id(values: Values) -> str:
    value = values.pop("id", None)
    if not isinstance(value, str) or len(value) > ID_LENGTH:
        raise Refused(400, "'id' must be that of a source on offer.")
    return value


ACTIONS: dict[str, Callable[[Values], Action]] = {
    "stand": lambda values: Stand(),
    "set-face": lambda values: SetFace(_number(values, "die"), _face(values)),
    "add-die": lambda values: AddDie(_face(values)),
    "remove-die": lambda values: RemoveDie(_number(values, "die")),
    "answer": lambda values: AnswerQuestion(_number(values, "question"), _face(values)),
    "enter": lambda values: Enter(_faces(values)),
    "correct": lambda values: Correct(_number(values, "seq"), _faces(values)),
    "undo": lambda values: Undo(_number_or_none(values, "seq")),
    "redo": lambda values: Redo(),
    "allow": lambda values: Allow(_number(values, "alarm")),
    "take-back": lambda values: TakeBack(_number_or_none(values, "alarm")),
    "new-game": lambda values: NewGame(_names(values), _rules(values)),
    "source": lambda values: ChooseSource(_id(values)),
    "coach": lambda values: SetCoach(_flag(values, "on")),
}
