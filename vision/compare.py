"""What differs between two small pictures, whatever light and camera did meanwhile.

Exposure, white balance, the bands that mains lamps make, and a trembling camera change every
pixel and mean nothing; they are matched before two pictures are compared.
"""

from __future__ import annotations

from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.records import Image

SMALL_WIDTH = 320
"""Width in pixels of the pictures that are compared."""

Mask = NDArray[np.uint8]
"""A value for each place of a small picture, `(height, width)`; 0 and 255 for no and yes."""

_KERNEL = np.ones((3, 3), np.uint8)
_SAMPLE = 7
"""Light is measured on every seventh pixel of every seventh row."""
_DARK, _BRIGHT = 24, 248
"""Below and above these grey levels a pixel tells nothing about the exposure."""
_TELLING_SHARE = 0.02
"""Where fewer pixels tell of the exposure it is taken as unchanged."""
_BAND_SEEN, _BAND_MOST = 0.015, 0.1
"""Flicker between these shares of brightness is matched; more is no flicker."""
_BAND_ROWS = 3.0
"""Flicker changes slowly from row to row: rows are taken together with those around, as a bell of
this width. A box would swing to the wrong side of narrow stripes, ever further with each match."""
_BAND_SHARE = 0.1
"""Where a smaller share of the rows around tells of flicker, less is believed."""
_BAND_SLOPE = 0.12
"""Where a row differs by more from the rows beside it, it tells nothing of flicker."""
_TREMBLE_EDGE = 4
"""Trembling shows where the picture is steeper than so many grey levels a pixel."""
_TREMBLE_LEVELS = (40, 12)
"""A pixel that changes by more grey levels changes for other reasons, first and second time."""
_TREMBLE_MOST = 1.5
"""A camera trembles by no more than so many small pixels."""
_TREMBLE_LEFT = 0.5
"""A shift is believed if no more than this share of what changed is left by it."""


def shrink(image: Image) -> Image:
    """`image` at `SMALL_WIDTH`, lightly smoothed."""
    height = max(1, round(image.shape[0] * SMALL_WIDTH / image.shape[1]))
    small = cv2.resize(image, (SMALL_WIDTH, height), interpolation=cv2.INTER_AREA)
    return cast("Image", cv2.blur(small, (3, 3)))


def matched(reference: Image, current: Image) -> Image:
    """`reference` as it would look under the exposure and white balance of `current`.

    Lamps on mains flicker, which a camera sees as brighter and darker bands of rows; these
    are matched too.
    """
    gains = _gains(reference, current)
    levels = np.arange(256, dtype=np.float32)[:, None] * gains
    table = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    expected = cast("Image", cv2.LUT(reference, table[None]))
    bands = _bands(expected, current)
    if np.abs(bands - 1).max() < _BAND_SEEN:
        return expected
    return cast("Image", np.clip(np.rint(expected * bands), 0, 255).astype(np.uint8))


def difference(reference: Image, current: Image) -> Mask:
    """How much each place changed, whatever the exposure did: grey levels, `(height, width)`.

    A camera that trembles shifts the whole picture a little; that is no change either.
    The strongest colour channel counts. What is blown out in one of the pictures hides how
    bright it and its edges are; what that may explain is no change.
    """
    exposed = matched(reference, current)
    expected = _aligned(exposed, current)
    change = cv2.absdiff(expected, current)
    blown = cv2.dilate(cv2.max(reference, current), _KERNEL) >= _BRIGHT
    if blown.any():
        darkest, brightest = cv2.erode(expected, _KERNEL), cv2.dilate(expected, _KERNEL)
        brightest[brightest >= _BRIGHT] = 255
        brightest[cv2.dilate(reference, _KERNEL) >= _BRIGHT] = 255
        outside = cv2.add(cv2.subtract(darkest, current), cv2.subtract(current, brightest))
        change = np.where(blown, outside, change)
    differs = strongest(change)
    if expected is not exposed:
        # What lies beyond the edge came into the picture.
        edge = round(_TREMBLE_MOST) + 1
        differs[:edge] = differs[-edge:] = 0
        differs[:, :edge] = differs[:, -edge:] = 0
    return differs


