"""What `--record` keeps: the frames around everything that happens, within bounded disk.

A recording is a folder of numbered JPEGs with `frames.csv`, a line `file,seconds` for each,
which `vision.sources.open_source` plays again, and `events.jsonl`, what was told when. While
nothing moves one frame in a while is kept; from a little before something moves until the dice
have long come to rest, all are. So the settler comes to the same views again.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import cv2

from boxcars.journal import event_line
from boxcars.session import jpeg
from scoring.events import Event
from vision.compare import shrink
from vision.motion import Stillness
from vision.records import Frame
from vision.sources import RECORDING_INDEX, SourceError, read_index

EVENTS_FILE = "events.jsonl"
"""The events of a recording, one line of JSON each, as `boxcars play --json` shows them."""


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """How much is kept; times in seconds of source time."""

    max_bytes: int = 2_000_000_000
    """The oldest pictures are removed beyond this; about 20,000 of 1280 × 720."""
    quality: int = 92
    """JPEG quality, 0-100. Lower saves disk, and dice may read differently when played again."""
    all_s: float = 1.0
    """All frames are kept until nothing has moved for so long: the settler looks at them."""
    after_s: float = 2.5
    """Then, up to so long, …"""
    thin_every_s: float = 0.12
    """… a frame each so often; the settler works from eight a second."""
    still_every_s: float = 2.0
    """While nothing moves a frame is kept each so often."""
    before_s: float = 1.2
    """Once something moves, so much of what lay still before it is kept too, thinned."""


DEFAULT_LIMITS = RecordLimits()

_WAITING = 32
"""Frames that may wait to be written: about a second's."""
_PATIENCE_S = 0.2
"""A full queue is waited for so long; a disk slower than that loses frames, not the game."""


class Recorder:
    """Keeps a game's frames in a folder, without holding up or endangering the game.

    Writing is done by a thread of its own. Give it every frame in order of time, and every
    event right after the frame that it was told at. A folder that has a recording is gone on
    with. `trouble` says in one sentence why no more is kept, `lost` counts the frames that
    the disk was too slow for.

    Raises `OSError` if the folder cannot be made, `SourceError` if what is there is unreadable.
    """

    def __init__(self, folder: Path, limits: RecordLimits = DEFAULT_LIMITS) -> None:
        self.folder = folder
        self.trouble: str | None = None
        self.lost = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = _Writer(folder, limits)
        self._queue: queue.Queue[Frame | Event | None] = queue.Queue(_WAITING)
        self._behind = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="boxcars recorder", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame) -> None:
        """Take the next frame; its image must not be changed afterwards."""
        self._put(frame)

    def event(self, event: Event) -> None:
        """Take what was just told; the frames before it are kept even if nothing moved."""
        self._put(event)

    def close(self) -> None:
        """Write what waits, and stop; more than once does no harm."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _put(self, item: Frame | Event) -> None:
        if self._closed or self.trouble is not None:
            return
        if isinstance(item, Frame) and self._behind and self._queue.full():
            self.lost += 1
            return
        self._behind = False
        try:
            # Events are few and must not be lost for a frame.
            self._queue.put(item, timeout=_PATIENCE_S if isinstance(item, Frame) else None)
        except queue.Full:
            self._behind = True
            self.lost += 1

    def _run(self) -> None:
        try:
            while (item := self._queue.get()) is not None:
                self._write(item)
            self._write(None)
        finally:
            self._writer.close()

    def _write(self, item: Frame | Event | None) -> None:
        """Write what is to be written; None ends the recording."""
        if self.trouble is not None:
            return
        try:
            if item is None:
                self._writer.finish()
            elif isinstance(item, Frame):
                self._writer.frame(item)
            else:
                self._writer.event(item)
        except (OSError, cv2.error) as error:
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            self.trouble = f"No more is recorded in {self.folder}: {why}."


class _Writer:
    """Decides which frames to keep, and writes them; used by one thread."""

    def __init__(self, folder: Path, limits: RecordLimits) -> None:
        self._limits = limits
        self._disk = _Disk(folder, limits.max_bytes)
        self._events: Final[TextIO] = _append_to(folder / EVENTS_FILE)
        self._stillness = Stillness()
        self._before: deque[Frame] = deque()
        """Frames of the still stretch that are not kept yet, oldest first."""
        self._latest: Frame | None = None
        self._kept_t = float("-inf")
        self._keep_until = float("-inf")

    def frame(self, frame: Frame) -> None:
        """Keep this frame, or remember it for a while."""
        limits = self._limits
        still_s = self._stillness.push(frame.t, shrink(frame.image))
        if still_s < limits.all_s:
            self._keep_until = max(self._keep_until, frame.t)
        every_s = limits.thin_every_s if still_s < limits.after_s else limits.still_every_s
        self._latest = frame
        if frame.t <= self._keep_until:
            self._flush()
            self._keep(frame)
        elif frame.t - self._kept_t >= every_s:
            self._before.clear()
            self._keep(frame)
        else:
            self._remember(frame)

    def event(self, event: Event) -> None:
        """Keep the frames up to this event, and those for a while after it."""
        self._flush()
        if self._latest is not None and self._latest.t > self._kept_t:
            self._keep(self._latest)
        self._keep_until = self._kept_t + self._limits.all_s
        self._events.write(event_line(event) + "\n")
        self._events.flush()

    def finish(self) -> None:
        """Keep what lay there last."""
        self._flush()

    def close(self) -> None:
        """Close the files; what was written is there."""
        with suppress(OSError):
            self._events.close()
        self._disk.close()

    def _remember(self, frame: Frame) -> None:
        latest = self._before[-1].t if self._before else self._kept_t
        if frame.t - latest >= self._limits.thin_every_s:
            self._before.append(frame)
        while self._before and self._before[0].t < frame.t - self._limits.before_s:
            self._before.popleft()

    def _flush(self) -> None:
        while self._before:
            self._keep(self._before.popleft())

    def _keep(self, frame: Frame) -> None:
        self._disk.add(frame.t, jpeg(frame.image, self._limits.quality))
        self._kept_t = frame.t


class _Disk:
    """The pictures of one recording; the oldest go when there are too many bytes."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        index = folder / RECORDING_INDEX
        there = read_index(folder) if index.is_file() else []
        self._sizes = deque((path, path.stat().st_size) for path, _ in there if path.is_file())
        self._bytes = sum(size for _, size in self._sizes)
        numbers = [int(path.stem) for path, _ in there if path.stem.isdecimal()]
        self._next = max(numbers, default=-1) + 1
        self._index = _append_to(index)
        if self._index.tell() == 0:
            self._index.write("file,seconds\n")

    def add(self, t: float, data: bytes) -> None:
        """Write one picture and its line; older ones make room."""
        while self._sizes and self._bytes + len(data) > self._max_bytes:
            path, size = self._sizes.popleft()
            path.unlink(missing_ok=True)
            self._bytes -= size
        path = self._folder / f"{self._next:07d}.jpg"
        self._next += 1
        path.write_bytes(data)
        self._sizes.append((path, len(data)))
        self._bytes += len(data)
        # Only now: a line in the index means that its picture is whole.
        self._index.write(f"{path.name},{t!r}\n")
        self._index.flush()

    def close(self) -> None:
        """Close the index."""
        with suppress(OSError):
            self._index.close()


