"""A turn as people at the table see it on the page, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.acting import labels, laid, plays, shows, text, thrown, worth
from tests.browser.stage import Stage
from vision.records import Doubt

Visit = Callable[..., Any]

LOOKS = """
() => Object.fromEntries([...document.querySelectorAll("#marks .mark")].map((mark, n) => {
  const line = mark.querySelector(".line");
  const label = document.querySelectorAll(".die-label")[n];
  const { borderStyle, borderRadius } = getComputedStyle(label);
  const path = line.getAttribute("d").replaceAll(/[-\\d. ]/g, "");
  return [mark.classList[1], {
    shape: path + getComputedStyle(line).strokeDasharray,
    border: borderStyle + borderRadius,
    word: label.querySelector(".tag")?.textContent ?? "",
  }];
}))
"""
"""How dice are drawn, by their state: the outline and label without their colours."""


def test_before_the_first_roll_it_says_who_rolls(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    assert text(page, "#turn-who").startswith("Ann turn 1 of 5")
    assert text(page, "#turn-what") == "Roll all ten dice"
    assert page.locator("#stand").is_disabled()
    assert page.locator('[aria-current="step"]').inner_text().startswith("10")
    assert "#token" not in page.url


def test_a_roll_is_shown_as_dice_train_and_points(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    shows(page, table)
    assert text(page, "#turn-what") == "Reroll up to 8 dice"
    assert "may be rerolled" in text(page, "#signal")
    assert labels(page).count("Die: 7 Tank. Correct it") == 3
    assert text(page, '[data-group="tank"] .ticket') == "Tank Three of a Kind +40"
    order = [group.get_attribute("data-group") for group in page.locator(".group").all()]
    assert order == ["locomotive", "mail-car", "sleeper", "tank", "way-car", "caboose"]
    assert worth(page) == 90
    assert text(page, "#sum-lines") == "10 + 10 + 10 + 20 + 40 = 90 if you stand now"


def test_a_roll_is_told_with_proper_plurals(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    table.lay(laid("1123455579"))
    shows(page, table)
    page.locator("#say", has_text="2 Locomotives, 1 Mail Car, 1 Sleeper, 3 Coaches").wait_for(
        state="attached"
    )


def test_what_is_missing_is_an_empty_place(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("2233445500"))
    shows(page, table)
    assert page.locator('[data-group="locomotive"].missing').is_visible()
    assert "Without a Locomotive nothing counts" in text(page, "#sum-lines")
    assert worth(page) == 0
    assert "stay on the table" in text(page, "#signal")


def test_picked_up_and_kept_dice_are_told_apart_in_words(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    table.lay(laid("1123447..."))
    shows(page, table)
    assert text(page, "#turn-what") == "Throw the 3 dice in your hand"
    assert "3 picked up: legal" in text(page, "#turn-hand")
    names = labels(page)
    assert sum("in hand" in name for name in names) == 3
    assert sum("kept" in name for name in names) == 7
    assert page.locator(".mark.is-picked-up").count() == 3
    assert page.locator(".car.is-picked-up").count() == 3


def test_states_of_dice_differ_in_shape_and_word_not_in_colour_alone(
    table: Stage, visit: Visit
) -> None:
    """Kept, in the hand, certain, in doubt, leaning: no two are drawn alike without colours."""
    page = visit(table.page.address)
    dice = laid("1162344777")
    cocked, doubtful = dice[0].doubted(Doubt.COCKED), dice[2].doubted(Doubt.SIX_OR_NINE)
    table.lay([cocked, dice[1], doubtful, *dice[3:]])
    shows(page, table)
    looks = page.evaluate(LOOKS)
    table.lay(dice)
    table.lay(laid("1162344..."))
    shows(page, table)
    looks |= page.evaluate(LOOKS)
    states = {"is-kept", "is-picked-up", "is-certain", "is-doubtful", "is-cocked"}
    assert looks.keys() == states
    for part in ("shape", "border", "word"):
        assert len({look[part] for look in looks.values()}) == len(states), part


def test_each_face_has_a_drawing_of_its_own(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("0123456789"))
    shows(page, table)
    drawings = page.locator("#train .car-picture").all()
    assert len({drawing.get_attribute("src") for drawing in drawings}) == 10
    for drawing in drawings:
        assert drawing.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_cocked_dice_are_named_and_wait(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    dice = laid("1123447779")
    table.lay([dice[0].doubted(Doubt.COCKED), *dice[1:]])
    shows(page, table)
    assert page.locator(".die-label.is-cocked").get_attribute("aria-label") == (
        "Die: not known yet, leans. Correct it"
    )
    assert "leans" in text(page, "#notices")
    assert text(page, "#turn-what") == "Roll all ten dice"


def test_standing_by_button_scores_the_turn(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    shows(page, table)
    page.locator("#stand").click()
    plays(page, "Bob")
    assert text(page, "#sheet tbody tr:first-child td:last-child").startswith("90")
    assert "Ann scores 90. Total 90." in page.locator("#say").inner_text()


def test_standing_by_space_bar_and_undo_and_redo_by_key(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    shows(page, table)
    page.keyboard.press(" ")
    plays(page, "Bob")
    assert page.locator("#undo").get_attribute("title") == "Undo standing"
    page.keyboard.press("u")
    plays(page, "Ann")
    assert page.locator("#redo").get_attribute("title") == "Redo standing"
    page.keyboard.press("r")
    plays(page, "Bob")
    page.keyboard.press("h")
    page.locator("#history-list .undo", has_text="took back standing").wait_for()
    page.locator("#history-list .undo", has_text="brought back standing").wait_for()


def test_a_reroll_goes_on_to_the_next_station(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    table.lay(laid("112344777."))
    dice = laid("112344777.")
    table.lay([*dice, *thrown(".........8")])
    shows(page, table)
    assert text(page, "#turn-what") == "Reroll up to 6 dice"
    assert page.locator('[aria-current="step"]').inner_text().startswith("6")
    assert page.locator(".station.passed").count() == 2
