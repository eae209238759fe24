"""Streams: a real server on loopback, slowed, silent, cut, restored and corrupted."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.vision.rtsp import RtspServer
from tests.vision.streaming import (
    MjpegServer,
    await_held,
    held,
    jpeg,
    noise_for_ever,
    noisy,
    part,
)
from tests.vision.test_sources import film
from vision.live import LinkFailed, LiveSettings, LiveSource, TroubleKind
from vision.records import Frame, Image
from vision.sources import SourceError, open_source
from vision.streams import HttpLink, StreamSettings, open_stream

LIVE = LiveSettings(open_s=20.0, close_s=10.0, retry_s=0.05, retry_at_most_s=0.2, silent_s=0.6)
STREAM = StreamSettings(connect_s=5.0, read_s=1.0)


def watch(server: MjpegServer) -> LiveSource:
    return open_stream(server.url, LIVE, STREAM)


def take(source: LiveSource, frames: int, timeout_s: float = 30.0) -> list[Frame]:
    """So many frames, one after the other."""
    deadline = time.monotonic() + timeout_s
    taken: list[Frame] = []
    while len(taken) < frames:
        assert time.monotonic() < deadline, source.trouble
        frame = source.next_frame(1.0)
        if frame is not None:
            taken.append(frame)
    return taken


def await_trouble(source: LiveSource, kind: TroubleKind | None, timeout_s: float = 30.0) -> str:
    """Watch on until this is the trouble; its sentence."""
    deadline = time.monotonic() + timeout_s
    while True:
        source.next_frame(0.05)
        trouble = source.trouble
        if (trouble.kind if trouble else None) is kind:
            return trouble.text if trouble else ""
        assert time.monotonic() < deadline, trouble


def number_of(image: Image) -> int:
    return round(float(image.mean()) / 8)


def numbered() -> Iterator[bytes]:
    """Pictures of which each tells its number, 0 to 30, again and again."""
    made = [jpeg(np.full((48, 64, 3), 8 * number, np.uint8)) for number in range(31)]
    while True:
        yield from made


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes = b"") -> Iterator[str]:
    """A web server that always gives this answer; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/video"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def accepting(says: bytes = b"") -> Iterator[str]:
    """A server that accepts, says this much and then nothing; its address."""
    callers: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            callers.append(caller)
            caller.sendall(says)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/video"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    for caller in callers:
        caller.close()


def test_the_stream_is_watched_as_it_comes() -> None:
    with MjpegServer(numbered) as server, open_source(server.url) as source:
        assert isinstance(source, LiveSource)
        assert source.live
        assert source.description == f"stream {server.url}"
        assert source.spec == server.url
        frames = take(source, 20)
    assert len({number_of(frame.image) for frame in frames}) > 10
    times = [frame.t for frame in frames]
    assert times == sorted(times)
    assert 0 <= times[0] < times[-1] < 30


def test_a_slow_viewer_sees_what_is_new() -> None:
    """Taking a picture now and then must not show what was long ago."""
    with MjpegServer(numbered, fps=12.0) as server, watch(server) as source:
        for _ in range(3):
            time.sleep(0.5)
            (frame,) = take(source, 1)
            assert 0 <= server.sent - number_of(frame.image) < 8


def test_cut_and_restored_on_the_same_port() -> None:
    with MjpegServer() as server, watch(server) as source:
        take(source, 5)
        server.stop()
        text = await_trouble(source, TroubleKind.LOST)
        assert text.startswith(f"Stream {server.url} broke off")
        for _ in range(2):
            with MjpegServer(port=server.port):
                await_trouble(source, None)
                take(source, 5)
            await_trouble(source, TroubleKind.LOST)
        t = source._clock() - source._began
        with MjpegServer(port=server.port):
            await_trouble(source, None)
            assert take(source, 1)[0].t >= t


def test_a_stream_that_pauses_and_goes_on() -> None:
    with MjpegServer() as server, watch(server) as source:
        take(source, 3)
        server.go_on.clear()
        assert await_trouble(source, TroubleKind.SILENT).endswith(".")
        server.go_on.set()
        await_trouble(source, None)
        take(source, 3)


def test_a_silent_stream_is_asked_anew() -> None:
    """Many phones fall asleep without hanging up."""
    with MjpegServer() as server, watch(server) as source:
        take(source, 3)
        server.go_on.clear()
        deadline = time.monotonic() + 30
        while server.viewers < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        server.go_on.set()
        await_trouble(source, None)


def test_a_slowed_stream_says_so() -> None:
    settings = LiveSettings(silent_s=5.0, slow_s=1.5)
    with (
        MjpegServer(fps=3.0) as server,
        open_stream(server.url, settings, STREAM) as source,
    ):
        text = await_trouble(source, TroubleKind.SLOW)
        assert "gives only 3 pictures a second" in text


