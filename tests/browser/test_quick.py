"""How heavy the page is and how soon it shows what happens, measured in a real browser."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.acting import laid, shows
from tests.browser.stage import Stage

Visit = Callable[..., Any]

HEAVIEST_BYTES = 300_000
FIRST_PAINT_MS = 1000
LATENCY_P95_MS = 100

CHANGES = 30
ROUNDS = 3
"""The best of so many at most counts: what else the machine does is no fault of the page."""


def idle_enough(measured: str) -> None:
    """Times measured on a busy machine tell of that, not of the page: then skip."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores:
        pytest.skip(f"The machine is busy (load {load:.0f} on {cores} cores). {measured}")


def soonest(measure: Callable[[], float], enough: float) -> float:
    """The best of a few measurements, of which no more are made than it takes to be good."""
    best = measure()
    for _ in range(ROUNDS - 1):
        if best < enough:
            break
        best = min(best, measure())
    return best


def test_the_page_weighs_little_and_asks_nobody_else(table: Stage, visit: Visit) -> None:
    """Everything that a first visit loads, the overlay's own files included, but no pictures."""
    asked: dict[str, int] = {}

    def note(response: Any) -> None:
        if "/static/" in response.url or response.url.endswith(("/", "/overlay")):
            asked[response.url] = len(response.body())

    page = visit("about:blank")
    page.on("response", note)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    table.lay(laid("1023456789"))
    page.goto(table.page.address)
    shows(page, table)
    page.keyboard.press("s")
    page.wait_for_load_state("load")
    assert len(asked) > 20
    print(f"The page weighs {sum(asked.values()) / 1000:.0f} kB in {len(asked)} files.")
    assert sum(asked.values()) < HEAVIEST_BYTES
    assert all(url.startswith(table.page.origin) for url in requests)


def test_it_is_painted_soon(table: Stage, visit: Visit) -> None:
    visit(table.page.address)
    best = soonest(lambda: _first_paint_ms(visit(table.page.address)), FIRST_PAINT_MS)
    print(f"First paint after {best:.0f} ms.")
    if best >= FIRST_PAINT_MS:
        idle_enough(f"First paint after {best:.0f} ms.")
    assert best < FIRST_PAINT_MS


def _first_paint_ms(page: Any) -> float:
    page.wait_for_load_state("load")
    return float(
        page.evaluate(
            """new Promise((done) => new PerformanceObserver((list) =>
                 done(list.getEntriesByName("first-contentful-paint")[0].startTime))
               .observe({type: "paint", buffered: true}))"""
        )
    )


def test_what_happens_is_on_the_page_within_a_blink(table: Stage, visit: Visit) -> None:
    """From the table's telling its news to the changed page, by the clock that both share."""
    page = visit(table.page.address)
    shows(page, table)
    page.evaluate(
        """() => {
          window.drawn = {};
          new MutationObserver(() => {
            window.drawn[document.documentElement.dataset.rev] = Date.now();
          }).observe(document.documentElement, {attributeFilter: ["data-rev"]});
        }"""
    )
    best = soonest(lambda: _p95_ms(page, table), LATENCY_P95_MS)
    if best >= LATENCY_P95_MS:
        idle_enough(f"From event to page p95 is {best:.0f} ms.")
    assert best < LATENCY_P95_MS


def _p95_ms(page: Any, table: Stage) -> float:
    """How long the page took to show each of many changes: the 95th percentile."""
    told: dict[int, float] = {}

    def note() -> None:
        told.setdefault(table.now.rev, time.time() * 1000)

    end = table.table.subscribe(note)
    for change in range(CHANGES):
        table.lay(laid("1023456789") if change % 2 else laid("1023456789")[:8])
        shows(page, table)
    end()
    drawn = {int(rev): at for rev, at in page.evaluate("window.drawn").items()}
    waits = sorted(drawn[rev] - told[rev] for rev in drawn.keys() & told.keys())
    assert len(waits) >= CHANGES
    p95 = float(waits[int(0.95 * len(waits))])
    print(f"From event to page p95 {p95:.0f} ms, median {waits[len(waits) // 2]:.0f} ms.")
    return p95