def strongest(change: NDArray[Any]) -> Mask:
    """The largest of the three colour channels at each place."""
    blue, green, red = cv2.split(change)
    return cast("Mask", cv2.max(cv2.max(blue, green), red))


def _gains(reference: Image, current: Image) -> NDArray[np.float32]:
    """How much brighter each colour channel became, by what most pixels say: shape `(3,)`."""
    gains = np.ones(3, np.float32)
    for channel in range(3):
        old = reference[::_SAMPLE, ::_SAMPLE, channel].ravel()
        new = current[::_SAMPLE, ::_SAMPLE, channel].ravel()
        telling = (old > _DARK) & (old < _BRIGHT) & (new < _BRIGHT)
        if telling.sum() >= _TELLING_SHARE * len(old):
            gains[channel] = np.median(new[telling] / old[telling].astype(np.float32))
    return gains


def _bands(expected: Image, current: Image) -> NDArray[np.float32]:
    """How much brighter each row is than expected, by most of its pixels: `(height, 1, 1)`."""
    height = len(expected)
    old = expected[:, ::_SAMPLE].reshape(height, -1)
    new = current[:, ::_SAMPLE].reshape(height, -1).astype(np.float32)
    telling = (old > _DARK) & (old < _BRIGHT) & (new < _BRIGHT)
    # Edges that run along the rows change with the camera's trembling, not with the light.
    slope = cv2.absdiff(old[2:], old[:-2])
    telling[1:-1] &= slope.astype(np.float32) < _BAND_SLOPE * old[1:-1]
    ratios = np.sort(np.where(telling, new / np.maximum(old, 1), np.inf), axis=1)
    count = telling.sum(axis=1)
    middle = ratios[np.arange(height), np.maximum(count - 1, 0) // 2]
    weight = (count >= _TELLING_SHARE * old.shape[1]).astype(np.float32)
    excess = np.where(weight > 0, middle - 1, 0).astype(np.float32)
    share, smooth = _along_rows(weight), _along_rows(excess)
    bands = 1 + np.clip(smooth / np.maximum(share, _BAND_SHARE), -_BAND_MOST, _BAND_MOST)
    return cast("NDArray[np.float32]", bands.reshape(height, 1, 1).astype(np.float32))


def _along_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """One value for each row, smoothed along the rows."""
    # As a column: OpenCV 4 and 5 disagree about which way an array without columns lies.
    smooth = cv2.GaussianBlur(values[:, None], (1, 0), _BAND_ROWS, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(smooth, np.float32).reshape(-1)


def _aligned(expected: Image, current: Image) -> Image:
    """`expected` moved by the fraction of a pixel by which the camera trembled, if it did."""
    old = cv2.cvtColor(expected, cv2.COLOR_BGR2GRAY)
    new = cv2.cvtColor(current, cv2.COLOR_BGR2GRAY)
    change = cv2.subtract(new, old, dtype=cv2.CV_32F)
    across = cv2.Sobel(old, cv2.CV_32F, 1, 0, scale=1 / 8)
    down = cv2.Sobel(old, cv2.CV_32F, 0, 1, scale=1 / 8)
    edges = across**2 + down**2 > _TREMBLE_EDGE**2
    across, down, change = across[edges], down[edges], change[edges]
    shift, left = np.zeros(2), change
    # What a shift does not explain changed for other reasons: it has no say the second time.
    for most in _TREMBLE_LEVELS:
        steady = np.abs(left) < most
        x, y, moved = across[steady], down[steady], change[steady]
        slopes = np.array([[x @ x, x @ y], [x @ y, y @ y]])
        if np.linalg.det(slopes) < 1:
            return expected
        shift = np.linalg.solve(slopes, -np.array([x @ moved, y @ moved]))
        left = change + across * shift[0] + down * shift[1]
    unexplained = left[steady] @ left[steady]
    if np.hypot(*shift) > _TREMBLE_MOST or unexplained > _TREMBLE_LEFT * (moved @ moved):
        return expected
    move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    size = (expected.shape[1], expected.shape[0])
    return cast("Image", cv2.warpAffine(expected, move, size, borderMode=cv2.BORDER_REPLICATE))
