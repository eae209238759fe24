"""The page fits its window, from a phone to a screen across the room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.acting import laid, shows
from tests.browser.stage import Stage

Visit = Callable[..., Any]

CLIPPED = """
[...document.querySelectorAll(
  "button:not(.car), h2, td, th, .ticket-name, .ticket b, .what, .station span")]
  .filter((it) => it.offsetParent && !it.classList.contains("unseen")
    && it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).display !== "inline")
  .map((it) => it.outerHTML.slice(0, 120))
"""
"""Elements whose text is wider than they are."""

OVERLAPS = """
(() => {
  const boxes = [...document.querySelectorAll(".die-label")]
    .map((it) => it.getBoundingClientRect());
  const apart = (a, b) => a.left > b.right - 1 || b.left > a.right - 1
    || a.top > b.bottom - 1 || b.top > a.bottom - 1;
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b))).length;
})()
"""
"""How many pairs of labels in the picture cover each other."""


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        (360, 740, "normal"),
        (390, 844, "large"),
        (820, 1180, "normal"),
        (1280, 720, "normal"),
        (1920, 1080, "normal"),
        (1920, 1080, "room"),
    ],
)
def test_nothing_is_cut_off(table: Stage, visit: Visit, width: int, height: int, size: str) -> None:
    page = visit(table.page.address, width, height)
    page.evaluate("size => document.documentElement.dataset.size = size", size)
    table.lay(laid("1023445567"))
    shows(page, table)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(OVERLAPS) == 0


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
def test_a_turn_fits_the_screen_without_scrolling(
    table: Stage, visit: Visit, width: int, height: int
) -> None:
    page = visit(table.page.address, width, height)
    table.lay(laid("1023445567"))
    shows(page, table)
    assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_on_a_phone_turn_and_train_come_before_the_picture(table: Stage, visit: Visit) -> None:
    page = visit(table.page.address, 390, 844)
    table.lay(laid("1023445567"))
    shows(page, table)
    tops = [page.locator(part).bounding_box()["y"] for part in ("#turn", "#train", "#picture")]
    assert tops == sorted(tops)
    assert tops[1] < 844
