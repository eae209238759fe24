"""The picture of the tray: a still while nothing moves, live while something does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.streamed import EMPTY, ROLL, camera, sample, table_at

Visit = Callable[..., Any]

STILL_MS = 1500


def test_it_is_a_still_while_nothing_moves_and_live_while_something_does(
    visit: Visit, tmp_path: Path
) -> None:
    with (
        camera(sample(EMPTY)) as (phone, address),
        table_at([address], tmp_path) as (_, served_at),
    ):
        page = visit(served_at.address, expected="net::")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        phone.show(sample(ROLL))
        page.locator("#turn-what", has_text="Reroll up to 8").wait_for()
        page.locator('#frame[src^="/views/"]').wait_for()
        assert page.locator(".die-label").count() == 10
        page.wait_for_timeout(STILL_MS)
        asked.clear()
        page.wait_for_timeout(STILL_MS)
        assert asked == []
        # Something comes and goes before the camera.
        live = page.locator('#frame[src^="/picture.jpg?frame="]')
        for scene in [EMPTY, ROLL] * 20:
            phone.show(sample(scene))
            page.wait_for_timeout(300)
            if live.count():
                break
        live.wait_for()
        first = live.get_attribute("src")
        page.wait_for_function("src => document.getElementById('frame').src !== src", arg=first)
        page.locator('#frame[src^="/views/"]').wait_for()
