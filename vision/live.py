"""Sources that never end by themselves: cameras and streams, always their newest picture.

A link is one camera or stream, read by blocking; a thread of its own reads it and keeps only
the newest picture, so that nobody who takes pictures slowly falls behind. What goes wrong is
told as `trouble` and tried again for ever.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from vision.pictures import UnreadablePicture, decode_picture
from vision.records import Frame, Image
from vision.sources import Source, SourceError


class TroubleKind(StrEnum):
    """What may be wrong with a live source."""

    ABSENT = "absent"
    BUSY = "busy"
    DENIED = "denied"
    """It is there, but this user may not have it."""
    UNPLUGGED = "unplugged"
    LOST = "lost"
    """It broke off."""
    SILENT = "silent"
    """It is open, but nothing comes."""
    BROKEN = "broken"
    """What comes cannot be decoded."""
    FROZEN = "frozen"
    BLACK = "black"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a source right now; `text` is one sentence for the table."""

    kind: TroubleKind
    text: str


class LinkFailed(Exception):
    """A link that cannot be opened, or that broke off."""

    def __init__(self, kind: TroubleKind, text: str) -> None:
        super().__init__(text)
        self.trouble = Trouble(kind, text)


class Link(Protocol):
    """One camera or stream; all but `interrupt` is called by the reading thread alone."""

    def open(self) -> None:
        """Connect, also again after `close`; raises `LinkFailed`."""

    def read(self) -> Image | bytes:
        """Wait for the next picture, as pixels or as a JPEG file; raises `LinkFailed`."""

    def close(self) -> None:
        """Let go of what was opened; more than once does no harm."""

    def interrupt(self) -> None:
        """Called by another thread: let `open` or `read` fail soon, if they can be stopped."""


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """How patient a live source is; times in seconds."""

    open_s: float = 15.0
    """The first picture is waited for so long; cameras that start slowly need up to ten."""
    close_s: float = 2.0
    """A read that cannot be interrupted is waited for so long at the end, then left behind."""
    retry_s: float = 0.5
    """After breaking off it is opened again after this time, then after twice that, …"""
    retry_at_most_s: float = 5.0
    """… up to this time."""
    silent_s: float = 2.0
    """No picture for so long is trouble."""
    frozen_s: float = 3.0
    """The same picture, noise and all, for so long is a camera that hangs."""
    black_s: float = 1.5
    """Nothing but black for so long is trouble."""
    reopen_s: float = 8.0
    """A camera that hangs for so long is opened anew, then after twice that, …"""
    slow_fps: float = 6.0
    """Fewer pictures a second are too few to see what happens at the table."""
    slow_s: float = 4.0
    """Pictures a second are counted over this time."""


DEFAULT_LIVE = LiveSettings()

_BROKEN_S = 1.0
"""Pictures that cannot be decoded are passed over for so long before that is trouble."""
_SAMPLE = 8
"""Pixels between those that tell frozen and black pictures, both ways."""
_BLACK_LEVEL = 20
"""A picture whose brightest pixels, one in a hundred, stay below this grey level is black."""
_LIVELY_S = 0.5
"""A noisy camera repeats a picture for no longer than this."""
_LIVELY_MEMORY_S = 60.0
"""So long a camera must have been noisy to be taken as one that always is."""
_LIVELY_SINCE_S = 5.0
"""A camera is watched for so long before it is taken as noisy."""


