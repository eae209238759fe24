"""A real Chromium for the page's tests; where none is installed they are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import CHROMIUM, launch
from tests.browser.stage import Stage, stage

PATIENCE_MS = 60_000
"""No page on a loaded machine takes longer."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser, headless; one for each module, so that no other test meets its event loop."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt install chromium.")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens addresses in windows of their own; what goes wrong in a page fails the test.

    Errors on the console that have `expected` in them are meant to come.
    """
    contexts: list[Any] = []
    wrong: list[str] = []

    def hear(said: Any, expected: str) -> None:
        if said.type == "error" and not (expected and expected in said.text):
            wrong.append(said.text)

    def open_page(
        address: str, width: int = 1440, height: int = 900, *, expected: str = "", **how: Any
    ) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: hear(said, expected))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong, wrong


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Stage]:
    """A table with its page, on which tests lay dice."""
    with stage(tmp_path) as set_up:
        yield set_up
