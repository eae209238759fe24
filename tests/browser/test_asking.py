"""Questions about doubtful dice and corrections by click and by key, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.acting import labels, laid, plays, shows, text, worth
from tests.browser.stage import Stage
from vision.records import Doubt

Visit = Callable[..., Any]

ROLL = "1123447779"


def doubtful(stage: Stage) -> None:
    """A roll whose third die may be a 6 or a 9."""
    dice = laid("1162344777")
    stage.lay([*dice[:2], dice[2].doubted(Doubt.SIX_OR_NINE), *dice[3:]])


def test_a_doubtful_die_asks_on_the_spot_and_is_answered_by_click(
    table: Stage, visit: Visit
) -> None:
    page = visit(table.page.address)
    # Nothing is news to a page that was just opened.
    shows(page, table)
    doubtful(table)
    shows(page, table)
    assert "it may be a 6 or a 9" in text(page, "#question")
    crop = page.locator("#question .crop")
    crop.wait_for()
    assert crop.evaluate("image => image.decode().then(() => image.naturalWidth)") == 256
    assert page.locator("#question .face").first.get_attribute("data-face") == "6"
    assert page.locator("#question .face").count() == 10
    assert page.locator(".mark.is-doubtful.asked").count() == 1
    said = page.locator("#say-now", has_text="Which face does a die show")
    said.wait_for(state="attached")
    page.locator('#question [data-face="9"]').click()
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
    assert page.locator("#question").is_hidden()
    assert table.now.game.faces == (1, 1, 2, 3, 4, 4, 7, 7, 7, 9)


def test_a_question_is_answered_by_its_number_key(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    doubtful(table)
    shows(page, table)
    page.keyboard.press("6")
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
    assert table.now.game.faces == (1, 1, 2, 3, 4, 4, 6, 7, 7, 7)


def test_a_misread_is_corrected_by_click(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.locator(".die-label", has=page.locator("b", has_text="2")).click()
    assert text(page, "#die-why") == "Read as 2, Caboose."
    page.locator('#die-pad [data-face="5"]').click()
    page.locator("#sum-points .unseen", has_text="75").wait_for()
    shows(page, table)
    assert table.now.game.faces == (1, 1, 3, 4, 4, 5, 7, 7, 7, 9)
    assert worth(page) == 10 + 10 - 10 + 20 + 5 + 40
    assert sum("said by the table" in name for name in labels(page)) == 1


def test_a_die_is_corrected_by_clicking_its_outline(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.locator(".mark .casing").nth(2).click(force=True)
    page.locator("#die-dialog[open]").wait_for()


def test_a_misread_is_corrected_by_keyboard_alone(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press("c")
    assert page.locator(".hint").first.is_visible()
    page.keyboard.press("3")
    page.locator("#die-dialog[open]").wait_for()
    assert text(page, "#die-why") == "Read as 3, Mail Car."
    page.keyboard.press("5")
    table.wait(lambda now: now.game.faces == (1, 1, 2, 4, 4, 5, 7, 7, 7, 9))
    shows(page, table)
    assert page.locator("#die-dialog").is_hidden()
    page.keyboard.press("Control+z")
    table.wait(lambda now: now.game.faces == (1, 1, 2, 3, 4, 4, 7, 7, 7, 9))
    shows(page, table)
    page.keyboard.press("Control+y")
    table.wait(lambda now: now.game.faces == (1, 1, 2, 4, 4, 5, 7, 7, 7, 9))


def test_a_die_that_the_camera_misses_is_added(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("112344777."))
    shows(page, table)
    page.keyboard.press("+")
    page.locator("#die-dialog[open]").wait_for()
    page.keyboard.press("9")
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
    assert table.now.game.faces == (1, 1, 2, 3, 4, 4, 7, 7, 7, 9)


def test_while_a_die_is_added_there_is_none_to_remove(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("112344777."))
    shows(page, table)
    page.keyboard.press("+")
    page.locator("#die-dialog[open]").wait_for()
    page.keyboard.press("Delete")
    assert page.locator("#die-dialog").is_visible()
    page.keyboard.press("9")
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()


def test_what_is_no_die_is_removed(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    button = laid("8")[0].moved(1.8, 1.8)
    table.lay([*laid(ROLL), button])
    shows(page, table)
    assert "Eleven dice" in text(page, "#notices")
    page.locator(".die-label", has=page.locator("b", has_text="8")).click()
    page.keyboard.press("Delete")
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
    assert table.now.game.faces == (1, 1, 2, 3, 4, 4, 7, 7, 7, 9)


def test_the_whole_roll_is_entered_by_hand(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    page.keyboard.press("e")
    page.keyboard.type("1 2 3 4 5 6 7 8 9")
    assert page.locator("#roll-send").is_disabled()
    assert text(page, "#roll-count") == "9 of ten dice."
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
    assert table.now.game.faces == tuple(range(10))


def test_an_earlier_roll_is_corrected_in_the_history(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press(" ")
    plays(page, "Bob")
    page.keyboard.press("h")
    picture = page.locator("#history-list .roll .thumb img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    page.locator("#history-list .roll").get_by_role("button", name="Correct").click()
    page.locator("#roll-faces").fill("1234444779")
    page.locator("#roll-send").click()
    table.wait(lambda now: now.game.totals["Ann"] == 10 + 10 + 10 + 60 + 20)
    page.locator("#sheet .total", has_text="110").wait_for()
    page.keyboard.press("h")
    assert page.locator("#history-list .correction").count() == 1


def test_what_is_refused_is_said_in_words(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, expected="409")
    shows(page, table)
    page.keyboard.press("u")
    page.locator("#toast", has_text="There is nothing to undo.").wait_for()


def test_what_is_refused_is_said_over_an_open_dialog(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, expected="400")
    shows(page, table)
    page.keyboard.press("s")
    page.locator("#players input").first.fill("A\u200bnn")
    page.get_by_role("button", name="Start a new game").click()
    # What lies under an open dialog is dim and told to nobody.
    page.locator("#setup-dialog #toast", has_text="no invisible characters").wait_for()
    page.keyboard.press("Escape")
    page.locator("body > #toast", has_text="no invisible characters").wait_for()
