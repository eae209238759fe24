"""The state is whole at every moment, and as `docs/api.md` says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from boxcars.page.profiles import profile_json
from boxcars.page.state import state, state_bytes
from calibration.profile import Origin, Profile
from scoring.phases import Phase
from scoring.rules import HouseRules
from tests.boxcars.page.laid import LaidTable
from tests.boxcars.table import random_game, row
from tests.calibration.scenes import tray
from tests.running import ROOT
from vision.records import Doubt

DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```jsonc\n(.*?)```", DOCUMENT, re.DOTALL)
ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def keys_in(value: Any) -> Iterator[str]:
    """All keys of a JSON value, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


def moments(laid: LaidTable) -> Iterator[dict[str, Any]]:
    """States of a table where everything that can be shown is shown once."""
    yield state(laid.snapshot)
    laid.lay([*ROLL[:8], ROLL[8].doubted(Doubt.UNSURE), ROLL[9].doubted(Doubt.COCKED)])
    yield state(laid.snapshot)
    laid.act("enter", faces=[0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    laid.act("coach", on=True)
    laid.lay(ROLL)
    yield state(laid.snapshot)
    laid.lay(ROLL[1:])
    yield state(laid.snapshot)
    laid.lay(ROLL)
    laid.lay(ROLL[:9])
    yield state(laid.snapshot)
    laid.act("new-game", players=["Cid"], rules={"way_car_must_stay": True})
    for dice in random_game(4, 1):
        laid.lay(dice)
        yield state(laid.snapshot)
    assert laid.snapshot.game.over


def test_every_moment_has_the_same_values_and_the_document_names_them(laid: LaidTable) -> None:
    assert EXAMPLE is not None
    documented = set(re.findall(r'"([a-z_]+)"(?=:)', EXAMPLE[1]))
    told: set[str] = set()
    first: list[str] | None = None
    for moment in moments(laid):
        first = first or list(moment)
        assert list(moment) == first
        told |= set(keys_in(moment))
    assert told <= documented
    # What the document names and none of these moments had needs a picture judged, or a camera
    # calibrated.
    figures = profile_json(Profile("cam", tray(15.0), Origin.CORNERS, 0.3, 0.02, ""))
    assert documented - told <= {"checks", "good", "value", "verdict", *figures}


def test_it_is_json_and_nothing_else(laid: LaidTable) -> None:
    for dice in random_game(2, 2)[:12]:
        snapshot = laid.lay(dice)
        again = json.loads(state_bytes(snapshot))
        assert again == json.loads(json.dumps(state(snapshot)))
        assert again["rev"] == snapshot.rev


def test_the_lines_add_up_to_what_standing_is_worth(laid: LaidTable) -> None:
    for dice in random_game(5, 2):
        now = state(laid.lay(dice))
        if now["worth"]:
            assert sum(line["points"] for line in now["worth"]["lines"]) == now["worth"]["points"]
        for player in now["players"]:
            done = [points for points in player["scores"] if points is not None]
            assert player["total"] == sum(done)
            assert len(player["scores"]) == len(player["running"]) == 5
    assert now["over"]
    assert now["winners"]
    assert now["last_score"]["turn"] == 5


def test_who_leads_is_told_once_there_is_a_score(laid: LaidTable) -> None:
    assert not any(it["leads"] for it in state(laid.snapshot)["players"])
    laid.lay(ROLL)
    laid.act("stand")
    assert [it["leads"] for it in state(laid.snapshot)["players"]] == [True, False]


def test_whether_a_breakdown_may_be_touched(laid: LaidTable) -> None:
    def breakdown() -> dict[str, Any]:
        turn = state(laid.snapshot)["turn"]
        found: dict[str, Any] = turn["breakdown"]
        return found

    assert not breakdown()["may_touch"]
    laid.lay(ROLL)
    assert not breakdown()["may_touch"]
    assert "No Way Car" in breakdown()["text"]
    laid.act("stand")
    laid.lay([])
    laid.lay(row([0, 0, 1, 2, 3, 4, 5, 6, 7, 9]))
    assert breakdown()["may_touch"]
    laid.act("new-game", players=["Ann"], rules={"way_car_must_stay": True})
    laid.lay([])
    laid.lay(row([0, 0, 1, 2, 3, 4, 5, 6, 7, 9], y=300.0))
    assert "stays on the table" in breakdown()["text"]
    assert laid.snapshot.game.rules == HouseRules(way_car_must_stay=True)
    assert laid.snapshot.game.phase is Phase.REROLL_8


def test_places_are_shares_of_the_picture(laid: LaidTable) -> None:
    laid.lay(ROLL)
    for die in state(laid.snapshot)["dice"]:
        x0, y0, x1, y1 = die["box"]
        assert 0 <= x0 < x1 <= 1
        assert 0 <= y0 < y1 <= 1
        for x, y in die["outline"]:
            assert x0 - 0.01 <= x <= x1 + 0.01
            assert y0 - 0.01 <= y <= y1 + 0.01
