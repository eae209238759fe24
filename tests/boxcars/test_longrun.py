"""The long run, short: it measures what it says, and finds what grows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boxcars.longrun import Report, idle_cpu, run_long

GOOD = Report(
    minutes=120,
    games=48,
    events=2000,
    memory_mb=(300.0, 303.0),
    growth=0.01,
    threads=(9, 9),
    files=(20, 20),
    latencies=1900,
    latency_p50_s=0.3,
    latency_p95_s=0.5,
    idle_cpu=0.1,
)


def test_a_good_run_has_no_fault() -> None:
    assert GOOD.faults == []


@pytest.mark.parametrize(
    ("worse", "words"),
    [
        ({"growth": 0.06}, "Memory"),
        ({"growth": -0.06}, "Memory"),
        ({"threads": (9, 10)}, "Threads"),
        ({"files": (20, 21)}, "Open files"),
        ({"latency_p95_s": 0.71}, "late"),
        ({"idle_cpu": 0.16}, "nothing moving"),
    ],
)
def test_what_is_worse_is_told(worse: dict[str, object], words: str) -> None:
    (fault,) = replace(GOOD, **worse).faults  # type: ignore[arg-type]
    assert words in fault


@pytest.mark.slow
def test_some_seconds_of_it() -> None:
    report = run_long(0.4, viewers=2, idle_s=0)
    assert report.events > 0
    assert report.latencies > 0
    assert report.threads[0] == report.threads[1]
    assert report.files[0] == report.files[1]
    assert report.memory_mb[0] > 50


@pytest.mark.slow
def test_with_nothing_moving_it_hardly_works() -> None:
    # Seconds of this process's own work, so that others on the machine do not count.
    assert idle_cpu(6.0) < 0.3
