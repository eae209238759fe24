"""Tests of the record: what is written is what is read, and damage is said and left alone."""

from __future__ import annotations

import functools
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxcars.journal import (
    APPLICATION_ID,
    DATA_VARIABLE,
    SCHEMA,
    Journal,
    JournalError,
    NoSuchGame,
    default_path,
    event_line,
)
from boxcars.lying import faces_of, lying
from boxcars.referee import Referee
from scoring.events import Event, Rolled
from scoring.phases import Phase
from scoring.rules import DEFAULT_RULES, HouseRules
from tests.boxcars.table import STARTED, random_game, row, view

PICTURE = bytes(range(256)) * 40


@functools.cache
def played(seed: int = 1) -> Referee:
    referee = Referee(["Ann", "Bøb 🚂"])
    for t, dice in enumerate(random_game(seed, 2)):
        referee.see(view(dice, float(t)))
    return referee


def record(
    journal: Journal, referee: Referee, *, picture: bytes = PICTURE, at_once: int = 1000
) -> int:
    """Record a game, so many events at once."""
    game = journal.begin(STARTED, "pictures", referee.game.rules)
    events, evidence = referee.events, referee.evidence
    for seq in range(0, len(events), at_once):
        journal.append(
            game,
            seq,
            events[seq : seq + at_once],
            {n: evidence[n] for n in range(seq, seq + at_once) if n in evidence},
            {n: picture for n in range(seq, seq + at_once) if n in evidence},
        )
    return game


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "games.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal(path) as journal:
        yield journal


def assert_sentence(error: pytest.ExceptionInfo[JournalError], path: Path) -> None:
    """The message is one sentence that names the file."""
    text = str(error.value)
    assert str(path) in text
    assert text.endswith(".")
    assert "\n" not in text
    assert ". " not in text


class TestWhatIsWritten:
    def test_is_read_again(self, journal: Journal) -> None:
        referee = played()
        game = record(journal, referee)
        assert journal.events(game) == tuple(referee.events)
        assert list(journal.lines(game)) == [event_line(event) for event in referee.events]
        assert journal.game(game) == referee.game

    def test_after_closing_too(self, path: Path) -> None:
        referee = played()
        with Journal(path) as journal:
            game = record(journal, referee)
        with Journal(path) as journal:
            assert journal.events(game) == tuple(referee.events)
        assert not path.with_name("games.db-wal").exists()

    def test_by_another_at_once(self, journal: Journal, path: Path) -> None:
        game = journal.begin(STARTED, "pictures", DEFAULT_RULES)
        with Journal(path) as other:
            assert other.events(game) == ()
            journal.append(game, 0, played().events[:2])
            assert len(other.events(game)) == 2

    def test_is_on_the_disk_before_the_call_returns(self, journal: Journal, path: Path) -> None:
        """A copy of the files at that moment has it all."""
        game = record(journal, played())
        copy = path.parent.parent / "copy"
        shutil.copytree(path.parent, copy)
        with Journal(copy / path.name) as other:
            assert list(other.lines(game)) == list(journal.lines(game))

    def test_with_how_the_dice_lay_and_their_pictures(self, journal: Journal) -> None:
        referee = played()
        game = record(journal, referee)
        evidence = journal.evidence(game)
        assert evidence.keys() == referee.evidence.keys()
        for seq, dice in evidence.items():
            assert faces_of(dice) == faces_of(referee.evidence[seq])
        assert journal.pictured(game) == tuple(sorted(evidence))
        assert journal.picture(game, min(evidence)) == PICTURE
        assert journal.picture(game, 0) is None

    def test_all_of_it_or_none(self, journal: Journal) -> None:
        events = played().events[:4]
        game = journal.begin(STARTED, "pictures", DEFAULT_RULES)
        journal.append(game, 0, events[:2])
        with pytest.raises(JournalError, match="Another Boxcars is recording"):
            journal.append(game, 1, events[1:4])
        assert journal.events(game) == tuple(events[:2])

    def test_with_durable_settings(self, journal: Journal, path: Path) -> None:
        other = sqlite3.connect(path)
        try:
            assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        finally:
            other.close()
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


