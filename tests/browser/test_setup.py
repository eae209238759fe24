"""Set-up, coach and ears of the page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.acting import laid, plays, shows, text, turns
from tests.browser.stage import Stage, stage

Visit = Callable[..., Any]

ROLL = "1123447779"

LISTEN = """
() => {
  window.said = [];
  SpeechSynthesis.prototype.speak = (words) => window.said.push(words.text);
}
"""
"""Hears what would be spoken."""

COUNT_NOTES = """
() => {
  window.notes = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) {
    window.notes.push(this.frequency.value);
    return start.call(this, at);
  };
}
"""
"""Writes down the pitch of each note played."""

TELL_FOUR = """
import("/static/js/ears.js").then(({ tell }) => tell([
  { kind: "roll", urgent: false, text: "A roll." },
  { kind: "score", urgent: false, text: "A score." },
  { kind: "alarm", urgent: true, text: "An alarm." },
  { kind: "question", urgent: true, text: "A question." },
]))
"""
"""Tells the page's own ears four things at once."""


def test_a_game_is_set_up_with_names_and_house_rules(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press("s")
    names = page.locator("#players input")
    names.nth(0).fill("Cem")
    names.nth(1).fill("Cem")
    page.get_by_role("button", name="Start a new game").click()
    assert text(page, "#setup-error").startswith("Two players have the same name")
    names.nth(1).fill("Dora")
    page.locator("#add-player").click()
    page.keyboard.type("Eva")
    page.locator("#first_breakdown_only").check()
    page.get_by_role("button", name="Start a new game").click()
    plays(page, "Cem")
    assert page.locator("#setup-dialog").is_hidden()
    assert table.now.game.players == ("Cem", "Dora", "Eva")
    assert table.now.game.rules.first_breakdown_only
    assert turns(page, "Eva")[-1] == "0"


def test_names_are_one_name_in_capitals_too(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    page.keyboard.press("s")
    page.locator("#players input").nth(0).fill("Cem")
    page.locator("#players input").nth(1).fill("cem")
    page.get_by_role("button", name="Start a new game").click()
    assert text(page, "#setup-error").startswith("Two players have the same name")


def test_another_camera_is_chosen_by_its_name(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, expected="409")
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press("s")
    preview = page.locator("#preview")
    preview.evaluate("image => image.decode()")
    assert page.locator(".source[aria-pressed=true]").inner_text().startswith("Stage")
    page.locator(".source", has_text="Other stage").click()
    # What is to be chosen is looked at first; this one is no real camera.
    page.locator("#source-trouble:not(:empty)").wait_for()
    assert table.now.source.offer == "s0"
    page.locator("#watch-source").click()
    page.locator("#preview-caption", has_text="Watching: Other stage").wait_for()
    assert page.locator(".source[aria-pressed=true]").inner_text().startswith("Other stage")
    assert table.now.source.offer == "s1"


def test_whether_the_picture_is_good_enough_is_said_in_words(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    for _ in range(2):
        table.show("000-t1-roll10-roll.jpg")
    shows(page, table)
    page.keyboard.press("s")
    page.locator("#checks li").first.wait_for()
    assert text(page, "#quality-sum").startswith("The picture")
    assert "Size of the digits" in text(page, "#checks")


def test_names_are_shown_as_text_only(tmp_path: Path, visit: Visit) -> None:
    """On every part of the page that names a player, and on the overlay."""
    name = "<img src=x onerror=alert(1)><b>A</b>"
    with stage(tmp_path, [name, "Bob"]) as table:
        page = visit(table.page.address, expected="net::")
        overlay = visit(table.page.overlay_address, expected="net::")
        shows(page, table)
        assert text(page, "#turn-who").startswith(name)
        assert text(page, "#sheet .player-name") == name
        table.lay(laid("1012344777"))
        table.lay(laid("1.12344777"))
        shows(page, table)
        shows(overlay, table)
        assert text(page, "#alarm-text").startswith(name)
        assert text(page, "#say-now").startswith(name)
        assert text(overlay, "#news").startswith(name)
        assert text(overlay, "#who").startswith(name)
        assert text(overlay, "#totals .name") == name
        page.keyboard.press("t")
        page.locator("#alarm-dialog").wait_for(state="hidden")
        table.lay(laid("1012344777"))
        shows(page, table)
        page.keyboard.press(" ")
        plays(page, "Bob")
        assert text(page, "#say").startswith(f"{name} scores")
        page.keyboard.press("h")
        assert text(page, "#history-list .score b") == name
        page.locator("#history-list .roll").get_by_role("button", name="Correct").click()
        assert name in text(page, "#roll-title")
        page.keyboard.press("Escape")
        page.locator("#roll-dialog").wait_for(state="hidden")
        page.keyboard.press("s")
        assert page.locator("#players input").first.input_value() == name
        page.keyboard.press("Escape")
        page.locator("#setup-dialog").wait_for(state="hidden")
        page.keyboard.press("u")
        plays(page, name)
        assert page.title().startswith(name)
        for shown in (page, overlay):
            assert shown.locator("b b, img[src=x], [onerror]").count() == 0


def test_the_coach_speaks_only_when_asked_and_the_record_says_so(
    table: Stage, visit: Visit
) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    assert page.locator("#coach").is_hidden()
    assert page.locator(".car.keep").count() == 0
    page.keyboard.press("k")
    page.locator("#coach", has_text="on average").wait_for()
    assert page.locator(".car.keep").count() > 0
    assert re.search(r"Worth \d+\.\d on average; 90 if you stand", text(page, "#coach-body"))
    table.lay(laid(".12344777."))
    shows(page, table)
    cost = re.search(
        r"Your last choice cost (\d+\.\d) points on average", text(page, "#coach-body")
    )
    assert cost is not None
    assert float(cost[1]) > 1
    page.keyboard.press("h")
    assert page.locator("#history-list", has_text="The coach is on").is_visible()


def test_scores_and_alarms_are_spoken_if_wanted(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    page.evaluate(LISTEN)
    table.lay(laid(ROLL))
    shows(page, table)
    assert page.evaluate("window.said") == []
    page.keyboard.press("v")
    page.keyboard.press(" ")
    plays(page, "Bob")
    assert "Ann scores 90. Total 90." in page.evaluate("window.said")
    page.keyboard.press("w")
    assert page.evaluate("window.said.at(-1)") == "Ann 90, Bob 0."
    table.lay([])
    table.lay(laid("1012344777"))
    shows(page, table)
    table.lay(laid("1.12344777"))
    page.locator("#alarm-dialog[open]").wait_for()
    assert "a Breakdown may be rerolled only" in page.evaluate("window.said.at(-1)")


def test_sounds_are_made_if_wanted_and_only_then(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    page.evaluate(COUNT_NOTES)
    table.lay(laid("1012344777"))
    shows(page, table)
    assert page.evaluate("window.notes") == []
    page.keyboard.press("m")
    page.locator("#toast", has_text="Sound is on.").wait_for()
    assert len(page.evaluate("window.notes.splice(0)")) > 0
    table.lay(laid("1.12344777"))
    page.locator("#alarm-dialog[open]").wait_for()
    alarm = page.evaluate("window.notes.splice(0)")
    assert max(alarm) < 400
    page.keyboard.press("t")
    page.locator("#alarm-dialog").wait_for(state="hidden")
    page.keyboard.press("m")
    table.lay(laid("1012344777"))
    shows(page, table)
    assert page.evaluate("window.notes") == []


def test_totals_are_told_politely_and_alarms_at_once(table: Stage, visit: Visit) -> None:
    """By regions that screen readers follow."""
    page = visit(table.page.address)
    shows(page, table)
    table.lay(laid("1012344777"))
    shows(page, table)
    assert text(page, "#say[aria-live=polite]").startswith("Ann has 2 Locomotives")
    table.lay(laid("1.12344777"))
    page.locator("#alarm-dialog[open]").wait_for()
    assert text(page, "#say-now[aria-live=assertive]").endswith("Allow it, or take it back?")


def test_of_several_news_at_once_none_is_lost(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    shows(page, table)
    page.evaluate(LISTEN)
    page.keyboard.press("v")
    page.evaluate(TELL_FOUR)
    assert text(page, "#say-now") == "An alarm. A question."
    assert text(page, "#say") == "A roll. A score."
    assert page.evaluate("window.said.slice(-2)") == ["An alarm. A question.", "A roll. A score."]


def test_going_back_to_before_something_in_the_history(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.lay(laid(ROLL))
    shows(page, table)
    page.keyboard.press(" ")
    plays(page, "Bob")
    page.keyboard.press("h")
    roll = page.locator("#history-list .roll")
    roll.get_by_role("button", name="Back to before this").click()
    page.locator("#history-list .roll.undone", has_text="taken back").wait_for()
    assert table.now.game.player == "Ann"
    assert table.now.game.faces == ()
