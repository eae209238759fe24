"""The table's loop: the same events as ever, trouble told, nobody waited for."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import pytest

from boxcars.actions import NewGame, Stand
from boxcars.commands.opening import open_reader
from boxcars.feeds import Pace
from boxcars.journal import FILE_NAME, Journal, JournalError, event_line
from boxcars.session import Session
from boxcars.snapshot import Offer, SourceState
from boxcars.table import VIEWS_KEPT, Crew, Table, Until, Watched
from boxcars.watching import Started
from samples import GAME
from scoring.events import Alert, Event, PlayerAdded
from scoring.rules import DEFAULT_RULES
from tests.boxcars.page.laid import LaidSettler, LaidSource, LaidTable, laid_table
from tests.boxcars.table import STARTED, Die, kinds, row, view
from tests.running import Played
from vision.live import Trouble, TroubleKind
from vision.records import Frame, TrayView
from vision.settle import Scene, settler_for
from vision.sources import Source, SourceError, open_source

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
UNPLUGGED = Trouble(TroubleKind.UNPLUGGED, "The camera was unplugged: plug it in again.")


def sample_table(journal: Journal, pace: Pace | None = None) -> Table:
    """The sample game, to be read by the real reader."""
    session = Session.begin(journal, ["Ann"], started=STARTED, source=str(GAME))
    source = Started(open_source(GAME), lambda: None)
    reader = open_reader()
    crew = Crew(
        open=lambda offer: Watched(source, "", ""),
        settler=lambda source: settler_for(source, reader),
        now=lambda: STARTED,
        pace=pace,
    )
    return Table(journal, session, Watched(source, "samples", str(GAME)), crew)


def test_the_sample_game_is_what_it_is_without_a_table(whole_game: Played, tmp_path: Path) -> None:
    with Journal(tmp_path / FILE_NAME) as journal:
        table = sample_table(journal)
        told = [*table.snapshot.history.events, *table.watch(Until.GAME_OVER)]
        assert [event_line(event) for event in told] == whole_game.ran.out.splitlines()
        assert tuple(told) == journal.events(1)
    assert table.snapshot.game.over
    assert table.snapshot.game.totals == {"Ann": 380}


def test_it_may_be_watched_as_fast_as_it_was_recorded(whole_game: Played, tmp_path: Path) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with Journal(tmp_path / FILE_NAME) as journal:
        table = sample_table(journal, Pace(lambda: now[0], sleep))
        events = list(table.watch(Until.GAME_OVER))
    assert now[0] == pytest.approx(events[-1].t)
    assert len(events) + 1 == len(whole_game.ran.out.splitlines())


def alerts(laid: LaidTable) -> list[tuple[str, str]]:
    events = laid.snapshot.history.events
    return [(event.kind, event.text) for event in events if isinstance(event, Alert)]


def test_a_camera_that_is_lost_is_told_once_and_the_game_waits(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        laid.source.trouble = UNPLUGGED
        laid.wait(lambda now: now.source.state is SourceState.TROUBLE)
        assert laid.snapshot.scene is None
        assert laid.snapshot.source.trouble == ("unplugged", UNPLUGGED.text)
        laid.source.trouble = Trouble(TroubleKind.ABSENT, "The camera is not there.")
        laid.wait(lambda now: now.source.trouble == ("absent", "The camera is not there."))
        assert alerts(laid) == [("camera-lost", UNPLUGGED.text)]
        laid.source.trouble = None
        laid.wait(lambda now: now.source.state is SourceState.RUNNING)
        laid.lay(ROLL[:9])
        assert laid.snapshot.game.picked_up == (8,)
        assert [kind for kind, _ in alerts(laid)] == ["camera-lost", "camera-back"]
        assert laid.journal.events(1) == laid.snapshot.history.events


def test_a_slow_camera_is_advice_and_not_on_record(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        laid.source.trouble = Trouble(TroubleKind.SLOW, "The camera gives 4 pictures a second.")
        laid.wait(lambda now: now.source.trouble is not None)
        assert laid.snapshot.source.state is SourceState.RUNNING
        laid.source.trouble = None
        laid.wait(lambda now: now.source.trouble is None)
        assert alerts(laid) == []


@pytest.mark.parametrize("kind", [TroubleKind.BLACK, TroubleKind.SILENT, TroubleKind.FROZEN])
def test_a_camera_that_comes_back_slow_is_back(tmp_path: Path, kind: TroubleKind) -> None:
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        laid.source.trouble = Trouble(kind, "No picture.")
        laid.wait(lambda now: now.source.state is SourceState.TROUBLE)
        laid.source.trouble = Trouble(TroubleKind.SLOW, "4 pictures a second.")
        now = laid.wait(lambda now: now.source.trouble == ("slow", "4 pictures a second."))
        assert now.source.state is SourceState.RUNNING
        assert laid.lay(ROLL[:9]).scene is Scene.SETTLED
        laid.source.trouble = None
        laid.wait(lambda now: now.source.trouble is None)
        assert [kind for kind, _ in alerts(laid)] == ["camera-lost", "camera-back"]


def test_a_camera_that_is_slow_first_and_then_lost_is_told(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        laid.source.trouble = Trouble(TroubleKind.SLOW, "The camera gives 4 pictures a second.")
        laid.wait(lambda now: now.source.trouble is not None)
        laid.source.trouble = UNPLUGGED
        laid.wait(lambda now: now.source.state is SourceState.TROUBLE)
        assert alerts(laid) == [("camera-lost", UNPLUGGED.text)]


def test_a_source_that_breaks_off_is_told_and_people_may_go_on(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        laid.source.failure = SourceError("The film is damaged.")
        laid.wait(lambda now: now.source.state is SourceState.TROUBLE)
        assert alerts(laid) == [("camera-lost", "The film is damaged.")]
        assert laid.act("stand").status_code == 200


def test_with_nobody_there_it_is_an_error(tmp_path: Path) -> None:
    class Broken(Source):
        description = "broken"

        def __iter__(self) -> Iterator[Frame]:
            yield from map(_break_off, range(1))

        def close(self) -> None:
            """Nothing is open."""

    with Journal(tmp_path / FILE_NAME) as journal:
        session = Session.begin(journal, ["Ann"], started=STARTED, source="broken")
        reader = open_reader()
        crew = Crew(
            open=lambda offer: Watched(Broken(), "", ""),
            settler=lambda source: settler_for(source, reader),
            now=lambda: STARTED,
        )
        table = Table(journal, session, Watched(Broken(), "broken", "broken"), crew)
        with pytest.raises(SourceError, match="damaged"):
            list(table.watch(Until.GAME_OVER))


def _break_off(number: int) -> Frame:
    raise SourceError(f"The film is damaged at frame {number}.")


def test_a_camera_that_is_plugged_in_later_is_offered(tmp_path: Path) -> None:
    with laid_table(tmp_path, offers=[Offer("s0", "laid dice", "laid dice")]) as laid:
        laid.lay(ROLL)
        laid.more.extend([Offer("s0", "laid dice", "laid dice"), Offer("s1", "New", "new")])
        laid.source.trouble = UNPLUGGED
        laid.wait(lambda now: len(now.offers) == 2)
        assert [(it.id, it.spec) for it in laid.snapshot.offers] == [
            ("s0", "laid dice"),
            ("s1", "new"),
        ]
        laid.act("source", id="s1")
        laid.wait(lambda now: "s1" in laid.opened)


def test_a_new_game_begins_an_ended_source_anew(tmp_path: Path) -> None:
    offers = [Offer("s0", "laid dice", "laid dice"), Offer("s1", "Evening", "evening")]
    with laid_table(tmp_path, offers=offers) as laid:
        laid.act("source", id="s1")
        laid.wait(lambda now: "s1" in laid.opened)
        evening = laid.opened["s1"]
        evening.lay(ROLL)
        laid.wait(lambda now: bool(now.game.turns))
        evening.ended = True
        ended = laid.wait(lambda now: now.source.state is SourceState.ENDED)
        assert ended.scene is None
        assert [kind for kind, _ in alerts(laid)] == ["source-ended"]
        assert laid.act("set-face", die=ended.dice[0].id, face=9).status_code == 200
        laid.act("new-game", players=["Ann"])
        laid.wait(lambda now: laid.opened["s1"] is not evening)
        laid.opened["s1"].lay(ROLL)
        now = laid.wait(lambda now: bool(now.game.turns))
        assert (now.number, now.source.offer) == (2, "s1")
        assert now.source.state is SourceState.RUNNING


class Quiet(LaidSettler):
    """A settler that gives a view only where something differs from the one before."""

    def __init__(self, source: LaidSource) -> None:
        super().__init__(source)
        self._before: list[Die] | None = None

    def push(self, frame: Frame) -> TrayView | None:  # type: ignore[override]
        seen = super().push(frame)
        before, self._before = self._before, self._source.trays[int(frame.t)]
        return seen if self._before != before else None


def finished(journal: Journal) -> tuple[Table, LaidSource]:
    """A table whose settler is quiet, after a game that ended with `ROLL` in the tray."""
    table, source = laid_still(journal)
    table._settler = Quiet(source)
    while not table.snapshot.game.over:
        show(table, source, [])
        show(table, source, ROLL)
        table.perform(Stand(), table.snapshot.rev)
    return table, source


def show(table: Table, source: LaidSource, dice: list[Die]) -> list[str]:
    """Let the loop take a picture of these dice; what is on record then but for the players."""
    source.lay(dice)
    table._step(Until.STOPPED)
    return kinds(it for it in table.snapshot.history.events if not isinstance(it, PlayerAdded))


def begin_anew(table: Table) -> None:
    table.perform(NewGame(("Cid",), DEFAULT_RULES), table.snapshot.rev)


def test_dice_thrown_before_a_new_game_is_begun_are_its_first_roll(tmp_path: Path) -> None:
    thrown = row([9, 9, 9, 9, 1, 1, 1, 1, 2, 2], y=500.0)
    with Journal(tmp_path / FILE_NAME) as journal:
        table, source = finished(journal)
        show(table, source, thrown)
        begin_anew(table)
        assert show(table, source, thrown) == ["roll"]
        assert show(table, source, thrown) == ["roll"]
        assert show(table, source, thrown[:9]) == ["roll", "pickup"]
        times = [event.t for event in journal.events(2)]
        assert times == sorted(times)


def test_they_are_not_told_while_something_moves_nor_once_they_are_gone(tmp_path: Path) -> None:
    thrown = row([9, 9, 9, 9, 1, 1, 1, 1, 2, 2], y=500.0)
    with Journal(tmp_path / FILE_NAME) as journal:
        table, source = finished(journal)
        show(table, source, thrown)
        begin_anew(table)
        table._settler.scene = Scene.MOVING  # type: ignore[attr-defined]
        assert show(table, source, thrown) == []
        table._settler.scene = Scene.SETTLED  # type: ignore[attr-defined]
        assert show(table, source, []) == []
        assert show(table, source, ROLL) == ["roll"]


def test_the_dice_of_the_game_before_are_not_the_first_roll(tmp_path: Path) -> None:
    with Journal(tmp_path / FILE_NAME) as journal:
        table, source = finished(journal)
        nudged = [die.moved(0.5) for die in ROLL[:3]] + ROLL[3:]
        show(table, source, nudged)
        begin_anew(table)
        assert show(table, source, nudged) == []
        begin_anew(table)  # nor those of a game that is given up
        assert show(table, source, nudged) == []


def test_pictures_of_long_ago_are_let_go(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        images = []
        for _ in range(4 * VIEWS_KEPT):
            view = laid.lay(ROLL).view
            assert view is not None
            images.append(weakref.ref(view.view.picture.image))
            del view
        alive = sum(image() is not None for image in images)
    # Besides the views at hand: the newest frame, those of the picture's judge and the session.
    assert alive <= VIEWS_KEPT + 4


class Kept:
    """A recorder that remembers the order of what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def frame(self, frame: Frame) -> None:
        self.given.append(f"frame {frame.t:.0f}")

    def event(self, event: Event) -> None:
        self.given.append(event.KIND)


