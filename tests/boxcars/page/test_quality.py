"""The live picture is judged now and then, with advice in words."""

from __future__ import annotations

import numpy as np

from boxcars.picture_judge import EVERY_S, PictureJudge
from calibration.quality import Verdict
from tests.boxcars.page.laid import LaidTable
from tests.boxcars.table import row, view
from vision.records import Frame

DARK = np.full((180, 320, 3), 8, np.uint8)


def test_two_frames_are_needed() -> None:
    judge = PictureJudge()
    assert not judge.judge(0.0, None, None)
    judge.push(Frame(0.0, DARK))
    assert not judge.judge(0.0, None, None)
    assert judge.report is None


def test_a_dark_picture_is_told_with_what_to_do() -> None:
    judge = PictureJudge()
    for n in range(60):
        judge.push(Frame(n / 30, DARK))
    assert judge.judge(2.0, view(row([1, 2])), None)
    assert judge.report is not None
    found = {it.name: it for it in judge.report.findings}
    assert found["exposure"].verdict is Verdict.POOR
    assert "lamp" in found["exposure"].text
    assert found["frame-rate"].value is not None
    assert abs(found["frame-rate"].value - 30) < 1
    assert found["digit-height"].value is not None


def test_it_is_judged_now_and_then_only() -> None:
    judge = PictureJudge()
    for t in (0.0, 0.1):
        judge.push(Frame(t, DARK))
    assert judge.judge(0.1, None, None)
    assert not judge.judge(EVERY_S, None, None)
    assert judge.judge(EVERY_S + 0.1, None, None)


def test_the_page_hears_of_it(laid: LaidTable) -> None:
    with laid.client() as client:
        assert client.get("/api/state").json()["quality"] is None
        laid.lay(row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8]))
        laid.lay(row([0, 0, 1, 2, 3, 4, 5, 6, 7]))
        laid.wait(lambda now: now.quality is not None)
        quality = client.get("/api/state").json()["quality"]
    assert "exposure" in {check["name"] for check in quality["checks"]}
    assert quality["good"] == all(check["good"] for check in quality["checks"])
    for check in quality["checks"]:
        assert check["verdict"] in ("good", "fair", "poor")
        assert check["text"].endswith(".")
