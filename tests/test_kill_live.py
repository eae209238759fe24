"""Live play at the simulated table is killed again and again: nothing shown may be lost.

`BOXCARS_KILLS=50` in the environment asks for as many kills as a release wants; a run of all
tests takes fewer.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from boxcars.commands.opening import open_reader
from boxcars.journal import FILE_NAME, Journal
from boxcars.session import Session
from boxcars.sim import Deed, open_sim
from boxcars.table import Crew, Table, Until, Watched
from scoring.events import Rerolled, Rolled
from tests.running import TIMEOUT_S, command, environment
from tests.test_kill import assert_sound, recorded_lines
from vision.settle import settler_for

KILLS = int(os.environ.get("BOXCARS_KILLS", "3"))
SEED = 5
LONGEST_S = 12.0
"""A process lives so long at most after it can be seen."""

SPEC = "sim:21"
PLAYER = "Ann"


@dataclass
class Shown:
    """What one process showed before it was killed."""

    lines: list[str] = field(default_factory=list)
    """On standard output."""
    page: dict[int, dict[str, Any]] = field(default_factory=dict)
    """On its page: events by their numbers."""
    said: list[str] = field(default_factory=list)
    """On standard error."""


@pytest.mark.beside
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    data = tmp_path / "killed"
    seen_on_page = 0
    for kill in range(KILLS):
        before = recorded_lines(data)
        page = "--no-page" if kill % 2 else "--page"
        shown = play_and_kill(data, page, bool(before), chance)
        assert_sound(data)
        after = recorded_lines(data)
        # What was there is there, and whatever was shown follows it.
        assert after[: len(before)] == before
        assert after[len(before) :][: len(shown.lines)] == shown.lines
        for number, event in shown.page.items():
            assert json.loads(after[number]) == event
        seen_on_page += len(shown.page)
    assert seen_on_page > 0
    assert_true(data)


def play_and_kill(data: Path, page: str, resume: bool, chance: random.Random) -> Shown:
    """Start a process, or go on with the game, and kill it at a random moment."""
    game = ("--resume",) if resume else ("--source", SPEC, "--players", PLAYER)
    process = subprocess.Popen(
        command("play", *game, page, "--no-browser", "--json", "--data", data),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    shown = Shown()
    watchers = [
        threading.Thread(target=read_lines, args=(process, shown)),
        threading.Thread(target=look_at_page, args=(process, shown)),
    ]
    for watcher in watchers:
        watcher.start()
    wait_until_it_plays(process, data, len(recorded_lines(data)))
    time.sleep(chance.uniform(0, LONGEST_S))
    process.kill()
    for watcher in watchers:
        watcher.join(TIMEOUT_S)
    assert process.wait(TIMEOUT_S) == -9, shown.said
    assert process.stderr is not None
    process.stderr.close()
    return shown


def wait_until_it_plays(process: subprocess.Popen[str], data: Path, before: int) -> None:
    """A new game is on record soon after the start; one resumed says nothing for a while."""
    until = time.monotonic() + (TIMEOUT_S if before == 0 else 2.0)
    while time.monotonic() < until and len(recorded_lines(data)) == before:
        if process.poll() is not None:
            return
        time.sleep(0.1)


def read_lines(process: subprocess.Popen[str], shown: Shown) -> None:
    assert process.stdout is not None
    with process.stdout as out:
        shown.lines += [line.rstrip("\n") for line in out if line.endswith("\n")]


def look_at_page(process: subprocess.Popen[str], shown: Shown) -> None:
    """Follow the page's events until it is gone."""
    assert process.stderr is not None
    # Written before anything else, or nothing is written but what went wrong.
    shown.said.append(process.stderr.readline())
    match = re.search(r"(http://[\d.:]+)/#token=(\S+)", shown.said[0])
    if match is None:
        shown.said += process.stderr.readlines()
        return
    token = {"Authorization": f"Bearer {match[2]}"}
    try:
        with (
            httpx.Client(trust_env=False, timeout=TIMEOUT_S) as client,
            client.stream("GET", match[1] + "/api/events?after=-1", headers=token) as answer,
        ):
            kind = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    kind = line[7:]
                elif line.startswith("data: ") and kind == "game":
                    told = json.loads(line[6:])
                    shown.page[told["number"]] = told["event"]
    except httpx.HTTPError:
        return


def assert_true(data: Path) -> None:
    """Go on to the game's end, as fast as may be, and compare with what truly lay there."""
    source = open_sim(SPEC, fast=True, since=recorded_to(data))
    reader = open_reader()
    crew = Crew(
        open=lambda offer: Watched(source, "", ""),
        settler=lambda source: settler_for(source, reader),
        now=lambda: "",
    )
    with Journal(data / FILE_NAME) as journal:
        session = Session.resume(journal, 1)
        table = Table(journal, session, Watched(source, SPEC, SPEC), crew, again=True)
        went_on = list(table.watch(Until.GAME_OVER))
        events = journal.events(1)
        over = journal.game(1).over
    assert went_on
    assert events[-len(went_on) :] == tuple(went_on)
    assert [event.t for event in events] == sorted(event.t for event in events)
    # Where the machine was too busy for the camera a throw may be missing, but none is made up.
    thrown = [event.faces for event in events if isinstance(event, Rolled | Rerolled)]
    true = [tuple(sorted(it.faces)) for it in source.truth if it.deed in (Deed.ROLL, Deed.REROLL)]
    left = iter(true)
    assert all(faces in left for faces in thrown)
    assert over or len(thrown) < len(true)


def recorded_to(data: Path) -> float:
    with Journal(data / FILE_NAME) as journal:
        return max(event.t for event in journal.events(1))
