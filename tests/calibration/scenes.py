"""Views with known truth that several tests look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardView, corner_places
from calibration.evaluate import pose_at
from calibration.lens import Lens
from calibration.rendering import Pose
from calibration.standpoint import Standpoint

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

LENS = Lens((1280, 720), (1040.0, 1040.0), (652.0, 349.0), (-0.18, 0.05, 0.0006, -0.0004, 0.0))
PINHOLE = Lens((1280, 720), (1040.0, 1040.0), (640.0, 360.0))


@dataclass(frozen=True)
class Seen:
    """A picture and its time."""

    t: float
    image: Image


def standpoint_of(pose: Pose, lens: Lens = PINHOLE) -> Standpoint:
    """The standpoint over a tray in whose middle the board lies."""
    return Standpoint(lens, pose.rotation, pose.translation)


def tray(tilt_deg: float, lens: Lens = PINHOLE) -> Standpoint:
    """A camera over a tray of 260 by 180 mm, tilted as from a player's side."""
    pose = pose_at(lens, tilt_deg, -90.0, 0.0, 500.0, (640.0, 360.0))
    return standpoint_of(pose, lens).with_outline(260.0, 180.0)


def seen_board(lens: Lens, pose: Pose, noise_px: float, rng: np.random.Generator) -> BoardView:
    """The board's corners as a picture would give them, those outside it missing."""
    numbers = np.arange(35, dtype=np.int32)
    places = corner_places(numbers)
    pixels = standpoint_of(pose, lens).to_picture(places) + rng.normal(0, noise_px, (35, 2))
    width, height = lens.size
    inside = (pixels > 5).all(axis=1) & (pixels < [width - 5, height - 5]).all(axis=1)
    return BoardView(lens.size, numbers[inside], pixels[inside], places[inside])


def board_views(lens: Lens, count: int, seed: int) -> list[BoardView]:
    """Views of the board from many sides, found as exactly as in good light."""
    rng = np.random.default_rng(seed)
    views = []
    for _ in range(count):
        pose = pose_at(
            lens,
            rng.uniform(5, 50),
            rng.uniform(0, 360),
            rng.uniform(0, 360),
            rng.uniform(450, 750),
            (rng.uniform(350, 930), rng.uniform(230, 490)),
        )
        views.append(seen_board(lens, pose, 0.08, rng))
    return views


@cache
def textured(seed: int = 5) -> Image:
    """A table with spots and streaks, 1280 by 720, and a plain tray in its middle."""
    import cv2

    rng = np.random.default_rng(seed)
    coarse = rng.normal(120, 35, (45, 80, 3)).astype(np.float32)
    fine = rng.normal(0, 12, (180, 320, 3)).astype(np.float32)
    image = np.asarray(cv2.resize(coarse, (1280, 720), interpolation=cv2.INTER_CUBIC), np.float32)
    image += np.asarray(cv2.resize(fine, (1280, 720)), np.float32)
    outline = tray(15.0).to_picture(np.array(tray(15.0).outline))
    cv2.fillPoly(image, [outline.round().astype(np.int32)], (70.0, 110.0, 60.0))
    shown: Image = np.clip(image, 0, 255).astype(np.uint8)
    return shown
