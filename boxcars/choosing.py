"""Which sources there are to choose from, and opening the one chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from boxcars.opening import open_any
from boxcars.snapshot import Offer
from boxcars.source_names import SIMULATED, is_simulated, source_text, source_title
from boxcars.table import Watched
from boxcars.watching import Started
from vision.cameras import find_camera, list_cameras, remember_camera, remembered_camera
from vision.live import LiveSource
from vision.sources import Source, SourceError, is_live

NO_CAMERA = (
    "No camera is plugged in: plug one in and start again, or try the simulated table "
    "(boxcars play --source sim), a video file or a folder of pictures (--source photos/)."
)


def default_specs() -> list[str]:
    """The camera to watch if nobody says: the one used last, else the first.

    Raises:
        SourceError: there is none.
    """
    cameras = list_cameras()
    if not cameras:
        raise SourceError(NO_CAMERA)
    used = remembered_camera()
    if used is not None:
        with suppress(SourceError):
            return [find_camera(cameras, used).identity]
    return [cameras[0].identity]


def offers_for(watched: str) -> tuple[Offer, ...]:
    """What may be chosen at the page: what is `watched` first, the cameras, the simulated table."""
    titles = {watched: source_title(watched)}
    for camera in list_cameras():
        titles.setdefault(camera.identity, camera.name)
    if not is_simulated(watched):
        titles[SIMULATED] = source_title(SIMULATED)
    return tuple(Offer(f"s{n}", title, spec) for n, (spec, title) in enumerate(titles.items()))


def open_watched(
    specs: Sequence[str],
    *,
    players: int = 1,
    since: float = 0.0,
    on_frame: Callable[[], None] = lambda: None,
) -> Watched:
    """Open a source to watch; a recorded one gives its first frame at once or not at all.

    `players` and `since` are for `open_any`; `on_frame` is called for each frame of a recorded
    source. A camera is remembered, to be watched the next time too.

    Raises:
        SourceError, UnreadablePicture: it cannot be watched.
    """
    source = open_any(specs, players=players, since=since)
    if not source.live:
        source = _started(source, on_frame)
    # A camera is known again by what it is; its number may be another tomorrow.
    text = source.spec or source_text(specs)
    if isinstance(source, LiveSource) and not is_live(text):
        with suppress(OSError):
            remember_camera(text)
    return Watched(source, source_title(text), text)


def _started(source: Source, on_frame: Callable[[], None]) -> Source:
    try:
        return Started(source, on_frame)
    except BaseException:
        source.close()
        raise
