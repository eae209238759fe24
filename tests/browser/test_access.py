"""Everybody can use the page: axe finds nothing, keys reach everything, letters stand out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.browser.acting import laid, shows
from tests.browser.stage import Stage
from tests.running import ROOT
from vision.records import Doubt

Visit = Callable[..., Any]

THEMES = ("light", "dark")
ROLL = "1123447779"
TOKENS = ROOT / "boxcars" / "page" / "static" / "style" / "tokens.css"

DIALOGS = {
    "history-dialog": "h",
    "setup-dialog": "s",
    "options-dialog": "o",
    "help-dialog": "?",
    "roll-dialog": "e",
    "die-dialog": "1",
}


def violations(page: Any, part: str = "html", rules: Sequence[str] = ()) -> list[str]:
    """What axe finds wrong with a part of the page as it is now, by default by all rules."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = axe().run(page, context=part, options=options).response["violations"]
    return [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]


def wrong_in_both_themes(page: Any, part: str = "html") -> list[str]:
    """The same by day, and what can be wrong with colours by night."""
    by_day = violations(page, part)
    theme = 'document.documentElement.dataset.theme = "{}"'
    page.evaluate(theme.format("dark"))
    by_night = violations(page, part, ["color-contrast"])
    page.evaluate(theme.format("light"))
    return by_day + by_night


def test_axe_finds_nothing_wrong_in_a_turn(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    shows(page, table)
    assert wrong_in_both_themes(page) == []
    table.lay(laid(ROLL))
    table.lay(laid("1123447..."))
    shows(page, table)
    assert wrong_in_both_themes(page) == []


def test_axe_finds_nothing_wrong_with_questions_and_alarms(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    dice = laid("1012344777")
    table.lay([*dice[:2], dice[2].doubted(Doubt.GLARE), dice[3].doubted(Doubt.COCKED), *dice[4:]])
    shows(page, table)
    assert page.locator("#question").is_visible()
    assert wrong_in_both_themes(page) == []
    table.lay(dice)
    table.lay(laid("1.12344777"))
    shows(page, table)
    page.locator("#alarm-dialog[open]").wait_for()
    assert wrong_in_both_themes(page, "#alarm-dialog") == []
    page.keyboard.press("Escape")
    page.locator("#alarm-bar").wait_for()
    assert wrong_in_both_themes(page) == []


def test_axe_finds_nothing_wrong_in_dialogs(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    table.lay(laid(ROLL))
    shows(page, table)
    for dialog, key in DIALOGS.items():
        page.keyboard.press(key)
        page.locator(f"#{dialog}[open]").wait_for()
        assert wrong_in_both_themes(page, f"#{dialog}") == [], dialog
        page.keyboard.press("Escape")
        page.locator(f"#{dialog}").wait_for(state="hidden")


def test_axe_finds_nothing_wrong_on_a_phone_and_on_the_overlay(table: Stage, visit: Visit) -> None:
    table.lay(laid(ROLL))
    phone = visit(table.page.address, 390, 844, reduced_motion="reduce")
    shows(phone, table)
    assert violations(phone) == []
    overlay = visit(table.page.overlay_address, reduced_motion="reduce")
    shows(overlay, table)
    assert violations(overlay) == []


def test_the_tab_key_reaches_every_button(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    wanted = page.locator("button:visible:enabled").count()
    reached: set[str] = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(() => { const it = document.activeElement;"
                " return it.tagName === 'BUTTON' ? it.id || it.dataset.key : ''; })()"
            )
        )
    assert len(reached - {""}) == wanted


def test_focus_stays_where_it_was_when_dice_change(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.locator(".die-label").first.focus()
    key = page.evaluate("document.activeElement.dataset.key")
    table.lay(laid(ROLL)[:7])
    shows(page, table)
    assert page.evaluate("document.activeElement.dataset.key") == key


def test_after_a_dialog_the_focus_is_back_though_dice_changed(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.locator(".die-label").first.focus()
    key = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("Enter")
    page.locator("#die-dialog[open]").wait_for()
    table.lay(laid(ROLL)[:7])
    shows(page, table)
    page.keyboard.press("Escape")
    page.locator(f'[data-key="{key}"]:focus').wait_for()


def test_single_keys_can_be_turned_off(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press("o")
    page.locator("#option-keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    page.keyboard.press(" ")
    page.wait_for_timeout(300)
    assert page.locator("#history-dialog").is_hidden()
    assert table.now.game.player == "Ann"


def test_nothing_moves_where_motion_is_unwanted(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    table.lay(laid(ROLL))
    shows(page, table)
    assert page.evaluate("document.getAnimations().length") == 0


def _tokens(theme: str) -> Iterator[tuple[str, str]]:
    """The plain colours of a theme."""
    css = TOKENS.read_text(encoding="utf-8")
    light, dark = css.split(':root[data-theme="dark"] {')
    for part in [light] if theme == "light" else [light, dark.split("}")[0]]:
        yield from re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)


def _luminance(colour: str) -> float:
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


PAIRS = [
    *((ink, paper) for ink in ("ink", "quiet") for paper in ("ground", "panel", "panel-2")),
    *((ink, paper) for ink in ("green", "red", "brass", "blue") for paper in ("panel", "panel-2")),
    ("on-green", "green"),
    ("on-red", "red"),
    ("brass", "brass-tint"),
    ("ink", "brass-tint"),
    ("panel", "brass"),
    ("ground", "ink"),
    ("flap-ink", "flap"),
]


@pytest.mark.parametrize("theme", THEMES)
def test_letters_stand_out_from_their_ground(theme: str) -> None:
    colours = dict(_tokens(theme))
    for ink, paper in PAIRS:
        light, dark = sorted((_luminance(colours[ink]), _luminance(colours[paper])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)
