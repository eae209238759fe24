"""What OpenCV opens as if it were live: here files, as no test can count on a camera."""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path

import cv2
import pytest

from tests.vision.streaming import await_held, held
from tests.vision.test_sources import film
from vision.captures import Capture, CaptureLink, Wish
from vision.live import LinkFailed, LiveSettings, LiveSource, TroubleKind
from vision.sources import SourceError

QUICK = LiveSettings(open_s=20.0, retry_s=0.01, retry_at_most_s=0.02)


class Explains:
    """Says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[bool] = []

    def __call__(self, was_open: bool) -> LinkFailed:
        self.asked.append(was_open)
        return LinkFailed(TroubleKind.LOST if was_open else TroubleKind.ABSENT, "It is away.")


def test_pictures_come_until_it_breaks_off(tmp_path: Path) -> None:
    explains = Explains()
    link = CaptureLink(lambda: [Capture(str(film(tmp_path / "a.avi", 5)))], explains)
    for _ in range(2):  # it can be opened anew
        link.open()
        images = [link.read() for _ in range(5)]
        with pytest.raises(LinkFailed) as failed:
            link.read()
        assert failed.value.trouble.kind is TroubleKind.LOST
        assert [image.shape for image in images] == [(48, 64, 3)] * 5
        assert [image.mean() for image in images] == pytest.approx([0, 8, 16, 24, 32], abs=6)
        link.close()
        link.close()
    assert explains.asked == [True, True]


def test_the_first_that_opens_is_watched(tmp_path: Path) -> None:
    path = str(film(tmp_path / "a.avi", 5))
    ways = [Capture(str(tmp_path / "absent.avi")), Capture(path, cv2.CAP_FFMPEG), Capture(path)]
    link = CaptureLink(lambda: ways, Explains())
    link.open()
    assert link.read().shape == (48, 64, 3)
    link.close()


def test_what_does_not_open_is_explained(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    explains = Explains()
    nowhere: list[Capture] = []
    for ways in (nowhere, [Capture(str(tmp_path / "absent.avi"))], [Capture(99)]):
        link = CaptureLink(partial(list, ways), explains)
        with pytest.raises(LinkFailed):
            link.open()
        link.close()
    assert explains.asked == [False] * 3
    assert capfd.readouterr() == ("", "")


def test_properties_that_are_refused_do_no_harm(tmp_path: Path) -> None:
    path = str(film(tmp_path / "a.avi", 5))
    link = CaptureLink(
        lambda: [Capture(path, cv2.CAP_FFMPEG)],
        Explains(),
        needed=[Wish(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 5000)],
        wanted=[Wish(cv2.CAP_PROP_FRAME_WIDTH, 1280), Wish(cv2.CAP_PROP_BUFFERSIZE, 1)],
    )
    link.open()
    assert link.read().shape == (48, 64, 3)
    link.close()


def test_a_live_source_on_it_goes_on_when_it_is_back(tmp_path: Path) -> None:
    path = film(tmp_path / "a.avi", 50)
    away = tmp_path / "away.avi"
    link = CaptureLink(lambda: [Capture(str(path))] if path.exists() else [], Explains())
    with LiveSource(link, "camera Film", "Film", QUICK) as source:
        assert source.next_frame(5.0) is not None
        path.rename(away)
        await_trouble(source, TroubleKind.LOST)
        source.next_frame(0.0)
        away.rename(path)
        frame = None
        deadline = time.monotonic() + 20
        while frame is None and time.monotonic() < deadline:
            frame = source.next_frame(1.0)
        assert frame is not None
    with pytest.raises(SourceError, match=r"^It is away\.$"):
        LiveSource(CaptureLink(lambda: [Capture(98)], Explains()), "camera Film", "Film", QUICK)
    assert not [it for it in threading.enumerate() if it.name.startswith("boxcars")]


def test_nothing_leaks(tmp_path: Path) -> None:
    """Opened and closed thirty times, while it is read as fast as it can be."""
    path = str(film(tmp_path / "a.avi", 50))

    def watch() -> None:
        link = CaptureLink(lambda: [Capture(path)], Explains())
        with LiveSource(link, "camera Film", "Film", QUICK) as source:
            assert source.next_frame(20.0) is not None

    watch()  # whatever is loaded once is loaded
    before = held()
    for _ in range(30):
        watch()
    await_held(before)


def await_trouble(source: LiveSource, kind: TroubleKind) -> None:
    deadline = time.monotonic() + 20
    while (trouble := source.trouble) is None or trouble.kind is not kind:
        assert time.monotonic() < deadline
        source.next_frame(0.01)
