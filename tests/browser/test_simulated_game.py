"""A whole simulated game, read and refereed as it happens, watched on the page to its winner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boxcars.journal import FILE_NAME, Journal
from boxcars.page.serving import Page
from boxcars.session import Session
from boxcars.sim import DEMO_SEED, Deed, SimSource
from boxcars.sim.evening import calm_evening
from boxcars.table import Crew, Table, Watched
from scoring.events import PickedUp, Rerolled, Rolled, Scored
from scoring.rules import Verdict
from tests.boxcars.page.laid import wait_for
from tests.boxcars.table import STARTED
from tests.browser.acting import text, turns
from tests.browser.stage import PATIENCE_S, running
from vision.records import Frame
from vision.remembering import RememberingReader
from vision.settle import settler_for

Visit = Callable[..., Any]

PLAYER = "Ann"

SEEN = """() => {
  const shown = (id) => !document.getElementById(id).closest("[hidden]");
  const said = (id) => shown(id) ? document.getElementById(id).textContent : "";
  return {
    what: said("turn-what"),
    points: shown("sum") ? document.querySelector("#sum-points .unseen").textContent : "",
    cars: [...document.querySelectorAll("#train .car .kite b")].map((it) => it.textContent).sort(),
    alarm: document.getElementById("alarm-dialog").open ? said("alarm-text") : "",
  };
}"""
"""What people see of the turn, in one look."""


class PatientSim(SimSource):
    """The simulated table, as fast as can be; but its time stands still until all was looked at."""

    def __init__(self) -> None:
        super().__init__(calm_evening(DEMO_SEED), fast=True)
        self.seen = threading.Event()
        self.seen.set()

    def next_frame(self, timeout_s: float) -> Frame | None:
        """The next frame, once whoever watches has seen what the one before brought."""
        return super().next_frame(timeout_s) if self.seen.wait(timeout_s) else None


@pytest.mark.slow
def test_a_simulated_game_from_its_first_roll_to_the_winner(tmp_path: Path, visit: Visit) -> None:
    """After each change the page says what the table knows, and that is what truly happened."""
    source = PatientSim()
    reader = RememberingReader()
    crew = Crew(
        lambda offer: pytest.fail(f"{offer} was chosen."),
        lambda opened: settler_for(opened, reader),
        lambda: STARTED,
    )
    with Journal(tmp_path / FILE_NAME) as journal:
        session = Session.begin(journal, [PLAYER], started=STARTED, source=source.spec)
        table = Table(journal, session, Watched(source, "the simulated table", source.spec), crew)
        alarms: list[str] = []
        steps: list[str] = []
        with Page(table) as served:
            page = visit(served.address, expected="net::")
            table.subscribe(source.seen.clear)
            with running(table):
                while not table.snapshot.game.over:
                    seen = look(page, source, table)
                    note(alarms, seen["alarm"])
                    note(steps, seen["what"])
                look(page, source, table)
                total = sum(t.points for t in source.truth if t.deed is Deed.SCORE)
                assert text(page, "#winner-title") == f"{PLAYER} is home"
                assert text(page, "#winner-text") == f"{total} points"
                assert turns(page, PLAYER)[-1].startswith(str(total))
        events = session.events
    truth = source.truth
    throws = [event.faces for event in events if isinstance(event, (Rolled, Rerolled))]
    assert throws == [t.faces for t in truth if t.deed in (Deed.ROLL, Deed.REROLL)]
    scores = [event.points for event in events if isinstance(event, Scored)]
    assert scores == [t.points for t in truth if t.deed is Deed.SCORE]
    # Once a Breakdown is picked up that no Way Car frees; laid back, it is nobody's reroll.
    (illegal,) = [t for t in truth if t.illegal]
    judged = [e for e in events if isinstance(e, PickedUp) and e.verdict is Verdict.ILLEGAL]
    assert judged[0].picked_up == illegal.faces
    assert not [e for e in events if isinstance(e, Rerolled) and e.verdict is Verdict.ILLEGAL]
    before, alarm, after = alarms
    assert (before, after) == ("", "")
    assert "a Breakdown may be rerolled only with a Way Car in play" in alarm
    assert steps[steps.index("Allow it, or take it back?") + 1].startswith("Reroll up to")
    assert {f"Reroll up to {limit} dice" for limit in (8, 6, 4, 2)} <= set(steps)


def look(page: Any, source: PatientSim, table: Table) -> dict[str, Any]:
    """What the page shows once it has drawn the table's next change; then time goes on there."""
    now = wait_for(lambda: table.snapshot, lambda _: not source.seen.is_set(), PATIENCE_S)
    page.locator(f'html[data-rev="{now.rev}"]').wait_for(state="attached")
    seen: dict[str, Any] = page.evaluate(SEEN)
    if now.game.score is not None and len(now.dice) == 10:
        assert seen["points"].replace("\N{MINUS SIGN}", "-") == str(now.game.score.points)
        assert seen["cars"] == sorted(
            "?" if it.die.face is None else str(it.die.face) for it in now.dice
        )
    source.seen.set()
    return seen


def note(seen: list[str], now: str) -> None:
    """Remember what is seen, if it is new."""
    if seen[-1:] != [now]:
        seen.append(now)
