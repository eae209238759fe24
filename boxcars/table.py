"""The table: one loop watches a source and referees; everybody else sees snapshots and acts."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Protocol

from boxcars.actions import Action, SetCoach, Unfit
from boxcars.coach import advisor_for
from boxcars.feeds import Feed, LiveFeed, Pace, RecordedFeed, Timeline
from boxcars.history import COACH_OFF, COACH_ON, History
from boxcars.journal import Journal, JournalError
from boxcars.picture_judge import PictureJudge
from boxcars.previewing import Previews
from boxcars.referee import NothingToDo, Referee
from boxcars.session import Session, Settles
from boxcars.snapshot import (
    DiceNames,
    Offer,
    Snapshot,
    SourceState,
    SourceStatus,
    View,
    seen_dice,
)
from boxcars.source_names import without_secret
from boxcars.steadying import Steadied
from boxcars.wording import AlertKind
from calibration.profile import Profile
from calibration.store import ProfileStore
from scoring.cars import NotTenFaces
from scoring.events import Event, WrongEvent
from scoring.game import NoSuchEvent, WrongMoment
from scoring.rules import HouseRules, NotOnTheTable
from vision.pictures import UnreadablePicture
from vision.records import Frame, TrayView
from vision.settle import Scene
from vision.sources import Source, SourceError

WAIT_S = 0.05
"""The loop waits for a frame no longer than this at a time; raising it delays what it tells."""

SNAPSHOTS_KEPT = 600
"""Actions may be based on so many snapshots back; at most a few seconds of busy table."""

VIEWS_KEPT = 8
"""Pictures of so many settled views are at hand for the page."""

LOOK_EVERY = 60
"""While pictures are missing, after so many waits it looks for other sources: a few seconds."""

CAMERA_LOST, CAMERA_BACK = "camera-lost", "camera-back"

_SLOW = "slow"
"""Trouble of this kind is advice: pictures still come."""

_REFUSED = (NothingToDo, WrongMoment, NoSuchEvent, WrongEvent, NotTenFaces, NotOnTheTable)


class Until(Enum):
    """When a table stops watching by itself."""

    GAME_OVER = auto()
    """When the game is over, or the source has ended."""
    STOPPED = auto()
    """Never: after a game comes the next, and people may act when the source has ended."""


class Recorder(Protocol):
    """Keeps the frames around each event."""

    def frame(self, frame: Frame) -> None: ...

    def event(self, event: Event) -> None: ...


@dataclass(frozen=True, slots=True)
class Watched:
    """A source that has been opened: `frames` are those it gives, where it is recorded."""

    source: Source
    title: str
    text: str
    """What the record keeps of it."""
    offer: str | None = None


@dataclass(frozen=True, slots=True)
class Crew:
    """What a table needs to work: how sources are opened and dice are seen, and the time of day.

    `open` takes an offer's `spec`; `settler` makes what finds settled views in a source. With a
    `pace` recorded sources run as fast as they were recorded, else as fast as may be.
    """

    open: Callable[[Offer], Watched]
    settler: Callable[[Source], Settles]
    now: Callable[[], str]
    offers: Callable[[], Sequence[Offer]] = tuple
    """What may be watched by now; asked for now and then while pictures are missing."""
    pace: Pace | None = None
    recorder: Recorder | None = None
    profiles: ProfileStore | None = None
    """Where calibrations made at the page are kept and found; None: none can be made."""


@dataclass(frozen=True, slots=True, eq=False)
class Latest:
    """The newest frame and its number, which grows."""

    number: int
    frame: Frame


class Table:
    """A game at a table, watched by one loop.

    The thread that iterates `watch` reads the source; any thread may look at `snapshot` and
    `latest`, `perform` actions and ask for pictures. Nobody who looks can make the loop wait:
    a snapshot is immutable, and subscribers are only told that there is a new one.
    """

    def __init__(
        self,
        journal: Journal,
        session: Session,
        watched: Watched,
        crew: Crew,
        offers: Sequence[Offer] = (),
        *,
        again: bool = False,
    ) -> None:
        self._journal = journal
        self._session = session
        self._crew = crew
        self._offers = tuple(offers)
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._subscribers: tuple[Callable[[], None], ...] = ()
        self._outbox: deque[Event] = deque()
        self._failure: JournalError | None = None
        self._wanted: Offer | None = None
        self._anew = False
        self._untold = False
        """Whether the game was begun over dice thrown before, which its referee has not seen."""
        self._profile: Profile | None = None
        self.previews = Previews(lambda: self._status.offer)
        """What other sources on offer see."""
        self._names = DiceNames()
        self._views: tuple[View, ...] = ()
        self._waits = 0
        self._coach_on = False
        self._t = session.latest_t or 0.0
        self._scene: Scene | None = None
        self._ended_said = False
        self._watched: Watched
        self._settler: Settles
        self._feed: Feed | None = None
        self._status: SourceStatus
        self._judge_of_picture: PictureJudge
        self.latest: Latest | None = None
        """The newest frame; None before the first."""
        self._history = History(session.events, session.game)
        self._past: deque[Snapshot] = deque(maxlen=SNAPSHOTS_KEPT)
        self._begin_watching(watched, again=again)
        self._publish()

    # For everybody.

    @property
    def snapshot(self) -> Snapshot:
        """The table as it is."""
        return self._past[-1]

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have `wake` called, quickly and from any thread, whenever there is a new snapshot.

        What is returned ends that.
        """
        with self._lock:
            self._subscribers += (wake,)

        def end() -> None:
            with self._lock:
                self._subscribers = tuple(it for it in self._subscribers if it is not wake)

        return end

    def perform(self, action: Action, rev: int) -> Snapshot:
        """Do what a person who saw snapshot `rev` wants; the snapshot after it.

        Raises:
            Unfit: it no longer fits; nothing has changed.
            JournalError: it could not be recorded; the game must be resumed.
        """
        if isinstance(action, SetCoach) and action.on:
            # Solving a turn takes a moment, in which the loop should not wait for the lock.
            advisor_for(self.snapshot.game.rules)
        with self._recording():
            now = self.snapshot
            then = next((it for it in self._past if it.rev == rev), None)
            if then is None or then.number != now.number:
                raise Unfit("That was too long ago: look again.")
            action.check(then, now)
            try:
                action.do(_TableHands(self), now)
            except _REFUSED as error:
                raise Unfit(str(error)) from error
            return self._publish()

    def picture(self, game: int, seq: int) -> bytes | None:
        """The JPEG file on record of an event, None if it has none.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._lock:
            return self._journal.picture(game, seq)

    def view(self, number: int) -> View | None:
        """One of the latest settled views, None if it is gone."""
        return next((view for view in self._views if view.id == number), None)

    @property
    def camera(self) -> str | None:
        """The name by which what is watched has its calibration; None where it can have none."""
        source = self._watched.source
        if self._crew.profiles is None or not source.live or source.spec is None:
            return None
        return without_secret(source.spec)

    @property
    def profiles(self) -> ProfileStore | None:
        """Where calibrations are kept."""
        return self._crew.profiles

    def time_of_day(self) -> str:
        """As the record keeps it."""
        return self._crew.now()

    def look_anew(self) -> None:
        """Have the loop look at the tray anew: another calibration is kept for the camera."""
        self._anew = True

    def stop(self) -> None:
        """Let the loop end soon."""
        self._stopping.set()

    # The loop.

    def watch(self, until: Until) -> Iterator[Event]:
        """Watch the source, giving each event once it is recorded, whoever brought it about.

        Raises:
            JournalError: an event could not be recorded.
            SourceError, UnreadablePicture: the source failed, and nobody is there to choose
                another.
        """
        try:
            yield from self.told()
            while not self._stopping.is_set():
                self._step(until)
                if self._failure is not None:
                    raise self._failure
                yield from self.told()
                if until is Until.GAME_OVER and (self._session.game.over or self._ended_said):
                    return
        finally:
            self.previews.close()
            self._watched.source.close()

    def _step(self, until: Until) -> None:
        """Take one frame, or find that there is none."""
        if self._wanted is not None:
            self._switch(self._wanted)
        if self._anew:
            self._anew = False
            self._settler = self._crew.settler(self._watched.source)
            self._judge_of_picture = PictureJudge()
        if self._status.state is SourceState.TROUBLE:
            self._look_for_offers()
        if self._feed is None or self._feed.ended:
            self._end()
            self._stopping.wait(WAIT_S)
            return
        try:
            frame = self._feed.next(WAIT_S)
        except (SourceError, UnreadablePicture) as error:
            if until is Until.GAME_OVER:
                raise
            self._fail(str(error))
            return
        self._look_for_trouble()
        if frame is not None:
            self._take(frame)

    def _take(self, frame: Frame) -> None:
        if self._crew.recorder is not None:
            self._crew.recorder.frame(frame)
        self.latest = Latest(self.latest.number + 1 if self.latest else 1, frame)
        # The nets may take their time here: nobody waits for them.
        view = self._settler.push(frame)
        scene = getattr(self._settler, "scene", Scene.SETTLED)
        with self._recording():
            self._t = frame.t
            opening = self._status.state is SourceState.OPENING
            if opening:
                self._status = replace(self._status, state=SourceState.RUNNING)
            moved = _alerts_of(self._settler)
            for text in moved:
                self._book(self._session.note(self._t, AlertKind.CAMERA_MOVED.value, text))
            if view is None and self._untold and scene is Scene.SETTLED:
                # The settler gives nothing twice; what it gave last still lies there.
                view = replace(self._views[-1].view, t=frame.t)
            if view is not None:
                self._see(view)
            judged = self._judge(frame, scene)
            profile = getattr(self._settler, "profile", None)
            known = profile is not self._profile
            if view is not None or moved or opening or judged or known or scene is not self._scene:
                self._scene = scene
                self._profile = profile
                self._publish()

    def _judge(self, frame: Frame, scene: Scene) -> bool:
        """Judge the picture now and then, if anybody looks; whether that was done."""
        self._judge_of_picture.push(frame)
        if not self._subscribers or scene is not Scene.SETTLED:
            return False
        view = self._views[-1].view if self._views else None
        profile: Profile | None = getattr(self._settler, "profile", None)
        return self._judge_of_picture.judge(frame.t, view, profile)

    def _see(self, view: TrayView) -> None:
        self._untold = False
        number = self._views[-1].id + 1 if self._views else 1
        self._views = (*self._views, View(number, view))[-VIEWS_KEPT:]
        self._book(self._session.see(view))

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """The lock, for whoever puts something on record: after a failure nobody does any more.

        Raises:
            JournalError: what is done could not be recorded, or something before it.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            try:
                yield
            except JournalError as error:
                self._failure = error
                raise

    def _book(self, events: Sequence[Event]) -> None:
        """Events are on record now: tell them."""
        if events:
            self._outbox.extend(events)
            self._history = History(self._session.events, self._session.game)

    def told(self) -> Iterator[Event]:
        """The events on record that `watch` has not given yet; it is for the loop's thread."""
        while self._outbox:
            event = self._outbox.popleft()
            if self._crew.recorder is not None:
                self._crew.recorder.event(event)
            yield event

    def _look_for_trouble(self) -> None:
        """Say that pictures stopped coming as they should, and that they come again."""
        trouble = getattr(self._watched.source, "trouble", None)
        told = None if trouble is None else (str(trouble.kind), str(trouble.text))
        before = self._status.trouble
        if told == before:
            return
        with self._recording():
            was_lost = self._status.state is SourceState.TROUBLE
            is_lost = told is not None and told[0] != _SLOW
            coming = SourceState.RUNNING if self.latest else SourceState.OPENING
            state = SourceState.TROUBLE if is_lost else coming
            self._status = replace(self._status, state=state, trouble=told)
            if told is not None and is_lost and not was_lost:
                self._book(self._session.note(self._t, CAMERA_LOST, told[1]))
            elif was_lost and not is_lost:
                self._book(self._session.note(self._t, CAMERA_BACK, "The picture is back."))
            self._publish()

    def _look_for_offers(self) -> None:
        """A camera may have been plugged in; offers keep their ids, and none is withdrawn."""
        self._waits += 1
        if self._waits % LOOK_EVERY:
            return
        known = {offer.spec for offer in self._offers}
        new = [offer for offer in self._crew.offers() if offer.spec not in known]
        if new:
            numbered = enumerate(new, len(self._offers))
            with self._lock:
                self._offers += tuple(replace(offer, id=f"s{n}") for n, offer in numbered)
                self._publish()

    def _end(self) -> None:
        if self._ended_said or self._feed is None:
            return
        with self._recording():
            self._ended_said = True
            self._status = replace(self._status, state=SourceState.ENDED)
            self._book(self._session.ended(self._t))
            self._publish()

    def _fail(self, text: str) -> None:
        """The source broke off, but people are there: tell them, and wait for another."""
        with self._recording():
            self._watched.source.close()
            self._feed = None
            self._status = replace(self._status, state=SourceState.TROUBLE, trouble=("lost", text))
            self._book(self._session.note(self._t, CAMERA_LOST, text))
            self._publish()

    def _switch(self, offer: Offer) -> None:
        """Watch another source; opening it may take a while."""
        self._wanted = None
        self._watched.source.close()
        with self._lock:
            self._feed = None
            self._status = SourceStatus(offer.title, True, SourceState.OPENING, offer.id)
            self._publish()
        # It may be looked through; from now on it is ours.
        self.previews.close()
        try:
            watched = self._crew.open(offer)
        except (SourceError, UnreadablePicture) as error:
            with self._lock:
                self._status = replace(
                    self._status, state=SourceState.TROUBLE, trouble=("absent", str(error))
                )
                self._publish()
            return
        with self._lock:
            self._begin_watching(watched, again=False)
            self._publish()

    def _begin_watching(self, watched: Watched, *, again: bool) -> None:
        source = watched.source
        seen_to = self._session.latest_t
        if self.latest is not None:
            seen_to = max(self._t, seen_to or 0.0)
        live = source.live and not source.keeps_time
        timeline = Timeline(seen_to, again=again, live=live)
        self._watched = watched
        self._settler = self._crew.settler(source)
        self._judge_of_picture = PictureJudge()
        if hasattr(source, "next_frame"):
            self._feed = LiveFeed(source, timeline)
        else:
            self._feed = RecordedFeed(source, timeline, self._crew.pace)
        self._ended_said = False
        self._scene = None
        self._profile = None
        self._status = SourceStatus(watched.title, source.live, SourceState.OPENING, watched.offer)

    def _publish(self) -> Snapshot:
        """Make a snapshot of the table as it is now and tell everybody; call it with the lock."""
        session = self._session
        referee = session.referee
        view = self._views[-1] if self._views else None
        coming = self._status.state is SourceState.RUNNING
        frame = self.latest.frame.image if self.latest else None
        snapshot = Snapshot(
            rev=self._past[-1].rev + 1 if self._past else 1,
            number=session.number,
            started=session.started,
            history=self._history,
            pictured=session.pictured,
            source=self._status,
            offers=self._offers,
            scene=self._scene if coming else None,
            size=None if frame is None else (frame.shape[1], frame.shape[0]),
            view=view,
            dice=seen_dice(session.game, referee.dice, referee.table, view, self._names),
            questions=referee.questions,
            warned=referee.warned,
            coach=self._coach_on,
            quality=self._judge_of_picture.report,
            calibrates=self.camera is not None,
            profile=self._profile,
        )
        if self._past:
            # Pictures are large: the past is kept without them.
            self._past[-1] = replace(self._past[-1], view=None)
        self._past.append(snapshot)
        for wake in self._subscribers:
            wake()
        return snapshot


