"""Whole games watched on the page, from the first roll to the winner, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from boxcars.snapshot import Snapshot
from tests.browser.acting import laid, plays, shows, text, turns
from tests.browser.stage import Stage, stage

Visit = Callable[..., Any]


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
