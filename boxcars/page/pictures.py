"""Pictures: the newest frame, settled views and their dice, and those on record."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from threading import Lock

import cv2
import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from boxcars.journal import JournalError
from boxcars.page.security import Refused
from boxcars.session import jpeg
from boxcars.snapshot import Offer, SeenDie, View
from boxcars.table import Latest, Table
from vision.pictures import UnreadablePicture
from vision.records import Box, Image
from vision.settle import Scene
from vision.sources import SourceError

LIVE_WIDTH = 1280
"""Wider pictures are made this wide for the page."""

LIVE_QUALITY = 80
CROP_QUALITY = 92

EVERY_S = 0.1
"""The live picture changes at most so often."""

STILL_EVERY_S = 2.0
"""While the dice lie still, so often is enough to follow the light."""

CROP_PX = 256
CROP_MARGIN = 0.35
"""Around a die, as a share of its size."""

FILMS_MOST = 32
"""No more live pictures at a time."""

BOUNDARY = "boxcars-picture"

NO_PICTURE = "That picture is gone."


class Pictures:
    """Encodes pictures once for all who look; used by several threads."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.films = 0
        self._lock = Lock()
        self._newest: tuple[int, bytes] = (0, b"")
        self._views: dict[int, bytes] = {}

    def newest(self, latest: Latest) -> bytes:
        """The newest frame as JPEG."""
        with self._lock:
            if self._newest[0] != latest.number:
                self._newest = latest.number, jpeg(_fitted(latest.frame.image), LIVE_QUALITY)
            return self._newest[1]

    def preview(self, offer: Offer) -> bytes:
        """What a source on offer sees now, as JPEG; raises `SourceError`, `UnreadablePicture`."""
        return jpeg(_fitted(self.table.previews.look(offer)), LIVE_QUALITY)

    def view(self, view: View) -> bytes:
        """A settled view as JPEG."""
        with self._lock:
            if view.id not in self._views:
                while len(self._views) >= 2:
                    del self._views[next(iter(self._views))]
                image = view.view.picture.image
                self._views[view.id] = jpeg(_fitted(image), LIVE_QUALITY)
            return self._views[view.id]


async def newest(request: Request) -> Response:
    """`GET /picture.jpg`."""
    pictures: Pictures = request.app.state.pictures
    latest = pictures.table.latest
    if latest is None:
        raise Refused(404, "There is no picture yet.")
    return _jpeg_answer(await run_in_threadpool(pictures.newest, latest))


async def preview(request: Request) -> Response:
    """`GET /sources/{source}.jpg`: what a source on offer sees that is not watched."""
    pictures: Pictures = request.app.state.pictures
    wanted = request.path_params["source"]
    offers = pictures.table.snapshot.offers
    offer = next((each for each in offers if each.id == wanted), None)
    if offer is None:
        raise Refused(404, "That source is not on offer.")
    try:
        return _jpeg_answer(await run_in_threadpool(pictures.preview, offer))
    except (SourceError, UnreadablePicture) as error:
        raise Refused(409, str(error)) from None


async def film(request: Request) -> Response:
    """`GET /picture.mjpg`."""
    pictures: Pictures = request.app.state.pictures
    if pictures.films >= FILMS_MOST:
        raise Refused(503, f"{FILMS_MOST} live pictures are watched already: close some.")
    return StreamingResponse(
        _film(pictures, request), media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    )


async def _film(pictures: Pictures, request: Request) -> AsyncIterator[bytes]:
    hub = request.app.state.hub
    pictures.films += 1
    shown, since_s = 0, STILL_EVERY_S
    try:
        yield f"--{BOUNDARY}\r\n".encode()
        while not hub.closed:
            latest = pictures.table.latest
            still = pictures.table.snapshot.scene is Scene.SETTLED
            due = since_s >= (STILL_EVERY_S if still else EVERY_S)
            if latest is not None and latest.number != shown and due:
                data = await run_in_threadpool(pictures.newest, latest)
                shown, since_s = latest.number, 0.0
                head = f"Content-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                # The boundary at once: browsers show a picture when they see its end.
                yield head.encode() + data + f"\r\n--{BOUNDARY}\r\n".encode()
            await asyncio.sleep(EVERY_S)
            since_s += EVERY_S
    finally:
        pictures.films -= 1


async def view(request: Request) -> Response:
    """`GET /views/{view}.jpg`."""
    pictures: Pictures = request.app.state.pictures
    found = pictures.table.view(request.path_params["view"])
    if found is None:
        raise Refused(404, NO_PICTURE)
    return _lasting_answer(request, await run_in_threadpool(pictures.view, found))


async def die(request: Request) -> Response:
    """`GET /views/{view}/{die}.jpg`."""
    pictures: Pictures = request.app.state.pictures
    found = pictures.table.view(request.path_params["view"])
    seen = pictures.table.snapshot.die(request.path_params["die"])
    if found is None or seen is None or seen.reading is None:
        raise Refused(404, NO_PICTURE)
    return _lasting_answer(request, await run_in_threadpool(_die_jpeg, found, seen))


async def recorded(request: Request) -> Response:
    """`GET /pictures/{game}/{seq}.jpg`."""
    table: Table = request.app.state.table
    game, seq = request.path_params["game"], request.path_params["seq"]
    if max(game, seq) >= 2**63:
        raise Refused(404, NO_PICTURE)
    try:
        data = await run_in_threadpool(table.picture, game, seq)
    except JournalError as error:
        raise Refused(500, str(error)) from None
    if data is None:
        raise Refused(404, NO_PICTURE)
    return _lasting_answer(request, data)


def _jpeg_answer(data: bytes) -> Response:
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def _lasting_answer(request: Request, data: bytes) -> Response:
    """A picture that does not change while we run; after a new start another may be called so."""
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    headers = {"Cache-Control": "private, no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type="image/jpeg", headers=headers)


def _die_jpeg(view: View, seen: SeenDie) -> bytes:
    assert seen.reading is not None
    image = view.view.picture.image
    return jpeg(crop(image, seen.reading.sighting.box), CROP_QUALITY)


def crop(image: Image, box: Box) -> Image:
    """A square around a die, enlarged to `CROP_PX`; beyond the picture it is grey."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 1.0) * (1 + 2 * CROP_MARGIN)
    left, top = (x0 + x1 - side) / 2, (y0 + y1 - side) / 2
    scale = CROP_PX / side
    matrix = np.array([[scale, 0.0, -left * scale], [0.0, scale, -top * scale]])
    cut = cv2.warpAffine(
        image,
        matrix,
        (CROP_PX, CROP_PX),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(128, 128, 128),
    )
    return np.asarray(cut, np.uint8)


def _fitted(image: Image) -> Image:
    height, width = image.shape[:2]
    if width <= LIVE_WIDTH:
        return image
    size = (LIVE_WIDTH, round(height * LIVE_WIDTH / width))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
