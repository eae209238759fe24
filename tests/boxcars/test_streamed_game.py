"""A game watched over the network: the same events as from its film, whatever the line does.

The server sends a picture once the viewer has taken the one before, at most so many a second:
so a slow machine watches in slow motion, and what is compared is not its speed.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.events import Event, to_dict
from tests.boxcars.filmed import filmed_turn, play
from tests.vision.streaming import MjpegServer, jpeg, part
from tests.vision.test_settle_session import FRAMES, SESSION, StillsReader
from vision.live import LiveSettings, LiveSource
from vision.records import Frame
from vision.settle import Settler
from vision.sources import open_source
from vision.streams import StreamSettings, open_stream

LIVE = LiveSettings(open_s=30.0, close_s=10.0, retry_s=0.05, retry_at_most_s=0.2)
STREAM = StreamSettings(connect_s=10.0, read_s=10.0)
PATIENCE_S = 2.0
"""The server waits so long at most: a picture on the way when the line is cut is never taken."""


def what(event: Event) -> dict[str, Any]:
    """The event without its time: a stream has its own."""
    return {name: value for name, value in to_dict(event).items() if name != "t"}


class Viewer:
    """Takes the frames of a live source until those sent are through."""

    def __init__(self, source: LiveSource, sent: Callable[[], bool]) -> None:
        self._source = source
        self._sent = sent
        self.taken = 0
        self.troubles: list[str] = []

    def __iter__(self) -> Iterator[Frame]:
        while True:
            frame = self._source.next_frame(0.05)
            trouble = self._source.trouble
            if trouble is not None and trouble.text not in self.troubles[-1:]:
                self.troubles.append(trouble.text)
            if frame is not None:
                yield frame
                self.taken += 1
            elif self._sent():
                return


class Line:
    """A film sent once, from where it was when a viewer comes back."""

    def __init__(self, film: list[bytes], fps: float) -> None:
        self.film = film
        self.fps = fps
        self.next = 0
        self.viewer: Viewer | None = None
        self.over = False

    def pictures(self) -> Iterator[bytes]:
        """What is left of the film."""
        while self.next < len(self.film):
            began = time.monotonic()
            taken = self.viewer.taken if self.viewer else 0
            self.next += 1
            yield self.film[self.next - 1]
            while self.viewer and time.monotonic() < began + PATIENCE_S:
                if self.viewer.taken > taken:
                    break
                time.sleep(0.001)
        self.over = True


def damaged(number: int, picture: bytes) -> bytes:
    """Now and then a half picture or garbage comes between the whole ones."""
    half = picture[: len(picture) // 2]
    ways = (
        part(half),
        part(picture).replace(picture, half),
        np.random.default_rng(number).bytes(5000).replace(b"\xff\xd8\xff", b""),
    )
    return (ways[number // 12 % 3] if number % 12 == 5 else b"") + part(picture)


@pytest.fixture(scope="module")
def film() -> list[bytes]:
    return [jpeg(frame.image, 95) for frame in filmed_turn()]


@pytest.fixture(scope="module")
def from_film(film: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    events = play(filmed_turn(), tmp_path_factory.mktemp("film"))
    kinds = {type(event).__name__ for event in events}
    assert {"Rolled", "PickedUp", "Rerolled", "Stood", "Scored"} <= kinds
    return [what(event) for event in events]


@pytest.mark.parametrize("fps", [30.0, pytest.param(12.0, marks=pytest.mark.slow)])
def test_a_stream_gives_the_same_events(
    fps: float, film: list[bytes], from_film: list[dict[str, Any]], tmp_path: Path
) -> None:
    line = Line(film, fps)
    with (
        MjpegServer(line.pictures, fps=fps) as server,
        open_stream(server.url, LIVE, STREAM) as source,
    ):
        line.viewer = Viewer(source, lambda: line.over)
        events = play(line.viewer, tmp_path)
    assert [what(event) for event in events] == from_film
    assert [event.t for event in events] == sorted(event.t for event in events)


@pytest.mark.slow
def test_damage_on_the_way_changes_no_event(
    film: list[bytes], from_film: list[dict[str, Any]], tmp_path: Path
) -> None:
    line = Line(film, 30.0)
    with (
        MjpegServer(line.pictures, fps=30.0, wrap=damaged) as server,
        open_stream(server.url, LIVE, STREAM) as source,
    ):
        line.viewer = Viewer(source, lambda: line.over)
        events = play(line.viewer, tmp_path)
        assert server.viewers == 1
    assert [what(event) for event in events] == from_film


@pytest.mark.slow
def test_cut_and_restored_the_game_goes_on(
    film: list[bytes], from_film: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Cut in the long rest, and again while dice fly: the game waits and loses nothing."""
    line = Line(film, 30.0)
    rest = 9 * 20
    cuts = [rest, rest + 30, len(film) - 45]

    def viewed() -> Iterator[Frame]:
        server = MjpegServer(line.pictures, fps=30.0)
        server.__enter__()
        try:
            with open_stream(server.url, LIVE, STREAM) as source:
                line.viewer = Viewer(source, lambda: line.over)
                for frame in line.viewer:
                    if cuts and line.next >= cuts[0]:
                        cuts.pop(0)
                        server.stop()
                        time.sleep(0.5)
                        server = MjpegServer(line.pictures, fps=30.0, port=server.port)
                        server.__enter__()
                    yield frame
                assert any("broke off" in text for text in line.viewer.troubles)
        finally:
            server.stop()

    events = play(viewed(), tmp_path)
    assert not cuts
    assert [what(event) for event in events] == from_film


@pytest.mark.slow
@pytest.mark.skipif(not SESSION.is_dir(), reason="the session is not here")
def test_the_photoreal_session_over_the_network() -> None:
    """Its first turn, streamed: the same views as from the video file."""
    truth = json.loads((SESSION / "truth.json").read_text())
    files = [it["file"] for it in truth["events"] if it["frame"] < FRAMES and "file" in it]
    reader = StillsReader(files)
    with open_source(SESSION / "session.mp4") as video:
        frames = list(itertools.islice(video, FRAMES))

    def views(frames: Iterator[Frame]) -> list[list[str]]:
        settler = Settler(reader)
        seen = [settler.push(frame) for frame in frames]
        return [sorted(map(str, view.faces)) for view in seen if view is not None]

    line = Line([jpeg(frame.image, 92) for frame in frames], 30.0)
    with (
        MjpegServer(line.pictures, fps=30.0, wrap=damaged) as server,
        open_stream(server.url, LIVE, STREAM) as source,
    ):
        line.viewer = Viewer(source, lambda: line.over)
        streamed = views(iter(line.viewer))
    assert streamed == views(iter(frames))
    assert len(streamed) > 8
