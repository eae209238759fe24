"""The bodies of posts: small JSON objects, and nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.requests import ClientDisconnect, Request

from boxcars.page.security import Refused

BODY_BYTES = 8192
"""No body may be longer."""

BODY_S = 5.0
"""A body must be here within this time."""


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
