"""Live sources: the newest picture, each trouble in one sentence, and a clean end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np
import pytest

from tests.vision.streaming import noisy
from vision.live import LinkFailed, LiveSettings, LiveSource, Trouble, TroubleKind
from vision.records import Image
from vision.sources import SourceError

QUICK = LiveSettings(open_s=5.0, close_s=1.0, retry_s=0.01, retry_at_most_s=0.02)
GONE = LinkFailed(TroubleKind.LOST, "The wire broke.")


class Hand:
    """A camera that shows what a test hands it, when it does."""

    def __init__(self) -> None:
        self.given: queue.Queue[Image | bytes | Exception] = queue.Queue()
        self.refuse: Exception | None = None
        self.opened = self.closed = 0
        self.taken = 0

    def open(self) -> None:
        self.opened += 1
        if self.refuse is not None:
            raise self.refuse

    def read(self) -> Image | bytes:
        item = self.given.get()
        if isinstance(item, Exception):
            raise item
        self.taken += 1
        return item

    def await_taken(self, pictures: int) -> None:
        wait_until(lambda: self.taken >= pictures)

    def close(self) -> None:
        self.closed += 1

    def interrupt(self) -> None:
        self.given.put(GONE)


class Table:
    """A live source on a clock that the test moves."""

    def __init__(self, settings: LiveSettings = QUICK) -> None:
        self.now = 100.0
        self.hand = Hand()
        self.hand.given.put(wall(0))
        self.source = LiveSource(self.hand, "camera Eye", "Eye", settings, lambda: self.now)
        self._numbers = count(1)

    def show(self, picture: Image | bytes, after_s: float = 1 / 30) -> None:
        """The camera gives this picture, and it is taken."""
        taken = self.hand.taken
        self.now += after_s
        self.hand.given.put(picture)
        self.hand.await_taken(taken + 1)
        self.source.next_frame(1.0)

    def film(self, seconds: float, fps: float = 30.0) -> None:
        """The camera looks at a grey wall, noise and all."""
        for _ in range(round(seconds * fps)):
            self.show(wall(next(self._numbers)), 1 / fps)

    def kind(self) -> TroubleKind | None:
        trouble = self.source.trouble
        if trouble is None:
            return None
        assert trouble.text.startswith("Camera Eye ")
        assert trouble.text.endswith(".")
        assert trouble.text.count(". ") == 0
        return trouble.kind


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    with table.source:
        yield table


def wall(seed: int, grey: int = 90) -> Image:
    noise = np.random.default_rng(seed).normal(grey, 4, (48, 64, 3))
    return np.clip(noise, 0, 255).astype(np.uint8)


def wait_until(what: Callable[[], bool], timeout_s: float = 20.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@contextmanager
def same_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def test_the_newest_picture_is_handed_over_once(table: Table) -> None:
    source = table.source
    first = source.next_frame(1.0)
    assert first is not None
    assert first.t == 0.0
    assert source.next_frame(0.0) is None
    for seed in (1, 2, 3):
        table.now += 0.5
        table.hand.given.put(wall(seed))
        table.hand.await_taken(seed + 1)
    wait_until(lambda: source._newest is not None and source._newest[0] == 1.5)
    newest = source.next_frame(1.0)
    assert newest is not None
    assert newest.t == 1.5
    assert np.array_equal(newest.image, wall(3))
    assert source.next_frame(0.0) is None


def test_it_is_a_live_source_with_a_name(table: Table) -> None:
    assert table.source.live
    assert not table.source.stills
    assert table.source.description == "camera Eye"
    assert table.source.spec == "Eye"
    assert table.source.frames is None


def test_iterating_gives_pictures_until_it_is_closed(table: Table) -> None:
    seen = []
    table.hand.given.put(wall(1))
    for frame in table.source:
        seen.append(frame)
        table.hand.given.put(wall(len(seen) + 1))
        if len(seen) == 5:
            table.source.close()
    assert len(seen) == 5


def test_what_does_not_open_says_why_at_once() -> None:
    for kind in (TroubleKind.ABSENT, TroubleKind.BUSY, TroubleKind.DENIED):
        hand = Hand()
        hand.refuse = LinkFailed(kind, f"It is {kind}.")
        with same_threads(), pytest.raises(SourceError, match=rf"^It is {kind}\.$"):
            LiveSource(hand, "camera Eye", "Eye", QUICK)
        assert hand.opened == hand.closed == 1


def test_what_opens_but_shows_nothing_is_not_waited_for_for_ever() -> None:
    with same_threads(), pytest.raises(SourceError, match=r"^Camera Eye is there but sends no"):
        LiveSource(Hand(), "camera Eye", "Eye", LiveSettings(open_s=0.2))


def test_a_fault_of_ours_is_not_swallowed() -> None:
    hand = Hand()
    hand.given.put(ZeroDivisionError("fault"))
    with same_threads(), pytest.raises(ZeroDivisionError):
        LiveSource(hand, "camera Eye", "Eye", QUICK)
    table = Table()
    table.source.next_frame(1.0)
    table.hand.given.put(ZeroDivisionError("fault"))
    with same_threads(), table.source, pytest.raises(ZeroDivisionError):
        table.source.next_frame(5.0)


def test_a_source_that_breaks_off_is_opened_again_for_ever(table: Table) -> None:
    table.hand.refuse = LinkFailed(TroubleKind.ABSENT, "It is away.")
    table.hand.given.put(GONE)
    wait_until(lambda: table.hand.opened >= 20)
    assert table.source.trouble == Trouble(TroubleKind.ABSENT, "It is away.")
    table.hand.refuse = None
    table.film(1.0)
    assert table.source.trouble is None


def test_trouble_is_known_as_soon_as_it_breaks_off(table: Table) -> None:
    table.hand.refuse = GONE
    table.hand.given.put(GONE)
    wait_until(lambda: table.source.trouble is not None)
    assert table.source.trouble == GONE.trouble


def test_pauses_between_attempts_grow_and_shrink_again() -> None:
    table = Table(LiveSettings(retry_s=0.02, retry_at_most_s=0.16))
    with table.source:
        table.hand.refuse = GONE
        table.hand.given.put(GONE)
        began = time.monotonic()
        wait_until(lambda: table.hand.opened >= 8)
        # 0.02, 0.04, 0.08, then 0.16 four times.
        assert time.monotonic() - began > 0.7


def test_silence_is_trouble_until_a_picture_comes(table: Table) -> None:
    table.film(1.0)
    assert table.kind() is None
    table.now += 1.9
    assert table.kind() is None
    table.now += 0.2
    assert table.kind() is TroubleKind.SILENT
    table.film(0.1)
    assert table.kind() is None


def test_black_is_trouble_until_there_is_light(table: Table) -> None:
    table.film(1.0)
    for seed in range(60):
        table.show(wall(seed, 4))
    assert table.kind() is TroubleKind.BLACK
    table.film(0.1)
    assert table.kind() is None


def test_a_dark_table_is_not_black(table: Table) -> None:
    for seed in range(90):
        dim = wall(seed, 8)
        dim[:8, :8] = 60
        table.show(dim)
    assert table.kind() is None


def test_a_noisy_camera_that_hangs_is_noticed(table: Table) -> None:
    table.film(8.0)
    hung = wall(12345)
    for _ in range(95):
        table.show(hung)
    assert table.kind() is TroubleKind.FROZEN
    table.film(0.1)
    assert table.kind() is None
    # It hangs again: that it did before makes it no camera that always repeats.
    for _ in range(95):
        table.show(hung)
    assert table.kind() is TroubleKind.FROZEN


def test_a_camera_that_hangs_is_opened_anew_ever_more_rarely(table: Table) -> None:
    table.film(8.0)
    hung = wall(12345)
    opened = []
    for _ in range(40 * 5):
        table.show(hung, 0.2)
        opened.append(table.hand.opened)
    # After 8, 16 and 32 seconds of hanging.
    wait_until(lambda: table.hand.opened == 4)
    assert opened[5 * 6] == 1
    assert opened[5 * 13] == 2
    assert opened[5 * 28] == 3


def test_drawn_pictures_repeat_and_mean_nothing(table: Table) -> None:
    still = wall(1)
    for turn in range(5):
        for _ in range(60):
            table.show(still)
        for seed in range(30):
            table.show(wall(1000 + 30 * turn + seed))
        still = wall(2 + turn)
    for _ in range(300):
        table.show(still)
        assert table.kind() is None


def test_too_few_pictures_are_trouble(table: Table) -> None:
    table.film(6.0, fps=8.0)
    assert table.kind() is None
    table.film(6.0, fps=3.0)
    trouble = table.source.trouble
    assert trouble == Trouble(
        TroubleKind.SLOW,
        "Camera Eye gives only 3 pictures a second: give it more light, or this computer "
        "less to do.",
    )
    table.film(6.0, fps=30.0)
    assert table.kind() is None


def test_pictures_are_counted_anew_after_a_break(table: Table) -> None:
    table.film(6.0)
    table.hand.given.put(GONE)
    wait_until(lambda: table.hand.opened == 2)
    table.now += 30.0
    table.film(1.0)
    assert table.kind() is None


def test_damaged_pictures_are_passed_over(table: Table) -> None:
    table.source.next_frame(1.0)
    whole = noisy()
    for damaged in (whole[: len(whole) // 2], b"garbage", b""):
        table.show(damaged)
        table.hand.given.put(whole)
        frame = table.source.next_frame(5.0)
        assert frame is not None
        assert frame.image.shape == (120, 160, 3)
    assert table.kind() is None


def test_nothing_but_damaged_pictures_is_trouble(table: Table) -> None:
    table.film(1.0)
    whole = noisy()
    hand = table.hand
    for _ in range(40):
        taken = hand.taken
        table.now += 1 / 30
        hand.given.put(whole[: len(whole) // 2])
        hand.await_taken(taken + 1)
        assert table.source.next_frame(0.0) is None
    assert table.kind() is TroubleKind.BROKEN
    table.film(0.1)
    assert table.kind() is None


def test_closing_wakes_whoever_waits_and_leaves_no_thread() -> None:
    with same_threads():
        table = Table()
        table.source.next_frame(1.0)
        got: list[object] = []
        waiting = threading.Thread(target=lambda: got.append(table.source.next_frame(60.0)))
        waiting.start()
        time.sleep(0.05)
        began = time.monotonic()
        table.source.close()
        table.source.close()
        waiting.join(10)
        assert time.monotonic() - began < 10
        assert got == [None]
        assert table.source.next_frame(0.0) is None


def test_a_read_that_never_ends_holds_nobody_up() -> None:
    class Stuck(Hand):
        def interrupt(self) -> None:
            """Nothing helps, as with some drivers."""

    stuck = Stuck()
    stuck.given.put(wall(0))
    source = LiveSource(stuck, "camera Eye", "Eye", LiveSettings(close_s=0.2))
    began = time.monotonic()
    source.close()
    assert time.monotonic() - began < 5
    assert stuck.closed == 0
    # When the driver comes to its senses the camera is let go.
    stuck.given.put(wall(1))
    source._thread.join(10)
    assert stuck.closed == 1
    assert source.next_frame(0.0) is None
