"""Tests of a session: events are recorded before they are told, and a game goes on after a stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boxcars.journal import Journal, JournalError, NoSuchGame, event_line
from boxcars.referee import NoPlayers
from boxcars.session import Session, jpeg
from scoring.events import Alert, Event, PlayerAdded
from scoring.game import WrongMoment
from scoring.rules import HouseRules, Verdict
from tests.boxcars.table import STARTED, Die, random_game, row, view
from vision.pictures import decode_picture
from vision.records import Frame, Image, TrayView

PLAYERS = ["Ann", "Bob"]
ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


@dataclass
class Recording:
    """Views as a source that is its own settler; every frame has a picture of its own."""

    dice: list[list[Die]]
    live: bool = False
    start: float = 0.0
    passed_over: int = 0

    def __iter__(self) -> Iterator[Frame]:
        for n in range(len(self.dice)):
            self.passed_over += 1
            yield Frame(self.start + n, picture(n), f"{n}.jpg")

    def push(self, frame: Frame) -> TrayView:
        self.passed_over -= 1
        number = int(frame.image[0, 0, 0])
        seen = view(self.dice[number], frame.t)
        return TrayView(frame.t, seen.readings, seen.settled, seen.hand, frame)


def picture(number: int) -> Image:
    return np.full((8, 8, 3), number, np.uint8)


def as_bytes(image: Image) -> bytes:
    return bytes([image[0, 0, 0]])


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "games.db") as journal:
        yield journal


def begin(journal: Journal, rules: HouseRules | None = None) -> Session:
    return Session.begin(
        journal,
        PLAYERS,
        rules or HouseRules(),
        started=STARTED,
        source="views",
        encode=as_bytes,
    )


def resume(journal: Journal, number: int = 1) -> Session:
    return Session.resume(journal, number, encode=as_bytes)


def test_players_are_the_first_on_record(journal: Journal) -> None:
    session = begin(journal)
    assert [event.player for event in session.events if isinstance(event, PlayerAdded)] == PLAYERS
    assert journal.events(session.number) == session.events
    assert journal.find(session.number).source == "views"


def test_every_event_is_on_record_when_it_is_told(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording(random_game(1, 2))
    told = list(session.events)
    for event in session.play(recording, recording):
        told.append(event)
        recorded = journal.events(session.number)
        assert recorded[: len(told)] == tuple(told)
    assert tuple(told) == session.events == journal.events(session.number)
    assert session.game.over
    assert journal.game(session.number) == session.game


def test_a_game_that_is_over_needs_no_more_pictures(journal: Journal) -> None:
    recording = Recording([*random_game(1, 2), *[ROLL] * 50])
    list(begin(journal).play(recording, recording))
    assert recording.passed_over == 0


def test_a_source_that_ends_first_says_so(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording([ROLL, ROLL[2:]])
    *_, last = session.play(recording, recording)
    assert isinstance(last, Alert)
    assert (last.kind, last.t) == ("source-ended", 1.0)
    assert journal.events(session.number)[-1] == last


def test_each_roll_and_pick_up_has_the_picture_it_was_read_from(journal: Journal) -> None:
    session = begin(journal)
    thrown = [*ROLL[2:], Die(9, 100.0, 600.0), Die(9, 200.0, 600.0)]
    recording = Recording([ROLL, ROLL[2:], thrown, []])
    events = dict(enumerate(list(session.events) + list(session.play(recording, recording))))
    pictures = {seq: journal.picture(session.number, seq) for seq in events}
    assert {events[seq].KIND: found for seq, found in pictures.items() if found} == {
        "roll": b"\0",
        "pickup": b"\1",
        "reroll": b"\2",
    }


def test_a_throw_told_late_has_the_picture_of_the_throw(journal: Journal) -> None:
    session = begin(journal)
    thrown = [*ROLL[2:], Die(9, 100.0, 600.0), Die(9, 200.0, 600.0)]
    doubtful = [*thrown[:9], thrown[9].doubted()]
    recording = Recording([ROLL, doubtful, thrown[5:]])
    events = list(session.events) + list(session.play(recording, recording))
    (seq,) = [seq for seq, event in enumerate(events) if event.KIND == "reroll"]
    assert journal.picture(session.number, seq) == b"\1"


def test_how_the_dice_lay_is_on_record(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording([ROLL, ROLL[2:]])
    list(session.play(recording, recording))
    evidence = journal.evidence(session.number)
    assert [len(dice) for dice in evidence.values()] == [10, 8]


def test_what_people_do_is_recorded_too(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording([ROLL])
    list(session.play(recording, recording))
    told = session.act(lambda referee: referee.stand(2.0))
    assert [event.KIND for event in told] == ["stand", "score"]
    assert journal.events(session.number) == session.events


def test_what_nobody_may_do_is_not(journal: Journal) -> None:
    session = begin(journal)
    with pytest.raises(WrongMoment):
        session.act(lambda referee: referee.stand(2.0))
    assert journal.events(session.number) == session.events


@pytest.mark.parametrize("seed", [1, 2])
def test_stopped_after_any_event_the_game_goes_on_alike(journal: Journal, seed: int) -> None:
    dice = random_game(seed, 2)
    whole = begin(journal)
    recording = Recording(dice)
    list(whole.play(recording, recording))
    lines = [event_line(event) for event in whole.events]

    session = begin(journal)
    stops = 0
    while not session.game.over:
        recording = Recording(dice)
        for _ in session.play(recording, recording, again=True):
            stops += 1
            break  # whatever it knew but for the record is lost
        session = resume(journal, session.number)
    assert list(journal.lines(session.number)) == lines
    assert stops > 50


def test_house_rules_hold_after_a_stop(journal: Journal) -> None:
    begin(journal, HouseRules(way_car_must_stay=True))
    assert resume(journal).game.rules.way_car_must_stay


def test_another_source_goes_on_from_the_latest_event(journal: Journal) -> None:
    first = Recording([ROLL, ROLL[2:]])
    list(begin(journal).play(first, first))
    second = Recording([ROLL[2:], [*ROLL[2:], Die(9, 100.0, 600.0), Die(9, 200.0, 600.0)]])
    reroll, _ = resume(journal).play(second, second)
    assert (reroll.KIND, reroll.t) == ("reroll", 2.0)
    assert second.passed_over == 0


def test_so_does_a_live_one_even_if_it_is_the_same(journal: Journal) -> None:
    first = Recording([ROLL, ROLL[2:]], live=True, start=100.0)
    list(begin(journal).play(first, first))
    second = Recording([ROLL[2:], []], live=True, start=0.5)
    told = list(resume(journal).play(second, second, again=True))
    assert [(event.KIND, event.t) for event in told] == [
        ("stand", 102.5),
        ("score", 102.5),
        ("alert", 102.5),
    ]


def test_the_first_view_of_a_game_begun_but_not_seen_is_not_passed_over(journal: Journal) -> None:
    begin(journal)
    recording = Recording([ROLL])
    first, _ = resume(journal).play(recording, recording, again=True)
    assert (first.KIND, first.t) == ("roll", 0.0)


def test_there_must_be_such_a_game(journal: Journal) -> None:
    with pytest.raises(NoSuchGame):
        resume(journal, 3)


def test_and_somebody_who_plays_it(journal: Journal) -> None:
    with pytest.raises(NoPlayers):
        Session.begin(journal, [], started=STARTED, source="views")
    with pytest.raises(WrongMoment, match="another name"):
        Session.begin(journal, ["Ann", "Ann"], started=STARTED, source="views")
    assert journal.games() == ()


def test_an_event_that_cannot_be_recorded_is_not_told(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording(random_game(1, 2))
    told: list[Event] = list(session.events)
    events = session.play(recording, recording)
    told += [next(events) for _ in range(5)]
    journal._db.execute("PRAGMA max_page_count = 1")  # the disk is full from now on
    with pytest.raises(JournalError, match="The disk is full"):
        told += events
    assert journal.events(session.number) == tuple(told)


class FailsOnce:
    """A journal that fails to write once, and would not again."""

    def __init__(self, journal: Journal) -> None:
        self._append = journal.append
        self.error = JournalError("Another program is writing the record.")
        self.failed = False

    def append(self, *arguments: Any) -> None:
        if not self.failed:
            self.failed = True
            raise self.error
        self._append(*arguments)


DO: dict[str, Callable[[Session], object]] = {
    "see": lambda session: session.see(view(ROLL, 3.0)),
    "act": lambda session: session.act(lambda referee: referee.stand(3.0)),
    "note": lambda session: session.note(3.0, "camera-lost", "The camera was unplugged."),
    "ended": lambda session: session.ended(3.0),
}


@pytest.mark.parametrize("then", DO.values(), ids=DO)
@pytest.mark.parametrize("first", DO.values(), ids=DO)
def test_nothing_is_recorded_after_what_could_not_be(
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    first: Callable[[Session], object],
    then: Callable[[Session], object],
) -> None:
    session = begin(journal)
    session.see(view(ROLL, 1.0))
    session.see(view(ROLL[:9], 2.0))
    recorded = session.events
    fails = FailsOnce(journal)
    monkeypatch.setattr(journal, "append", fails.append)
    with pytest.raises(JournalError):
        first(session)
    known = session.events
    with pytest.raises(JournalError) as caught:
        then(session)
    assert caught.value is fails.error
    assert session.events == known
    assert journal.events(session.number) == recorded
    assert resume(journal).events == recorded
    assert resume(journal).note(4.0, "camera-back", "The picture is back.")


def test_nor_after_ctrl_c_while_something_was_recorded(journal: Journal) -> None:
    def interrupted(image: Image) -> bytes:
        raise KeyboardInterrupt

    session = Session.begin(journal, PLAYERS, started=STARTED, source="views", encode=interrupted)
    recorded = session.events
    with pytest.raises(KeyboardInterrupt):
        session.see(view(ROLL))
    for _ in range(2):
        with pytest.raises(JournalError, match="--resume"):
            session.act(lambda referee: referee.stand(1.0))
    assert journal.events(session.number) == recorded
    assert resume(journal).see(view(ROLL))


def test_a_picture_is_kept_as_jpeg() -> None:
    image = np.zeros((40, 60, 3), np.uint8)
    image[:, 30:] = (200, 100, 50)
    again = decode_picture(jpeg(image))
    assert again.shape == image.shape
    assert np.abs(again.astype(int) - image).mean() < 4


def test_a_verdict_is_the_same_from_the_record(journal: Journal) -> None:
    session = begin(journal)
    recording = Recording([ROLL, ROLL[2:]])
    list(session.play(recording, recording))
    assert resume(journal).game.verdict is Verdict.ILLEGAL
