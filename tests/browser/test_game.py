"""Whole games watched on the page, from the first roll to the winner, in a real browser."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from boxcars.snapshot import Snapshot
from samples import GAME
from tests.browser.acting import laid, plays, shows, text, turns
from tests.browser.stage import PATIENCE_S, Stage, stage
from tests.running import command, environment

Visit = Callable[..., Any]


@contextmanager
def served(*arguments: str | Path) -> Iterator[str]:
    """`boxcars play` in a process of its own; the address that it prints."""
    process = subprocess.Popen(
        command("play", "--page", "--no-browser", *arguments),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(PATIENCE_S, process.kill)
    late.start()
    assert process.stderr is not None
    rest = threading.Thread(target=process.stderr.read)
    try:
        found = next(filter(None, map(_address, process.stderr)), None)
        assert found is not None, "It printed no address."
        late.cancel()
        rest.start()
        yield found
    finally:
        late.cancel()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
        rest.join(PATIENCE_S)
        process.stderr.close()


def _address(line: str) -> str | None:
    found = re.search(r"http://\S+/#token=\S+", line)
    return found[0] if found else None


def _closed_more_than(turns: int, now: Snapshot) -> bool:
    return sum(turn.closed for turn in now.game.turns) > turns


def play_out(page: Any, table: Stage) -> None:
    """One player's five turns, each stood at once."""
    for turn in range(5):
        table.lay(laid(("1123447779", "1123455779")[turn % 2]))
        shows(page, table)
        page.locator("#stand").click()
        table.wait(partial(_closed_more_than, turn))
        table.lay([])


@pytest.mark.slow
def test_the_sample_game_from_its_first_roll_to_the_winner(tmp_path: Path, visit: Visit) -> None:
    """Fifty pictures, read as they are shown; after each the page says what the table knows."""
    with stage(tmp_path, ["Ann"]) as table:
        page = visit(table.page.address, expected="net::")
        for picture in sorted(GAME.glob("*.jpg")):
            table.show(picture.name)
            shows(page, table)
            if table.now.game.score is not None:
                assert text(page, "#sum-points .unseen") == str(table.now.game.score.points)
            if page.locator("#alarm-dialog").is_visible():
                page.keyboard.press("a")
                page.locator("#alarm-dialog").wait_for(state="hidden")
        shows(page, table)
        game = table.now.game
        assert game.over
        total = game.totals["Ann"]
        assert text(page, "#winner-title") == "Ann is home"
        assert text(page, "#winner-text") == f"{total} points"
        assert turns(page, "Ann")[-1].startswith(str(total))


@pytest.mark.slow
def test_boxcars_play_shows_the_simulated_table(visit: Visit, tmp_path: Path) -> None:
    with served("--source", "sim:3", "--players", "Ann,Ben", "--data", tmp_path) as address:
        page = visit(address, expected="net::")
        # Time at that table does not wait for a busy machine.
        page.locator("#sum").wait_for(timeout=PATIENCE_S * 1000)
        assert page.locator("#train .car").count() >= 10
        page.locator('#scene:not([data-scene="settled"])').wait_for()
        frame = page.locator("#frame")
        assert frame.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_undo_after_the_end_and_a_new_game_in_one_click(tmp_path: Path, visit: Visit) -> None:
    with stage(tmp_path, ["Ann"]) as table:
        page = visit(table.page.address, expected="net::")
        play_out(page, table)
        page.locator("#winner").wait_for()
        total = table.now.game.totals["Ann"]
        assert text(page, "#winner-text") == f"{total} points"
        assert "Ann wins" in page.locator("#say").inner_text()
        page.locator("#undo-end").click()
        plays(page, "Ann")
        assert not table.now.game.over
        page.keyboard.press("r")
        page.locator("#winner").wait_for()
        page.locator("#new-game").click()
        page.locator("#turn-who", has_text="turn 1 of 5").wait_for()
        assert turns(page, "Ann")[-1] == "0"
        assert table.now.game.players == ("Ann",)
