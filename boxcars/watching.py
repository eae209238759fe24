"""Watching a source as it is done at the command line: how it begins, and whether dice came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Protocol

from boxcars.session import Settles
from vision.records import Frame, TrayView
from vision.settle import Scene
from vision.sources import Source


class Started(Source):
    """A recorded source whose first frame is here already: a game begins only where some come.

    Raises on construction what the source raises for its first frame. `on_frame` is called
    for each frame that is taken.
    """

    def __init__(self, source: Source, on_frame: Callable[[], None]) -> None:
        self._source = source
        self.live = source.live
        self.stills = source.stills
        self.description = source.description
        self.frames = source.frames
        frames = iter(source)
        self._frames = chain([next(frames)], frames)
        self._on_frame = on_frame

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames:
            self._on_frame()
            yield frame

    def close(self) -> None:
        """Close the source."""
        self._source.close()


class SettlesAnew(Settles, Protocol):
    """Finds settled views, and finds one again for whoever could not use it."""

    def look_anew(self) -> None: ...

    def camera_moved(self) -> None: ...


class DiceSeen:
    """A settler that remembers whether any dice were seen at all."""

    def __init__(self, settler: SettlesAnew) -> None:
        self._settler = settler
        self.any = False

    @property
    def scene(self) -> Scene:
        """What is going on in the tray, as the settler says it; pictures are settled always."""
        return getattr(self._settler, "scene", Scene.SETTLED)

    def look_anew(self) -> None:
        """Whoever took the latest view could not use it."""
        self._settler.look_anew()

    def camera_moved(self) -> None:
        """The camera shows the tray elsewhere."""
        self._settler.camera_moved()

    def push(self, frame: Frame) -> TrayView | None:
        """Take the next frame, as the settler does."""
        view = self._settler.push(frame)
        if view is not None and view.readings:
            self.any = True
        return view
