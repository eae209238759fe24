"""How good the view is: size, sharpness, light, noise and frame rate, each with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import to_gray
from calibration.standpoint import Standpoint

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

DIGIT_SHARE = 0.48
"""A digit's height as a share of the die's face-to-face distance."""


class Verdict(StrEnum):
    """How good one thing is."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing measured: its name, value and unit, the verdict, and in a sentence what it means
    and, unless it is good, what to do."""

    name: str
    value: float | None
    unit: str
    verdict: Verdict
    text: str

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        value = None if self.value is None else round(self.value, 3)
        return {
            "name": self.name,
            "value": value,
            "unit": self.unit,
            "verdict": self.verdict.value,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a value is good, and from where on it is poor."""

    digit_px: tuple[float, float] = (20.0, 14.0)
    tilt_deg: tuple[float, float] = (25.0, 40.0)
    scale_ratio: tuple[float, float] = (1.6, 2.2)
    """Millimetres a pixel at the tray's far side over those at its near side."""
    sharpness: tuple[float, float] = (0.32, 0.18)
    """Steepest brightness change a pixel at digits' edges, as a share of their contrast."""
    clipped: tuple[float, float] = (0.01, 0.04)
    dark: tuple[float, float] = (60.0, 35.0)
    """Mean grey level."""
    bright: tuple[float, float] = (205.0, 230.0)
    glare: tuple[float, float] = (0.005, 0.02)
    noise: tuple[float, float] = (4.0, 9.0)
    fps: tuple[float, float] = (12.0, 6.0)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class QualityReport:
    """All findings about one view."""

    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of them."""
        order = (Verdict.POOR, Verdict.FAIR, Verdict.GOOD)
        verdicts = {finding.verdict for finding in self.findings}
        return next((one for one in order if one in verdicts), Verdict.UNKNOWN)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "verdict": self.verdict.value,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def assess(
    frames: Sequence[Image],
    times_s: Sequence[float],
    die_sizes_px: Sequence[float],
    standpoint: Standpoint | None,
    die_mm: float,
    die_boxes: Sequence[tuple[float, float, float, float]] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> QualityReport:
    """The report of a view.

    `frames` are one or more pictures `(h, w, 3)` of it in order, the last one the newest, and
    `times_s` when each came; `die_sizes_px` face-to-face distances of the dice in it, pixels,
    and `die_boxes` where they are. `standpoint` is the calibration, if there is one.
    """
    newest = frames[-1]
    gray = to_gray(newest)
    area = _tray_mask(gray, standpoint)
    findings = [
        _digits(die_sizes_px, standpoint, die_mm, limits),
        *_geometry(standpoint, die_mm, limits),
        _focus(gray, die_boxes, limits),
        *_light(newest, gray, area, limits),
        _noise(frames, limits),
        _frame_rate(times_s, limits),
    ]
    return QualityReport(tuple(findings))


def _verdict(value: float, good: float, poor: float) -> Verdict:
    """Where a value lies, whichever direction is the better one."""
    if good >= poor:
        return Verdict.GOOD if value >= good else Verdict.FAIR if value >= poor else Verdict.POOR
    return Verdict.GOOD if value <= good else Verdict.FAIR if value <= poor else Verdict.POOR


def _digits(
    sizes_px: Sequence[float], standpoint: Standpoint | None, die_mm: float, limits: Limits
) -> Finding:
    if sizes_px:
        across_px = float(np.median(sizes_px))
    elif standpoint is not None:
        scale = standpoint.mm_per_px(standpoint.middle_px(), die_mm)
        across_px = die_mm / float(scale[0])
    else:
        return Finding(
            "digit-height",
            None,
            "px",
            Verdict.UNKNOWN,
            "Put some dice into the tray to see how large their digits are.",
        )
    height_px = across_px * DIGIT_SHARE
    good, poor = limits.digit_px
    verdict = _verdict(height_px, good, poor)
    if verdict is Verdict.GOOD:
        text = f"Digits are {height_px:.0f} px tall."
    else:
        nearer = ""
        if standpoint is not None:
            away_cm = standpoint.height_mm / 10 * (1 - height_px / good)
            nearer = f"{max(1, round(away_cm))} cm "
        else:
            nearer = f"{round(100 * (1 - height_px / good))} % "
        text = (
            f"Move the camera {nearer}closer: digits are {height_px:.0f} px tall, "
            f"{good:.0f} are needed."
        )
    return Finding("digit-height", height_px, "px", verdict, text)


def _geometry(standpoint: Standpoint | None, die_mm: float, limits: Limits) -> list[Finding]:
    if standpoint is None:
        text = "Calibrate to know how the camera stands to the tray."
        return [Finding("tilt", None, "°", Verdict.UNKNOWN, text)]
    tilt = standpoint.tilt_deg
    verdict = _verdict(tilt, *limits.tilt_deg)
    text = f"The camera looks down {tilt:.0f}° off the vertical."
    if verdict is not Verdict.GOOD:
        text = (
            f"Set the camera higher and nearer to the tray's middle: it looks {tilt:.0f}° off the "
            f"vertical, {limits.tilt_deg[0]:.0f}° at most are best."
        )
    findings = [Finding("tilt", tilt, "°", verdict, text)]
    pixels = standpoint.outline_px() if standpoint.outline else _inner_grid(standpoint)
    scales = standpoint.mm_per_px(pixels, die_mm)
    scales = scales[np.isfinite(scales)]
    if len(scales):
        near, far = float(scales.min()), float(scales.max())
        ratio = far / near
        verdict = _verdict(ratio, *limits.scale_ratio)
        text = f"A pixel is {near:.2f} mm at the tray's near side and {far:.2f} mm at its far side."
        if verdict is not Verdict.GOOD:
            text += " Set the camera higher or farther away, so that the far dice are not so small."
        findings.append(Finding("mm-per-px", far, "mm", verdict, text))
    return findings


def _inner_grid(standpoint: Standpoint) -> Array:
    width, height = standpoint.lens.size
    xs, ys = np.meshgrid([0.2, 0.5, 0.8], [0.2, 0.5, 0.8])
    return np.column_stack([xs.ravel() * width, ys.ravel() * height])


def _tray_mask(gray: Image, standpoint: Standpoint | None) -> NDArray[np.bool_]:
    """Which pixels show the tray; all of them where that is unknown."""
    if standpoint is None or not standpoint.outline:
        return np.ones(gray.shape, bool)
    mask = np.zeros(gray.shape, np.uint8)
    cv2.fillPoly(mask, [standpoint.outline_px().round().astype(np.int32)], 1)
    return mask.astype(bool) if mask.any() else np.ones(gray.shape, bool)


def _focus(
    gray: Image, boxes: Sequence[tuple[float, float, float, float]], limits: Limits
) -> Finding:
    """How steep edges are: within dice if there are any, else the sharpest in the picture."""
    values = [sharpness(part) for part in _parts(gray, boxes)]
    known = [value for value in values if value is not None]
    if not known:
        text = "Put some dice into the tray to see whether it is in focus."
        return Finding("focus", None, "", Verdict.UNKNOWN, text)
    value = float(np.median(known))
    verdict = _verdict(value, *limits.sharpness)
    text = "The picture is sharp."
    if verdict is not Verdict.GOOD:
        text = (
            "The picture is blurred: focus the camera on the tray, clean its lens, or move it to "
            "where it can focus."
        )
    return Finding("focus", value, "", verdict, text)


def _parts(gray: Image, boxes: Sequence[tuple[float, float, float, float]]) -> list[Image]:
    if not boxes:
        return [gray]
    parts = []
    for x0, y0, x1, y1 in boxes:
        part = gray[max(0, round(y0)) : max(0, round(y1)), max(0, round(x0)) : max(0, round(x1))]
        if min(part.shape, default=0) >= 12:
            parts.append(part)
    return parts


def sharpness(gray: Image) -> float | None:
    """The steepest brightness changes a pixel as a share of the contrast, 0-1; None for a part
    without contrast. A step blurred by a sigma of 1 px has 0.4, by 2 px 0.2."""
    values = cv2.GaussianBlur(gray, (0, 0), 0.6).astype(np.float32)
    low, high = np.percentile(values, [2, 98])
    if high - low < 20:
        return None
    across = np.abs(np.diff(values, axis=1))
    down = np.abs(np.diff(values, axis=0))
    steepest = max(float(np.percentile(across, 99)), float(np.percentile(down, 99)))
    return steepest / float(high - low)


def _light(image: Image, gray: Image, area: NDArray[np.bool_], limits: Limits) -> list[Finding]:
    mean = float(gray[area].mean())
    if mean < limits.dark[0]:
        verdict = _verdict(mean, *limits.dark)
        text = "Too dark: bring a lamp nearer or let the camera expose for longer."
    elif mean > limits.bright[0]:
        verdict = _verdict(mean, *limits.bright)
        text = "Too bright: turn the camera's exposure down or the lamp away."
    else:
        verdict, text = Verdict.GOOD, "The exposure is right."
    findings = [Finding("exposure", mean, "grey levels", verdict, text)]
    white = (image.min(axis=2) if image.ndim == 3 else image) >= 252
    clipped = float((white & area).sum() / area.sum())
    verdict = _verdict(clipped, *limits.clipped)
    text = "Hardly a highlight is washed out."
    if verdict is not Verdict.GOOD:
        text = f"{100 * clipped:.1f} % of the tray is washed out: turn the exposure down."
    findings.append(Finding("clipped", 100 * clipped, "%", verdict, text))
    glare = _glare(white & area, int(area.sum()))
    verdict = _verdict(glare, *limits.glare)
    text = "There is hardly any glare."
    if verdict is not Verdict.GOOD:
        text = (
            f"Glare covers {100 * glare:.1f} % of the tray: put the lamp to the side or a "
            "lampshade over it."
        )
    findings.append(Finding("glare", 100 * glare, "%", verdict, text))
    return findings


def _glare(white: NDArray[np.bool_], area_px: int) -> float:
    """The share of the tray's `area_px` in washed-out spots large enough to hide a stroke of a
    digit."""
    spots = cv2.morphologyEx(white.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(spots.sum() / max(1, area_px))


def _noise(frames: Sequence[Image], limits: Limits) -> Finding:
    value = _noise_of(frames)
    if value is None:
        return Finding("noise", None, "grey levels", Verdict.UNKNOWN, "Noise needs two pictures.")
    verdict = _verdict(value, *limits.noise)
    text = "The picture is clean."
    if verdict is not Verdict.GOOD:
        text = "The picture is noisy: more light helps."
    return Finding("noise", value, "grey levels", verdict, text)


def _noise_of(frames: Sequence[Image]) -> float | None:
    """The noise of one picture (sigma, grey levels), from what differs between two."""
    if len(frames) < 2 or frames[-1].shape != frames[-2].shape:
        return None
    change = to_gray(frames[-1]).astype(np.float32) - to_gray(frames[-2]).astype(np.float32)
    change -= float(np.median(change))
    # What moves is an outlier; the median does not see it. 1.4826 makes it a sigma.
    return float(np.median(np.abs(change)) * 1.4826 / np.sqrt(2))


def _frame_rate(times_s: Sequence[float], limits: Limits) -> Finding:
    if len(times_s) < 3 or times_s[-1] <= times_s[0]:
        return Finding(
            "frame-rate",
            None,
            "fps",
            Verdict.UNKNOWN,
            "The frame rate shows while a camera or a film is watched.",
        )
    fps = (len(times_s) - 1) / (times_s[-1] - times_s[0])
    verdict = _verdict(fps, *limits.fps)
    text = f"Pictures come at {fps:.0f} a second."
    if verdict is not Verdict.GOOD:
        text = (
            f"Pictures come at only {fps:.0f} a second: give more light, use another USB port, or "
            "choose a smaller picture."
        )
    return Finding("frame-rate", fps, "fps", verdict, text)
