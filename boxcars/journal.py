"""The record of all games: every event, on disk before anybody sees it, and its picture."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import platformdirs

from boxcars.lying import Lying, from_values, to_values
from scoring.events import Event, EventNotParsed, from_dict, to_dict
from scoring.game import Game, fold
from scoring.rules import HouseRules

SCHEMA = 1
"""Version of the tables below; a record of a later one is left alone."""

APPLICATION_ID = 0x426F7843
"""Marks a SQLite file as ours (`BoxC`)."""

DATA_VARIABLE = "BOXCARS_DATA"
"""Environment variable that names another folder to keep the record in."""

_BY = f"--data or {DATA_VARIABLE}"

FILE_NAME = "games.db"

BUSY_S = 5.0
"""How long to wait while another process writes, in seconds."""

_TABLES = """
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    source TEXT NOT NULL,
    rules TEXT NOT NULL
);
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games (id),
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    dice TEXT,
    PRIMARY KEY (game, seq)
) WITHOUT ROWID;
CREATE TABLE pictures (
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    jpeg BLOB NOT NULL,
    PRIMARY KEY (game, seq),
    FOREIGN KEY (game, seq) REFERENCES events (game, seq)
);
"""

_GAMES = (
    "SELECT id, started, source, rules, "
    "(SELECT count(*) FROM events WHERE game = games.id) FROM games"
)

_LARGEST = 2**63 - 1
"""SQLite knows no larger number."""


class JournalError(RuntimeError):
    """The record cannot be read or written; the message says why and what to do."""


class NoSuchGame(ValueError):
    """The record holds no game of that number."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One game in the record.

    `started` is the wall-clock time it was begun at, as ISO 8601 text; `source` says what it
    was read from; `events` is their number.
    """

    id: int
    started: str
    source: str
    rules: HouseRules
    events: int


def default_path() -> Path:
    """Where the record is kept: in the folder `BOXCARS_DATA` names, else in the user's data."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder:
        return Path(folder) / FILE_NAME
    return platformdirs.user_data_path("boxcars", appauthor=False) / FILE_NAME


def event_line(event: Event) -> str:
    """An event as one line of JSON: what is stored, shown, exported and replayed, to the byte."""
    return json.dumps(to_dict(event))


