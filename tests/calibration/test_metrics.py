"""The figures on record keep within their limits."""

import json
from typing import Any

import pytest

from calibration.evaluate import LIMITS, METRICS, main, measure_clicks, misses


@pytest.mark.skipif(not METRICS.exists(), reason="nothing was measured yet")
def test_figures_on_record_are_within_their_limits() -> None:
    assert misses(json.loads(METRICS.read_text("utf-8"))) == []


def test_figures_outside_their_limits_are_told() -> None:
    worse: dict[str, dict[str, Any]] = {
        "boards": {"tray_error_mm_max": 0.7},
        "bad": {"accepted_wrong": ["bent sheet"]},
    }
    assert len(misses(worse)) == 2
    assert misses({"boards": {name: most for name, (_, most) in LIMITS["boards"].items()}}) == []


def test_clicks_measured_again_are_good() -> None:
    figures = measure_clicks(12)
    assert figures["error_mm_max"] < 2.0
    assert figures["refused"] == 0


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["everything"])
    assert "no 'everything' to measure" in capsys.readouterr().err
