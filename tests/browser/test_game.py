"""Whole games watched on the page, from the first roll to the winner, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from boxcars.actions import Stand
from boxcars.snapshot import Snapshot
from tests.browser.acting import laid, plays, shows, text, turns, worth
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


def test_the_score_sheet_adds_up_and_says_who_leads_and_wins(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    points = {"1123447779": 90, "1122334455": 80, "1023447779": 80}
    rolls = ["1123447779", "1023447779", *["1122334455"] * 8]
    totals = {"Ann": 0, "Bob": 0}
    for number, faces in enumerate(rolls):
        player = ("Ann", "Bob")[number % 2]
        plays(page, player)
        assert page.locator("#sheet tr.current .player-name").inner_text() == player
        table.lay(laid(faces))
        shows(page, table)
        assert worth(page) == points[faces]
        page.locator("#stand").click()
        table.wait(partial(_closed_more_than, number))
        table.lay([])
        shows(page, table)
        totals[player] += points[faces]
        cells = turns(page, player)
        assert cells[number // 2] == f"{points[faces]} running total {totals[player]}"
        assert cells[-1].split()[0] == str(totals[player])
        assert ("leads" in cells[-1]) == (player == "Ann" and number < len(rolls) - 1)
    assert totals == {"Ann": 410, "Bob": 400}
    assert text(page, "#winner-title") == "Ann wins"
    assert text(page, "#winner-text") == "410 points, 10 ahead"
    assert turns(page, "Ann")[-1] == "410 ★ wins"
    assert page.locator("#sheet .wins").count() == 1


def test_equal_totals_are_a_tie(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    for number in range(10):
        table.lay(laid("1123447779"))
        table.table.perform(Stand(), table.now.rev)
        table.wait(partial(_closed_more_than, number))
        table.lay([])
    page.locator("#winner-title", has_text="Ann and Bob tie").wait_for()
    assert page.locator("#sheet .wins").count() == 2


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
