"""The figures of the bench, from a reader whose times are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from boxcars.bench import Case, Spread, ms_per_die, peak_memory_mb, time_picture
from tests.boxcars.made import make_reading
from tests.running import python_process
from vision.records import DieReading, Image


@dataclass(frozen=True)
class Times:
    find_ms: float
    pose_ms: float
    read_ms: float


class Slowing:
    """Each reading takes one millisecond longer to find; it always finds two dice."""

    def __init__(self) -> None:
        self._dice = (make_reading(1), make_reading(2))
        self.calls = 0

    def read_timed(self, image: Image) -> tuple[Sequence[DieReading], Times]:
        self.calls += 1
        return self._dice, Times(float(self.calls), 5.0, 3.0)


def case_with(dice: int, median_ms: float) -> Case:
    return Case(1280, 720, dice, 1, {}, Spread(median_ms, median_ms))


def test_the_first_run_does_not_count() -> None:
    reader = Slowing()
    steps: list[None] = []
    case = time_picture(
        reader, np.zeros((72, 128, 3), np.uint8), 101, on_run=lambda: steps.append(None)
    )
    assert reader.calls == 102
    assert len(steps) == 101
    # The counted times are 2 to 102 ms.
    assert case.stages["find"] == Spread(52.0, 97.0)
    assert case.stages["pose"] == Spread(5.0, 5.0)
    assert (case.width, case.height, case.dice, case.runs) == (128, 72, 2, 101)
    assert case.share("find") == pytest.approx(52 / 60)
    assert case.to_dict()["stages"] == {
        "find": {"median_ms": 52.0, "p95_ms": 97.0, "share": 0.867},
        "pose": {"median_ms": 5.0, "p95_ms": 5.0, "share": 0.083},
        "read": {"median_ms": 3.0, "p95_ms": 3.0, "share": 0.05},
    }


def test_one_more_die_costs_the_slope() -> None:
    cases = [case_with(10, 20.0), case_with(0, 15.0), case_with(4, 17.0)]
    assert ms_per_die(cases) == pytest.approx(0.5)
    assert ms_per_die(cases[:1]) is None


def test_peak_memory_grows_with_what_is_held() -> None:
    if peak_memory_mb() is None:
        pytest.skip("this system does not count memory")
    # In a process of its own: this one's peak may be a lot, and more would have to be held.
    probe = """
from boxcars.bench import peak_memory_mb
before = peak_memory_mb()
ballast = b"1" * int(before * 1e6 * 1.5)
after = peak_memory_mb()
assert after > before
assert after > len(ballast) / 1e6
"""
    ran = python_process("-c", probe)
    assert ran.code == 0, ran.err
