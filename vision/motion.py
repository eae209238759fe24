"""For how long nothing has moved, from small pictures alone: cheap enough for every frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.compare import Mask, difference, strongest
from vision.records import Image

_SAMPLE = 7
"""Noise is measured on every seventh pixel of every seventh row."""
_NOISY = 0.3
"""Grey levels of noise from which on a camera can be expected never to repeat a picture."""
_CELL = 16
"""Restless places are told apart by squares of so many small pixels."""
_FORGOTTEN = 1e-4
"""A share of the time so small is none."""
_NOISE_RATE = 0.2
"""Weight of the newest frame in the measured noise."""


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """When a difference counts. Grey levels are those of small, smoothed pictures, 0-255."""

    min_change: float = 14.0
    """Raising it overlooks fainter movements, lowering it takes noise for movement."""
    noise_factor: float = 6.0
    """A change is at least this many times the picture's own noise."""
    min_pixels: int = 4
    """So many small pixels must change before anything moved; a die covers 50 to 500."""
    anchor_s: float = 0.5
    """Slow movements are seen if they add up to a change within this time."""
    frozen_s: float = 0.5
    """So long a noisy camera may hand over the same picture again without it counting."""
    restless_s: float = 6.0
    """What moves for about so long without end, a screen or a fan, is left out of account."""
    restless_share: float = 0.55
    """A place is restless when it moves for this share of the time …"""
    told_s: float = 0.3
    """Two pictures tell of no longer than this; what moved while none came, nobody knows."""
    calm_share: float = 0.15
    """… until it moves for no more than this share …"""
    calm_s: float = 0.6
    """… and only as long as it did not lie still for the last so many seconds: busy hands rest,
    screens and fans do not."""


DEFAULT_MOTION = MotionSettings()


class Stillness:
    """For how long nothing has moved in a stream of small pictures.

    A picture is still if it equals the first one of its still stretch; so slow movements
    show as well as fast ones, at any frame rate. Where it never stops moving for seconds, it
    does not count.
    """

    def __init__(self, settings: MotionSettings = DEFAULT_MOTION) -> None:
        self._settings = settings
        self._noise = 0.0
        self._grain = 0.0
        """The noise of still pictures alone."""
        self._was_still: float | None = None
        """When the latest still picture was seen; None before the first."""
        self._first = True
        self._anchor: tuple[float, Image] | None = None
        self._previous: tuple[float, Image] | None = None
        self._still_s = 0.0
        self._activity = np.zeros((0, 0), np.float32)
        """The share of the time for which each cell has moved of late."""
        self._calm_s = np.zeros((0, 0), np.float32)
        """The seconds for which each cell has not moved."""
        self._restless = np.zeros((0, 0), np.bool_)

    @property
    def restless(self) -> Mask | None:
        """Where it never stops moving, so that it says nothing about dice; None for nowhere."""
        if self._previous is None or not self._restless.any():
            return None
        now = self._restless & (self._calm_s < self._settings.calm_s)
        if not now.any():
            return None
        height, width = self._previous[1].shape[:2]
        cells = np.where(now, np.uint8(255), np.uint8(0))
        return cells.repeat(_CELL, axis=0).repeat(_CELL, axis=1)[:height, :width]

    @property
    def noise(self) -> float:
        """The camera's noise between frames as seen at this size, in grey levels.

        What moves all over the picture passes for noise; so since it was still last, noise is
        believed to grow by no more than its own size a second.
        """
        if self._was_still is None or self._previous is None:
            return self._noise
        return min(self._noise, self._grain * (1 + self._previous[0] - self._was_still))

    def push(self, t: float, small: Image) -> float:
        """Take the next picture, seen at `t` seconds; seconds for which nothing has moved.

        Zero while something moves, and for the first picture, or one from the past or of
        another shape.
        """
        previous = self._previous
        if previous is None or previous[0] >= t or previous[1].shape != small.shape:
            self._previous = (t, small)
            return self._restart(t, small)
        passed = t - previous[0]
        if self._is_repeat(previous[1], small, passed):
            return self._still_s
        self._previous = (t, small)
        assert self._anchor is not None
        # Matching exposures is needed only where the pictures differ at all.
        change = strongest(cv2.absdiff(self._anchor[1], small))
        if np.count_nonzero(change > self._threshold) >= self._settings.min_pixels:
            change = difference(self._anchor[1], small)
        self._measure_noise(change)
        moved = change > self._threshold
        self._watch_restless(moved, min(passed, self._settings.told_s))
        if (restless := self.restless) is not None:
            moved &= restless == 0
        if np.count_nonzero(moved) >= self._settings.min_pixels:
            return self._restart(t, small)
        grain = _noise_of(change)
        self._grain = max(grain, self._grain + _NOISE_RATE * (grain - self._grain))
        self._was_still = t
        self._still_s += passed
        if t - self._anchor[0] >= self._settings.anchor_s:
            self._anchor = (t, small)
        return self._still_s

    def _restart(self, t: float, small: Image) -> float:
        self._anchor = (t, small)
        self._still_s = 0.0
        return 0.0

    def _is_repeat(self, previous: Image, small: Image, passed: float) -> bool:
        """A noisy camera never gives the same picture twice: then it hung, and dice may fly."""
        if self._grain < _NOISY or passed > self._settings.frozen_s:
            return False
        return np.array_equal(previous, small)

    def _watch_restless(self, moved: NDArray[np.bool_], passed: float) -> None:
        """Follow how much of the time each part of the picture moves."""
        height, width = moved.shape
        shape = (-(-height // _CELL), -(-width // _CELL))
        if self._activity.shape != shape:
            self._activity, self._restless = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
            self._calm_s = np.zeros(shape, np.float32)
        if not moved.any() and not self._activity.any():
            return
        padded = np.zeros((shape[0] * _CELL, shape[1] * _CELL), np.bool_)
        padded[:height, :width] = moved
        cells = padded.reshape(shape[0], _CELL, shape[1], _CELL).any(axis=(1, 3))
        # What moves within a cell moves its neighbours now and then.
        active = np.asarray(cells, np.uint8)
        near = cv2.dilate(active, np.ones((3, 3), np.uint8)) > 0
        weight = 1 - math.exp(-passed / self._settings.restless_s)
        self._activity += np.float32(weight) * (near - self._activity)
        self._activity[self._activity < _FORGOTTEN] = 0
        self._calm_s = np.where(near, np.float32(0), self._calm_s + np.float32(passed))
        self._restless |= self._activity > self._settings.restless_share
        self._restless &= self._activity > self._settings.calm_share

    @property
    def _threshold(self) -> float:
        return max(self._settings.min_change, self._settings.noise_factor * self.noise)

    def _measure_noise(self, change: Mask) -> None:
        noise = _noise_of(change)
        self._noise += (1.0 if self._first else _NOISE_RATE) * (noise - self._noise)
        self._first = False


def _noise_of(change: Mask) -> float:
    """The mean change of most of the picture; what moves stands out and, capped, hardly weighs."""
    sample = change[::_SAMPLE, ::_SAMPLE].astype(np.float32)
    return float(np.minimum(sample, 2 * np.median(sample) + 1).mean())