class LiveSource(Source):
    """The newest picture of a camera or a stream, whenever one asks for it.

    Opening it waits for the first picture. Times are seconds since the opening. `spec` is what
    `open_source` finds the same source by on another day. Iterating waits for pictures until
    the source is closed; to hear of trouble meanwhile use `next_frame`.

    Raises `SourceError` if it does not open; later trouble ends nothing.
    """

    live = True

    def __init__(
        self,
        link: Link,
        description: str,
        spec: str,
        settings: LiveSettings = DEFAULT_LIVE,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.description = description
        self.spec = spec
        self._link = link
        self._settings = settings
        self._clock = clock
        self._began = clock()
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._newest: tuple[float, Image | bytes] | None = None
        self._arrivals: deque[float] = deque()
        self._failure: Trouble | None = None
        self._fault: Exception | None = None
        self._reopen = threading.Event()
        self._reopen_s = settings.reopen_s
        self._looks = _Looks(settings)
        self._undecodable_since: float | None = None
        self._thread = threading.Thread(
            target=self._run, name=f"boxcars {description}", daemon=True
        )
        self._thread.start()
        try:
            self._await_first()
        except BaseException:
            self.close()
            raise

    def next_frame(self, timeout_s: float) -> Frame | None:
        """The newest picture that was not handed out yet; None if none comes within the time."""
        deadline = self._clock() + timeout_s
        while (taken := self._take(deadline - self._clock())) is not None:
            t, picture = taken
            image = self._decode(t, picture)
            if image is not None:
                self._looks.push(t, image)
                self._wake_if_frozen()
                return Frame(t, image)
        return None

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong right now; None while pictures come as they should."""
        with self._changed:
            if self._failure is not None:
                return self._failure
            now = self._clock() - self._began
            latest = self._arrivals[-1] if self._arrivals else 0.0
            if now - latest >= self._settings.silent_s:
                return self._say(TroubleKind.SILENT, "sends no pictures; waiting for it")
            broken = self._undecodable_since
            if broken is not None and now - broken >= _BROKEN_S:
                return self._say(TroubleKind.BROKEN, "sends pictures that cannot be decoded")
            if self._looks.black_s >= self._settings.black_s:
                return self._say(
                    TroubleKind.BLACK, "shows only black: uncover it or switch on a light"
                )
            if self._looks.frozen_s >= self._settings.frozen_s:
                return self._say(
                    TroubleKind.FROZEN, "hangs: it shows the same picture again and again"
                )
            fps = self._fps(now)
            if fps is not None and fps < self._settings.slow_fps:
                return self._say(
                    TroubleKind.SLOW,
                    f"gives only {fps:.0f} pictures a second: give it more light, or this computer "
                    "less to do",
                )
            return None

    def __iter__(self) -> Iterator[Frame]:
        while not self._stop.is_set():
            frame = self.next_frame(1.0)
            if frame is not None:
                yield frame

    def close(self) -> None:
        """Stop reading; a read that cannot be interrupted ends by itself later."""
        with self._changed:
            self._stop.set()
            self._newest = None
            self._changed.notify_all()
        self._link.interrupt()
        if self._thread is not threading.current_thread():
            self._thread.join(self._settings.close_s)

    def _await_first(self) -> None:
        """Wait until a picture is there; raise what keeps it away."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._newest is not None or self._failure is not None or self._fault,
                self._settings.open_s,
            )
            there, failure, fault = self._newest is not None, self._failure, self._fault
        if there:
            return
        if fault is not None:
            raise fault
        if failure is None:
            failure = self._say(TroubleKind.SILENT, "is there but sends no pictures")
        raise SourceError(failure.text)

    def _take(self, timeout_s: float) -> tuple[float, Image | bytes] | None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._newest is not None or self._stop.is_set() or self._fault,
                max(0.0, timeout_s),
            )
            if self._fault is not None:
                raise self._fault
            taken, self._newest = self._newest, None
            return taken

    def _decode(self, t: float, picture: Image | bytes) -> Image | None:
        """The picture's pixels; None if they are damaged, which happens on the way."""
        image: Image | None
        if isinstance(picture, bytes):
            try:
                image = decode_picture(picture)
            except UnreadablePicture:
                image = None
        else:
            image = picture
        with self._changed:
            if image is not None:
                self._undecodable_since = None
            elif self._undecodable_since is None:
                self._undecodable_since = t
        return image

    def _wake_if_frozen(self) -> None:
        """Have a camera that hangs opened anew, ever more rarely."""
        if self._looks.frozen_s == 0.0:
            self._reopen_s = self._settings.reopen_s
        elif self._looks.frozen_s >= self._reopen_s:
            self._reopen_s *= 2
            self._reopen.set()

    def _fps(self, now: float) -> float | None:
        """Pictures a second of late; None until enough time has passed to tell."""
        span = self._settings.slow_s
        lately = [t for t in self._arrivals if t > now - span]
        if len(lately) < 2 or now - self._arrivals[0] < span:
            return None
        return (len(lately) - 1) / (lately[-1] - lately[0])

    def _say(self, kind: TroubleKind, what: str) -> Trouble:
        name = self.description[:1].upper() + self.description[1:]
        return Trouble(kind, f"{name} {what}.")

    def _run(self) -> None:
        """The reading thread: read, and open again whenever that fails."""
        pause_s = self._settings.retry_s
        while not self._stop.is_set():
            try:
                self._link.open()
                self._reopen.clear()
                while not (self._stop.is_set() or self._reopen.is_set()):
                    self._arrived(self._link.read())
                    pause_s = self._settings.retry_s
            except LinkFailed as failed:
                self._failed(failed.trouble)
            except Exception as fault:  # a fault of ours: whoever takes pictures must hear of it
                with self._changed:
                    self._fault = fault
                    self._changed.notify_all()
                return
            finally:
                self._link.close()
            self._stop.wait(pause_s)
            pause_s = min(2 * pause_s, self._settings.retry_at_most_s)

    def _arrived(self, picture: Image | bytes) -> None:
        t = self._clock() - self._began
        with self._changed:
            if self._stop.is_set():
                return
            if self._failure is not None:
                self._failure = None
                self._arrivals.clear()
            self._newest = (t, picture)
            self._arrivals.append(t)
            while self._arrivals[0] < t - 2 * self._settings.slow_s:
                self._arrivals.popleft()
            self._changed.notify_all()

    def _failed(self, trouble: Trouble) -> None:
        with self._changed:
            self._failure = trouble
            self._changed.notify_all()


