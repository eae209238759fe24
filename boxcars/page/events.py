"""Server-sent events: the newest state and every game event, to each viewer at its own speed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import StreamingResponse

from boxcars.page.security import Refused
from boxcars.page.state import state_bytes
from boxcars.snapshot import Snapshot
from boxcars.table import Table
from scoring.events import to_dict

KEEP_ALIVE_S = 15.0
"""A comment is sent so often, so that nothing in between takes the stream for dead."""

VIEWERS_MOST = 64
"""No more streams at a time; each costs a socket."""

RETRY_MS = 500
"""A viewer that lost us tries again after this time."""


class Hub:
    """Wakes all viewers when the table has a new snapshot.

    There is no queue: each viewer takes the newest snapshot when it is ready for one, and the
    game's events that it has not had yet. So a viewer that hangs holds nothing up.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._loop: asyncio.AbstractEventLoop | None = None
        self._viewers: set[asyncio.Event] = set()
        self._woken = False
        self._leave: Callable[[], None] = _nothing
        self.closed = False

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to listen to the table, for viewers served by this loop."""
        self._loop = loop
        self._leave = self.table.subscribe(self._wake_from_any_thread)

    def close(self) -> None:
        """End all streams."""
        self._leave()
        self.closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_viewers)

    def enter(self) -> asyncio.Event:
        """One more viewer: the event that says that there is something new.

        Raises:
            Refused: there are too many.
        """
        if len(self._viewers) >= VIEWERS_MOST:
            raise Refused(503, f"{VIEWERS_MOST} viewers are looking already: close some.")
        news = asyncio.Event()
        news.set()
        self._viewers.add(news)
        return news

    def leave(self, news: asyncio.Event) -> None:
        """That viewer has gone."""
        self._viewers.discard(news)

    def _wake_from_any_thread(self) -> None:
        # Several snapshots in a row wake the loop once.
        if not self._woken and self._loop is not None and not self._loop.is_closed():
            self._woken = True
            self._loop.call_soon_threadsafe(self._wake_viewers)

    def _wake_viewers(self) -> None:
        self._woken = False
        for news in self._viewers:
            news.set()


def _nothing() -> None:
    """What a hub that never opened has to end."""


async def events(request: Request) -> StreamingResponse:
    """`GET /api/events`."""
    hub: Hub = request.app.state.hub
    seen = _seen_before(request, hub.table.snapshot)
    news = hub.enter()
    return StreamingResponse(
        _stream(hub, news, seen),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def _stream(hub: Hub, news: asyncio.Event, seen: tuple[int, int]) -> AsyncIterator[bytes]:
    sent_rev = 0
    try:
        yield f"retry: {RETRY_MS}\n\n".encode()
        while not hub.closed:
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await news.wait()
            except TimeoutError:
                yield b":\n\n"
                continue
            news.clear()
            snapshot = hub.table.snapshot
            if snapshot.rev == sent_rev:
                continue
            sent_rev = snapshot.rev
            yield b"".join(_game_messages(snapshot, seen)) + _state_message(snapshot)
            seen = (snapshot.number, len(snapshot.history.events))
    finally:
        hub.leave(news)


def _game_messages(snapshot: Snapshot, seen: tuple[int, int]) -> list[bytes]:
    """The events that a viewer has not had, which knows `seen[1]` of game `seen[0]`."""
    game, count = seen
    first = count if game == snapshot.number else 0
    known = len(snapshot.history.events)
    return [_game_message(snapshot, number) for number in range(first, known)]


def _game_message(snapshot: Snapshot, number: int) -> bytes:
    event = to_dict(snapshot.history.events[number])
    data = json.dumps(
        {"game": snapshot.number, "number": number, "event": event}, ensure_ascii=False
    )
    return f"event: game\nid: {_mark(snapshot.number, number + 1)}\ndata: {data}\n\n".encode()


def _state_message(snapshot: Snapshot) -> bytes:
    mark = _mark(snapshot.number, len(snapshot.history.events))
    return f"event: state\nid: {mark}\ndata: ".encode() + state_bytes(snapshot) + b"\n\n"


def _mark(game: int, count: int) -> str:
    return f"{game}.{count}"


def _seen_before(request: Request, snapshot: Snapshot) -> tuple[int, int]:
    """What a viewer has had: told by its browser on reconnecting, or asked for with `after`."""
    known = len(snapshot.history.events)
    game, _, count = request.headers.get("last-event-id", "").partition(".")
    if _is_number(game) and _is_number(count):
        # Of another game than this one it has nothing: it gets all of this.
        return int(game), min(int(count), known)
    after = request.query_params.get("after")
    if after is None:
        return snapshot.number, known
    if after != "-1" and not _is_number(after):
        raise Refused(400, "'after' must be an event's number, or -1 for all.")
    return snapshot.number, min(int(after) + 1, known)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9