class TestGames:
    def test_are_listed_in_the_order_they_began(self, journal: Journal) -> None:
        rules = HouseRules(way_car_must_stay=True)
        first = record(journal, played())
        second = journal.begin(STARTED, "camera 1", rules)
        games = journal.games()
        assert [game.id for game in games] == [first, second]
        assert [game.events for game in games] == [len(played().events), 0]
        assert (games[1].started, games[1].source, games[1].rules) == (STARTED, "camera 1", rules)
        assert journal.find(second) == games[1]

    def test_the_unfinished_one_begun_last_is_found(self, journal: Journal) -> None:
        assert journal.latest_unfinished() is None
        record(journal, played())
        assert journal.latest_unfinished() is None
        first, second = (journal.begin(STARTED, "pictures", DEFAULT_RULES) for _ in range(2))
        record(journal, played(2))
        assert (recorded := journal.latest_unfinished()) is not None
        assert first < recorded.id == second

    def test_one_that_is_not_there(self, journal: Journal) -> None:
        with pytest.raises(NoSuchGame, match="There is no game 7"):
            journal.find(7)
        with pytest.raises(NoSuchGame):
            journal.game(7)

    @pytest.mark.parametrize("number", [0, -1, 2**63 - 1, 2**63, -(2**63), 10**30])
    def test_nor_is_one_of_a_number_that_no_game_can_have(
        self, journal: Journal, number: int
    ) -> None:
        record(journal, played())
        with pytest.raises(NoSuchGame, match=f"There is no game {number}"):
            journal.find(number)

    def test_a_house_rule_of_another_version_is_no_obstacle(
        self, journal: Journal, path: Path
    ) -> None:
        game = journal.begin(STARTED, "pictures", HouseRules(way_car_must_stay=True))
        change(path, 'UPDATE games SET rules = \'{"way_car_must_stay":true,"jokers":true}\'')
        assert journal.find(game).rules == HouseRules(way_car_must_stay=True)


class TestWhereItIs:
    def test_in_the_users_data(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(DATA_VARIABLE, raising=False)
        path = default_path()
        assert path.name == "games.db"
        assert path.parent.name == "boxcars"
        assert path.is_absolute()

    def test_or_in_the_folder_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "mine"))
        with Journal() as journal:
            assert journal.path == tmp_path / "mine" / "games.db"
        assert journal.path.exists()


