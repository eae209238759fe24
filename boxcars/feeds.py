"""Feeds: a source's frames one by one, each when it is due and on the game's own time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from vision.records import Frame


class Timeline:
    """Where a source's frames belong on a game's time, which goes on after a stop.

    A game that was resumed goes on after its latest event, at `seen_to` seconds: with `again` a
    recorded source is the one watched before, from its start, and what was seen of it is passed
    over; otherwise its time is counted on from there.
    """

    def __init__(self, seen_to: float | None, *, again: bool = False, live: bool = False) -> None:
        self._skip_to = seen_to if again and not live else None
        self.start = 0.0 if seen_to is None or self._skip_to is not None else seen_to
        """The game's time at the source's own start, in seconds."""

    def place(self, frame: Frame) -> Frame | None:
        """The frame on the game's time; None for one that was seen before the stop."""
        # Events carry milliseconds, so that is how times compare.
        if self._skip_to is not None and round(frame.t, 3) <= self._skip_to:
            return None
        return replace(frame, t=frame.t + self.start) if self.start else frame


@dataclass(frozen=True, slots=True)
class Pace:
    """Lets a recorded source run as fast as it was recorded.

    `clock` gives seconds that pass as they do at the table, `sleep` lets some pass.
    """

    clock: Callable[[], float]
    sleep: Callable[[float], None]


class Feed(Protocol):
    """Hands over a source's frames one by one, without ever waiting long."""

    @property
    def ended(self) -> bool:
        """Whether no frame will come any more."""
        ...

    def next(self, timeout_s: float) -> Frame | None:
        """The next frame, None if none has come after `timeout_s` seconds.

        Raises:
            SourceError, UnreadablePicture: the source failed.
        """
        ...


class HandsOver(Protocol):
    """A live source: it hands over its newest frame."""

    def next_frame(self, timeout_s: float) -> Frame | None: ...


class LiveFeed:
    """The frames of a live source, always the newest."""

    def __init__(self, source: HandsOver, timeline: Timeline) -> None:
        self._source = source
        self._timeline = timeline

    @property
    def ended(self) -> bool:
        """Whether the source said that it is over, as an evening at the simulated table is."""
        return bool(getattr(self._source, "ended", False))

    def next(self, timeout_s: float) -> Frame | None:
        """The newest frame not handed over yet."""
        frame = self._source.next_frame(timeout_s)
        return None if frame is None else self._timeline.place(frame)


class RecordedFeed:
    """All frames of a recorded source; without a pace every one is due at once."""

    def __init__(
        self, frames: Iterable[Frame], timeline: Timeline, pace: Pace | None = None
    ) -> None:
        self._frames = _placed(frames, timeline)
        self._pace = pace
        self._started: float | None = None
        """What the clock would have shown at the game's time 0."""
        self._held: Frame | None = None
        self.ended = False

    def next(self, timeout_s: float) -> Frame | None:
        """The next frame if it is due within `timeout_s`."""
        if self._held is None:
            self._held = next(self._frames, None)
            if self._held is None:
                self.ended = True
                return None
        early_s = self._early(self._held)
        if self._pace and early_s > 0:
            self._pace.sleep(min(early_s, timeout_s))
        if early_s > timeout_s:
            return None
        frame, self._held = self._held, None
        return frame

    def _early(self, frame: Frame) -> float:
        """How many seconds it is until this frame is due."""
        if self._pace is None:
            return 0.0
        now = self._pace.clock()
        if self._started is None:
            self._started = now - frame.t
        return self._started + frame.t - now


def _placed(frames: Iterable[Frame], timeline: Timeline) -> Iterator[Frame]:
    for raw in frames:
        frame = timeline.place(raw)
        if frame is not None:
            yield frame
