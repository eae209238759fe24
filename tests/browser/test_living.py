"""Reloading, losing the line, two pages at once: one table, nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.acting import laid, plays, shows, text, worth
from tests.browser.stage import Stage

Visit = Callable[..., Any]

ROLL = "1123447779"


def test_a_reload_shows_everything_again(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    table.lay(laid("1123447..."))
    shows(page, table)
    before = page.locator("main").inner_text()
    page.reload()
    shows(page, table)
    assert page.locator("main").inner_text() == before


def test_a_lost_line_is_told_and_found_again(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, expected="Failed to load resource")
    table.lay(laid(ROLL))
    shows(page, table)
    table.cut_line()
    page.locator("#line", has_text="does not answer").wait_for()
    table.lay(laid("1123447..."))
    table.mend_line()
    page.locator("#line").wait_for(state="hidden")
    shows(page, table)
    assert text(page, "#turn-what") == "Throw the 3 dice in your hand"


def test_an_old_address_says_what_to_do(table: Stage, visit: Visit) -> None:
    page = visit(f"{table.page.origin}/#token=old", expected="401")
    page.locator("#line", has_text="Open the address that boxcars play printed").wait_for()


def test_the_new_address_works_in_the_tab_of_an_old_one(table: Stage, visit: Visit) -> None:
    page = visit(f"{table.page.origin}/#token=old", expected="401")
    page.locator("#line", has_text="Open the address").wait_for()
    # As if pasted over the old one: only the fragment is another.
    page.evaluate("address => { location.href = address; }", table.page.address)
    shows(page, table)
    assert "#token" not in page.url


def test_two_pages_correct_at_once_and_end_in_one_game(table: Stage, visit: Visit) -> None:
    one = visit(table.page.address, expected="409")
    other = visit(table.page.address, expected="409")
    table.lay(laid(ROLL))
    shows(one, table)
    shows(other, table)
    one.keyboard.press("3")
    other.keyboard.press("3")
    other.locator("#die-dialog[open]").wait_for()
    one.locator('#die-pad [data-face="5"]').click()
    other.locator('#die-pad [data-face="8"]').click()
    table.wait(lambda now: 3 not in now.game.faces)
    other.locator("#toast").wait_for()
    for page in (one, other):
        shows(page, table)
    assert table.now.game.faces == (1, 1, 2, 4, 4, 5, 7, 7, 7, 9)
    assert worth(one) == worth(other)


def test_what_one_does_the_other_sees(table: Stage, visit: Visit) -> None:
    one, other = visit(table.page.address), visit(table.page.address)
    table.lay(laid(ROLL))
    shows(one, table)
    one.keyboard.press(" ")
    plays(other, "Bob")
    other.keyboard.press("u")
    plays(one, "Ann")
