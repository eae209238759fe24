"""A small RTSP server on loopback for tests: JPEG pictures over RTP (RFC 2435), over TCP."""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.vision.streaming import noise_for_ever

_PAYLOAD = 1200
_SDP = (
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=tray\r\nt=0 0\r\n"
    "m=video 0 RTP/AVP 26\r\na=control:track0\r\n"
)


@dataclass
class RtspServer:
    """Sends `pictures()` anew to each viewer, `fps` a second; use it with `with`.

    Pictures are baseline JPEGs, 4:2:0, with the standard Huffman tables and sides divisible by 16.
    """

    pictures: Callable[[], Iterable[bytes]] = noise_for_ever
    fps: float = 30.0
    port: int = 0

    def __enter__(self) -> RtspServer:
        self._cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Cut every viewer off and refuse new ones."""
        if self._cut.is_set():
            return
        self._cut.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    @property
    def url(self) -> str:
        return f"rtsp://127.0.0.1:{self.port}/live"

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(caller,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, caller: socket.socket) -> None:
        with caller:
            caller.settimeout(0.05)
            try:
                self._talk(caller)
                self._play(caller)
            except OSError:
                """The viewer hung up."""

    def _talk(self, caller: socket.socket) -> None:
        """Answer what is asked until the viewer says PLAY."""
        asked = b""
        while not self._cut.is_set():
            try:
                piece = caller.recv(4096)
            except TimeoutError:
                continue
            if not piece:
                raise ConnectionError
            asked += piece
            while b"\r\n\r\n" in asked:
                head, asked = asked.split(b"\r\n\r\n", 1)
                method = head.split(b" ")[0].decode()
                number = re.search(rb"CSeq: *(\d+)", head)
                assert number
                caller.sendall(self._answer(method, int(number[1])))
                if method == "PLAY":
                    return

    def _answer(self, method: str, number: int) -> bytes:
        head = f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\nSession: 7\r\n"
        if method == "OPTIONS":
            head += "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
        if method == "SETUP":
            head += "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
        if method != "DESCRIBE":
            return (head + "\r\n").encode()
        kind = f"Content-Type: application/sdp\r\nContent-Length: {len(_SDP)}\r\n"
        return (head + kind + "\r\n" + _SDP).encode()

    def _play(self, caller: socket.socket) -> None:
        caller.settimeout(10)
        sequence = 0
        began = time.monotonic()
        for number, picture in enumerate(self.pictures()):
            due = began + number / self.fps
            if self._cut.wait(max(0.0, due - time.monotonic())):
                return
            for last, payload in _payloads(picture):
                stamp = round(number / self.fps * 90_000)
                rtp = struct.pack(">BBHII", 0x80, 26 | last << 7, sequence & 0xFFFF, stamp, 7)
                packet = rtp + payload
                caller.sendall(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
                sequence += 1


def _payloads(picture: bytes) -> list[tuple[bool, bytes]]:
    """A JPEG in pieces, as RFC 2435 wants them: whether it is the last, and the piece."""
    tables, at, size = b"", 2, (0, 0)
    while picture[at + 1] != 0xDA:
        (length,) = struct.unpack_from(">H", picture, at + 2)
        body = picture[at + 4 : at + 2 + length]
        if picture[at + 1] == 0xDB:
            tables += b"".join(body[start + 1 : start + 65] for start in range(0, len(body), 65))
        if picture[at + 1] == 0xC0:
            size = struct.unpack_from(">HH", body, 1)
        at += 2 + length
    (length,) = struct.unpack_from(">H", picture, at + 2)
    scan = picture[at + 2 + length : -2]
    pieces = [scan[start : start + _PAYLOAD] for start in range(0, len(scan), _PAYLOAD)]
    made = []
    for index, piece in enumerate(pieces):
        offset = index * _PAYLOAD
        head = struct.pack(">I", offset) + bytes((1, 255, size[1] // 8, size[0] // 8))
        if index == 0:
            head += struct.pack(">BBH", 0, 0, len(tables)) + tables
        made.append((index == len(pieces) - 1, head + piece))
    return made
