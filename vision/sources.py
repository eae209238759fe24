"""Where frames come from: pictures, films, recordings, and the door to live sources."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import cv2

from vision.pictures import (
    PICTURE_SUFFIXES,
    UnreadablePicture,
    load_picture,
    quiet_ffmpeg,
    quiet_opencv,
)
from vision.records import Frame, Image

SECONDS_PER_STILL = 1.0
"""Source time between one picture and the next, in seconds."""

RECORDING_INDEX = "frames.csv"
"""The file that makes a folder of pictures a recording: a line for each, `file,seconds`."""

_SUPPORTED = (
    "give a folder of pictures, pictures, a video file, a camera's number or name, or an "
    "http:// or rtsp:// address"
)
_FPS_UNTOLD = 30.0
_FPS_SENSIBLE = 1000.0
_HEAD_BYTES = 1 << 16
# Frame counts told by some containers are estimates: only a clear shortfall is damage.
_FRAMES_MISSING = 0.1
_INDEX_LINE = re.compile(r"([\w.-]+),(\d+(?:\.\d+)?(?:e-?\d+)?)", re.ASCII)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


class SourceError(RuntimeError):
    """A source that cannot be opened, or that breaks off."""


class Source(ABC):
    """Frames in order of time: open it with `with`, then iterate, once.

    `live`: frames come as time passes and those not taken in time are gone. `stills`: each
    frame is a picture taken on purpose, so a settled view by itself. `description` says in
    a few words what is being watched. `frames` is how many frames there will be, as far as
    the source tells, else None. `spec` is what `open_source` finds a camera by on another day,
    None where there is no camera; `keeps_time`: frames have the times they have whenever it is
    opened, though it is live. Iterating raises `SourceError` or, for a picture,
    `UnreadablePicture`.
    """

    live: bool = False
    stills: bool = False
    description: str
    frames: int | None = None
    spec: str | None = None
    keeps_time: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def __iter__(self) -> Iterator[Frame]: ...

    @abstractmethod
    def close(self) -> None:
        """Let go of what was opened; more than once does no harm."""


def open_source(spec: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Source:
    """Open what `spec` names.

    That is a folder of pictures, a recording, a picture, several pictures, a video file, a
    camera's number, name or identity, or the address of a stream. Raises `SourceError`, or
    `UnreadablePicture` for a picture that isn't there.
    """
    if not isinstance(spec, str | PathLike):
        paths = [Path(one) for one in spec]
        if not paths:
            raise SourceError(f"No source is given: {_SUPPORTED}.")
        if len(paths) > 1:
            return PictureSource(paths, f"{len(paths)} pictures")
        spec = paths[0]
    text = str(spec)
    path = Path(text)
    if is_live(text):
        return _open_live(text)
    if path.is_dir():
        if (path / RECORDING_INDEX).is_file():
            return RecordingSource(path)
        return PictureSource(_pictures_in(path), f"folder {path}")
    if not path.exists():
        return _open_named(text)
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return PictureSource([path], f"picture {path}")
    return VideoSource(path)


class PictureSource(Source):
    """Pictures, one a second of source time, each a settled view by itself."""

    stills = True

    def __init__(self, paths: Sequence[Path], description: str) -> None:
        for path in paths:
            if not path.is_file():
                what = "is a folder, not a picture" if path.is_dir() else "does not exist"
                raise UnreadablePicture(f"{path} {what}.")
        self.paths = tuple(paths)
        self.description = description
        self.frames = len(self.paths)

    def __iter__(self) -> Iterator[Frame]:
        for index, path in enumerate(self.paths):
            yield Frame(index * SECONDS_PER_STILL, load_picture(path), str(path))

    def close(self) -> None:
        """Nothing stays open between pictures."""


class VideoSource(Source):
    """A video file; a frame's time is its number over the frame rate, so always the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.description = f"video {path}"
        quiet_ffmpeg()
        unreadable = f"{path} is neither a picture nor a readable video: {_SUPPORTED}."
        if _is_text(path):
            raise SourceError(unreadable)
        with quiet_opencv():
            self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise SourceError(unreadable)
        self.fps = sensible_fps(self._capture.get(cv2.CAP_PROP_FPS))
        told = self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self.frames = int(told) if math.isfinite(told) and told > 0 else None

    def __iter__(self) -> Iterator[Frame]:
        index = 0
        while True:
            got, image = self._capture.read()
            if not got:
                break
            yield Frame(index / self.fps, cast("Image", image), str(self.path))
            index += 1
        if index == 0:
            raise SourceError(f"{self.path} holds no frame that can be read.")
        if self.frames and index < self.frames * (1 - _FRAMES_MISSING):
            raise SourceError(
                f"{self.path} is damaged: it breaks off after {index / self.fps:.1f} of "
                f"{self.frames / self.fps:.1f} seconds."
            )

    def close(self) -> None:
        self._capture.release()


