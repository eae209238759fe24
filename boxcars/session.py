"""A game being played: pictures come in, events are recorded and then told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from boxcars.feeds import Timeline
from boxcars.journal import Journal, JournalError
from boxcars.referee import Referee
from scoring.cars import DICE
from scoring.events import Event, PickedUp, PlayerAdded, Rerolled, Rolled
from scoring.game import Game
from scoring.rules import DEFAULT_RULES, HouseRules
from vision.records import Frame, Image, TrayView

JPEG_QUALITY = 90
"""Of the pictures kept, 0-100. Lowering it saves disk and blurs what a dispute is about."""


class Frames(Protocol):
    """Where pictures come from; `live` if time goes on by itself there."""

    @property
    def live(self) -> bool: ...

    def __iter__(self) -> Iterator[Frame]: ...


class Settles(Protocol):
    """Finds the settled views among frames that come in the order of their times."""

    def push(self, frame: Frame) -> TrayView | None: ...


def jpeg(image: Image, quality: int = JPEG_QUALITY) -> bytes:
    """A picture as a JPEG file; `quality` is 0-100."""
    import cv2  # only here: whoever reads or tests the record needs no computer vision

    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return data.tobytes()


class Session:
    """One game, its referee and its place in the record.

    Every method that gives events has them on disk before: `JournalError` instead of the
    events means that they did not happen, and the session must be resumed from the record. Until
    then each of these methods raises it again, so that nothing is recorded after a gap.
    """

    def __init__(
        self,
        journal: Journal,
        number: int,
        referee: Referee,
        encode: Callable[[Image], bytes] = jpeg,
    ) -> None:
        self.number = number
        """The game's number in the record."""
        self.referee = referee
        self._journal = journal
        self._encode = encode
        recorded = journal.find(number)
        self.started = recorded.started
        """The time of day it was begun at, as ISO 8601 text."""
        self.pictured = frozenset(journal.pictured(number))
        """The numbers of the events that have a picture on record."""
        self._recorded = recorded.events
        self._ten: Image | None = None
        """The picture of the latest view of ten dice."""
        self._failure: JournalError | None = None

    @classmethod
    def begin(
        cls,
        journal: Journal,
        players: Sequence[str],
        rules: HouseRules = DEFAULT_RULES,
        *,
        started: str,
        source: str,
        encode: Callable[[Image], bytes] = jpeg,
    ) -> Session:
        """Begin a new game; `started` is the time of day as ISO 8601 text.

        Raises:
            NoPlayers: there is no player.
            WrongMoment, WrongEvent: two players have one name, or one has none.
            JournalError: it could not be recorded.
        """
        referee = Referee(players, rules)
        # In one go: a game without its players could not be gone on with.
        return cls(journal, journal.begin(started, source, rules, referee.events), referee, encode)

    @classmethod
    def resume(
        cls, journal: Journal, number: int, encode: Callable[[Image], bytes] = jpeg
    ) -> Session:
        """Go on with a recorded game, from its latest event.

        Raises:
            NoSuchGame: there is none of that number.
            NoPlayers: nobody plays it.
            JournalError: it cannot be read.
        """
        rules = journal.find(number).rules
        referee = Referee(
            rules=rules, events=journal.events(number), evidence=journal.evidence(number)
        )
        return cls(journal, number, referee, encode)

    @property
    def game(self) -> Game:
        """Where the game stands."""
        return self.referee.game

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything recorded so far."""
        return tuple(self.referee.events)

    @property
    def latest_t(self) -> float | None:
        """Source time of the latest event, in seconds; None before anything was seen."""
        times = [event.t for event in self.referee.events if not isinstance(event, PlayerAdded)]
        return max(times, default=None)

    def see(self, view: TrayView) -> tuple[Event, ...]:
        """Referee one view and record what it tells.

        Raises:
            JournalError: it could not be recorded.
        """
        self._expect_whole_record()
        if view.settled and len(view.readings) >= DICE:
            self._ten = view.picture.image
        return self._record(self.referee.see(view), view.picture.image)

    def act(self, action: Callable[[Referee], tuple[Event, ...]]) -> tuple[Event, ...]:
        """Let somebody at the table act, e.g. `session.act(lambda r: r.stand(t))`.

        Raises:
            JournalError: it could not be recorded.
            Whatever the referee's method raises; then nothing has changed.
        """
        self._expect_whole_record()
        return self._record(action(self.referee), self._ten)

    def note(self, t: float, kind: str, text: str) -> tuple[Event, ...]:
        """Put an alert on record that is not about the dice, e.g. that the camera is gone.

        Raises:
            JournalError: it could not be recorded.
        """
        self._expect_whole_record()
        return self._record(self.referee.note(t, kind, text), None)

    def ended(self, t: float) -> tuple[Event, ...]:
        """The source ended: say so if the game is not over.

        Raises:
            JournalError: it could not be recorded.
        """
        self._expect_whole_record()
        return self._record(self.referee.ended(t), None)

    def play(self, source: Frames, settler: Settles, *, again: bool = False) -> Iterator[Event]:
        """Watch a source until it or the game ends, giving each event once it is recorded.

        A game that was resumed goes on after its latest event: with `again` the source is the
        recorded one from its start, and what was seen of it is passed over; otherwise its time
        is counted on from there.

        Raises:
            JournalError: an event could not be recorded.
            SourceError, UnreadablePicture: the source failed.
        """
        timeline = Timeline(self.latest_t, again=again, live=source.live)
        t = timeline.start
        for raw in source:
            frame = timeline.place(raw)
            if frame is None:
                continue
            t = frame.t
            view = settler.push(frame)
            if view is not None:
                yield from self.see(view)
            if self.game.over:
                return
        yield from self.ended(t)

    def _expect_whole_record(self) -> None:
        """The referee is asked only while the record holds all that it knows."""
        if self._failure is None and len(self.referee.events) != self._recorded:
            # Ctrl-C came between, and whoever was to write what happened never did.
            self._failure = JournalError(
                "The game was stopped before its latest event was recorded: go on with "
                "`boxcars play --resume`; everything before it is kept."
            )
        if self._failure is not None:
            raise self._failure

    def _record(self, events: Sequence[Event], image: Image | None) -> tuple[Event, ...]:
        """Write events down, with the pictures they were read from."""
        if not events:
            return ()
        first = self._recorded
        numbers = range(first, first + len(events))
        evidence = self.referee.evidence
        pictures = {}
        for number, event in zip(numbers, events, strict=True):
            # A throw is read from the ten dice, even if it was told only after they had moved.
            ten = isinstance(event, Rolled | Rerolled)
            picture = self._ten if ten and self._ten is not None else image
            if picture is not None and isinstance(event, Rolled | Rerolled | PickedUp):
                pictures[number] = self._encode(picture)
        dice = {number: evidence[number] for number in numbers if number in evidence}
        try:
            self._journal.append(self.number, first, events, dice, pictures)
        except JournalError as error:
            self._failure = error
            raise
        self.pictured = self.pictured.union(pictures)
        self._recorded += len(events)
        return tuple(events)
