"""Frames come when they are due, and on the game's own time."""

from __future__ import annotations

import numpy as np
import pytest

from boxcars.feeds import LiveFeed, Pace, RecordedFeed, Timeline
from vision.records import Frame

IMAGE = np.zeros((2, 2, 3), np.uint8)


def frames(*times: float) -> list[Frame]:
    return [Frame(t, IMAGE) for t in times]


class Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Camera:
    """Hands over the frames it has."""

    def __init__(self, *times: float) -> None:
        self.left = frames(*times)
        self.ended = False

    def next_frame(self, timeout_s: float) -> Frame | None:
        return self.left.pop(0) if self.left else None


def test_a_new_game_has_its_sources_time() -> None:
    placed = Timeline(None).place(frames(3.5)[0])
    assert placed is not None
    assert placed.t == 3.5


def test_another_source_goes_on_from_the_latest_event() -> None:
    placed = Timeline(10.0).place(frames(3.5)[0])
    assert placed is not None
    assert placed.t == 13.5


def test_the_same_source_is_passed_over_to_the_latest_event() -> None:
    timeline = Timeline(2.0, again=True)
    assert timeline.place(frames(2.0004)[0]) is None
    placed = timeline.place(frames(2.001)[0])
    assert placed is not None
    assert placed.t == 2.001


def test_a_live_source_is_never_the_same_again() -> None:
    placed = Timeline(2.0, again=True, live=True).place(frames(0.5)[0])
    assert placed is not None
    assert placed.t == 2.5


def test_without_a_pace_every_frame_is_due_at_once() -> None:
    feed = RecordedFeed(frames(0, 10, 20), Timeline(None))
    assert [frame.t for frame in iter(lambda: feed.next(0.0), None)] == [0, 10, 20]
    assert feed.ended


def test_with_a_pace_a_frame_comes_when_it_is_due() -> None:
    clock = Clock()
    feed = RecordedFeed(frames(0, 0.04, 0.5), Timeline(None), Pace(clock, clock.sleep))
    came = []
    while not feed.ended:
        frame = feed.next(0.05)
        if frame is not None:
            came.append((frame.t, round(clock.now - 100.0, 6)))
    assert came == [(0, 0), (0.04, 0.04), (0.5, 0.5)]


def test_waiting_never_takes_longer_than_asked() -> None:
    clock = Clock()
    feed = RecordedFeed(frames(0, 60), Timeline(None), Pace(clock, clock.sleep))
    feed.next(0.05)
    before = clock.now
    assert feed.next(0.05) is None
    assert clock.now - before == pytest.approx(0.05)
    assert not feed.ended


def test_what_was_seen_before_a_stop_is_not_waited_for() -> None:
    clock = Clock()
    timeline = Timeline(60.0, again=True)
    feed = RecordedFeed(frames(0, 60, 61), timeline, Pace(clock, clock.sleep))
    frame = feed.next(0.05)
    assert frame is not None
    assert (frame.t, clock.now) == (61, 100.0)


def test_a_slow_reader_catches_up() -> None:
    clock = Clock()
    feed = RecordedFeed(frames(0, 0.1, 0.2), Timeline(None), Pace(clock, clock.sleep))
    feed.next(0.05)
    clock.now += 5
    assert [feed.next(0.0) is not None for _ in range(2)] == [True, True]
    assert clock.now == 105.0


def test_a_live_feed_hands_over_what_the_camera_has() -> None:
    camera = Camera(1.0)
    feed = LiveFeed(camera, Timeline(10.0, live=True))
    frame = feed.next(0.0)
    assert frame is not None
    assert frame.t == 11.0
    assert feed.next(0.0) is None
    assert not feed.ended
    camera.ended = True
    assert feed.ended
