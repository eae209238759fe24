"""Calibration and previews over HTTP: what is answered, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from boxcars.page.calibrating import NO_CAMERA, OTHER_CALIBRATION
from boxcars.page.security import Role
from boxcars.snapshot import Offer
from calibration.limits import DIE_MM
from calibration.limits import TRAY_MM as TRAY_LENGTHS_MM
from calibration.sheet import Paper, board_sheet, to_pdf
from samples import GAME
from tests.boxcars.page.laid import PATIENCE_S, LaidTable, laid_table
from tests.boxcars.table import row
from tests.browser.streamed import CORNERS, EMPTY, TRAY_MM, camera, sample, table_at
from tests.running import ROOT
from vision.pictures import decode_picture

STATIC = ROOT / "boxcars" / "page" / "static"
SHARES = [[x / 1280, y / 720] for x, y in CORNERS]
GOOD: dict[str, Any] = {"corners": SHARES, "tray_mm": list(TRAY_MM)}


@contextmanager
def calibrated_table(folder: Path) -> Iterator[httpx.Client]:
    """A program at a table that watches a camera."""
    with camera(sample(EMPTY)) as (_, address), table_at([address], folder) as (_, page):
        token = {"Authorization": f"Bearer {page.gate.tokens[Role.TABLE]}"}
        with httpx.Client(
            base_url=page.origin, headers=token, timeout=PATIENCE_S, trust_env=False
        ) as client:
            yield client


def test_corners_are_proposed_kept_used_and_forgotten(tmp_path: Path) -> None:
    with calibrated_table(tmp_path) as client:
        assert client.get("/api/calibration").json()["proposal"] is None
        for wrong in (
            {},
            {**GOOD, "corners": SHARES[:3]},
            {**GOOD, "corners": [*SHARES[:3], [0.5, 1.5]]},
            {**GOOD, "corners": [*SHARES[:3], [0.5, "x"]]},
            {**GOOD, "corners": [*SHARES[:3], [True, 0.5]]},
            {**GOOD, "tray_mm": [300]},
            {**GOOD, "tray_mm": [300, 10]},
            {**GOOD, "tray_mm": "300x200"},
            {**GOOD, "die_mm": 400},
            {**GOOD, "die_mm": 10**400},
            {**GOOD, "camera": "other"},
        ):
            answer = client.post("/api/calibration/corners", json=wrong)
            assert answer.status_code == 400, wrong
        unfit = client.post("/api/calibration/corners", json={**GOOD, "tray_mm": [900, 60]})
        assert unfit.status_code == 409
        assert "check the size" in unfit.json()["error"]
        assert client.post("/api/calibration/keep", json={}).status_code == 409
        told = client.post("/api/calibration/corners", json=GOOD).json()
        assert told["proposal"]["tilt_deg"] == pytest.approx(8.0, abs=2.0)
        assert all(-0.1 <= share <= 1.1 for spot in told["proposal"]["outline"] for share in spot)
        assert "http" not in str(told)
        assert client.post("/api/calibration/keep", json={}).status_code == 200
        assert len(list((tmp_path / "cameras").iterdir())) == 1
        await_use(client, "corners")
        assert client.post("/api/calibration/forget", json={}).status_code == 200
        assert not list((tmp_path / "cameras").iterdir())
        await_use(client, None)


def await_use(client: httpx.Client, made_from: str | None) -> None:
    """Wait until the table reads with a calibration of this kind."""
    until = monotonic() + PATIENCE_S
    while monotonic() < until:
        used = client.get("/api/state").json()["calibration"]["in_use"]
        if (used and used["made_from"]) == made_from:
            return
        sleep(0.05)
    raise AssertionError(f"It never read with {made_from}.")


def test_what_is_no_camera_cannot_be_calibrated(laid: LaidTable) -> None:
    laid.lay(row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8]))
    with laid.client() as client:
        assert client.get("/api/state").json()["calibration"] == {"possible": False, "in_use": None}
        refused = client.get("/api/calibration")
        assert (refused.status_code, refused.json()["error"]) == (409, OTHER_CALIBRATION)
        assert client.post("/api/calibration/corners", json=GOOD).status_code == 409
        assert client.post("/api/calibration/nothing", json={}).status_code == 404


def test_pictures_cannot_be_calibrated(tmp_path: Path) -> None:
    with table_at([str(GAME)], tmp_path) as (_, page):
        token = {"Authorization": f"Bearer {page.gate.tokens[Role.TABLE]}"}
        refused = httpx.get(
            f"{page.origin}/api/calibration", headers=token, timeout=PATIENCE_S, trust_env=False
        )
    assert (refused.status_code, refused.json()["error"]) == (409, NO_CAMERA)


@pytest.mark.parametrize(
    ("field", "limits"),
    [("tray-width", TRAY_LENGTHS_MM), ("tray-depth", TRAY_LENGTHS_MM), ("die-mm", DIE_MM)],
)
def test_the_form_takes_the_lengths_that_the_program_takes(
    field: str, limits: tuple[float, float]
) -> None:
    form = (STATIC / "index.html").read_text(encoding="utf-8")
    found = re.search(rf'id="{field}"[^>]* min="(\d+)" max="(\d+)"', form)
    assert found is not None
    assert tuple(map(float, found.groups())) == limits


def test_who_may_only_look_calibrates_nothing_and_chooses_nothing(laid: LaidTable) -> None:
    with laid.client(Role.OVERLAY) as overlay:
        assert overlay.get("/api/calibration").status_code == 403
        assert overlay.post("/api/calibration/corners", json=GOOD).status_code == 403
        assert overlay.get("/sources/s1.jpg").status_code == 403
    with laid.client(None) as nobody:
        for path in ("/api/calibration", "/sources/s1.jpg", "/board/a4.pdf"):
            assert nobody.get(path).status_code == 401


def test_the_board_is_had_on_both_papers(laid: LaidTable) -> None:
    with laid.client() as client:
        for paper in Paper:
            answer = client.get(f"/board/{paper.name.lower()}.pdf")
            assert answer.content == to_pdf(board_sheet(paper))
            assert "attachment" in answer.headers["content-disposition"]
        assert client.get("/board/a3.pdf").status_code == 404


def test_only_what_is_on_offer_is_looked_through(tmp_path: Path) -> None:
    with camera(sample(EMPTY)) as (_, address):
        offers = (
            Offer("s0", "laid dice", "laid dice"),
            Offer("s1", "Phone", address),
            Offer("s2", "Nothing", "no-such-file.mp4"),
        )
        with laid_table(tmp_path, offers=offers) as laid, laid.client() as client:
            for wanted in ("s9", "..%2fs1", "0", address.replace("/", "%2f")):
                assert client.get(f"/sources/{wanted}.jpg").status_code == 404
            refused = client.get("/sources/s2.jpg")
            assert refused.status_code == 409
            assert refused.json()["error"].endswith(".")
            for _ in range(2):
                answer = client.get("/sources/s1.jpg")
                assert decode_picture(answer.content).shape == (720, 1280, 3)
            assert laid.snapshot.source.offer is None