def test_a_recorder_gets_every_frame_and_each_event_after_its_frame(tmp_path: Path) -> None:
    kept = Kept()
    with laid_table(tmp_path, recorder=kept) as laid:
        laid.lay(ROLL)
        laid.lay(ROLL[:9])
        laid.wait(lambda now: len(kept.given) >= 4)
    assert kept.given == ["frame 0", "roll", "frame 1", "pickup"]


def test_snapshots_grow_and_never_change(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        first = laid.lay(ROLL)
        events = first.history.events
        laid.lay(ROLL[:9])
        assert laid.snapshot.rev > first.rev
        assert first.history.events == events
        assert first.game.phase == "reroll-8"
        assert not first.game.picked_up


def test_a_subscriber_hears_of_every_snapshot_until_it_leaves(tmp_path: Path) -> None:
    with laid_table(tmp_path) as laid:
        revs: list[int] = []
        end = laid.table.subscribe(lambda: revs.append(laid.snapshot.rev))
        laid.lay(ROLL)
        laid.act("stand")
        end()
        heard = list(revs)
        laid.lay([])
        assert revs == heard == sorted(set(heard))
        assert len(heard) >= 2


def test_actions_do_not_wait_for_the_nets(tmp_path: Path) -> None:
    """A frame that takes long to read holds no action up."""
    with laid_table(tmp_path) as laid:
        laid.lay(ROLL)
        reading, go_on = threading.Event(), threading.Event()
        slow_down(laid, reading, go_on)
        laid.source.lay(ROLL[:9])
        assert reading.wait(60)
        start = perf_counter()
        assert laid.act("stand").status_code == 200
        assert not go_on.is_set()
        assert perf_counter() - start < 30
        go_on.set()


def laid_still(journal: Journal) -> tuple[Table, LaidSource]:
    """A table whose loop takes a step when the test says so."""
    session = Session.begin(journal, ["Ann", "Bob"], started=STARTED, source="laid dice")
    source = LaidSource()
    crew = Crew(
        open=lambda offer: Watched(source, "", ""),
        settler=lambda _: LaidSettler(source),
        now=lambda: STARTED,
    )
    return Table(journal, session, Watched(source, "laid dice", "laid dice"), crew), source


def fail_once(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next thing cannot be written; what is written after it could be."""
    append = journal.append

    def fail(*arguments: object) -> None:
        monkeypatch.setattr(journal, "append", append)
        raise JournalError("Another program is writing the record.")

    monkeypatch.setattr(journal, "append", fail)


def test_nobody_acts_once_the_loop_could_not_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path / FILE_NAME) as journal:
        table, source = laid_still(journal)
        recorded = journal.events(1)
        fail_once(journal, monkeypatch)
        source.lay(ROLL)
        with pytest.raises(JournalError, match="Another program"):
            list(table.watch(Until.STOPPED))
        # The page is still there while the program ends.
        for action in (Stand(), NewGame(("Cid",), DEFAULT_RULES)):
            with pytest.raises(JournalError, match="Another program"):
                table.perform(action, table.snapshot.rev)
        assert table.snapshot.history.events == journal.events(1) == recorded
        assert len(journal.games()) == 1
        assert Session.resume(journal, 1).see(view(ROLL))


def test_the_loop_sees_nothing_once_an_action_could_not_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path / FILE_NAME) as journal:
        table, source = laid_still(journal)
        source.lay(ROLL)
        table._step(Until.STOPPED)
        recorded = journal.events(1)

        class ActedMeanwhile(LaidSettler):
            def push(self, frame: Frame) -> TrayView:
                fail_once(journal, monkeypatch)
                with pytest.raises(JournalError):
                    table.perform(Stand(), table.snapshot.rev)
                return super().push(frame)

        table._settler = ActedMeanwhile(source)
        source.lay(ROLL[:9])
        with pytest.raises(JournalError, match="Another program"):
            table._step(Until.STOPPED)
        assert table.snapshot.history.events == journal.events(1) == recorded
        assert Session.resume(journal, 1).act(lambda referee: referee.stand(3.0))


def slow_down(laid: LaidTable, reading: threading.Event, go_on: threading.Event) -> None:
    settler = laid.table._settler
    push: Callable[[Frame], object] = settler.push

    class Slow:
        scene = laid.snapshot.scene

        def push(self, frame: Frame) -> object:
            reading.set()
            assert go_on.wait(60)
            return push(frame)

    laid.table._settler = Slow()  # type: ignore[assignment]
