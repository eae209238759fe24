"""Links that OpenCV reads: cameras, network streams, and files as if they were live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import cv2

from vision.live import LinkFailed
from vision.pictures import quiet_ffmpeg, quiet_opencv
from vision.records import Image


@dataclass(frozen=True, slots=True)
class Capture:
    """What to open: a camera's number or an address, and by which of OpenCV's `CAP_` backends."""

    target: int | str
    backend: int = cv2.CAP_ANY


@dataclass(frozen=True, slots=True)
class Wish:
    """A property, one of OpenCV's `CAP_PROP_` constants, and the value it should have."""

    name: int
    value: float


class CaptureLink:
    """Anything that `cv2.VideoCapture` opens.

    `locate` says what to open, anew each time, best first; it may raise `LinkFailed`. `explain`
    says why nothing opens or comes; it is asked with True if pictures have come before.
    `needed` must hold before it opens; `wanted` is asked for afterwards, in order, and may be
    refused.
    """

    def __init__(
        self,
        locate: Callable[[], Sequence[Capture]],
        explain: Callable[[bool], LinkFailed],
        needed: Sequence[Wish] = (),
        wanted: Sequence[Wish] = (),
    ) -> None:
        self._locate = locate
        self._explain = explain
        self._needed = [number for wish in needed for number in (wish.name, int(wish.value))]
        self._wanted = wanted
        self._capture: cv2.VideoCapture | None = None
        self._seen = False
        quiet_ffmpeg()

    def open(self) -> None:
        """Open the first that opens, and ask for what is wanted."""
        with quiet_opencv():
            for which in self._locate():
                self._capture = self._opened(which)
                if self._capture is not None:
                    return
        raise self._explain(self._seen)

    def read(self) -> Image:
        """The next picture."""
        assert self._capture is not None
        try:
            got, image = self._capture.read()
        except cv2.error:
            got = False
        if not got:
            raise self._explain(self._seen)
        self._seen = True
        return cast("Image", image)

    def close(self) -> None:
        """Let go of it."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def interrupt(self) -> None:
        """Nothing: reads end by their own timeouts, and releasing beneath them would crash."""

    def _opened(self, which: Capture) -> cv2.VideoCapture | None:
        try:
            # Not two branches less: the overloads know a number or a text, not either.
            if isinstance(which.target, int):
                capture = cv2.VideoCapture(which.target, which.backend, self._needed)
            else:
                capture = cv2.VideoCapture(which.target, which.backend, self._needed)
            if capture.isOpened():
                for wish in self._wanted:
                    capture.set(wish.name, wish.value)
                return capture
            capture.release()
        except cv2.error:
            pass
        return None
