"""Watching a source as it is done at the command line: what it is called, and how it begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from boxcars.opening import is_simulated
from boxcars.session import Settles
from vision.records import Frame, TrayView
from vision.settle import Scene
from vision.sources import Source

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")


def source_text(specs: Sequence[str]) -> str:
    """What the record keeps of a game's source: one absolute path, address or camera a line.

    The same pictures give the same text wherever they are named from, so that a resumed game
    knows them again.
    """
    return "\n".join(_absolute(spec) for spec in specs)


def source_title(text: str) -> str:
    """A source's text as people see it, short: `tray-01.jpg and 49 more`.

    A user's name and password in an address are left out.
    """
    first, *more = text.split("\n")
    if is_simulated(first):
        return "the simulated table"
    name = (Path(first).name or first) if _is_file_name(first) else _SECRET.sub("", first)
    return f"{name} and {len(more)} more" if more else name


def _is_file_name(spec: str) -> bool:
    return not (spec.isdecimal() or is_simulated(spec) or _ADDRESS.match(spec))


def _absolute(spec: str) -> str:
    # What is no file is the name of a camera, or a mistake that opening it tells.
    path = Path(spec)
    return str(path.resolve()) if _is_file_name(spec) and path.exists() else spec


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


class DiceSeen:
    """A settler that remembers whether any dice were seen at all."""

    def __init__(self, settler: Settles) -> None:
        self._settler = settler
        self.any = False

    @property
    def scene(self) -> Scene:
        """What is going on in the tray, as the settler says it; pictures are settled always."""
        return getattr(self._settler, "scene", Scene.SETTLED)

    def push(self, frame: Frame) -> TrayView | None:
        """Take the next frame, as the settler does."""
        view = self._settler.push(frame)
        if view is not None and view.readings:
            self.any = True
        return view
