"""The bodies of posts: small JSON objects, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from boxcars.page.security import Refused

T = TypeVar("T")

BODY_BYTES = 8192
"""No body may be longer."""

BODY_S = 5.0
"""A body must be here within this time."""


def asked_for(request: Request, actions: Mapping[str, T]) -> T:
    """The action that the address names; raises `Refused` if there is none of that name."""
    action = actions.get(request.path_params["action"])
    if action is None:
        raise Refused(404, f"There is no such action: choose from {', '.join(actions)}.")
    return action


def nothing_left(values: Mapping[str, object]) -> None:
    """See that every value given was taken out of them; raises `Refused` if one was not."""
    if values:
        raise Refused(400, f"This action has no value {next(iter(values))!r:.60}.")


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object that a request brings.

    Raises:
        Refused: it is too long, too slow, or no JSON object.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "Send JSON, with Content-Type: application/json.")
    try:
        async with asyncio.timeout(BODY_S):
            data = await _read(request)
    except TimeoutError:
        raise Refused(408, "The body took too long.") from None
    except ClientDisconnect:
        raise Refused(400, "The body broke off.") from None
    try:
        # Numbers such as NaN are no JSON, and none of ours is long.
        values = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(400, "The body is no JSON.") from None
    if not isinstance(values, dict):
        raise Refused(400, "The body must be a JSON object.")
    return values


async def _read(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > BODY_BYTES:
        raise _too_long()
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > BODY_BYTES:
            raise _too_long()
    return data


def _too_long() -> Refused:
    return Refused(413, f"A body has at most {BODY_BYTES} bytes.")


def _no_number(text: str) -> float:
    raise ValueError(text)
