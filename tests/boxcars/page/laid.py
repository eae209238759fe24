"""A table whose dice tests lay by hand: real referee, real record, real page; no camera."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import numpy as np

from boxcars.journal import FILE_NAME, Journal
from boxcars.page.security import Role
from boxcars.page.serving import Page
from boxcars.session import Session
from boxcars.snapshot import Offer, Snapshot
from boxcars.table import Crew, Recorder, Table, Until, Watched
from scoring.events import Event
from scoring.rules import DEFAULT_RULES, HouseRules
from tests.boxcars.table import STARTED, Die, view
from vision.live import Trouble
from vision.records import Frame, Image, TrayView
from vision.settle import Scene
from vision.sources import Source, SourceError

PATIENCE_S = 60.0
"""Nothing on a loaded machine takes longer."""


def picture(number: int) -> Image:
    """A picture with a number in it; tray views on it are 1280 × 720."""
    image = np.full((720, 1280, 3), 90, np.uint8)
    image[0, 0] = (number % 256, number // 256, 0)
    return image


def wait_for(
    now: Callable[[], Snapshot], holds: Callable[[Snapshot], bool], patience_s: float
) -> Snapshot:
    """The first snapshot of which this holds, of those that `now` gives."""
    until = monotonic() + patience_s
    while monotonic() < until:
        snapshot = now()
        if holds(snapshot):
            return snapshot
        sleep(0.002)
    raise AssertionError(f"It never came to that: {now()}")


class QueuedSource(Source):
    """A live source that gives the frames put into its queue."""

    live = True

    def __init__(self, description: str) -> None:
        self.description = description
        self.trouble: Trouble | None = None
        self.closed = False
        self._frames: queue.Queue[Frame] = queue.Queue()

    def next_frame(self, timeout_s: float) -> Frame | None:
        """The next frame, if one comes in time."""
        try:
            return self._frames.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def __iter__(self) -> Iterator[Frame]:
        while not self.closed:
            frame = self.next_frame(0.1)
            if frame is not None:
                yield frame

    def close(self) -> None:
        """Nothing is watched any more."""
        self.closed = True


class LaidSource(QueuedSource):
    """A live source that gives a frame for each tray laid."""

    def __init__(self, name: str = "laid dice") -> None:
        super().__init__(name)
        self.trays: list[list[Die]] = []
        self.failure: Exception | None = None
        self.ended = False

    def lay(self, dice: Sequence[Die]) -> None:
        """These dice lie there from now on."""
        self.trays.append(list(dice))
        number = len(self.trays) - 1
        self._frames.put(Frame(float(number), picture(number)))

    def next_frame(self, timeout_s: float) -> Frame | None:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        return super().next_frame(timeout_s)


class LaidSettler:
    """Every frame is a settled view of the tray that was laid."""

    scene = Scene.SETTLED

    def __init__(self, source: LaidSource) -> None:
        self._source = source

    def push(self, frame: Frame) -> TrayView:
        number = int(frame.image[0, 0, 0]) + 256 * int(frame.image[0, 0, 1])
        seen = view(self._source.trays[number], frame.t)
        return TrayView(frame.t, seen.readings, seen.settled, seen.hand, frame)


@dataclass
class LaidTable:
    """A running table and how tests get at it."""

    source: LaidSource
    table: Table
    page: Page
    journal: Journal
    told: list[Event] = field(default_factory=list)
    opened: dict[str, LaidSource] = field(default_factory=dict)
    more: list[Offer] = field(default_factory=list)
    """What else can be watched meanwhile."""
    failing: type[BaseException] | None = None
    """What the loop is expected to end with."""

    @property
    def snapshot(self) -> Snapshot:
        return self.table.snapshot

    def lay(self, dice: Sequence[Die]) -> Snapshot:
        """Lay dice and wait until the table has seen them."""
        views = self.snapshot.view.id if self.snapshot.view else 0
        self.source.lay(dice)
        return self.wait(lambda now: now.view is not None and now.view.id > views)

    def wait(self, holds: Callable[[Snapshot], bool]) -> Snapshot:
        """The first snapshot of which this holds."""
        return wait_for(lambda: self.snapshot, holds, PATIENCE_S)

    def client(self, role: Role | None = Role.TABLE) -> httpx.Client:
        """A program that has the token."""
        token = {} if role is None else {"Authorization": f"Bearer {self.page.gate.tokens[role]}"}
        return httpx.Client(
            base_url=self.page.origin, headers=token, timeout=PATIENCE_S, trust_env=False
        )

    def act(self, name: str, rev: int | None = None, **values: Any) -> httpx.Response:
        """Post an action, by default on the table as it is."""
        rev = self.snapshot.rev if rev is None else rev
        with self.client() as client:
            return client.post(f"/api/actions/{name}", json={"rev": rev, **values})


def seqs(snapshot: Snapshot, kind: str) -> list[int]:
    """The numbers of all events of a kind."""
    return [seq for seq, it in enumerate(snapshot.history.events) if kind == it.KIND]


@contextmanager
def laid_table(
    folder: Path,
    players: Sequence[str] = ("Ann", "Bob"),
    rules: HouseRules = DEFAULT_RULES,
    *,
    recorder: Recorder | None = None,
    offers: Sequence[Offer] = (),
) -> Iterator[LaidTable]:
    """A table that runs in a thread of its own until the body ends."""
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder / FILE_NAME))
        session = Session.begin(journal, players, rules, started=STARTED, source="laid dice")
        source = LaidSource()
        opened: dict[str, LaidSource] = {}

        def open_offer(offer: Offer) -> Watched:
            if offer.spec == "broken":
                raise SourceError("That camera is broken.")
            opened[offer.id] = LaidSource(offer.title)
            return Watched(opened[offer.id], offer.title, offer.spec, offer.id)

        def settler(source: Source) -> LaidSettler:
            assert isinstance(source, LaidSource)
            return LaidSettler(source)

        more: list[Offer] = []
        crew = Crew(open_offer, settler, lambda: STARTED, lambda: more, recorder=recorder)
        table = Table(journal, session, Watched(source, "laid dice", "laid dice"), crew, offers)
        laid = LaidTable(source, table, stack.enter_context(Page(table)), journal, opened=opened)
        laid.more = more
        failures: list[BaseException] = []

        def watch() -> None:
            try:
                laid.told.extend(session.events)
                for event in table.watch(Until.STOPPED):
                    laid.told.append(event)
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            yield laid
        finally:
            table.stop()
            thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert source.closed or opened
        if laid.failing is not None:
            assert isinstance(failures[0], laid.failing)
        elif failures:
            raise failures[0]
