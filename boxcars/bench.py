"""How long reading takes, stage by stage, and how much memory it needs."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np

from vision.records import DieReading, Image

STAGES = ("find", "pose", "read")


class StageTimes(Protocol):
    """Milliseconds that one picture spent in each stage."""

    @property
    def find_ms(self) -> float: ...
    @property
    def pose_ms(self) -> float: ...
    @property
    def read_ms(self) -> float: ...


class TimedReader(Protocol):
    """A reader that tells how long each stage took."""

    def read_timed(self, image: Image, /) -> tuple[Sequence[DieReading], StageTimes]:
        """The readings of one picture, and the time each stage took."""
        ...


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the slow end of many measured times, in milliseconds."""

    median_ms: float
    p95_ms: float

    @classmethod
    def of(cls, times_ms: Sequence[float]) -> Spread:
        """The spread of at least one time."""
        median, p95 = np.percentile(np.asarray(times_ms), [50, 95])
        return cls(float(median), float(p95))

    def to_dict(self) -> dict[str, float]:
        """The two figures by name, to a hundredth of a millisecond."""
        return {"median_ms": round(self.median_ms, 2), "p95_ms": round(self.p95_ms, 2)}


@dataclass(frozen=True, slots=True)
class Case:
    """One picture read again and again: its size in pixels, its dice, and the times.

    `stages` has one spread for each of `STAGES`, `total` is all of them together, decoding of
    the file excluded.
    """

    width: int
    height: int
    dice: int
    runs: int
    stages: dict[str, Spread]
    total: Spread

    def share(self, stage: str) -> float:
        """The stage's part of the time, 0-1, by medians."""
        whole = sum(spread.median_ms for spread in self.stages.values())
        return self.stages[stage].median_ms / whole if whole else 0.0

    def to_dict(self) -> dict[str, object]:
        """What `boxcars bench --json` prints of it."""
        stages = {
            name: spread.to_dict() | {"share": round(self.share(name), 3)}
            for name, spread in self.stages.items()
        }
        return {
            "width": self.width,
            "height": self.height,
            "dice": self.dice,
            "runs": self.runs,
            "total": self.total.to_dict(),
            "stages": stages,
        }


def time_picture(
    reader: TimedReader, image: Image, runs: int, on_run: Callable[[], None] = lambda: None
) -> Case:
    """Read `image` `runs` times, after one that does not count: it warms the nets up."""
    readings, _ = reader.read_timed(image)
    stages: dict[str, list[float]] = {name: [] for name in STAGES}
    totals: list[float] = []
    for _ in range(runs):
        start = perf_counter()
        readings, times = reader.read_timed(image)
        totals.append((perf_counter() - start) * 1000)
        stages["find"].append(times.find_ms)
        stages["pose"].append(times.pose_ms)
        stages["read"].append(times.read_ms)
        on_run()
    return Case(
        width=image.shape[1],
        height=image.shape[0],
        dice=len(readings),
        runs=runs,
        stages={name: Spread.of(times_ms) for name, times_ms in stages.items()},
        total=Spread.of(totals),
    )


def ms_per_die(cases: Sequence[Case]) -> float | None:
    """How much one more die costs: the slope of the line through the cases' medians.

    None if all cases have equally many dice.
    """
    dice = np.asarray([case.dice for case in cases], np.float64)
    times = np.asarray([case.total.median_ms for case in cases], np.float64)
    spread = dice - dice.mean()
    if not spread.any():
        return None
    return float((spread * times).sum() / (spread**2).sum())


def first_reading_s(picture: Path) -> float:
    """Seconds from the start of a new `boxcars read` process to the end of its reading."""
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "boxcars", "read", "--json", str(picture)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return perf_counter() - start


def peak_memory_mb() -> float | None:
    """The most memory this process has held at once, in MB; None where nobody counts it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bytes_held = peak if sys.platform == "darwin" else peak * 1024
    return math.ceil(bytes_held / 1e5) / 10
