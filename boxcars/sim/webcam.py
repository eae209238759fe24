"""What a webcam and the lamps make of a picture: noise, exposure, flicker, shakes, lost frames."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from boxcars.sim.camera import HEIGHT, WIDTH
from boxcars.sim.casting import Bytes

_STRIP = 12
"""Flicker is the same over so many rows."""
_NOISES = 3
"""So many pictures of noise, each shifted at random, serve for all."""


@dataclass(frozen=True, slots=True)
class Shake:
    """The camera trembles from `t` for `lasts` seconds, at first by `px` pixels."""

    t: float
    lasts: float
    px: float


@dataclass(frozen=True, slots=True)
class Bump:
    """From `t` on the camera sees everything shifted by `(dx, dy)` pixels, turned by `turn`."""

    t: float
    dx: float
    dy: float
    turn: float


@dataclass(slots=True)
class Weather:
    """What the camera and the light do in the course of a game; times in seconds.

    `pumping` is the share by which exposure wanders, in `pump_s`; `flicker` the lamps' share,
    whose bands run `band_hz` times a second through the picture; `lamps` are times from which
    on the light is so many times the usual; `dropped` and `frozen` are from when to when no
    frame, or the same frame, is given.
    """

    fps: float = 20.0
    noise: float = 2.0
    pumping: float = 0.0
    pump_s: float = 5.0
    flicker: float = 0.0
    band_hz: float = 3.0
    shakes: list[Shake] = field(default_factory=list)
    bumps: list[Bump] = field(default_factory=list)
    lamps: list[tuple[float, float]] = field(default_factory=list)
    dropped: list[tuple[float, float]] = field(default_factory=list)
    frozen: list[tuple[float, float]] = field(default_factory=list)

    def exposed_at(self, t: float) -> float | None:
        """When the frame that the camera gives at `t` was taken; None if it gives none."""
        if any(start <= t < end for start, end in self.dropped):
            return None
        for start, end in self.frozen:
            if start <= t < end:
                return start
        return t

    def gain(self, t: float) -> float:
        """How bright the picture is at `t`, 1 as usual."""
        wander = math.sin(math.tau * t / self.pump_s) + 0.5 * math.sin(
            math.tau * t / (0.37 * self.pump_s) + 1
        )
        lamp = next((gain for start, gain in reversed(self.lamps) if start <= t), 1.0)
        return lamp * (1 + self.pumping * wander / 1.5)

    def motion(self, t: float) -> NDArray[np.float32] | None:
        """How the camera's picture is moved at `t`, shape (2, 3); None if it is not."""
        dx = dy = turn = 0.0
        for bump in self.bumps:
            if bump.t <= t:
                dx, dy, turn = dx + bump.dx, dy + bump.dy, turn + bump.turn
        for shake in self.shakes:
            if shake.t <= t < shake.t + shake.lasts:
                fading = shake.px * (1 - (t - shake.t) / shake.lasts)
                dx += fading * math.sin(61 * (t - shake.t))
                dy += fading * math.sin(47 * (t - shake.t) + 1)
        if dx == dy == turn == 0.0:
            return None
        moved = np.asarray(
            cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), math.degrees(turn), 1.0), np.float32
        )
        moved[:, 2] += np.array([dx, dy], np.float32)
        return moved


class Webcam:
    """Turns painted pictures into the frames of one camera."""

    def __init__(self, weather: Weather, seed: int) -> None:
        self.weather = weather
        self._rng = np.random.default_rng([seed, 5])
        self._noise: list[tuple[Bytes, Bytes]] = []
        # Noise of a camera that compresses its pictures has some grain.
        for _ in range(_NOISES):
            grain = self._rng.normal(0, 1, (HEIGHT + 64, WIDTH + 64, 3)).astype(np.float32)
            soft = np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.6), np.float32)
            soft *= np.float32(weather.noise / float(soft[::8, ::8].std()))
            up = np.clip(np.rint(soft), 0, 255).astype(np.uint8)
            down = np.clip(np.rint(-soft), 0, 255).astype(np.uint8)
            self._noise.append((up, down))
        self._last: tuple[float, Bytes] | None = None

    def expose(self, t: float, picture: Bytes) -> Bytes:
        """The frame taken at `t` of what would be `picture`; a frozen camera repeats it."""
        if self._last is not None and self._last[0] == t:
            return self._last[1]
        weather = self.weather
        motion = weather.motion(t)
        if motion is not None:
            picture = np.asarray(
                cv2.warpAffine(picture, motion, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE),
                np.uint8,
            )
        frame = self._noisy(self._lit(t, picture))
        self._last = (t, frame)
        return frame

    def _lit(self, t: float, picture: Bytes) -> Bytes:
        gain = self.weather.gain(t)
        if not self.weather.flicker:
            if abs(gain - 1) < 0.002:
                return picture
            return np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)
        lit = np.empty_like(picture)
        for row in range(0, HEIGHT, _STRIP):
            phase = math.tau * (row / HEIGHT * 2.3 + self.weather.band_hz * t)
            strip = gain * (1 + self.weather.flicker * math.sin(phase))
            cv2.convertScaleAbs(picture[row : row + _STRIP], lit[row : row + _STRIP], alpha=strip)
        return lit

    def _noisy(self, picture: Bytes) -> Bytes:
        up, down = self._noise[int(self._rng.integers(_NOISES))]
        y, x = (int(v) for v in self._rng.integers(0, 64, 2))
        window = (slice(y, y + HEIGHT), slice(x, x + WIDTH))
        brighter = cv2.add(picture, up[window])
        return np.asarray(cv2.subtract(brighter, down[window], dst=brighter), np.uint8)
