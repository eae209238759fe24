"""A real table with its real page, whose pictures are shown one by one as tests want them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from boxcars.actions import Allow
from boxcars.journal import FILE_NAME, Journal
from boxcars.page.serving import Page
from boxcars.session import Session
from boxcars.snapshot import Offer, Snapshot
from boxcars.table import Crew, Table, Until, Watched
from calibration.store import ProfileStore
from samples import GAME
from tests.boxcars.page.laid import QueuedSource, wait_for
from tests.boxcars.table import SIZE, STARTED, Die
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.records import DieReading, Frame, Image, TrayView
from vision.settle import Scene
from vision.sources import Source

PATIENCE_S = 120.0
"""Nothing on a loaded machine takes longer."""

HEIGHT, WIDTH = 720, 1280

Change = Callable[[tuple[DieReading, ...]], tuple[DieReading, ...]]
"""What a test makes of a reading."""


class StageSource(QueuedSource):
    """A live camera that shows what it is handed."""

    spec = "stage"

    def __init__(self) -> None:
        super().__init__("stage")
        self._views: dict[float, TrayView] = {}

    def put(self, image: Image, readings: tuple[DieReading, ...]) -> None:
        """This is what the camera sees next, and how it is read."""
        t = float(len(self._views))
        frame = Frame(t, image)
        self._views[t] = TrayView(t, readings, settled=True, hand=False, picture=frame)
        self._frames.put(frame)

    def view(self, frame: Frame) -> TrayView:
        """How a frame is read."""
        return self._views[frame.t]


class StageSettler:
    """Every frame of the stage is a settled view."""

    scene = Scene.SETTLED

    def __init__(self, source: StageSource) -> None:
        self._source = source

    def push(self, frame: Frame) -> TrayView:
        """The view that was put with this frame."""
        return self._source.view(frame)


@dataclass
class Stage:
    """A running table, its page, and how tests show it pictures."""

    source: StageSource
    table: Table
    page: Page

    @property
    def now(self) -> Snapshot:
        """The table as it is."""
        return self.table.snapshot

    def lay(self, dice: Sequence[Die]) -> Snapshot:
        """Dice lie so, drawn plainly."""
        return self._put(drawn(dice), tuple(die.reading() for die in dice))

    def show(self, name: str, change: Change | None = None) -> Snapshot:
        """A picture of the sample game lies under the camera, read as it is."""
        image, readings = _read(name)
        return self._put(image, change(readings) if change else readings)

    def put(self, image: Image) -> Snapshot:
        """The camera sees this, in which there are no dice."""
        return self._put(image, ())

    def wait(self, holds: Callable[[Snapshot], bool]) -> Snapshot:
        """The first snapshot of which this holds."""
        return wait_for(lambda: self.now, holds, PATIENCE_S)

    def allow(self) -> None:
        """The table lets an illegal reroll stand."""
        alarm = self.now.history.alarm
        assert alarm is not None
        self.table.perform(Allow(alarm.seq), self.now.rev)

    def cut_line(self) -> None:
        """No page reaches the table any more."""
        self.page.close()

    def mend_line(self) -> None:
        """Pages reach the table again, where they did before."""
        tokens = self.page.gate.tokens
        self.page = Page(self.table, port=self.page.port)
        object.__setattr__(self.page.gate, "tokens", tokens)

    def _put(self, image: Image, readings: tuple[DieReading, ...]) -> Snapshot:
        views = self.now.view.id if self.now.view else 0
        self.source.put(image, readings)
        return self.wait(lambda now: now.view is not None and now.view.id > views)


def drawn(dice: Sequence[Die]) -> Image:
    """A picture of these dice on green felt."""
    image = np.full((HEIGHT, WIDTH, 3), (62, 92, 48), np.uint8)
    for die in dice:
        corners = die.reading().sighting.corners.astype(np.int32)
        cv2.fillPoly(image, [corners], (214, 232, 240))
        at = (int(die.x - SIZE * 0.18), int(die.y + SIZE * 0.18))
        cv2.putText(image, str(die.face), at, cv2.FONT_HERSHEY_SIMPLEX, 1.0, (30, 25, 20), 2)
    return image


@contextmanager
def stage(folder: Path, players: Sequence[str] = ("Ann", "Bob")) -> Iterator[Stage]:
    """A table that runs in a thread of its own until the body ends."""
    offers = (Offer("s0", "Stage", "stage"), Offer("s1", "Other stage", "other"))
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder / FILE_NAME))
        session = Session.begin(journal, players, started=STARTED, source="stage")
        source = StageSource()

        def open_offer(offer: Offer) -> Watched:
            return Watched(StageSource(), offer.title, offer.spec, offer.id)

        def settler(watched: Source) -> StageSettler:
            assert isinstance(watched, StageSource)
            return StageSettler(watched)

        profiles = ProfileStore(folder / "cameras")
        crew = Crew(open_offer, settler, lambda: STARTED, profiles=profiles)
        table = Table(journal, session, Watched(source, "Stage", "stage", "s0"), crew, offers)
        stack.enter_context(running(table))
        set_up = Stage(source, table, Page(table))
        try:
            yield set_up
        finally:
            set_up.page.close()


@contextmanager
def running(table: Table) -> Iterator[None]:
    """The table watches in a thread of its own until the body ends; its failures are raised."""
    failures: list[BaseException] = []

    def watch() -> None:
        try:
            for _ in table.watch(Until.STOPPED):
                pass
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        table.stop()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert not failures, failures


@cache
def _reader() -> DiceReader:
    return DiceReader()


@cache
def _read(name: str) -> tuple[Image, tuple[DieReading, ...]]:
    """A picture of the sample game; the nets would say the same each time."""
    image = load_picture(GAME / name)
    return image, _reader().read(image)
