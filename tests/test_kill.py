"""`boxcars play` is killed again and again: nothing shown may be lost, and the game goes on."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from boxcars.journal import FILE_NAME
from samples import GAME
from tests.running import TIMEOUT_S, Played, Ran, boxcars, command, environment

KILLS = 50
SEED = 2
MOST_LINES = 6
"""A killed process may show so many lines before; few, so that one game takes many kills."""
START_S = 1.5
"""About what a process needs until it shows its first line, and so when kills find it there."""
BETWEEN_LINES_S = 0.1
"""About what passes between two lines."""

PLAY = ("play", "--source", GAME, "--players", "Ann", "--json")


@pytest.mark.beside
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_fifty_kills_lose_nothing(whole_game: Played, tmp_path: Path) -> None:
    whole = whole_game.ran
    chance = random.Random(SEED)
    data = tmp_path / "killed"
    kills = {"starting": 0, "playing": 0}
    while sum(kills.values()) < KILLS:
        before = recorded_lines(data)
        resume = 0 < len(before) < len(whole.out.splitlines())
        if not resume:
            before = []
        while_starting = kills["starting"] <= KILLS // 4 and chance.random() < 0.3
        shown, code = run_and_kill(data, resume, chance, while_starting)
        assert_sound(data)
        after = recorded_lines(data)
        # What was there is there, and whatever was shown follows it.
        assert after[: len(before)] == before
        assert after[len(before) :][: len(shown)] == shown
        # And what is there is what really lay in the tray.
        assert after == whole.out.splitlines()[: len(after)]
        if code == -9:
            kills["playing" if shown else "starting"] += 1
        else:
            assert code == 0
    assert kills["playing"] >= KILLS // 2
    ended = boxcars("play", "--resume", "--json", "--data", data)
    assert ended.code == 0 or "no game to go on with" in ended.err
    for number in range(1, len(boxcars("games", "list", "--json", "--data", data).records) + 1):
        game = replayed(data, number)
        assert game.out in whole.out
    assert replayed(data, None).out == whole.out
    last = boxcars("games", "show", "--json", "--data", data).record
    assert last["over"]
    assert last["totals"] == {"Ann": 380}


def run_and_kill(
    data: Path, resume: bool, chance: random.Random, while_starting: bool
) -> tuple[list[str], int]:
    """Start a process, kill it at a random moment; the whole lines it showed, and its code."""
    arguments = ("play", "--resume", "--json") if resume else PLAY
    process = subprocess.Popen(
        command(*arguments, "--data", data),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as out:
        shown: list[str] = []
        if while_starting:
            time.sleep(chance.uniform(0, START_S))
        else:
            shown += [out.readline() for _ in range(chance.randint(1, MOST_LINES))]
            time.sleep(chance.uniform(0, BETWEEN_LINES_S))
        process.kill()
        shown += out.readlines()
    code = process.wait(TIMEOUT_S)
    return [line.rstrip("\n") for line in shown if line.endswith("\n")], code


def recorded_lines(data: Path) -> list[str]:
    """The latest game's events as they are on record; none if there is no record."""
    if not (data / FILE_NAME).exists():
        return []
    ran = replayed(data, None)
    if "no games on record" in ran.err:
        return []
    assert ran.code == 0, ran.err
    return ran.out.splitlines()


def replayed(data: Path, number: int | None) -> Ran:
    game = [] if number is None else [str(number)]
    return boxcars("games", "replay", *game, "--json", "--data", data)


def assert_sound(data: Path) -> None:
    """SQLite itself finds no damage."""
    if (data / FILE_NAME).exists():
        with closing(sqlite3.connect(data / FILE_NAME)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert db.execute("PRAGMA foreign_key_check").fetchall() == []
