"""Everybody can use the page: axe finds nothing, keys reach everything, letters stand out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.acting import laid, shows
from tests.browser.contrast import faint
from tests.browser.stage import Stage, stage
from tests.browser.test_game import play_out
from tests.running import ROOT
from vision.records import Doubt

Visit = Callable[..., Any]

THEMES = ("light", "dark")
ROLL = "1123447779"
TOKENS = ROOT / "boxcars" / "page" / "static" / "style" / "tokens.css"

FOCUSED = """() => {
  const it = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(it);
  const path = [];
  for (let at = it; at; at = at.parentElement) {
    path.push(at.id || [...(at.parentElement?.children ?? [])].indexOf(at));
  }
  return {
    tag: it.tagName,
    key: it.id || it.dataset.key || "",
    path: path.join(" "),
    dialog: it.closest("dialog")?.id ?? "",
    outline: outlineStyle === "none" ? 0 : parseFloat(outlineWidth),
  };
}"""
"""What has the focus, in which dialog, and how thick the line around it is."""

REACHABLE = ":is(button:enabled, input:enabled, select:enabled, a[href]):visible"

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
    """The same by day, what can be wrong with colours by night, and faint letters in both."""
    by_day = violations(page, part) + faint(page, part)
    theme = 'document.documentElement.dataset.theme = "{}"'
    page.evaluate(theme.format("dark"))
    by_night = violations(page, part, ["color-contrast"]) + faint(page, part)
    page.evaluate(theme.format("light"))
    return by_day + by_night


def test_what_is_faint_is_found(table: Stage, visit: Visit) -> None:
    """Also where axe cannot tell: over a drawing."""
    page = visit(table.page.address, reduced_motion="reduce")
    shows(page, table)
    assert faint(page) == []
    page.evaluate("document.getElementById('train-empty').style.color = '#7d8f86'")
    (found,) = faint(page)
    assert found.startswith("The track is clear.: ")


def test_axe_finds_nothing_wrong_in_a_turn(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    shows(page, table)
    assert wrong_in_both_themes(page) == []
    table.lay(laid(ROLL))
    table.lay(laid("1123447..."))
    shows(page, table)
    assert wrong_in_both_themes(page) == []


def test_axe_finds_nothing_wrong_with_the_coach_and_the_numbers_of_the_cars(
    table: Stage, visit: Visit
) -> None:
    page = visit(table.page.address, reduced_motion="reduce")
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press("k")
    page.locator("#coach", has_text="on average").wait_for()
    page.keyboard.press("c")
    assert page.locator(".hint").first.is_visible()
    assert wrong_in_both_themes(page) == []


def test_axe_finds_nothing_wrong_at_the_end_and_where_the_line_is_lost(
    tmp_path: Path, visit: Visit
) -> None:
    with stage(tmp_path, ["Ann"]) as table:
        page = visit(table.page.address, expected="net::", reduced_motion="reduce")
        play_out(page, table)
        page.locator("#winner").wait_for()
        assert wrong_in_both_themes(page) == []
        table.cut_line()
        page.locator("#line", has_text="does not answer").wait_for()
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


def test_axe_finds_nothing_wrong_on_a_phone(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, 390, 844, reduced_motion="reduce")
    dice = laid("1012344777")
    table.lay([*dice[:2], dice[2].doubted(Doubt.SIX_OR_NINE), *dice[3:]])
    shows(page, table)
    assert wrong_in_both_themes(page) == []
    table.lay(dice)
    shows(page, table)
    for dialog in ("setup-dialog", "history-dialog"):
        page.keyboard.press(DIALOGS[dialog])
        assert wrong_in_both_themes(page, f"#{dialog}") == [], dialog
        page.keyboard.press("Escape")
        page.locator(f"#{dialog}").wait_for(state="hidden")
    table.lay(laid("1.12344777"))
    page.locator("#alarm-dialog[open]").wait_for()
    assert wrong_in_both_themes(page, "#alarm-dialog") == []


def test_axe_finds_nothing_wrong_on_the_overlay(table: Stage, visit: Visit) -> None:
    page = visit(table.page.overlay_address, reduced_motion="reduce")
    shows(page, table)
    assert violations(page) + faint(page) == []
    table.lay(laid("1012344777"))
    table.lay(laid("1.12344777"))
    shows(page, table)
    assert page.locator("#news").is_visible()
    assert violations(page) + faint(page) == []


def tabbed(page: Any, times: int) -> list[dict[str, Any]]:
    """What has the focus after each of so many presses of the tab key, but for the window."""
    reached = []
    for _ in range(times):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    return [it for it in reached if it["tag"] != "BODY"]


def test_the_tab_key_reaches_every_button_and_shows_where_it_is(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    wanted = page.locator("button:visible:enabled").count()
    reached = tabbed(page, wanted + 5)
    buttons = {it["key"] for it in reached if it["tag"] == "BUTTON"}
    assert len(buttons - {""}) == wanted
    assert [it for it in reached if it["outline"] < 3] == []


def test_dialogs_keep_the_focus_show_it_and_give_it_back(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    for dialog, key in DIALOGS.items():
        page.locator("#history-button").focus()
        page.keyboard.press(key)
        page.locator(f"#{dialog}[open]").wait_for()
        assert page.evaluate(FOCUSED)["dialog"] == dialog
        wanted = page.locator(f"#{dialog}").locator(REACHABLE).count()
        reached = tabbed(page, wanted + 2)
        assert {it["dialog"] for it in reached} == {dialog}
        assert [it for it in reached if it["outline"] < 3] == [], dialog
        assert len({it["path"] for it in reached}) == wanted, dialog
        page.keyboard.press("Escape")
        page.locator(f"#{dialog}").wait_for(state="hidden")
        assert page.evaluate(FOCUSED)["key"] == "history-button", dialog


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
    dice = laid("1162344777")
    table.lay([*dice[:2], dice[2].doubted(Doubt.SIX_OR_NINE), *dice[3:]])
    shows(page, table)
    assert page.locator(".mark.asked").count() == 1
    assert page.evaluate("document.getAnimations().length") == 0
    table.lay(dice)
    shows(page, table)
    assert page.locator("#sum").is_visible()
    assert page.evaluate("document.getAnimations().length") == 0


def test_otherwise_a_die_asked_about_is_seen_to_ask(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    dice = laid("1162344777")
    table.lay([*dice[:2], dice[2].doubted(Doubt.SIX_OR_NINE), *dice[3:]])
    shows(page, table)
    assert page.evaluate("document.getAnimations().length") > 0
    page.keyboard.press("o")
    page.locator("#option-motion").select_option("none")
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
    ("focus", "ground"),
    ("focus", "panel"),
]


@pytest.mark.parametrize("theme", THEMES)
def test_letters_stand_out_from_their_ground(theme: str) -> None:
    colours = dict(_tokens(theme))
    for ink, paper in PAIRS:
        light, dark = sorted((_luminance(colours[ink]), _luminance(colours[paper])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)
