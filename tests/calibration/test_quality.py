"""The quality report says what is wrong and what to do."""

import cv2
import numpy as np
import pytest

from calibration.quality import Finding, QualityReport, Verdict, assess, sharpness
from calibration.standpoint import Standpoint
from tests.calibration.scenes import textured, tray


def found(report: QualityReport, name: str) -> Finding:
    (finding,) = [it for it in report.findings if it.name == name]
    return finding


def look(
    image: np.ndarray,
    standpoint: Standpoint | None = None,
    sizes: tuple[float, ...] = (),
    frames: int = 1,
) -> QualityReport:
    return assess([image] * frames, [], sizes, standpoint, 16.0)


def test_small_digits_ask_for_a_nearer_camera() -> None:
    standpoint = tray(10.0)
    small = found(look(textured(), standpoint, (29.2,)), "digit-height")
    assert small.value == pytest.approx(14.0, abs=0.1)
    assert small.verdict is Verdict.FAIR
    nearer = round(standpoint.height_mm / 10 * 0.3)
    assert small.text == (
        f"Move the camera {nearer} cm closer: digits are 14 px tall, 20 are needed."
    )
    assert found(look(textured(), None, (50.0,)), "digit-height").verdict is Verdict.GOOD
    tiny = found(look(textured(), None, (20.0,)), "digit-height")
    assert tiny.verdict is Verdict.POOR
    assert "% closer" in tiny.text


def test_without_dice_the_calibration_tells_their_size() -> None:
    standpoint = tray(10.0)
    finding = found(look(textured(), standpoint), "digit-height")
    across = 16 / standpoint.mm_per_px(standpoint.middle_px(), 16.0)[0]
    assert finding.value == pytest.approx(across * 0.48)
    assert found(look(textured()), "digit-height").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("tilt_deg", "verdict"), [(10.0, Verdict.GOOD), (32.0, Verdict.FAIR), (50.0, Verdict.POOR)]
)
def test_tilt(tilt_deg: float, verdict: Verdict) -> None:
    finding = found(look(textured(), tray(tilt_deg)), "tilt")
    assert finding.verdict is verdict
    assert finding.value == pytest.approx(tilt_deg, abs=0.1)
    assert ("higher" in finding.text) is (verdict is not Verdict.GOOD)


@pytest.mark.parametrize("sigma", [1.0, 2.0, 4.0])
def test_sharpness_measures_blur(sigma: float) -> None:
    step = np.zeros((60, 80), np.uint8)
    step[:, 40:] = 200
    value = sharpness(np.asarray(cv2.GaussianBlur(step, (0, 0), sigma), np.uint8))
    assert value == pytest.approx(0.4 / np.hypot(sigma, 0.6), rel=0.12)
    assert sharpness(np.full((60, 80), 120, np.uint8)) is None


def test_blur_is_told() -> None:
    stripes = np.zeros((200, 300, 3), np.uint8)
    stripes[:, ::20] = stripes[:, 1::20] = stripes[:, 2::20] = 220
    assert found(look(stripes), "focus").verdict is Verdict.GOOD
    blurred = np.asarray(cv2.GaussianBlur(stripes, (0, 0), 5), np.uint8)
    assert found(look(blurred), "focus").verdict is not Verdict.GOOD


def test_light_glare_and_clipping() -> None:
    dark = look(np.full((90, 160, 3), 20, np.uint8))
    assert found(dark, "exposure").verdict is Verdict.POOR
    assert "lamp nearer" in found(dark, "exposure").text
    bright = np.full((90, 160, 3), 120, np.uint8)
    bright[20:50, 30:80] = 255
    report = look(bright)
    assert found(report, "glare").verdict is Verdict.POOR
    assert found(report, "clipped").value == pytest.approx(100 * 1500 / 14400)
    assert found(report, "exposure").verdict is Verdict.GOOD
    white = look(np.full((90, 160, 3), 250, np.uint8))
    assert "exposure down" in found(white, "exposure").text


def test_glare_is_told_as_a_share_of_the_tray() -> None:
    standpoint = tray(10.0)
    outline = standpoint.outline_px()
    left, top = outline.min(axis=0)
    right, bottom = outline.max(axis=0)
    image = np.full((720, 1280, 3), 120, np.uint8)
    x, y = round((left + right) / 2), round((top + bottom) / 2)
    image[y - 20 : y + 20, x - 30 : x + 30] = 255
    image[:40, :200] = 255  # beside the tray: that glare hides nothing
    corners = outline.round().astype(np.float32)
    share = 100 * 40 * 60 / cv2.contourArea(corners)
    report = look(image, standpoint)
    assert found(report, "glare").value == pytest.approx(share, rel=0.02)
    assert found(report, "clipped").value == pytest.approx(share, rel=0.02)


@pytest.mark.parametrize("sigma", [2.0, 7.0, 12.0])
def test_noise_is_measured_beside_what_moves(sigma: float) -> None:
    rng = np.random.default_rng(1)
    still = np.full((200, 300, 3), 120.0)
    frames = [
        np.clip(still + rng.normal(0, sigma, (200, 300, 1)), 0, 255).astype(np.uint8)
        for _ in range(2)
    ]
    frames[1][:60, :60] = 240
    finding = found(assess(frames, [], [], None, 16.0), "noise")
    assert finding.value == pytest.approx(sigma, rel=0.15)
    assert finding.verdict is {2.0: Verdict.GOOD, 7.0: Verdict.FAIR, 12.0: Verdict.POOR}[sigma]


def test_frame_rate() -> None:
    image = textured()
    rate = found(assess([image], [k / 8 for k in range(9)], [], None, 16.0), "frame-rate")
    assert rate.value == pytest.approx(8)
    assert rate.verdict is Verdict.FAIR
    assert found(look(image), "frame-rate").verdict is Verdict.UNKNOWN


def test_worst_finding_is_the_verdict() -> None:
    report = look(textured(), tray(50.0))
    assert report.verdict is Verdict.POOR
    record = report.to_dict()
    assert record["verdict"] == "poor"
    assert QualityReport(()).verdict is Verdict.UNKNOWN