class Journal:
    """The record of all games, in one SQLite file.

    What `append` was given is on the disk when it returns, all of it or, if it raises, none.
    Nothing recorded is ever changed or removed. Use as a context manager, or call `close`.

    Raises:
        JournalError: the file cannot be opened, is damaged, is no record of ours, or was
            written by a later version. It is left as it is.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = default_path() if path is None else path
        self._db = _connect(self.path)
        try:
            with self._explained():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Writing.

    def begin(
        self, started: str, source: str, rules: HouseRules, events: Sequence[Event] = ()
    ) -> int:
        """Open a new game with its first events, and return its number.

        Raises:
            JournalError: it could not be written; then there is no such game.
        """
        with self._writing():
            cursor = self._db.execute(
                "INSERT INTO games (started, source, rules) VALUES (?, ?, ?)",
                (started, source, json.dumps(asdict(rules))),
            )
            number = cursor.lastrowid
            assert number is not None
            self._insert(number, 0, events, {}, {})
        return number

    def append(
        self,
        game: int,
        seq: int,
        events: Sequence[Event],
        dice: Mapping[int, tuple[Lying, ...]] | None = None,
        pictures: Mapping[int, bytes] | None = None,
    ) -> None:
        """Write events down that begin with number `seq`: all of them, or none.

        `dice` and `pictures` hold, by the event's number, how the dice lay and the JPEG file
        they were read from.

        Raises:
            JournalError: they could not be written, or another process has written these
                numbers already; what was there is kept.
        """
        with self._writing():
            self._insert(game, seq, events, dice or {}, pictures or {})

    # Reading.

    def games(self) -> tuple[Recorded, ...]:
        """All games, in the order they were begun.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._explained():
            rows = self._db.execute(f"{_GAMES} ORDER BY id").fetchall()
        return tuple(self._recorded(row) for row in rows)

    def find(self, game: int) -> Recorded:
        """One game.

        Raises:
            NoSuchGame: there is none of that number.
            JournalError: the record cannot be read.
        """
        row = None
        if abs(game) <= _LARGEST:
            with self._explained():
                row = self._db.execute(f"{_GAMES} WHERE id = ?", (game,)).fetchone()
        if row is None:
            raise NoSuchGame(
                f"There is no game {game}: `boxcars games list` shows those there are."
            )
        return self._recorded(row)

    def latest_unfinished(self) -> Recorded | None:
        """The game begun last that is not over, None if there is none.

        Raises:
            JournalError: the record cannot be read.
        """
        for recorded in reversed(self.games()):
            if not self.game(recorded.id).over:
                return recorded
        return None

    def lines(self, game: int) -> Iterator[str]:
        """The events of a game as they were written down, one line of JSON each, in order.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._explained():
            for (line,) in self._db.execute(
                "SELECT event FROM events WHERE game = ? ORDER BY seq", (game,)
            ):
                yield str(line)

    def events(self, game: int) -> tuple[Event, ...]:
        """The events of a game, in order.

        Raises:
            JournalError: the record cannot be read, or holds something that is no event.
        """
        try:
            return tuple(from_dict(json.loads(line)) for line in self.lines(game))
        except (EventNotParsed, ValueError) as error:
            raise _damaged(self.path, f"game {game} holds something that is no event") from error

    def game(self, game: int) -> Game:
        """A game as its events leave it.

        Raises:
            NoSuchGame: there is none of that number.
            JournalError: the record cannot be read, or its events make no game.
        """
        rules = self.find(game).rules
        try:
            return fold(self.events(game), rules)
        except (ValueError, RuntimeError) as error:
            if isinstance(error, JournalError):
                raise
            raise _damaged(self.path, f"the events of game {game} make no game") from error

    def evidence(self, game: int) -> dict[int, tuple[Lying, ...]]:
        """How the dice lay, by the number of the event they belong to.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._explained():
            rows = self._db.execute(
                "SELECT seq, dice FROM events WHERE game = ? AND dice IS NOT NULL", (game,)
            ).fetchall()
        try:
            return {seq: from_values(json.loads(dice)) for seq, dice in rows}
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(self.path, f"game {game} holds dice that are none") from error

    def picture(self, game: int, seq: int) -> bytes | None:
        """The JPEG file that event number `seq` was read from, None if it has none.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._explained():
            row = self._db.execute(
                "SELECT jpeg FROM pictures WHERE game = ? AND seq = ?", (game, seq)
            ).fetchone()
        return None if row is None else bytes(row[0])

    def pictured(self, game: int) -> tuple[int, ...]:
        """The numbers of the events that have a picture, in order.

        Raises:
            JournalError: the record cannot be read.
        """
        with self._explained():
            rows = self._db.execute(
                "SELECT seq FROM pictures WHERE game = ? ORDER BY seq", (game,)
            ).fetchall()
        return tuple(seq for (seq,) in rows)

    # How it is done.

    def _prepare(self) -> None:
        """Make the file ready: WAL, synchronous FULL, our tables if it is new."""
        self._db.execute("PRAGMA foreign_keys = ON")
        version, application = self._pragma("user_version"), self._pragma("application_id")
        if version > SCHEMA and application == APPLICATION_ID:
            raise JournalError(
                f"The record {self.path} was written by a later Boxcars (its form is {version}, "
                f"this program knows {SCHEMA}): update Boxcars."
            )
        has_tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
        if has_tables and application != APPLICATION_ID:
            raise JournalError(self._no_record())
        if not self._writable():
            return
        if self._db.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise JournalError(
                f"The record {self.path} lies where SQLite cannot keep a write-ahead log, perhaps "
                f"on a network drive: name a folder on this computer in {DATA_VARIABLE}."
            )
        self._db.execute("PRAGMA synchronous = FULL")
        if not has_tables:
            with self._writing():
                # Another process may have been first.
                if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    for statement in _TABLES.split(";\n"):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    self._db.execute(f"PRAGMA user_version = {SCHEMA}")

    def _insert(
        self,
        game: int,
        seq: int,
        events: Sequence[Event],
        dice: Mapping[int, tuple[Lying, ...]],
        pictures: Mapping[int, bytes],
    ) -> None:
        for number, event in enumerate(events, seq):
            lay = dice.get(number)
            self._db.execute(
                "INSERT INTO events (game, seq, event, dice) VALUES (?, ?, ?, ?)",
                (game, number, event_line(event), None if lay is None else _dumped(lay)),
            )
            if number in pictures:
                self._db.execute(
                    "INSERT INTO pictures (game, seq, jpeg) VALUES (?, ?, ?)",
                    (game, number, pictures[number]),
                )

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])

    def _writable(self) -> bool:
        return not self._pragma("query_only")

    def _recorded(self, row: tuple[Any, ...]) -> Recorded:
        number, started, source, rules, events = row
        try:
            known = {field.name for field in fields(HouseRules)}
            values = {name: bool(on) for name, on in json.loads(rules).items() if name in known}
        except (AttributeError, ValueError) as error:
            raise _damaged(self.path, f"game {number} has house rules that are none") from error
        return Recorded(number, started, source, HouseRules(**values), events)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of what is done in it is on the disk after it, or nothing is."""
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's errors in our words."""
        try:
            yield
        except sqlite3.Error as error:
            raise _explanation(self.path, error) from error

    def _no_record(self) -> str:
        return (
            f"{self.path} is no record of Box Cars games: move it away or name another folder "
            f"by {_BY}."
        )