class RecordingSource(Source):
    """What a recorder kept: pictures with the times at which they were seen.

    What was removed since, or was being written when the power went, is passed over. Where time
    goes back, because a game was resumed at its latest event, what was seen later is right.
    """

    def __init__(self, folder: Path) -> None:
        self.description = f"recording {folder}"
        kept: list[tuple[Path, float]] = []
        for path, t in read_index(folder):
            if path.is_file():
                while kept and kept[-1][1] >= t:
                    kept.pop()
                kept.append((path, t))
        self.kept = tuple(kept)
        if not self.kept:
            raise SourceError(f"The recording {folder} holds no pictures.")
        self.frames = len(self.kept)

    def __iter__(self) -> Iterator[Frame]:
        for path, t in self.kept:
            yield Frame(t, load_picture(path), str(path))

    def close(self) -> None:
        """Nothing stays open between pictures."""


def read_index(folder: Path) -> list[tuple[Path, float]]:
    """A recording's pictures and their times in seconds, as written; raises `SourceError`."""
    path = folder / RECORDING_INDEX
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}.") from error
    # What follows the last line's end was being written when the recording broke off.
    matches = [_INDEX_LINE.fullmatch(line) for line in lines[:-1]]
    return [(folder / match[1], float(match[2])) for match in matches if match]


def is_live(spec: str) -> bool:
    """Whether `spec` is a camera's number or an address, whatever files there are."""
    return spec.isdecimal() or _SCHEME.match(spec) is not None


def _open_live(spec: str) -> Source:
    # Only here: live sources know this module, and not every user of it needs them.
    if spec.isdecimal():
        from vision.cameras import open_camera

        return open_camera(spec)
    from vision.streams import SCHEMES, open_stream

    if spec.partition(":")[0].lower() not in SCHEMES:
        raise SourceError(f"Addresses like {spec} are not understood: {_SUPPORTED}.")
    return open_stream(spec)


def _open_named(text: str) -> Source:
    """The camera of this name, where there is no such file."""
    from vision.cameras import NoSuchCamera, find_camera, list_cameras, open_camera

    cameras = list_cameras()
    try:
        camera = find_camera(cameras, text)
    except NoSuchCamera as error:
        if error.several:
            raise
        raise SourceError(f"{text} does not exist: {_SUPPORTED}.") from None
    return open_camera(camera.identity, cameras=cameras)


def _is_text(path: Path) -> bool:
    """FFmpeg would play a text file as a film of a terminal; films hold zero bytes, texts don't."""
    try:
        with path.open("rb") as file:
            return b"\0" not in file.read(_HEAD_BYTES)
    except OSError as error:
        raise SourceError(f"{path} cannot be opened: {error.strerror}.") from error


def _pictures_in(folder: Path) -> list[Path]:
    """The folder's pictures in the order of their names, 2 before 10."""
    try:
        inside = list(folder.iterdir())
    except OSError as error:
        raise SourceError(f"The folder {folder} cannot be opened: {error.strerror}.") from error
    found = [
        path
        for path in inside
        if path.suffix.lower() in PICTURE_SUFFIXES
        and not path.name.startswith(".")
        and path.is_file()
    ]
    if not found:
        raise SourceError(f"The folder {folder} holds no pictures (JPEG, PNG, WebP or BMP).")
    return sorted(found, key=_natural)


def _natural(path: Path) -> tuple[list[tuple[int, str]], str]:
    """A key by which names sort as people number them; the name itself settles ties."""
    parts = re.findall(r"(\d+)|(\D+)", path.name.casefold())
    return [(int(digits or -1), text) for digits, text in parts], path.name


def sensible_fps(told: float) -> float:
    """Frames a second as a video tells them, or 30 where it tells nonsense."""
    return told if math.isfinite(told) and 0 < told <= _FPS_SENSIBLE else _FPS_UNTOLD
