"""Hours at the simulated table in one process: is it as small, quick and calm at the end?

Run it with `python -m boxcars.longrun --minutes 120`.
"""

from __future__ import annotations

import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from boxcars.actions import NewGame
from boxcars.commands.opening import open_watcher
from boxcars.console import say, write_json
from boxcars.journal import FILE_NAME, Journal
from boxcars.page.security import Role
from boxcars.page.serving import Page
from boxcars.session import Session, Settles
from boxcars.sim import SimSource, open_sim
from boxcars.snapshot import Offer, SourceState
from boxcars.table import Crew, Table, Until, Watched
from scoring.events import Event
from scoring.rules import DEFAULT_RULES
from vision.records import Frame
from vision.settle import settler_for
from vision.sources import Source

FIRST_SEED = 100
SAMPLE_EVERY_S = 5.0
MOST_GROWTH = 0.05
"""Memory may grow by this share from the first half to the end."""
MOST_LATENCY_S = 0.7
"""From rest to event, for 95 % of events."""
MOST_IDLE_CPU = 0.15
"""Of one core, with nothing moving."""
STILL_FPS = 30
STILL_FRAMES = 45


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process held at one time: bytes of memory, threads, open files."""

    t: float
    rss: int
    threads: int
    files: int


@dataclass(frozen=True, slots=True)
class Report:
    """How a long run went; times in seconds, memory in MB, CPU as a share of one core."""

    minutes: float
    games: int
    events: int
    memory_mb: tuple[float, float]
    """The medians of the second and of the last quarter."""
    growth: float
    threads: tuple[int, int]
    files: tuple[int, int]
    latencies: int
    latency_p50_s: float | None
    latency_p95_s: float | None
    idle_cpu: float | None

    @property
    def faults(self) -> list[str]:
        """What is not as it must be, one sentence each."""
        found = []
        if abs(self.growth) > MOST_GROWTH:
            found.append(f"Memory changed by {self.growth:+.1%}.")
        if self.threads[1] > self.threads[0]:
            found.append(f"Threads grew from {self.threads[0]} to {self.threads[1]}.")
        if self.files[1] > self.files[0]:
            found.append(f"Open files grew from {self.files[0]} to {self.files[1]}.")
        if self.latency_p95_s is not None and self.latency_p95_s > MOST_LATENCY_S:
            found.append(f"Events came {self.latency_p95_s:.2f} s late (95 %).")
        if self.idle_cpu is not None and self.idle_cpu > MOST_IDLE_CPU:
            found.append(f"With nothing moving it took {self.idle_cpu:.0%} of a core.")
        return found


def run_long(minutes: float, viewers: int = 3, idle_s: float = 30.0) -> Report:
    """Play game after game at the simulated table in real time, with a page and its viewers."""
    with TemporaryDirectory(prefix="boxcars-longrun-") as folder:
        return _LongRun(Path(folder), minutes * 60, viewers, idle_s).run()


class _LongRun:
    def __init__(self, folder: Path, seconds: float, viewers: int, idle_s: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._viewers = viewers
        self._idle_s = idle_s
        self._seeds = count(FIRST_SEED)
        self._samples: list[Sample] = []
        self._latencies: list[float] = []
        self._evening: SimSource | None = None
        self._lags: list[float] = []
        self._evening_began: float | None = None
        self._matched: set[int] = set()
        self._idle_cpu: float | None = None
        self._reader = open_watcher()

    def run(self) -> Report:
        games, events = 0, 0
        with ExitStack() as stack:
            journal = stack.enter_context(Journal(self._folder / FILE_NAME))
            watched = self._open(_OFFER)
            session = Session.begin(journal, ["Ann"], started="", source=watched.text)
            crew = Crew(self._open, self._settler, now=lambda: "", recorder=self)
            table = Table(journal, session, watched, crew, [_OFFER])
            page = stack.enter_context(Page(table))
            for _ in range(self._viewers):
                threading.Thread(target=_look, args=(page,), daemon=True).start()
            begun = time.monotonic()
            stack.callback(table.stop)
            sampler = threading.Thread(target=self._sample, args=(begun, table), daemon=True)
            sampler.start()
            for _ in table.watch(Until.STOPPED):
                events += 1
            sampler.join()
            games = len(journal.games())
        if self._idle_s:
            self._idle_cpu = idle_cpu(self._idle_s)
        return self._report(games, events)

    # Called by the table's loop, as a recorder.

    def frame(self, frame: Frame) -> None:
        """Frames are handed over when they are due, the luckiest without delay."""
        if self._evening_began is None:
            # The game's time goes on from evening to evening; each tells its truth from 0.
            self._evening_began = frame.t
        self._lags.append(time.monotonic() - (frame.t - self._evening_began))

    def event(self, event: Event) -> None:
        """Compare with what truly happened, and when."""
        evening = self._evening
        if evening is None or not self._lags:
            return
        began = min(self._lags)
        now = time.monotonic() - began
        told = event.KIND, event.turn, event.phase
        for index, truth in enumerate(evening.truth):
            happened = truth.deed.value, truth.turn, truth.phase
            if index not in self._matched and told == happened and truth.t <= now:
                self._matched.add(index)
                self._latencies.append(now - truth.t)
                return

    def _open(self, offer: Offer) -> Watched:
        self._evening = open_sim(f"sim:{next(self._seeds)}")
        # Every evening is a source of its own, whose time begins at 0.
        self._lags, self._matched, self._evening_began = [], set(), None
        return Watched(self._evening, offer.title, self._evening.spec, offer.id)

    def _settler(self, source: Source) -> Settles:
        return settler_for(source, self._reader)

    def _sample(self, begun: float, table: Table) -> None:
        """Note what the process holds, and begin new games, until the time is over."""
        while (t := time.monotonic() - begun) < self._seconds:
            self._samples.append(Sample(t, _rss(), threading.active_count(), _open_files()))
            if table.snapshot.source.state is SourceState.ENDED:
                # The evening is over; with a new game comes the next one.
                table.perform(NewGame(("Ann",), DEFAULT_RULES), table.snapshot.rev)
            time.sleep(min(SAMPLE_EVERY_S, max(0.0, self._seconds - t)))
        table.stop()

    def _report(self, games: int, events: int) -> Report:
        samples = self._samples
        quarter = max(1, len(samples) // 4)
        early, late = samples[quarter : 2 * quarter] or samples[:1], samples[-quarter:]
        memory = [statistics.median(it.rss for it in part) / 1e6 for part in (early, late)]
        latencies = sorted(self._latencies)
        return Report(
            minutes=round(self._seconds / 60, 2),
            games=games,
            events=events,
            memory_mb=(round(memory[0], 1), round(memory[1], 1)),
            growth=round(memory[1] / memory[0] - 1, 4),
            threads=(max(it.threads for it in early), max(it.threads for it in late)),
            files=(max(it.files for it in early), max(it.files for it in late)),
            latencies=len(latencies),
            latency_p50_s=_share_of(latencies, 0.5),
            latency_p95_s=_share_of(latencies, 0.95),
            idle_cpu=self._idle_cpu,
        )


_OFFER = Offer("s0", "the simulated table", "sim")


class Still(Source):
    """A camera that sees dice at rest, noise and all, and costs next to nothing itself."""

    live = True

    def __init__(self, frames: list[Frame]) -> None:
        self.description = "dice at rest"
        self._frames = frames
        self._began = time.monotonic()
        self._next = 0

    def next_frame(self, timeout_s: float) -> Frame | None:
        """The next frame when it is due."""
        due = self._began + self._next / STILL_FPS
        early = due - time.monotonic()
        if early > 0:
            time.sleep(min(early, timeout_s))
        if early > timeout_s:
            return None
        self._next = max(self._next + 1, int((time.monotonic() - self._began) * STILL_FPS))
        frame = self._frames[self._next % len(self._frames)]
        return replace(frame, t=self._next / STILL_FPS)

    def __iter__(self) -> Iterator[Frame]:
        while True:
            frame = self.next_frame(1.0)
            if frame is not None:
                yield frame

    def close(self) -> None:
        """Nothing is open."""


def frames_at_rest(seed: int = FIRST_SEED) -> list[Frame]:
    """Frames of one evening from when the first throw has come to rest."""
    source = open_sim(f"sim:{seed}", fast=True)
    rest = source.truth[0].t
    frames = []
    for frame in source:
        if frame.t >= rest:
            frames.append(frame)
        if len(frames) == STILL_FRAMES:
            break
    return frames


def idle_cpu(seconds: float) -> float:
    """The share of a core that a table takes while ten dice lie still under a 30 fps camera."""
    reader = open_watcher()
    with TemporaryDirectory(prefix="boxcars-idle-") as folder, ExitStack() as stack:
        journal = stack.enter_context(Journal(Path(folder) / FILE_NAME))
        session = Session.begin(journal, ["Ann"], started="", source="still")
        still = Watched(Still(frames_at_rest()), "still", "still")
        crew = Crew(lambda offer: still, lambda source: settler_for(source, reader), lambda: "")
        table = Table(journal, session, still, crew)
        stack.enter_context(Page(table))
        used: list[float] = []

        def measure() -> None:
            # What the first looks cost is no idling.
            time.sleep(3.0)
            cpu, wall = time.process_time(), time.monotonic()
            time.sleep(seconds)
            used.append((time.process_time() - cpu) / (time.monotonic() - wall))
            table.stop()

        threading.Thread(target=measure, daemon=True).start()
        for _ in table.watch(Until.STOPPED):
            pass
    return round(used[0], 4)


def _look(page: Page) -> None:
    """A viewer that follows the page's events until it is gone."""
    connection = HTTPConnection("127.0.0.1", page.port)
    token = page.gate.tokens[Role.OVERLAY]
    try:
        connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        while answer.readline():
            pass
    except (OSError, HTTPException):
        return
    finally:
        connection.close()


def _rss() -> int:
    """Memory of this process in bytes."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def _share_of(values: list[float], share: float) -> float | None:
    return round(values[int(share * (len(values) - 1))], 3) if values else None


def main(
    minutes: Annotated[float, typer.Option(help="How long to play.")] = 120.0,
    viewers: Annotated[int, typer.Option(help="How many follow the page meanwhile.")] = 3,
    idle_seconds: Annotated[float, typer.Option(help="How long to measure idling; 0: not.")] = 30.0,
) -> None:
    """Play for long at the simulated table, and print one JSON object about it."""
    report = run_long(minutes, viewers, idle_seconds)
    write_json(asdict(report))
    for fault in report.faults:
        say(fault)
    raise typer.Exit(1 if report.faults else 0)


if __name__ == "__main__":
    typer.run(main)
