"""Streams from the network: MJPEG over HTTP, as phones send it, and what FFmpeg can play."""

from __future__ import annotations

import base64
import http.client
import os
import socket
import ssl
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

import cv2

from vision.captures import Capture, CaptureLink, Wish
from vision.jpegs import JpegFinder
from vision.live import DEFAULT_LIVE, Link, LinkFailed, LiveSettings, LiveSource, TroubleKind
from vision.records import Image
from vision.sources import SourceError

SCHEMES = frozenset({"http", "https", "rtsp", "rtsps"})
"""How addresses of streams begin."""

_REDIRECTS = 5
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """How long a stream's server may take, in seconds."""

    connect_s: float = 5.0
    """To accept a connection and to begin its answer."""
    read_s: float = 5.0
    """From one picture to the next; then the stream is opened anew."""


DEFAULT_STREAM = StreamSettings()


def open_stream(
    address: str,
    settings: LiveSettings = DEFAULT_LIVE,
    stream: StreamSettings = DEFAULT_STREAM,
) -> LiveSource:
    """Watch an `http://`, `https://` or `rtsp://` address; raises `SourceError`."""
    try:
        url = urlsplit(address)
        told = url.port, url.hostname
    except ValueError:
        raise SourceError(
            f"{address} is no address: write it like http://10.0.0.7:8080/video."
        ) from None
    if url.scheme.lower() not in SCHEMES or not told[1]:
        raise SourceError(f"{address} is no address: write it like http://10.0.0.7:8080/video.")
    link: Link
    if url.scheme.startswith("http"):
        link = HttpLink(address, stream)
    else:
        link = _ffmpeg_link(address, stream)
    return LiveSource(link, f"stream {without_password(url)}", address, settings)


def without_password(url: SplitResult) -> str:
    """An address as it may be shown."""
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()


