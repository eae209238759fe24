"""An illegal reroll: seen, told, taken back or allowed, and the game goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.acting import laid, shows, text, thrown
from tests.browser.stage import Stage

Visit = Callable[..., Any]

ROLL = "1012344777"


def alarmed(page: Any, stage: Stage) -> None:
    """Roll, and pick up the Breakdown alone."""
    stage.lay(laid(ROLL))
    stage.lay(laid("1." + ROLL[2:]))
    shows(page, stage)
    page.locator("#alarm-dialog[open]").wait_for()


def test_the_alarm_shows_before_after_and_why(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    alarmed(page, table)
    assert text(page, "#alarm-title") == "Hold the train!"
    assert "a Breakdown may be rerolled only with a Way Car in play" in text(page, "#alarm-text")
    for picture in page.locator("#alarm-pictures img").all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    assert page.locator("#alarm-pictures img").count() == 2
    assert page.locator("#alarm-dice .wrong").count() == 1
    assert "not allowed" in page.locator("#say-now").inner_text()
    assert page.evaluate("document.activeElement.id") == "alarm-take-back"
    page.keyboard.press("Escape")
    page.locator("#alarm-bar").wait_for()
    page.keyboard.press("h")
    entry = page.locator("#history-list .pickup")
    assert entry.locator(".verdict").inner_text() == "illegal"
    assert "picked up 0 – illegal: a Breakdown without a Way Car" in entry.inner_text()


def test_taken_back_the_dice_are_laid_down_and_play_goes_on(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    alarmed(page, table)
    page.locator("#alarm-take-back").click()
    page.locator("#alarm-dialog").wait_for(state="hidden")
    table.lay(laid(ROLL))
    shows(page, table)
    assert text(page, "#turn-what") == "Reroll up to 8 dice"
    table.lay(laid("101234477."))
    table.lay([*laid("101234477."), *thrown(".........9")])
    shows(page, table)
    assert text(page, "#turn-what") == "Reroll up to 6 dice"
    assert "may be rerolled" in text(page, "#signal")
    assert table.now.game.faces == (0, 1, 1, 2, 3, 4, 4, 7, 7, 9)


def test_allowed_by_key_the_throw_counts(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    alarmed(page, table)
    page.keyboard.press("a")
    page.locator("#alarm-dialog").wait_for(state="hidden")
    table.lay([*laid("1." + ROLL[2:]), *thrown(".5........")])
    shows(page, table)
    assert text(page, "#turn-what") == "Reroll up to 6 dice"
    page.keyboard.press("h")
    assert page.locator("#history-list", has_text="allows the reroll").is_visible()


def test_put_aside_the_alarm_waits_in_a_bar(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    alarmed(page, table)
    page.keyboard.press("Escape")
    page.locator("#alarm-bar").wait_for()
    assert page.locator("#alarm-dialog").is_hidden()
    page.locator("#alarm-again").click()
    page.keyboard.press("t")
    page.locator("#alarm-bar").wait_for(state="hidden")
    assert table.now.game.picked_up == ()