def test_a_black_stream_says_so_until_there_is_light() -> None:
    dark = threading.Event()
    dark.set()

    def pictures() -> Iterator[bytes]:
        light, black = noise_for_ever(90), noise_for_ever(4)
        while True:
            yield next(black if dark.is_set() else light)

    with MjpegServer(pictures) as server, watch(server) as source:
        await_trouble(source, TroubleKind.BLACK)
        dark.clear()
        await_trouble(source, None)


@pytest.mark.slow
def test_a_frozen_stream_says_so_until_it_moves() -> None:
    hangs = threading.Event()

    def pictures() -> Iterator[bytes]:
        for picture in noise_for_ever():
            yield picture
            while hangs.is_set():
                yield picture

    with MjpegServer(pictures) as server, watch(server) as source:
        began = time.monotonic()
        while time.monotonic() < began + 6:
            source.next_frame(0.1)
            assert source.trouble is None
        hangs.set()
        await_trouble(source, TroubleKind.FROZEN)
        hangs.clear()
        await_trouble(source, None)


def damaged(number: int, picture: bytes) -> bytes:
    """Every second picture is damaged, in turn in each way that happens."""
    half = picture[: len(picture) // 2]
    ways = (
        part(half),
        part(picture).replace(picture, half),
        b"garbage \xff\xd8\xff\xe0 garbage" + part(b"") + part(b"\xff\xd8"),
        part(picture[:500] + np.random.default_rng(number).bytes(1000) + picture[1500:]),
        half,
    )
    return ways[number // 2 % len(ways)] if number % 2 else part(picture)


def test_damaged_pictures_are_passed_over() -> None:
    """What is shown is one of the pictures sent, pixel by pixel, or nothing."""
    made = [noisy(40 + 10 * number, number) for number in range(12)]
    with MjpegServer(lambda: (made[n % 12] for n in range(10**6))) as clean, watch(clean) as source:
        whole = {frame.image.tobytes() for frame in take(source, 60)}
    assert len(whole) == 12
    with (
        MjpegServer(lambda: (made[n % 12] for n in range(10**6)), wrap=damaged) as server,
        watch(server) as source,
    ):
        for frame in take(source, 60):
            assert frame.image.tobytes() in whole
        assert server.viewers == 1


def test_nothing_but_damage_is_trouble() -> None:
    with (
        MjpegServer(wrap=lambda n, it: part(it if n < 10 else it[: len(it) // 2])) as server,
        watch(server) as source,
    ):
        assert await_trouble(source, TroubleKind.BROKEN).count(".") >= 1
        await_trouble(source, None)  # it is opened anew, and that helps for ten pictures


def test_wrong_boundaries_do_not_matter() -> None:
    for kind in ("multipart/x-mixed-replace", "multipart/x-mixed-replace; boundary=other"):
        with MjpegServer(content_type=kind) as server, watch(server) as source:
            take(source, 5)


def test_the_password_is_sent_and_never_shown() -> None:
    with MjpegServer() as server:
        address = f"http://Ann:s%40crit@127.0.0.1:{server.port}/video?size=big"
        with open_stream(address, LIVE, STREAM) as source:
            take(source, 1)
            assert source.description == f"stream {server.url}?size=big"
            assert source.spec == address
        assert server.asked[0]["Authorization"] == (
            "Basic " + base64.b64encode(b"Ann:s@crit").decode()
        )
    with pytest.raises(SourceError) as refused:
        open_stream(address, LIVE, STREAM)
    assert "crit" not in str(refused.value)


def test_a_stream_that_moved_is_followed() -> None:
    with (
        MjpegServer() as server,
        answering(302, {"Location": server.url}) as moved,
        open_stream(moved, LIVE, STREAM) as source,
    ):
        take(source, 3)
    with answering(302, {"Location": "/video"}) as circle:
        assert_refused(circle, "302")
    for nowhere in ("file:///etc/passwd", "gopher://localhost/"):
        with answering(302, {"Location": nowhere}) as address:
            assert_refused(address, "gives no answer that can be understood")


def test_what_is_no_stream_says_what_it_is(tmp_path: Path) -> None:
    html = {"Content-Type": "text/html; charset=utf-8"}
    with answering(200, html, b"<h1>My phone</h1>") as address:
        assert_refused(address, "is a web page, not a stream")
    with answering(200, {"Content-Type": "image/jpeg"}, noisy()) as address:
        assert_refused(address, "is a single picture")
    with answering(404, html) as address:
        assert_refused(address, "404 Not Found")
    for status in (401, 403):
        with answering(status, html) as address:
            assert_refused(address, "wants a password")
    with answering(200, {"Content-Type": "video/mp4", "Content-Length": "9"}, b"not a film") as it:
        assert_refused(it, "is a file, not a stream")
    with answering(200, {"Content-Type": "video/mp2t"}, b"not a film at all") as address:
        assert_refused(address, "does not open")


def test_a_film_that_was_seen_broke_off(tmp_path: Path) -> None:
    """FFmpeg plays it; when its server is gone afterwards, it's not as if it never was there."""
    body = film(tmp_path / "a.avi", 30).read_bytes()
    with answering(200, {"Content-Type": "video/x-msvideo"}, body) as address:
        link = HttpLink(address, STREAM)
        link.open()
        assert np.asarray(link.read()).shape == (48, 64, 3)
        link.close()
    with pytest.raises(LinkFailed) as failed:
        link.open()
    assert failed.value.trouble.kind is TroubleKind.LOST


def test_who_accepts_and_says_nothing() -> None:
    with accepting() as address:
        assert_refused(address, "does not answer")
    with accepting(b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace\r\n\r\n") as it:
        assert_refused(it, "sends no pictures")
    with accepting(b"SSH-2.0-OpenSSH_9.2p1\r\n") as address:
        assert_refused(address, "gives no answer that can be understood")


def test_who_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert_refused(f"http://127.0.0.1:{port}/video", "refuses the connection")
    assert_refused("http://no-such-host.invalid/video", "unknown host")
    assert_refused(f"rtsp://127.0.0.1:{port}/live", "does not open")
    with accepting(b"not TLS") as address:
        assert_refused(address.replace("http:", "https:"), "certificate")


@pytest.mark.parametrize("address", ["http://", "rtsp:///live", "http://a:b/video", "http://[::1"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SourceError, match=r"is no address: write it like"):
        open_source(address)


def assert_refused(address: str, words: str) -> None:
    """Opening it fails with one sentence, and leaves no thread."""
    before = threading.active_count()
    with pytest.raises(SourceError) as refused:
        open_stream(address, LIVE, STREAM)
    text = str(refused.value)
    assert words in text
    assert text.startswith(f"Stream {address} ")
    assert text.endswith((".", "?"))
    assert "\n" not in text
    assert threading.active_count() <= before


def test_rtsp_is_watched_cut_and_restored() -> None:
    made = [jpeg(np.full((128, 160, 3), 8 * number, np.uint8)) for number in range(31)]

    def pictures() -> Iterator[bytes]:
        return (made[number % 31] for number in count())

    with RtspServer(pictures) as server, open_stream(server.url, LIVE, STREAM) as source:
        assert source.description == f"stream {server.url}"
        frames = take(source, 20)
        assert frames[0].image.shape == (128, 160, 3)
        assert len({number_of(frame.image) for frame in frames}) > 10
        server.stop()
        text = await_trouble(source, TroubleKind.LOST)
        assert text == f"Stream {server.url} broke off: waiting for it to come back."
        with RtspServer(pictures, port=server.port):
            await_trouble(source, None)
            take(source, 5)


def test_rtsp_that_says_nothing_is_refused_in_time() -> None:
    with accepting() as address:
        began = time.monotonic()
        assert_refused(address.replace("http:", "rtsp:"), "does not open")
        assert time.monotonic() - began < LIVE.open_s


def test_a_read_that_waits_is_interrupted() -> None:
    slow = StreamSettings(connect_s=60.0, read_s=60.0)
    with MjpegServer() as server, open_stream(server.url, LIVE, slow) as source:
        take(source, 2)
        server.go_on.clear()
        time.sleep(0.3)
        began = time.monotonic()
        source.close()
        assert time.monotonic() - began < 5
        assert not source._thread.is_alive()


def test_a_connection_interrupted_before_it_opened_is_not_opened() -> None:
    with MjpegServer() as server:
        link = HttpLink(server.url, STREAM)
        link.interrupt()
        with pytest.raises(Exception, match="no answer"):
            link.open()
        link.close()


def test_nothing_leaks() -> None:
    """Opened and closed thirty times, also in the middle of trouble."""
    with MjpegServer() as server:
        for _ in range(2):  # whatever is loaded once is loaded
            with watch(server) as source:
                take(source, 2)
        time.sleep(0.5)
        before = held()
        for number in range(30):
            with watch(server) as source:
                take(source, number % 3 + 1)
            with pytest.raises(SourceError):
                open_stream(server.url.replace(str(server.port), "1"), LIVE, STREAM)
        await_held(before)
