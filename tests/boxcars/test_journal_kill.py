"""The record under fire: players killed at random moments lose nothing they have told."""

from __future__ import annotations

import functools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from boxcars.journal import Journal, event_line
from boxcars.referee import Referee
from scoring.events import GameOver
from tests.boxcars.killable import PLAYERS, Recording

KILLS = 60
PATIENCE_S = 300.0

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


class Players:
    """Starts players, one at a time, and kills them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin
        assert process.stdout
        self._in: IO[str] = process.stdin
        self._out: IO[str] = process.stdout

    def play(self, path: Path, kill_after_s: float) -> tuple[list[tuple[int, str]], int]:
        """What a player told, as (game, line), and its exit code, which tells of a kill."""
        self._in.write(f"{kill_after_s} {path}\n")
        self._in.flush()
        told = []
        while not (line := self._out.readline()).startswith("# gone"):
            assert line, "the process that starts the players has died"
            game, _, event = line.rstrip("\n").partition(" ")
            told.append((int(game), event))
        return told, int(line.split()[2])


@pytest.fixture
def players() -> Iterator[Players]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.boxcars.killable"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Players(process)
        assert process.stdin
        process.stdin.close()


@functools.cache
def uninterrupted(game: int) -> list[str]:
    """The lines of a game that nobody disturbs."""
    referee = Referee(PLAYERS)
    for seen in Recording.of_game(game).views:
        referee.see(seen)
    assert isinstance(referee.events[-1], GameOver)
    return [event_line(event) for event in referee.events]


@pytest.mark.slow
def test_no_event_told_is_lost_and_the_game_goes_on(players: Players, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    moments = random.Random()
    told: dict[int, list[str]] = {}
    kills = talked = 0
    latest_s = 0.1
    until = time.monotonic() + PATIENCE_S
    while kills < KILLS or talked < KILLS / 3:
        assert time.monotonic() < until, f"only {kills} kills in {PATIENCE_S} s"
        heard, code = players.play(path, moments.uniform(0, latest_s))
        assert code in (0, -signal.SIGKILL)
        kills += code != 0
        # However fast this machine is, some are to be killed early and some amid their game.
        latest_s *= 1.3 if not heard else 0.9
        talked += code != 0 and bool(heard)
        for game, line in heard:
            told.setdefault(game, []).append(line)
        assert_intact(path)
        if path.exists() and path.stat().st_size:
            with Journal(path) as journal:
                for game, lines in told.items():
                    recorded = list(journal.lines(game))
                    # The last event recorded may not have been told: it was killed in between.
                    assert is_part(lines, recorded)
                    assert recorded == uninterrupted(game)[: len(recorded)]
    assert players.play(path, -1)[1] == 0
    with Journal(path) as journal:
        finished = [game.id for game in journal.games() if journal.game(game.id).over]
        assert finished
        for number in finished:
            assert list(journal.lines(number)) == uninterrupted(number)
            rolls = [
                seq
                for seq, event in enumerate(journal.events(number))
                if event.KIND in ("roll", "reroll", "pickup")
            ]
            assert list(journal.pictured(number)) == rolls


def is_part(lines: list[str], recorded: list[str]) -> bool:
    """Whether the lines stand in the record, in their order."""
    rest = iter(recorded)
    return all(line in rest for line in lines)


def assert_intact(path: Path) -> None:
    if path.exists():
        database = sqlite3.connect(path)
        try:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        finally:
            database.close()
