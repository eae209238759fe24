"""The simulated table as a live source of frames."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from boxcars.sim.evening import Evening
from boxcars.sim.film import Truth
from boxcars.sim.painter import Painter
from boxcars.sim.webcam import Webcam
from vision.live import Trouble
from vision.records import Frame
from vision.sources import Source


class SimSource(Source):
    """Frames of a simulated evening, as a camera above it would give them.

    In real time frames are taken when they are due and those not taken in time are gone. With
    `fast` none is lost, and each is there at once; its time is the evening's own. Iterating
    ends with the evening. The evening is joined `since` seconds after its beginning.
    """

    live = True
    keeps_time = True
    """Times are those of the evening, however often it is opened."""
    spec: str

    def __init__(
        self,
        evening: Evening,
        *,
        fast: bool = False,
        since: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.evening = evening
        self.description = f"simulated table {evening.seed}"
        self.spec = f"sim:{evening.seed}"
        self._fast = fast
        self._clock = clock
        self._sleep = sleep
        self.painter = Painter(evening.look)
        self._webcam = Webcam(evening.weather, evening.seed)
        self._started: float | None = None
        self._first = math.ceil(since * evening.weather.fps)
        self._next = self._first
        self._closed = False
        self.exposed = 0.0
        """When the latest frame was taken; a frozen camera gives old ones. For tests only."""

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the camera: a simulated one always works."""
        return None

    @property
    def truth(self) -> tuple[Truth, ...]:
        """What truly happens on this evening; for tests only."""
        return self.evening.truth

    @property
    def ended(self) -> bool:
        """Whether the evening is over and no frame will come any more."""
        return self._closed or self._next > self.evening.film.length * self.evening.weather.fps

    def next_frame(self, timeout_s: float) -> Frame | None:
        """The newest frame that was not taken yet; None if there is none after `timeout_s`."""
        fps = self.evening.weather.fps
        if self._started is None:
            self._started = self._clock() - self._first / fps
        waited_until = self._clock() + timeout_s
        while not self.ended:
            if not self._fast:
                late = self._clock() - self._started - self._next / fps
                if late < 0:
                    left = waited_until - self._clock()
                    self._sleep(max(0.0, min(-late, left)))
                    if -late > left:
                        return None
                else:
                    self._next += int(late * fps)
            t = self._next / fps
            self._next += 1
            exposed = self.evening.weather.exposed_at(t)
            if exposed is not None and not self._closed:
                self.exposed = exposed
                picture = self.painter.paint(self.evening.film.at(exposed))
                return Frame(t, self._webcam.expose(exposed, picture), self.spec)
        return None

    def __iter__(self) -> Iterator[Frame]:
        while not self.ended:
            frame = self.next_frame(1.0)
            if frame is not None:
                yield frame

    def close(self) -> None:
        self._closed = True
