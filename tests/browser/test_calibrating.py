"""Calibrating the camera on the page, from "no profile" to the first roll read with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.acting import text
from tests.browser.stage import Stage
from tests.browser.streamed import (
    CORNERS,
    EMPTY,
    ROLL,
    TRAY_MM,
    camera,
    sample,
    served,
    table_at,
    with_board,
)
from tests.browser.test_access import violations, wrong_in_both_themes

Visit = Callable[..., Any]

SIZE = (1280, 720)
TRUE_TILT_DEG = 8.0


def open_calibration(page: Any) -> None:
    """Through the set-up, as one who has no calibration yet."""
    page.locator("html[data-ready]").wait_for(state="attached")
    page.locator("#setup-button").click()
    page.locator("#calibrated", has_text="Not calibrated yet").wait_for()
    page.locator("#calibrate-button").click()
    page.wait_for_function("document.getElementById('calibrate-frame').naturalWidth > 0")


def give_size(page: Any) -> None:
    """The tray's inner width and depth."""
    page.locator("#tray-width").fill(str(TRAY_MM[0]))
    page.locator("#tray-depth").fill(str(TRAY_MM[1]))


def at(page: Any, corner: tuple[float, float]) -> tuple[float, float]:
    """Where a place in the camera's picture is in the window."""
    box = page.locator("#calibrate-picture").bounding_box()
    return (
        box["x"] + corner[0] / SIZE[0] * box["width"],
        box["y"] + corner[1] / SIZE[1] * box["height"],
    )


def outcome_tilt(page: Any) -> float:
    """How much the camera is tilted, as the page says it."""
    page.locator("#calibrate-keep").wait_for()
    found = re.search(r"tilted by ([\d.]+)°", text(page, "#outcome"))
    assert found is not None
    return float(found[1])