class _TableHands:
    """What actions may do to a table, whose lock is held."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def act(self, action: Callable[[Referee, float], tuple[Event, ...]]) -> None:
        table = self._table
        table._book(table._session.act(lambda referee: action(referee, table._t)))

    def begin(self, players: Sequence[str], rules: HouseRules) -> None:
        table = self._table
        untold = table._session.referee.left_untold
        table._session = Session.begin(
            table._journal,
            players,
            rules,
            started=table._crew.now(),
            source=table._watched.text,
        )
        table._coach_on = False
        table._names = DiceNames()
        table._untold = untold and not table._views[-1].view.hand
        table._book(table._session.events)
        if table._feed is None or table._feed.ended:
            # A film or an evening that is over begins anew with the game.
            here = table._status.offer
            table._wanted = next((it for it in table._offers if it.id == here), None)

    def choose(self, offer: str) -> None:
        table = self._table
        table._wanted = next(it for it in table._offers if it.id == offer)

    def coach(self, *, on: bool) -> None:
        table = self._table
        if on is table._coach_on:
            return
        kind, text = (COACH_ON, "The coach is on.") if on else (COACH_OFF, "The coach is off.")
        table._book(table._session.note(table._t, kind, text))
        table._coach_on = on


def _alerts_of(settler: Settles) -> list[str]:
    """What a settler that watches for a moved camera has to say now."""
    return settler.take_alerts() if isinstance(settler, Steadied) else []