def change(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    try:
        database.execute(statement)
        database.commit()
    finally:
        database.close()


class TestDamage:
    @pytest.fixture
    def closed(self, path: Path) -> Path:
        """A record with two games, closed."""
        with Journal(path) as journal:
            for seed in (1, 2):
                record(journal, played(seed))
        return path

    def read(self, path: Path) -> list[list[str]]:
        with Journal(path) as journal:
            for game in journal.games():
                journal.game(game.id)
            return [list(journal.lines(game.id)) for game in journal.games()]

    @pytest.mark.parametrize("content", [b"hello", b"no database\n" * 500, b"\0" * 5000])
    def test_a_file_that_is_no_record_is_left_alone(self, path: Path, content: bytes) -> None:
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(JournalError, match="is no record of Box Cars games") as error:
            Journal(path)
        assert_sentence(error, path)
        assert path.read_bytes() == content

    def test_nor_is_another_programs_database_touched(self, path: Path) -> None:
        path.parent.mkdir()
        change(path, "CREATE TABLE recipes (name TEXT)")
        content = path.read_bytes()
        with pytest.raises(JournalError, match="is no record of Box Cars games") as error:
            Journal(path)
        assert_sentence(error, path)
        assert path.read_bytes() == content

    def test_a_record_of_a_later_version_is_left_alone(self, closed: Path) -> None:
        change(closed, f"PRAGMA user_version = {SCHEMA + 1}")
        content = closed.read_bytes()
        with pytest.raises(JournalError, match="written by a later Boxcars") as error:
            Journal(closed)
        assert_sentence(error, closed)
        assert closed.read_bytes() == content

    @pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999])
    def test_a_truncated_record_is_said_to_be_damaged_and_kept(
        self, closed: Path, share: float
    ) -> None:
        content = closed.read_bytes()[: int(closed.stat().st_size * share)]
        closed.write_bytes(content)
        with pytest.raises(JournalError, match="damaged") as error:
            self.read(closed)
        assert_sentence(error, closed)
        assert closed.read_bytes() == content

    def test_an_empty_file_is_a_new_record(self, path: Path) -> None:
        path.parent.mkdir()
        path.touch()
        assert self.read(path) == []

    def test_but_not_if_its_log_is_there(self, path: Path) -> None:
        with Journal(path) as journal:
            record(journal, played())
            copy = path.parent.parent / "copy"
            shutil.copytree(path.parent, copy)
        damaged = copy / path.name
        damaged.write_bytes(b"")
        log = (copy / "games.db-wal").read_bytes()
        assert log
        with pytest.raises(JournalError, match="is damaged") as error:
            Journal(damaged)
        assert str(damaged) in str(error.value)
        assert (copy / "games.db-wal").read_bytes() == log

    def test_a_torn_log_loses_its_end_and_nothing_before(self, path: Path) -> None:
        rng = random.Random(0)
        with Journal(path) as journal:
            game = record(journal, played(), at_once=1)
            whole = list(journal.lines(game))
            size = path.with_name("games.db-wal").stat().st_size
            lengths = set()
            for n in range(20):
                copy = path.parent.parent / f"copy{n}"
                shutil.copytree(path.parent, copy)
                os.truncate(copy / "games.db-wal", rng.randrange(size))
                with Journal(copy / path.name) as torn:
                    lines = list(torn.lines(game)) if torn.games() else []
                assert lines == whole[: len(lines)]
                lengths.add(len(lines))
        assert len(lengths) > 5

    def test_scribbled_pages_never_give_other_events(self, path: Path) -> None:
        with Journal(path) as journal:
            record(journal, played(), picture=b"tiny")
        whole = self.read(path)
        content = path.read_bytes()
        rng = random.Random(0)
        said = 0
        for start in range(0, len(content), 4096):
            scribbled = bytearray(content)
            scribbled[start : start + 4096] = rng.randbytes(4096)
            path.write_bytes(scribbled)
            try:
                # A page with pictures on it may be scribbled on without harm to the events.
                assert self.read(path) == whole
            except JournalError:
                said += 1
            assert bytes(scribbled) == path.read_bytes()
        assert said > 5

    def test_an_event_that_is_none_is_damage(self, closed: Path) -> None:
        change(closed, 'UPDATE events SET event = \'{"event":"joke"}\' WHERE game = 1 AND seq = 3')
        with pytest.raises(JournalError, match="holds something that is no event") as error:
            self.read(closed)
        assert_sentence(error, closed)

    def test_so_is_one_that_is_missing(self, closed: Path) -> None:
        change(closed, "DELETE FROM events WHERE game = 1 AND seq = 2")
        with pytest.raises(JournalError, match="make no game") as error:
            self.read(closed)
        assert_sentence(error, closed)

    @pytest.mark.parametrize("dice", ["[{}]", "7", "no JSON"])
    def test_and_dice_that_are_none(self, closed: Path, dice: str) -> None:
        change(closed, f"UPDATE events SET dice = '{dice}' WHERE game = 1 AND seq = 2")
        with Journal(closed) as journal, pytest.raises(JournalError, match="dice") as error:
            journal.evidence(1)
        assert_sentence(error, closed)

    def test_and_house_rules_that_are_none(self, closed: Path) -> None:
        change(closed, "UPDATE games SET rules = '[]' WHERE id = 1")
        with pytest.raises(JournalError, match="house rules") as error:
            self.read(closed)
        assert_sentence(error, closed)

    def test_tables_that_are_not_there(self, path: Path) -> None:
        path.parent.mkdir()
        change(path, "CREATE TABLE games (id)")
        change(path, f"PRAGMA application_id = {APPLICATION_ID}")
        with Journal(path) as journal, pytest.raises(JournalError) as error:
            journal.games()
        assert_sentence(error, path)


def fill(journal: Journal, game: int) -> list[Event]:
    """Record rolls with pictures until that fails; those recorded."""
    recorded: list[Event] = []
    for seq in range(10_000):
        event = Rolled(float(seq), "Ann", 1, Phase.ROLL_10, tuple(range(10)))
        dice = {seq: lying(view(row(range(10))).readings)}
        try:
            journal.append(game, seq, [event], dice, {seq: PICTURE})
        except JournalError as error:
            failure = str(error)
            break
        recorded.append(event)
    assert "The disk is full" in failure
    assert "boxcars play --resume" in failure
    return recorded


