"""Looking through a camera before it is chosen: one at a time, let go of when nobody looks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from boxcars.opening import open_any
from boxcars.snapshot import Offer
from boxcars.source_names import source_specs
from vision.live import TroubleKind
from vision.records import Image
from vision.sources import Source, SourceError

IDLE_S = 4.0
"""A camera that nobody has looked through for so long is let go of."""

FIRST_S = 10.0
"""The first picture must be there within this time."""

NEXT_S = 0.1
"""A later one is waited for so long; then the one before is shown again."""

TOLD_AGAIN_S = 1.0
"""Who asks within this time why there was no picture hears it without another attempt."""

STILL_SEEING = {TroubleKind.SLOW, TroubleKind.BLACK, TroubleKind.FROZEN}
"""Troubles with which pictures still come, or have come: what it sees is to be seen."""


def open_offer(offer: Offer) -> Source:
    """Open what is on offer, only to look; raises `SourceError`, `UnreadablePicture`."""
    return open_any(source_specs(offer.spec))


class Previews:
    """Shows what sources on offer see, other than the one that is watched.

    Many cameras can be had by one program once only, so `watched` tells which offer is not ours
    to open, and `close` lets go before it is opened in earnest. Used by several threads.
    """

    def __init__(
        self,
        watched: Callable[[], str | None],
        open_source: Callable[[Offer], Source] = open_offer,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._watched = watched
        self._open = open_source
        self._clock = clock
        self._lock = threading.Lock()
        self._offer: str | None = None
        self._source: Source | None = None
        self._image: Image | None = None
        self._looked = 0.0
        self._timer: threading.Timer | None = None
        self._failed: tuple[str, str, float] | None = None
        """Which offer gave no picture, why, and when."""

    def look(self, offer: Offer) -> Image:
        """The newest picture of what is on offer.

        Raises:
            SourceError, UnreadablePicture: it shows none; the sentence says why.
        """
        with self._lock:
            if offer.id == self._watched():
                self._let_go()
                raise SourceError(f"{offer.title} is being watched already.")
            self._tell_again(offer)
            try:
                if offer.id != self._offer:
                    self._let_go()
                    self._source = self._open(offer)
                    self._offer = offer.id
                self._looked = self._clock()
                image = self._newest()
            except BaseException as error:
                self._let_go()
                self._failed = (offer.id, str(error), self._clock())
                raise
            self._wait_for_end(IDLE_S)
            return image

    def close(self) -> None:
        """Let go of whatever is looked through."""
        with self._lock:
            self._let_go()

    def _tell_again(self, offer: Offer) -> None:
        """Raise `SourceError` if there was no picture a moment ago."""
        if self._failed is not None:
            failed, why, since = self._failed
            if failed == offer.id and self._clock() - since < TOLD_AGAIN_S:
                raise SourceError(why)
            self._failed = None

    def _newest(self) -> Image:
        source = self._source
        if source is not None and not hasattr(source, "next_frame"):
            # Of a recording one picture tells enough.
            frame = next(iter(source), None)
            source.close()
            self._source = None
        elif source is not None:
            frame = source.next_frame(FIRST_S if self._image is None else NEXT_S)
            trouble = getattr(source, "trouble", None)
            if frame is None and trouble is not None and trouble.kind not in STILL_SEEING:
                raise SourceError(trouble.text)
        else:
            frame = None
        self._image = self._image if frame is None else frame.image
        if self._image is None:
            raise SourceError("No picture came from there.")
        return self._image

    def _wait_for_end(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = threading.Timer(seconds, self._end_if_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_if_idle(self) -> None:
        with self._lock:
            self._timer = None
            left = self._looked + IDLE_S - self._clock()
            if self._offer is not None and left > 0:
                self._wait_for_end(left)
            elif self._offer is not None:
                self._let_go()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._source is not None:
            self._source.close()
        self._source = self._offer = self._image = None