def _dumped(dice: tuple[Lying, ...]) -> str:
    return json.dumps(to_values(dice), separators=(",", ":"))


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, for reading only if that is all we may."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        log = path.with_name(path.name + "-wal")
        has_log = log.exists() and log.stat().st_size > 0
        if not has_log and size % _page_size(path):
            raise _damaged(path, "its end is missing")
        if has_log and not size:
            # SQLite would take the file for a new one and throw its log away.
            raise _damaged(path, "it is empty, but its log is not")
    except OSError as error:
        raise JournalError(
            f"The record {path} cannot be opened ({error.strerror}): name another folder by {_BY}."
        ) from error
    mode = "rwc"
    if size and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        # Where nothing may be written, a log can't be begun either, even for reading.
        mode = "ro" if has_log else "ro&immutable=1"
    try:
        # isolation_level None: transactions are begun where we say so, not by the module.
        # check_same_thread False: threads that share a record take turns by a lock of theirs.
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise _explanation(path, error) from error
    if mode != "rwc":
        db.execute("PRAGMA query_only = ON")
    return db


def _page_size(path: Path) -> int:
    """Bytes in a page of the database, from its header; 1 if it is none, or not there."""
    if not path.is_file():
        return 1
    with path.open("rb") as file:
        header = file.read(18)
    if len(header) < 18 or not header.startswith(b"SQLite format 3\0"):
        return 1
    told = int.from_bytes(header[16:18], "big")
    return 65536 if told == 1 else max(told, 1)


def _damaged(path: Path, what: str) -> JournalError:
    return JournalError(
        f"The record {path} is damaged ({what}): keep a copy of it and name another folder by "
        f"{_BY}; nothing in it was changed."
    )


def _explanation(path: Path, error: sqlite3.Error) -> JournalError:
    """What went wrong, in one sentence that says what to do."""
    name = getattr(error, "sqlite_errorname", None) or ""
    for prefix, text in _WORDS.items():
        if name.startswith(prefix):
            return JournalError(text.format(path=path, by=_BY))
    return JournalError(
        f"The record {path} cannot be used ({error}): name another folder by {_BY}."
    )


_WORDS = {
    "SQLITE_NOTADB": "{path} is no record of Box Cars games, or is damaged: move it away or name "
    "another folder by {by}; nothing in it was changed.",
    "SQLITE_CORRUPT": "The record {path} is damaged: keep a copy of it and name another folder by "
    "{by}; nothing in it was changed.",
    "SQLITE_FULL": "The disk is full, so the latest event is not recorded in {path}: make room "
    "and go on with `boxcars play --resume`; everything before it is kept.",
    "SQLITE_READONLY": "The record {path} may not be written: allow it or name another folder by "
    "{by}.",
    "SQLITE_CANTOPEN": "The record {path} cannot be opened for writing: check that its folder "
    "exists and may be written, or name another by {by}.",
    "SQLITE_BUSY": "Another program is writing the record {path}: close it and go on with "
    "`boxcars play --resume`.",
    "SQLITE_IOERR": "The disk failed while the record {path} was used: check it and go on with "
    "`boxcars play --resume`; what was recorded before is kept.",
    "SQLITE_CONSTRAINT": "Another Boxcars is recording this game in {path} too: close one of the "
    "two.",
}
