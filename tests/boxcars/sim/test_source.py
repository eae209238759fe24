"""The simulated table as a source: in real time, as fast as may be, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from boxcars.sim import open_sim
from boxcars.sim.evening import calm_evening
from boxcars.sim.source import SimSource
from vision.sources import SourceError


@dataclass
class Clock:
    """Time that passes only while somebody sleeps."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.mark.parametrize("spec", ["sim:", "sim:x", "sim:-1", "simulated", "sim:1:2"])
def test_what_is_no_simulated_table_is_refused_in_a_sentence(spec: str) -> None:
    with pytest.raises(SourceError, match="write sim, or sim:7"):
        open_sim(spec)


def test_a_seed_gives_the_same_frames_again() -> None:
    with open_sim("sim:7", fast=True) as one, open_sim("sim:7", fast=True) as two:
        for _ in range(3):
            first, second = one.next_frame(0.0), two.next_frame(0.0)
            assert first is not None
            assert second is not None
            assert first.t == second.t
            assert np.array_equal(first.image, second.image)
        assert one.live
        assert one.trouble is None
        assert one.spec == "sim:7"


def test_in_real_time_frames_come_when_they_are_due_and_late_ones_are_lost() -> None:
    clock = Clock()
    with open_sim("sim:7", clock=clock, sleep=clock.sleep) as source:
        first = source.next_frame(1.0)
        second = source.next_frame(1.0)
        assert first is not None
        assert second is not None
        assert (first.t, second.t) == pytest.approx((0.0, 0.04))
        assert sum(clock.slept) == pytest.approx(0.04)
        assert source.next_frame(0.01) is None
        clock.now += 1.0
        third = source.next_frame(1.0)
        assert third is not None
        assert third.t == pytest.approx(1.04, abs=0.05)


def test_it_ends_with_the_evening() -> None:
    evening = calm_evening(3)
    evening.film.length = 0.5
    with SimSource(evening, fast=True) as source:
        times = [frame.t for frame in source]
        assert source.ended
        assert source.next_frame(1.0) is None
    assert times == pytest.approx([k / 25 for k in range(13)])


def test_closing_ends_it() -> None:
    source = open_sim(fast=True)
    source.close()
    assert source.ended
    assert source.next_frame(1.0) is None


def test_dropped_frames_are_gone_and_frozen_ones_repeated() -> None:
    evening = calm_evening(3)
    evening.film.length = 1.0
    weather = replace(evening.weather, fps=10.0, dropped=[(0.15, 0.35)], frozen=[(0.5, 0.75)])
    with SimSource(replace(evening, weather=weather), fast=True) as source:
        frames = {round(frame.t, 1): frame.image for frame in source}
    assert 0.2 not in frames
    assert 0.3 not in frames
    assert np.array_equal(frames[0.5], frames[0.7])
    assert not np.array_equal(frames[0.7], frames[0.8])
