"""A camera is looked through, and let go of for whoever watches it in earnest."""

from __future__ import annotations

from time import monotonic, sleep

import numpy as np
import pytest

from boxcars.previewing import TOLD_AGAIN_S, Previews
from boxcars.snapshot import Offer
from tests.boxcars.page.laid import QueuedSource
from vision.live import Trouble, TroubleKind
from vision.records import Frame, Image
from vision.sources import Source, SourceError

ONE, OTHER = Offer("s1", "One", "one"), Offer("s2", "Other", "other")


def grey(level: int) -> Image:
    return np.full((4, 4, 3), level, np.uint8)


class Cameras:
    """Cameras that can be opened by one at a time."""

    def __init__(self) -> None:
        self.opened: list[QueuedSource] = []
        self.watched: str | None = "s0"
        self.now = 0.0
        self.previews = Previews(lambda: self.watched, self.open, lambda: self.now)

    def open(self, offer: Offer) -> Source:
        assert all(source.closed for source in self.opened)
        source = QueuedSource(offer.title)
        source._frames.put(Frame(0.0, grey(len(self.opened))))
        self.opened.append(source)
        return source


def test_the_newest_picture_is_seen_and_shown_again_while_no_other_comes() -> None:
    cameras = Cameras()
    assert cameras.previews.look(ONE)[0, 0, 0] == 0
    assert cameras.previews.look(ONE)[0, 0, 0] == 0
    cameras.opened[0]._frames.put(Frame(1.0, grey(9)))
    assert cameras.previews.look(ONE)[0, 0, 0] == 9
    assert len(cameras.opened) == 1
    cameras.previews.close()
    assert cameras.opened[0].closed


def test_another_one_is_opened_once_the_first_is_let_go_of() -> None:
    cameras = Cameras()
    cameras.previews.look(ONE)
    assert cameras.previews.look(OTHER)[0, 0, 0] == 1
    assert cameras.opened[0].closed
    cameras.previews.close()


def test_what_is_watched_is_never_opened() -> None:
    cameras = Cameras()
    cameras.previews.look(ONE)
    cameras.watched = "s1"
    with pytest.raises(SourceError, match="One is being watched"):
        cameras.previews.look(ONE)
    assert [source.closed for source in cameras.opened] == [True]


def test_trouble_is_told_and_tried_again() -> None:
    cameras = Cameras()
    cameras.previews.look(ONE)
    cameras.opened[0].trouble = Trouble(TroubleKind.UNPLUGGED, "It was unplugged.")
    with pytest.raises(SourceError, match="It was unplugged"):
        cameras.previews.look(ONE)
    assert cameras.opened[0].closed
    # A browser that got no picture asks once more to hear why: that is no new attempt.
    with pytest.raises(SourceError, match="It was unplugged"):
        cameras.previews.look(ONE)
    assert len(cameras.opened) == 1
    cameras.now = TOLD_AGAIN_S
    assert cameras.previews.look(ONE)[0, 0, 0] == 1
    cameras.previews.close()


@pytest.mark.parametrize("kind", [TroubleKind.SLOW, TroubleKind.BLACK, TroubleKind.FROZEN])
def test_a_camera_that_sees_badly_is_looked_through_all_the_same(kind: TroubleKind) -> None:
    cameras = Cameras()
    cameras.previews.look(ONE)
    cameras.opened[0].trouble = Trouble(kind, "It sees badly.")
    assert cameras.previews.look(ONE)[0, 0, 0] == 0
    assert len(cameras.opened) == 1
    cameras.previews.close()


def test_when_nobody_looks_it_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boxcars.previewing.IDLE_S", 0.05)
    cameras = Cameras()
    cameras.previews.look(ONE)
    sleep(0.2)
    # By the clock no time has passed.
    assert not cameras.opened[0].closed
    cameras.now = 1.0
    until = monotonic() + 60
    while not cameras.opened[0].closed:
        assert monotonic() < until
        sleep(0.01)