class TestFullDisk:
    def test_what_was_recorded_is_kept_and_there_is_room_later(self, path: Path) -> None:
        with Journal(path) as journal:
            game = journal.begin(STARTED, "pictures", DEFAULT_RULES)
            journal._db.execute("PRAGMA max_page_count = 100")
            recorded = fill(journal, game)
            assert recorded
            assert journal.events(game) == tuple(recorded)
        with Journal(path) as journal:
            assert journal.events(game) == tuple(recorded)
            more = Rolled(1.0, "Ann", 1, Phase.ROLL_10, tuple(range(10)))
            journal.append(game, len(recorded), [more])
            assert journal.events(game) == (*recorded, more)

    @pytest.fixture
    def small_disk(self, tmp_path: Path) -> Iterator[Path]:
        """A real file system with 400 kB of room."""
        folder = tmp_path / "disk"
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
        try:
            done = subprocess.run(mount, capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("there is no mount here")
        if done.returncode:
            pytest.skip("mounting a small disk is not allowed here")
        yield folder
        subprocess.run(["umount", str(folder)], check=True)

    def test_a_disk_really_full(self, small_disk: Path) -> None:
        path = small_disk / "games.db"
        with Journal(path) as journal:
            game = journal.begin(STARTED, "pictures", DEFAULT_RULES)
            recorded = fill(journal, game)
            assert recorded
            assert journal.events(game) == tuple(recorded)
        with Journal(path) as journal:
            assert journal.events(game) == tuple(recorded)
            assert fill_again(journal, game, len(recorded)) == "said"

    def test_one_full_from_the_start(self, small_disk: Path) -> None:
        (small_disk / "ballast").write_bytes(b"\1" * (small_disk_room(small_disk) - 4096))
        with pytest.raises(JournalError) as error:
            Journal(small_disk / "games.db")
        assert_sentence(error, small_disk / "games.db")


def small_disk_room(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def fill_again(journal: Journal, game: int, seq: int) -> str:
    """A picture larger than the disk: said again, and nothing half written."""
    event = Rolled(float(seq), "Ann", 1, Phase.ROLL_10, tuple(range(10)))
    before = journal.events(game)
    with pytest.raises(JournalError, match="The disk is full"):
        journal.append(game, seq, [event], None, {seq: PICTURE * 100})
    assert journal.events(game) == before
    return "said"


class TestNoRights:
    def test_a_folder_that_cannot_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        path = tmp_path / "file" / "games.db"
        with pytest.raises(JournalError, match="cannot be opened") as error:
            Journal(path)
        assert_sentence(error, path)

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "games.db").mkdir()
        with pytest.raises(JournalError, match="cannot be opened") as error:
            Journal(tmp_path / "games.db")
        assert_sentence(error, tmp_path / "games.db")

    def test_another_program_that_writes(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("boxcars.journal.BUSY_S", 0.05)
        with Journal(path) as journal:
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            try:
                with pytest.raises(JournalError, match="Another program is writing") as error:
                    journal.begin(STARTED, "pictures", DEFAULT_RULES)
                assert_sentence(error, path)
            finally:
                other.close()
            assert journal.begin(STARTED, "pictures", DEFAULT_RULES) == 1

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix users")
    def test_a_record_that_may_only_be_read(self, path: Path) -> None:
        with Journal(path) as journal:
            game = record(journal, played())
            lines = list(journal.lines(game))
        path.chmod(0o444)
        path.parent.chmod(0o555)
        try:
            out = as_nobody(READ_AND_WRITE, path)
        finally:
            path.parent.chmod(0o755)
        assert out[0] == str(len(lines))
        assert "may not be written" in out[1]
        assert str(path) in out[1]

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix users")
    def test_a_folder_that_may_only_be_read(self, path: Path) -> None:
        path.parent.mkdir(mode=0o555)
        try:
            out = as_nobody("from boxcars.journal import *\nJournal(path)", path)
        finally:
            path.parent.chmod(0o755)
        assert "cannot be opened for writing" in out[-1]
        assert str(path) in out[-1]


READ_AND_WRITE = """
from boxcars.journal import *
from scoring.rules import DEFAULT_RULES
with Journal(path) as journal:
    print(len(list(journal.lines(1))))
    journal.begin("now", "here", DEFAULT_RULES)
"""


def as_nobody(code: str, path: Path) -> list[str]:
    """The lines of a program run by somebody without rights, its error last."""
    root = Path(__file__).resolve().parents[2]
    program = f"""
import sys, os, pathlib
sys.path[:0] = {[str(root), *sys.path]!r}
path = pathlib.Path({str(path)!r})
import boxcars.journal
from boxcars.journal import JournalError
import scoring.rules
if os.geteuid() == 0:
    os.setuid(65534)
try:
    exec({code!r})
except JournalError as error:
    print(error)
"""
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()