def _append_to(path: Path) -> TextIO:
    """Open a file of lines to go on with; a line that broke off is taken away."""
    if path.is_file():
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with path.open("r+b") as file:
                file.truncate(whole)
    return path.open("a", encoding="utf-8", newline="\n")


def new_recording(
    recordings: Path, started: str, limits: RecordLimits = DEFAULT_LIMITS
) -> Recorder:
    """Begin a recording in a folder of its own in `recordings`, named by the time of day.

    `started` is ISO 8601 text. Earlier recordings there are removed, oldest first, until they
    take no more than `limits` allow for this one. Raises `OSError`.
    """
    make_room(recordings, limits.max_bytes)
    # No colon: some systems allow none in a name.
    return Recorder(recordings / started[:19].replace(":", "-"), limits)


def make_room(recordings: Path, max_bytes: int) -> None:
    """Remove the oldest recordings among the folders in `recordings` until they fit.

    Only what a recorder wrote is removed; the newest recording is left even if it alone is
    larger. Raises `OSError`.
    """
    folders = [it for it in recordings.glob("*/") if (it / RECORDING_INDEX).is_file()]
    folders.sort(key=lambda it: (it / RECORDING_INDEX).stat().st_mtime)
    sizes = {it: sum(file.stat().st_size for file in _files_of(it)) for it in folders}
    total = sum(sizes.values())
    for folder in folders[:-1]:
        if total <= max_bytes:
            return
        for file in _files_of(folder):
            file.unlink(missing_ok=True)
        total -= sizes[folder]
        with suppress(OSError):  # somebody keeps something else there
            folder.rmdir()


def _files_of(folder: Path) -> list[Path]:
    """What a recorder wrote here, the index last: without it the rest could not be told."""
    try:
        pictures = [path for path, _ in read_index(folder) if path.is_file()]
    except SourceError:
        pictures = []
    others = [folder / name for name in (EVENTS_FILE, RECORDING_INDEX)]
    return pictures + [path for path in others if path.is_file()]