class _Looks:
    """Whether the pictures handed out are black, or always the same one."""

    def __init__(self, settings: LiveSettings) -> None:
        self._settings = settings
        self._first: float | None = None
        self._sample: Image | None = None
        self._same_since = 0.0
        self._black_since: float | None = None
        self._repeated_at: float | None = None
        """When a repeated picture last gave way to another one."""
        self.frozen_s = 0.0
        """For how long a noisy camera has shown one picture."""
        self.black_s = 0.0
        """For how long there has been nothing but black."""

    def push(self, t: float, image: Image) -> None:
        """Take the picture handed out at `t` seconds."""
        sample = image[::_SAMPLE, ::_SAMPLE].copy()
        if self._first is None:
            self._first = t
        same_s = t - self._same_since
        if self._sample is not None and np.array_equal(sample, self._sample):
            self.frozen_s = same_s if self._is_lively(t) else 0.0
        else:
            # A hang says nothing about how the camera repeats pictures otherwise.
            hung = self.frozen_s >= self._settings.frozen_s
            if self._sample is not None and not hung and same_s > _LIVELY_S:
                self._repeated_at = t
            self._same_since = t
            self.frozen_s = 0.0
        self._sample = sample
        # The mean is quick, and enough for nearly every picture.
        if sample.mean() >= _BLACK_LEVEL or np.percentile(sample, 99) >= _BLACK_LEVEL:
            self._black_since = None
        elif self._black_since is None:
            self._black_since = t
        self.black_s = 0.0 if self._black_since is None else t - self._black_since

    def _is_lively(self, t: float) -> bool:
        """Whether this camera's noise makes every picture another one.

        Drawn and strongly compressed pictures repeat while nothing moves, and mean nothing.
        """
        assert self._first is not None
        if self._repeated_at is not None and t - self._repeated_at <= _LIVELY_MEMORY_S:
            return False
        return self._same_since - self._first >= _LIVELY_SINCE_S
