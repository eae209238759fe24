"""Pictures of the printed board with known truth, to measure calibration by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import board
from calibration.lens import Lens

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

TEXTURE_PX_PER_MM = 8.0
PAPER_MM = 5.0
"""White around the board."""

FINER = 2
"""Each pixel is the mean of this many, squared."""

MIP_STEP = 1.25
"""The table is kept in blurs this many times as strong as the one before."""

COARSE_PX = 8
"""The lens bends slowly: places are worked out this many pixels apart."""

ROUND_MM = 120.0
"""How much of the table around the board is drawn."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The board's place: `rotation` (a rotation vector) and `translation` (mm) lead from board
    coordinates (mm from its middle, y up, z towards the viewer) to camera coordinates."""

    rotation: tuple[float, float, float]
    translation: tuple[float, float, float]

    @property
    def matrix(self) -> Array:
        """Rotation matrix (3, 3)."""
        return np.asarray(cv2.Rodrigues(np.array(self.rotation))[0], np.float64)


@dataclass(frozen=True, slots=True)
class Looks:
    """How a picture comes out: `blur_px` (sigma), `motion_px` (streak), `noise` (sigma, grey
    levels), `light` (brightness of white, 0-255), `slope` (how much darker one side is, 0-1) and
    `bend_mm` (how far the sheet's ends stand up)."""

    blur_px: float = 0.5
    motion_px: float = 0.0
    noise: float = 2.0
    light: float = 215.0
    slope: float = 0.2
    bend_mm: float = 0.0


@cache
def _table() -> Image:
    """The board on its sheet on a table, 0-255, `TEXTURE_PX_PER_MM` a millimetre."""
    per_mm = TEXTURE_PX_PER_MM
    wide = round((board.WIDTH_MM + 2 * ROUND_MM) * per_mm)
    deep = round((board.DEPTH_MM + 2 * ROUND_MM) * per_mm)
    rng = np.random.default_rng(1)
    coarse = rng.normal(0.35, 0.08, (deep // 24, wide // 24)).astype(np.float32)
    table = np.asarray(cv2.resize(coarse, (wide, deep)), np.float32)
    x0, y0 = round((ROUND_MM - PAPER_MM) * per_mm), round((ROUND_MM - PAPER_MM) * per_mm)
    table[y0 : deep - y0, x0 : wide - x0] = 1.0
    cell = round(board.CELL_MM * per_mm)
    printed = np.where(board.cells(), 0.06, 1.0).astype(np.float32)
    printed = np.repeat(np.repeat(printed, cell, axis=0), cell, axis=1)
    top, left = round(ROUND_MM * per_mm), round(ROUND_MM * per_mm)
    table[top : top + printed.shape[0], left : left + printed.shape[1]] = printed
    return np.asarray((np.clip(table, 0, 1) * 255).round(), np.uint8)


def render(lens: Lens, pose: Pose, looks: Looks, rng: np.random.Generator) -> Image:
    """What a camera with that lens sees, `(h, w, 3)`."""
    places = _places(lens, pose)
    if looks.bend_mm:
        # A sheet whose ends stand up is seen as if its print were shifted along the view.
        bend = looks.bend_mm * (places[..., 0] / (board.WIDTH_MM / 2)) ** 2
        lean = pose.matrix.T @ np.array([0.0, 0.0, 1.0])
        places[..., 0] += bend * float(lean[0] / lean[2])
        places[..., 1] += bend * float(lean[1] / lean[2])
    per_mm = TEXTURE_PX_PER_MM
    columns = (places[..., 0] + board.WIDTH_MM / 2 + ROUND_MM) * per_mm - 0.5
    rows = (board.DEPTH_MM / 2 - places[..., 1] + ROUND_MM) * per_mm - 0.5
    fine = cv2.remap(
        _mipped(lens, pose),
        columns.astype(np.float32),
        rows.astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=80,
    )
    seen = cv2.resize(fine, lens.size, interpolation=cv2.INTER_AREA)
    return _exposed(np.asarray(seen, np.float32), looks, rng)


def _mipped(lens: Lens, pose: Pose) -> Image:
    """The table blurred as much as a pixel of the picture covers, so that nothing aliases."""
    px_per_mm = lens.focal[0] / pose.translation[2] * FINER
    sigma = 0.35 * TEXTURE_PX_PER_MM / px_per_mm
    return _table() if sigma < 0.4 else _blurred(round(np.log(sigma) / np.log(MIP_STEP)))


@cache
def _blurred(step: int) -> Image:
    return np.asarray(cv2.GaussianBlur(_table(), (0, 0), MIP_STEP**step), np.uint8)


def _places(lens: Lens, pose: Pose) -> Array:
    """Where on the board each fine pixel looks, mm, `(FINER h, FINER w, 2)`."""
    width, height = lens.size
    # A little beyond the picture, so that its edge pixels lie between worked-out ones.
    xs = np.arange(-2 * COARSE_PX, width + 3 * COARSE_PX, COARSE_PX, dtype=np.float64)
    ys = np.arange(-2 * COARSE_PX, height + 3 * COARSE_PX, COARSE_PX, dtype=np.float64)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    lines = lens.rays(grid) @ pose.matrix
    eye = -pose.matrix.T @ np.array(pose.translation)
    reach = -eye[2] / np.minimum(lines[:, 2], -1e-3)
    coarse = (eye[:2] + lines[:, :2] * reach[:, None]).reshape(len(ys), len(xs), 2)
    across = _weights((np.arange(width * FINER) + 0.5) / FINER - 0.5, xs)
    down = _weights((np.arange(height * FINER) + 0.5) / FINER - 0.5, ys)
    return np.stack([down @ coarse[..., k] @ across.T for k in range(2)], axis=-1)


def _weights(wanted: Array, known: Array) -> Array:
    """Weights (n, m) by which values at evenly spaced `known` (m,) give those at `wanted` (n,):
    cubic, since perspective is no straight line between them."""
    at = (wanted - known[0]) / (known[1] - known[0])
    first = np.floor(at).astype(int)
    t = at - first
    cubic = (
        (-t + 2 * t**2 - t**3) / 2,
        (2 - 5 * t**2 + 3 * t**3) / 2,
        (t + 4 * t**2 - 3 * t**3) / 2,
        (-(t**2) + t**3) / 2,
    )
    weights = np.zeros((len(wanted), len(known)))
    for k, share in enumerate(cubic):
        weights[np.arange(len(wanted)), first - 1 + k] = share
    return weights


def _exposed(seen: NDArray[np.float32], looks: Looks, rng: np.random.Generator) -> Image:
    """Light, blur, streaks and noise."""
    height, width = seen.shape
    shade = 1 - looks.slope * np.linspace(0, 1, width, dtype=np.float32)[None]
    image = seen / 255 * shade * looks.light
    if looks.blur_px > 0:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), looks.blur_px), np.float32)
    if looks.motion_px > 1:
        length = round(looks.motion_px)
        image = np.asarray(cv2.blur(image, (length, max(1, length // 3))), np.float32)
    noise = rng.normal(0, looks.noise, (height, width, 3)) if looks.noise else 0.0
    return np.clip(image[..., None] + noise + np.zeros(3), 0, 255).round().astype(np.uint8)
