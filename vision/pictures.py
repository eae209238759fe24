"""Pictures from files or bytes, upright, or one clear sentence saying why not."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np

from vision import jpegs
from vision.records import Image

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp"})
"""Endings, in lower case, of the files taken for pictures in a folder."""

MAX_MEGAPIXELS = 40.0
"""Larger pictures are refused before they are decoded: they would fill the memory."""

MIN_SIDE = 32
"""No die can be read in a picture with a side shorter than this, in pixels."""

# OpenCV 4 has these two functions at its top.
_LOGGING: Any = getattr(cv2.utils, "logging", cv2)

_CUT = "the file ends too early"
_PNG, _BMP = b"\x89PNG\r\n\x1a\n", b"BM"

_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class UnreadablePicture(ValueError):
    """A picture that is missing, damaged, too large or too small, or is no picture."""


class _Damaged(Exception):
    """What is wrong with the data."""


def load_picture(path: str | PathLike[str]) -> Image:
    """Read a picture file: BGR, shape `(height, width, 3)`, turned as its EXIF tag says.

    JPEG, PNG, WebP and BMP are understood. Raises `UnreadablePicture`.
    """
    path = Path(path)
    if path.is_dir():
        raise UnreadablePicture(f"{path} is a folder, not a picture.")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadablePicture(f"{path} does not exist.") from None
    except OSError as error:
        raise UnreadablePicture(f"{path} cannot be opened: {error.strerror}.") from error
    return decode_picture(data, str(path))


def decode_picture(data: bytes, name: str = "The picture") -> Image:
    """Decode a picture file's bytes as `load_picture` does; `name` is what errors call it."""
    if not data:
        raise UnreadablePicture(f"{name} is empty.")
    measure = _measure_for(data)
    if measure is None:
        raise UnreadablePicture(f"{name} is not a picture (JPEG, PNG, WebP or BMP).")
    try:
        width, height = measure(data)
    except struct.error:
        raise UnreadablePicture(f"{name} is damaged: {_CUT}.") from None
    except _Damaged as damage:
        raise UnreadablePicture(f"{name} is damaged: {damage}.") from None
    megapixels = width * height / 1e6
    if megapixels > MAX_MEGAPIXELS:
        raise UnreadablePicture(
            f"{name} has {megapixels:.0f} megapixels; the most is {MAX_MEGAPIXELS:.0f}."
        )
    if min(width, height) < MIN_SIDE:
        raise UnreadablePicture(
            f"{name} is only {width} × {height} pixels; no side may be under {MIN_SIDE}."
        )
    with quiet_opencv():
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None:
        raise UnreadablePicture(f"{name} is damaged and cannot be decoded.")
    return cast("Image", image)


@contextmanager
def quiet_opencv() -> Iterator[None]:
    """Keep OpenCV's own log lines off stderr: our errors say it in one sentence."""
    level = _LOGGING.getLogLevel()
    _LOGGING.setLogLevel(0)
    try:
        yield
    finally:
        _LOGGING.setLogLevel(level)


def quiet_ffmpeg() -> None:
    """The same for FFmpeg, which OpenCV plays films and streams with: it reads this when it is
    first used, so call it before either."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _measure_for(data: bytes) -> Callable[[bytes], tuple[int, int]] | None:
    """The function that finds this format's width and height and checks its completeness."""
    head = data[:16]
    if head.startswith(jpegs.START):
        return _measure_jpeg
    if head.startswith(_PNG):
        return _measure_png
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _measure_webp
    if head.startswith(_BMP):
        return _measure_bmp
    return None


def _measure_jpeg(data: bytes) -> tuple[int, int]:
    """Walk the segments up to the end-of-image marker.

    Decoders fill a cut JPEG up with grey and say nothing, so the end must be looked for.
    Walking skips embedded previews; what phones append after the end is left alone.
    """
    size: tuple[int, int] | None = None
    at = 2
    while True:
        found = jpegs.MARKER.search(data, at)
        if found is None:
            raise _Damaged(_CUT)
        marker, at = data[found.start() + 1], found.end()
        if marker == jpegs.END:
            break
        if marker in _JPEG_BARE:
            continue
        (length,) = struct.unpack_from(">H", data, at)
        if marker in _JPEG_FRAMES and size is None:
            height, width = struct.unpack_from(">HH", data, at + 3)
            size = width, height
        at += length
    if size is None:
        raise _Damaged(_CUT)
    return size


def _measure_png(data: bytes) -> tuple[int, int]:
    """Walk the chunks up to IEND, each with its checksum right."""
    width, height = struct.unpack_from(">II", data, 16)
    at, kind = len(_PNG), b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, at)
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if zlib.crc32(data[at + 4 : at + 8 + length]) != checksum:
            raise _Damaged("a checksum is wrong")
        at += 12 + length
    return width, height


def _measure_webp(data: bytes) -> tuple[int, int]:
    (length,) = struct.unpack_from("<I", data, 4)
    if len(data) < length + 8:
        raise _Damaged(_CUT)
    kind = data[12:16]
    if kind == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _measure_bmp(data: bytes) -> tuple[int, int]:
    (start,) = struct.unpack_from("<I", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    bits, compression = struct.unpack_from("<HI", data, 28)
    row = (width * bits + 31) // 32 * 4
    if compression == 0 and len(data) < start + row * abs(height):
        raise _Damaged(_CUT)
    return width, abs(height)
