"""How a camera that was bumped sees the same scene: a small shift and turn of the whole picture."""

from __future__ import annotations

from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.compare import Mask
from vision.records import Image

MOST_PX, MOST_TURN = 12.0, 0.08
"""A bump moves small pictures by no more pixels and radians: what moved further is another view."""

_STEPS = cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4
_SOFT = 5
"""Pixels over which the pictures are smoothed: it finds its way from further off."""


def shift_between(before: Image, now: Image, bare: Mask) -> NDArray[np.float32] | None:
    """Where the pixels of `now` were in `before`, shape (2, 3); None if nothing fits.

    Both are small pictures, `bare` is where they show the same things. The light may differ.
    Enhanced correlation coefficient after Evangelidis and Psarakis (2008).
    """
    old, new = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (before, now))
    hann = cv2.createHanningWindow((old.shape[1], old.shape[0]), cv2.CV_32F)
    (dx, dy), _ = cv2.phaseCorrelate(new.astype(np.float32), old.astype(np.float32), hann)
    if np.hypot(dx, dy) > MOST_PX:
        dx = dy = 0.0
    start = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    try:
        _, move = cv2.findTransformECC(new, old, start, cv2.MOTION_EUCLIDEAN, _STEPS, bare, _SOFT)
    except cv2.error:
        # It does not converge on pictures without anything in common.
        return None
    middle = np.array([old.shape[1] / 2, old.shape[0] / 2, 1], np.float32)
    moved = float(np.hypot(*(move @ middle - middle[:2])))
    turned = abs(float(np.arctan2(move[1, 0], move[0, 0])))
    return cast("NDArray[np.float32]", move) if moved <= MOST_PX and turned <= MOST_TURN else None


def shifted(picture: Image, move: NDArray[np.float32], border: int = cv2.BORDER_REPLICATE) -> Image:
    """`picture` as the camera sees it after the move of `shift_between`."""
    size = (picture.shape[1], picture.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(picture, move, size, flags=flags, borderMode=border), np.uint8)
