"""Finding whole JPEG pictures in a stream of bytes, whatever lies between them."""

from __future__ import annotations

import re
from enum import Enum, auto

MAX_BYTES = 16_000_000
"""A picture that has not ended after so many bytes is none."""

START = b"\xff\xd8\xff"
"""How JPEG files begin."""

END = 0xD9
"""The marker with which they end."""

MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""A marker, even amid scan data: there 0xFF is followed by 0 (a plain 0xFF), 0xD0-0xD7 (restart)
or another 0xFF."""

_SOS = 0xDA
_PROGRESSIVE = 0xC2
_SEGMENTS = frozenset({*range(0xC0, 0xD0), 0xDB, 0xDD, 0xDE, *range(0xE0, 0xF0), 0xFE, _SOS})
"""The markers that a segment with a length follows, in pictures that exist."""
_PROGRAMS = range(0xE0, 0xF0)
_BETWEEN_SCANS = frozenset({0xC4, _SOS, 0xDB, 0xDD, 0xFE})


class _Stage(Enum):
    SEEKING = auto()
    SEGMENTS = auto()
    SCAN = auto()


class JpegFinder:
    """Cuts whole JPEG files out of bytes that come in pieces.

    It goes by the marks inside the files alone: boundaries and lengths that a server tells
    may be wrong, and after a picture that breaks off the next one is still found. A picture
    whose marks make no sense is passed over.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._stage = _Stage.SEEKING
        self._at = 0
        """Up to here the picture at the start of the data has been walked."""
        self._back = 0
        """From here the next picture is looked for if what follows makes no sense."""
        self._progressive = False

    def push(self, piece: bytes) -> list[bytes]:
        """Take the next piece; the pictures that end in it, in order."""
        self._data += piece
        found = []
        while (picture := self._step()) is not None:
            if picture:
                found.append(picture)
        if len(self._data) > MAX_BYTES:
            self._restart(self._at)
        return found

    def _step(self) -> bytes | None:
        """Walk one part on: a picture if it ended with it, nothing if more bytes are needed."""
        if self._stage is _Stage.SEEKING:
            return self._seek()
        if self._stage is _Stage.SEGMENTS:
            return self._segment()
        return self._scan()

    def _seek(self) -> bytes | None:
        start = self._data.find(START)
        if start < 0:
            # The last bytes may be the beginning of a start.
            del self._data[: max(0, len(self._data) - len(START) + 1)]
            return None
        del self._data[:start]
        self._stage, self._at, self._back, self._progressive = _Stage.SEGMENTS, 2, 2, False
        return b""

    def _segment(self) -> bytes | None:
        head = self._data[self._at : self._at + 4]
        if len(head) < 4:
            return None
        marker, length = head[1], int.from_bytes(head[2:4], "big")
        if head[0] == 0xFF and marker == 0xFF:
            self._at += 1
            return b""
        if head[0] != 0xFF or marker not in _SEGMENTS or length < 2:
            return self._restart(self._back)
        if len(self._data) < self._at + 2 + length:
            return None
        # A segment that was cut short reaches into the next picture; but one that programs
        # filled may hold a preview, which is none.
        self._back = self._at + (2 + length if marker in _PROGRAMS else 2)
        self._at += 2 + length
        self._progressive |= marker == _PROGRESSIVE
        if marker == _SOS:
            self._stage = _Stage.SCAN
        return b""

    def _scan(self) -> bytes | None:
        found = MARKER.search(self._data, self._at)
        if found is None:
            # The last byte may be the first half of a marker.
            self._at = max(self._at, len(self._data) - 1)
            return None
        self._at, marker = found.start(), self._data[found.start() + 1]
        if marker == END:
            picture = bytes(self._data[: self._at + 2])
            self._restart(self._at + 2)
            return picture
        if self._progressive and marker in _BETWEEN_SCANS:
            self._stage = _Stage.SEGMENTS
            return b""
        return self._restart(self._at)

    def _restart(self, at: int) -> bytes:
        """Give up what lies before `at` and look for the next picture from there."""
        del self._data[:at]
        self._stage, self._at = _Stage.SEEKING, 0
        return b""
