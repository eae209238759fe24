"""The overlay for streams, alone in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from boxcars.actions import SetCoach
from tests.browser.acting import laid, shows, text
from tests.browser.stage import Stage

Visit = Callable[..., Any]

ROLL = "1123447779"


def alpha(page: Any) -> Any:
    """How opaque each pixel is, 0-255."""
    data = np.frombuffer(page.screenshot(omit_background=True), np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    assert image is not None
    return image[:, :, 3]


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720), (1080, 1920)])
def test_it_scales_to_the_canvas_and_lets_the_stream_through(
    table: Stage, visit: Visit, width: int, height: int
) -> None:
    page = visit(table.page.overlay_address, width, height)
    table.lay(laid(ROLL))
    shows(page, table)
    seen = alpha(page)
    assert (seen == 0).mean() > 0.5
    assert (seen == 255).any()
    for part in (".scores", ".band"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert text(page, "#sum-points .unseen") == "90"
    assert text(page, "#what") == "Reroll up to 8 dice"


def test_it_looks_on_and_cannot_act(table: Stage, visit: Visit) -> None:
    page = visit(table.page.overlay_address, expected="403")
    shows(page, table)
    assert page.locator("button").count() == 0
    status = page.evaluate(
        """fetch("/api/actions/undo", {method: "POST", body: '{"rev": 1}',
           headers: {"Content-Type": "application/json"}}).then((answer) => answer.status)"""
    )
    assert status == 403


def test_it_restores_itself_when_the_line_is_back(table: Stage, visit: Visit) -> None:
    page = visit(table.page.overlay_address, expected="Failed to load resource")
    shows(page, table)
    table.cut_line()
    page.locator("#line", has_text="does not answer").wait_for()
    table.lay(laid(ROLL))
    table.mend_line()
    page.locator("#line").wait_for(state="hidden")
    shows(page, table)
    assert text(page, "#sum-points .unseen") == "90"


def test_what_the_coach_keeps_is_marked_as_soon_as_it_says_so(table: Stage, visit: Visit) -> None:
    page = visit(table.page.overlay_address)
    table.lay(laid(ROLL))
    shows(page, table)
    assert page.locator(".car.keep").count() == 0
    table.table.perform(SetCoach(on=True), table.now.rev)
    shows(page, table)
    assert page.locator(".car.keep").count() > 0


def test_an_alarm_is_told_on_the_stream(table: Stage, visit: Visit) -> None:
    page = visit(table.page.overlay_address)
    table.lay(laid("1012344777"))
    table.lay(laid("1.12344777"))
    shows(page, table)
    assert "a Breakdown may be rerolled only" in text(page, "#news")
