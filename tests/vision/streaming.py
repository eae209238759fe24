"""A real MJPEG server on loopback for tests, as a phone's: it can be slowed, cut and corrupted."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import cv2
import numpy as np

from vision.records import Image

BOUNDARY = "frontier"


def jpeg(image: Image, quality: int = 85) -> bytes:
    """A picture as a JPEG file."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return data.tobytes()


def noisy(grey: int = 90, seed: int = 0, width: int = 160, height: int = 120) -> bytes:
    """A small picture with a camera's noise: each seed another one."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(grey, 6, (height, width, 3))
    return jpeg(np.clip(noise, 0, 255).astype(np.uint8))


def noise_for_ever(grey: int = 90) -> Iterator[bytes]:
    """Pictures of a camera that looks at a grey wall."""
    return (noisy(grey, seed % 50) for seed in count())


def part(picture: bytes) -> bytes:
    """A picture as a part of the stream."""
    head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
    return head.encode() + picture + b"\r\n"


@dataclass
class MjpegServer:
    """Serves `pictures()` anew to each viewer, `fps` a second; use it with `with`.

    When there are no more, nothing more comes, but the viewer is not cut off.

    `wrap` turns each picture's number and bytes into what is sent for it. Times are on the
    wall clock: a slow viewer misses nothing, the network holds it for him.
    """

    pictures: Callable[[], Iterable[bytes]] = noise_for_ever
    fps: float = 30.0
    wrap: Callable[[int, bytes], bytes] = lambda number, picture: part(picture)
    content_type: str = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    port: int = 0
    viewers: int = 0
    sent: int = 0
    """The number of the picture sent last."""
    asked: list[dict[str, str]] = field(default_factory=list)
    """The headers of each request."""

    def __enter__(self) -> MjpegServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._serve(self)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A viewer who hangs up is no error."""

        self._cut = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        """Cleared, the stream pauses without being cut."""
        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Cut every viewer off and refuse new ones."""
        self._cut.set()
        self.go_on.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        self.viewers += 1
        self.asked.append(dict(handler.headers))
        handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        handler.send_response(200)
        handler.send_header("Content-Type", self.content_type)
        handler.end_headers()
        began = time.monotonic()
        for number, picture in enumerate(self.pictures()):
            due = began + number / self.fps
            if self._cut.wait(max(0.0, due - time.monotonic())):
                return
            handler.wfile.write(self.wrap(number, picture))
            self.sent = number
            if not self.go_on.is_set():
                self.go_on.wait()
                began = time.monotonic() - number / self.fps
        self._cut.wait()


def held() -> tuple[int, int]:
    """How many threads this process has, and how many files and sockets are open.

    Where the system tells; elsewhere Python's own threads alone.
    """
    of_system = [Path("/proc/self/task"), Path("/proc/self/fd")]
    if all(it.is_dir() for it in of_system):
        threads, files = (len(list(it.iterdir())) for it in of_system)
        return threads, files
    return threading.active_count(), 0


def await_held(before: tuple[int, int], timeout_s: float = 30.0) -> None:
    """No more is held than before, once whoever sends has noticed that the viewer has gone."""
    deadline = time.monotonic() + timeout_s
    while any(now > then for now, then in zip(held(), before, strict=True)):
        assert time.monotonic() < deadline, (held(), before)
        time.sleep(0.05)