@pytest.mark.slow
def test_from_no_profile_to_the_first_roll_and_after_a_restart(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOXCARS_CONFIG", str(tmp_path / "config"))
    with camera(sample(EMPTY)) as (phone, address):
        watching = ("--source", address, "--data", tmp_path)
        with served(*watching) as table:
            page = visit(table, expected="net::")
            open_calibration(page)
            page.keyboard.press("Escape")
            page.locator("#checks li", has_text="Focus").wait_for()
            assert text(page, "#quality-sum").startswith("The picture ")
            page.locator("#calibrate-button").click()
            page.locator("#calibrate-try").click()
            page.locator("#calibrate-error", has_text="width and depth").wait_for()
            give_size(page)
            for corner in CORNERS:
                page.mouse.click(*at(page, corner))
            page.locator("#calibrate-try").click()
            assert outcome_tilt(page) == pytest.approx(TRUE_TILT_DEG, abs=2.0)
            assert "0.26 mm in the middle" in text(page, "#outcome")
            assert "four corners fit within" in text(page, "#outcome")
            page.locator("#calibrate-keep").click()
            page.locator("#calibrated", has_text="from the tray's corners").wait_for()
            page.keyboard.press("Escape")
            phone.show(sample(ROLL))
            page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
            cars = page.locator("#train .car .kite b").all_inner_texts()
            assert sorted(cars) == sorted("0011135778")
            assert page.locator("#notices li").count() == 0
        with served(*watching, "--resume") as table:
            page = visit(table, expected="net::")
            page.locator("html[data-ready]").wait_for(state="attached")
            page.locator("#setup-button").click()
            page.locator("#calibrated", has_text="from the tray's corners").wait_for()


def test_on_a_phone_the_board_is_seen_and_taken(visit: Visit, tmp_path: Path) -> None:
    with (
        camera(sample(EMPTY)) as (phone, address),
        table_at([address], tmp_path) as (table, served_at),
    ):
        page = visit(
            served_at.address, 390, 844, expected="net::", has_touch=True, reduced_motion="reduce"
        )
        open_calibration(page)
        page.get_by_label("Lay the printed board into the tray").tap()
        page.locator("#board-step", has_text="not seen yet").wait_for()
        assert page.locator("#calibrate-try").is_disabled()
        phone.show(with_board(sample(EMPTY)))
        page.locator("#board-step", has_text="One view is taken").wait_for()
        give_size(page)
        page.locator("#calibrate-try").tap()
        assert outcome_tilt(page) == pytest.approx(TRUE_TILT_DEG, abs=2.0)
        assert "board's corners fit" in text(page, "#outcome")
        assert violations(page, "#calibrate-dialog") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#calibrate-keep").tap()
        page.locator("#calibrated", has_text="from the board").wait_for()
        # Taken out again, the board was no part of the view.
        phone.show(sample(EMPTY))
        page.locator('#scene[data-scene="settled"]').wait_for(state="attached")
        phone.show(sample(ROLL))
        page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
        assert table.snapshot.game.faces == (0, 0, 1, 1, 1, 3, 5, 7, 7, 8)
        assert table.snapshot.profile is not None
        assert page.locator("#notices li").count() == 0


def test_corners_are_moved_by_finger_and_by_keys_and_dice_suffice(
    table: Stage, visit: Visit
) -> None:
    page = visit(
        table.page.address, 390, 844, expected="409", has_touch=True, reduced_motion="reduce"
    )
    table.show(ROLL)
    open_calibration(page)
    give_size(page)
    for corner in CORNERS:
        page.touchscreen.tap(*at(page, corner))
    assert wrong_in_both_themes(page, "#calibrate-dialog") == []
    corner = page.get_by_role("button", name="Near right corner")
    corner.focus()
    assert page.locator("#loupe").is_visible()
    before = corner.bounding_box()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("ArrowUp")
    after = corner.bounding_box()
    box = page.locator("#calibrate-picture").bounding_box()
    assert before["x"] - after["x"] == pytest.approx(20 * box["width"] / SIZE[0], abs=0.2)
    assert before["y"] - after["y"] == pytest.approx(box["height"] / SIZE[1], abs=0.2)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    page.locator("#tray-width").press("Enter")
    assert outcome_tilt(page) == pytest.approx(TRUE_TILT_DEG, abs=3.0)
    page.locator("#calibrate-again").click()
    page.locator("#tray-width").fill("900")
    page.locator("#calibrate-try").click()
    page.locator("#calibrate-error", has_text="check the size").wait_for()
    page.get_by_label("Only look at the dice").tap()
    page.locator("#calibrate-try").click()
    assert outcome_tilt(page) == pytest.approx(TRUE_TILT_DEG, abs=4.0)


def test_wrong_lengths_are_told_in_the_words_of_their_labels(table: Stage, visit: Visit) -> None:
    """The program would refuse them too, in the words of its interface."""
    page = visit(table.page.address)
    table.show(ROLL)
    open_calibration(page)

    def told(width: str, depth: str, die: str = "16.4") -> tuple[str, str]:
        for field, value in (("tray-width", width), ("tray-depth", depth), ("die-mm", die)):
            page.locator(f"#{field}").fill(value)
        page.locator("#calibrate-try").click()
        return text(page, "#calibrate-error"), page.evaluate("document.activeElement.id")

    assert told("300", "20") == (
        "The tray's inner depth must be 50 to 2000 millimetres.",
        "tray-depth",
    )
    assert told("300", "") == ("Give the tray's inner depth too.", "tray-depth")
    assert told("", "")[0].startswith("Give the tray's inner width and depth")
    wrong_die = "The dice's size from face to face must be 8 to 40 millimetres."
    assert told("300", "200", "80") == (wrong_die, "die-mm")
    page.get_by_label("Only look at the dice").check()
    page.locator("#calibrate-try").click()
    assert text(page, "#calibrate-error") == wrong_die


def test_a_corner_is_dragged_by_mouse(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address)
    table.show(ROLL)
    open_calibration(page)
    handle = page.get_by_role("button", name="Far left corner")
    start = handle.bounding_box()
    # Taken beside its middle, it keeps that distance.
    x, y = start["x"] + start["width"] * 0.7, start["y"] + start["height"] * 0.6
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 25, steps=3)
    page.mouse.up()
    page.mouse.move(x, y)
    end = handle.bounding_box()
    assert (end["x"] - start["x"], end["y"] - start["y"]) == pytest.approx((-40, 25), abs=0.5)


def test_a_camera_is_looked_through_before_it_is_watched(visit: Visit, tmp_path: Path) -> None:
    with (
        camera(sample(EMPTY)) as (_, one),
        camera(sample(ROLL)) as (_, other),
        table_at([one, other, "http://127.0.0.1:9/video"], tmp_path) as (table, served_at),
    ):
        page = visit(served_at.address, expected="Failed to load resource")
        page.locator("html[data-ready]").wait_for(state="attached")
        page.keyboard.press("s")
        page.get_by_role("button", name="Phone 2").click()
        page.locator("#source-trouble", has_text="127.0.0.1").wait_for()
        assert page.locator("#preview").is_hidden()
        page.get_by_role("button", name="Phone 1").click()
        page.locator('#preview[data-waiting="false"]').wait_for()
        assert "sources/s1" in page.locator("#preview").get_attribute("src")
        assert text(page, "#preview-caption") == "What Phone 1 sees. Still watching: Phone 0."
        assert page.locator("#preview").is_visible()
        # Nothing is said of this picture as long as it is not watched.
        assert page.locator("#quality, #calibrate-button").filter(visible=True).count() == 0
        assert wrong_in_both_themes(page, "#setup-dialog") == []
        assert table.snapshot.source.offer == "s0"
        page.locator("#watch-source").click()
        page.locator("#preview-caption", has_text="Watching: Phone 1").wait_for()
        assert not page.locator("#watch-source").is_visible()
        page.locator("#quality-sum").wait_for()
        page.keyboard.press("Escape")
        page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
