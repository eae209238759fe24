"""Watching a source as it is done at the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from boxcars.session import Settles
from vision.records import Frame, TrayView
from vision.sources import Source


def source_text(specs: Sequence[str]) -> str:
    """What the record keeps of a game's source: one absolute path a line.

    The same pictures give the same text wherever they are named from, so that a resumed game
    knows them again.
    """
    return "\n".join(str(Path(spec).resolve()) for spec in specs)


def source_title(text: str) -> str:
    """A source's text as people see it, short: `tray-01.jpg and 49 more`."""
    first, *more = text.split("\n")
    name = Path(first).name or first
    return f"{name} and {len(more)} more" if more else name


class Started:
    """A source whose first frame is here already: a game begins only where pictures come.

    Raises on construction what the source raises for its first frame. `on_frame` is called
    for each frame that is taken.
    """

    def __init__(self, source: Source, on_frame: Callable[[], None]) -> None:
        self.live = source.live
        frames = iter(source)
        self._frames = chain([next(frames)], frames)
        self._on_frame = on_frame

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames:
            self._on_frame()
            yield frame


class DiceSeen:
    """A settler that remembers whether any dice were seen at all."""

    def __init__(self, settler: Settles) -> None:
        self._settler = settler
        self.any = False

    def push(self, frame: Frame) -> TrayView | None:
        """Take the next frame, as the settler does."""
        view = self._settler.push(frame)
        if view is not None and view.readings:
            self.any = True
        return view