class HttpLink:
    """Motion JPEG from a web server; another kind of film there is left to FFmpeg."""

    def __init__(self, address: str, settings: StreamSettings = DEFAULT_STREAM) -> None:
        self._address = address
        self._shown = f"Stream {without_password(urlsplit(address))}"
        self._settings = settings
        self._interrupted = False
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None
        self._film: CaptureLink | None = None
        self._finder = JpegFinder()
        self._found: deque[bytes] = deque()
        self._seen = False

    def open(self) -> None:
        """Ask for the stream, following where the server sends us."""
        self._finder = JpegFinder()
        self._found.clear()
        address = self._address
        try:
            for _ in range(_REDIRECTS):
                response = self._ask(address)
                moved = response.getheader("Location")
                if not (300 <= response.status < 400 and moved):
                    break
                address = urljoin(address, moved)
                self.close()
            self._accept(response, address)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._unreachable(error) from error

    def read(self) -> Image | bytes:
        """The next picture as a JPEG file; broken ones are passed over."""
        if self._film is not None:
            picture = self._film.read()
            self._seen = True
            return picture
        assert self._response is not None
        began = time.monotonic()
        while not self._found:
            try:
                piece = self._response.read1(_PIECE)
            except TimeoutError:
                what = "sends nothing any more" if self._seen else "sends no pictures"
                raise self._failed(TroubleKind.SILENT, what) from None
            except (OSError, http.client.HTTPException, ValueError):
                piece = b""
            if not piece:
                raise self._failed(TroubleKind.LOST, "broke off: waiting for it to come back")
            self._found += self._finder.push(piece)
            if time.monotonic() - began > self._settings.read_s and not self._found:
                raise self._failed(TroubleKind.BROKEN, "sends no pictures that can be decoded")
        self._seen = True
        return self._found.popleft()

    def close(self) -> None:
        """Hang up."""
        if self._film is not None:
            self._film.close()
            self._film = None
        if self._response is not None:
            self._response.close()
            self._response = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def interrupt(self) -> None:
        """Hang up under a read that waits."""
        self._interrupted = True
        waiting = self._socket
        if waiting is not None:
            with suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)

    def _ask(self, address: str) -> http.client.HTTPResponse:
        url = urlsplit(address)
        if url.scheme not in {"http", "https"} or not url.hostname:
            raise ValueError(address)  # only a server that sends us on can do this
        connect = (
            http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        )
        connection = connect(url.hostname, url.port, timeout=self._settings.connect_s)
        connection.connect()
        self._socket = connection.sock
        if self._interrupted:
            raise ConnectionAbortedError
        path = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
        connection.request("GET", path, headers=_headers(url))
        self._response = connection.getresponse()
        # Server and headers had their time; from here on it is between pictures.
        self._socket.settimeout(self._settings.read_s)
        return self._response

    def _accept(self, response: http.client.HTTPResponse, address: str) -> None:
        """Go on with what the server answered, or say why that is no stream."""
        if response.status in {401, 403}:
            raise self._failed(
                TroubleKind.DENIED, "wants a password: write http://NAME:PASSWORD@… as its address"
            )
        if response.status != http.client.OK:
            raise self._failed(
                TroubleKind.ABSENT,
                f"is not to be had: its server says {response.status} {response.reason}",
            )
        kind = response.headers.get_content_type()
        if kind.startswith("multipart/"):
            return
        if kind == "text/html":
            raise self._failed(
                TroubleKind.ABSENT,
                "is a web page, not a stream: the stream's own address often ends in /video",
            )
        if kind == "image/jpeg":
            raise self._failed(
                TroubleKind.ABSENT, "is a single picture: give the address of the video"
            )
        if response.getheader("Content-Length"):
            raise self._failed(
                TroubleKind.ABSENT, "is a file, not a stream: download it and play that"
            )
        self.close()
        self._film = _ffmpeg_link(address, self._settings)
        self._film.open()

    def _unreachable(self, error: Exception) -> LinkFailed:
        if isinstance(error, TimeoutError):
            what = "does not answer: is its app running, in the same network?"
        elif isinstance(error, ssl.SSLError):
            what = "has no certificate that is trusted: try http:// instead of https://"
        elif isinstance(error, socket.gaierror):
            what = "is at an unknown host: check the address"
        elif isinstance(error, ConnectionRefusedError):
            what = "refuses the connection: is its app running, and the port right?"
        elif isinstance(error, http.client.HTTPException | ConnectionError | ValueError):
            what = "gives no answer that can be understood: check the address"
        else:
            what = "cannot be reached: is it in the same network?"
        if self._seen:
            return self._failed(TroubleKind.LOST, "broke off and is away: waiting for it")
        return self._failed(TroubleKind.ABSENT, what)

    def _failed(self, kind: TroubleKind, what: str) -> LinkFailed:
        stop = "" if what.endswith("?") else "."
        return LinkFailed(kind, f"{self._shown} {what}{stop}")


def _headers(url: SplitResult) -> dict[str, str]:
    headers = {"User-Agent": "boxcars", "Accept": "*/*"}
    if url.username is not None:
        pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    return headers


def _ffmpeg_link(address: str, settings: StreamSettings) -> CaptureLink:
    """A stream that FFmpeg plays."""
    # Over UDP single packets get lost, and what is decoded then looks like movement.
    os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", "rtsp_transport;tcp")
    shown = f"Stream {without_password(urlsplit(address))}"

    def explain(was_open: bool) -> LinkFailed:
        if was_open:
            text = f"{shown} broke off: waiting for it to come back."
            return LinkFailed(TroubleKind.LOST, text)
        text = f"{shown} does not open: is its app running, in the same network?"
        return LinkFailed(TroubleKind.ABSENT, text)

    needed = (
        Wish(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 1000 * settings.connect_s),
        Wish(cv2.CAP_PROP_READ_TIMEOUT_MSEC, 1000 * settings.read_s),
    )
    return CaptureLink(lambda: [Capture(address, cv2.CAP_FFMPEG)], explain, needed)
