"""A bumped camera, noticed from the picture: small landmarks that are no longer where they were.

Landmarks are little patches with corners in them. Each is looked for near its place, whatever the
light; dice and hands hide or move single ones, a moved camera moves them all alike.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import to_gray
from calibration.landmarks import (
    DEFAULT_BUMP,
    BumpSettings,
    Landmark,
    common_move,
    corners_in,
    cut,
    is_unique,
    look_near,
    moved,
)
from calibration.standpoint import Standpoint
from calibration.tray import TrayUnclear, fit_plane

Array = NDArray[np.float64]
Image = NDArray[np.uint8]


class Seen(Protocol):
    """One picture and its time."""

    @property
    def t(self) -> float:
        """Seconds."""

    @property
    def image(self) -> Image:
        """Array of shape `(height, width, 3)`, BGR."""


class BumpKind(StrEnum):
    """What happened to the camera."""

    FOLLOWED = "followed"
    """It moved a little; where it stands now is known."""
    MOVED = "moved"
    """It moved, and where it stands now is not known."""
    MOVING = "moving"
    """It has not come to rest."""
    LOST = "lost"
    """It sees something else, or nothing that can be recognised."""


@dataclass(frozen=True, slots=True)
class Bump:
    """The camera is not where it was.

    `t` is the time of the picture that proved it, `shift_px` how far the tray moved in the
    picture, on average. `standpoint` is where the camera stands now, if that is known. `text` is
    one sentence for the people at the table.
    """

    t: float
    kind: BumpKind
    shift_px: float
    standpoint: Standpoint | None
    text: str


@dataclass(slots=True)
class _Suspicion:
    """Pictures in a row that show the camera elsewhere, and the latest movements (3, 3)."""

    since: float
    moves: deque[Array]
    told: bool = False


class BumpWatch:
    """Watches for a moved camera: push every frame, or some of them.

    The first picture pushed is where the camera belongs. With a `standpoint`, small movements
    are followed.
    """

    def __init__(
        self, standpoint: Standpoint | None = None, settings: BumpSettings = DEFAULT_BUMP
    ) -> None:
        self.standpoint = standpoint
        self._settings = settings
        self._landmarks: list[Landmark] = []
        self._size: tuple[int, int] | None = None
        self._scale = 1.0
        self._last_t: float | None = None
        self._renewed_t = 0.0
        self._previous: Image | None = None
        self._suspicion: _Suspicion | None = None
        self._lost_since: float | None = None
        self._left_out: Image | None = None

    @property
    def suspicious(self) -> bool:
        """Whether the latest pictures show the camera elsewhere: what is read may not fit."""
        return self._suspicion is not None or self._lost_since is not None

    def push(self, frame: Seen) -> Bump | None:
        """Take the next picture; what is to be said about the camera, if anything."""
        if self._last_t is not None and 0 <= frame.t - self._last_t < self._settings.every_s:
            return None
        small = self._small(frame.image)
        size = (frame.image.shape[1], frame.image.shape[0])
        if self._size != size or (self._last_t is not None and frame.t < self._last_t):
            self._begin(frame.t, size, small)
            return None
        self._last_t = frame.t
        previous, self._previous = self._previous, small
        if float(small.mean()) < self._settings.dark:
            return None
        if len(self._landmarks) < self._settings.in_place:
            self._renew(small, np.eye(3), frame.t)
            return None
        places, seen, found = self._find(small)
        if found.sum() < self._settings.standing:
            return self._perhaps_lost(frame.t, small, previous)
        move, together = common_move(places[found], seen[found], self._settings)
        if move is None:
            return self._perhaps_lost(frame.t, small, previous)
        self._lost_since = None
        if self._shift(move) <= self._settings.shift_share * size[0] * self._scale:
            self._suspicion = None
            self._note_missing(found, together)
            self._renew(small, move, frame.t)
            return None
        return self._suspect(frame.t, small, move)

    def leave_out(self, dice: Image) -> None:
        """Dice lie where this mask `(height, width)` of the picture is not 0: they are no
        landmarks, for they will be taken away. On a plain table they would be the only ones."""
        self._left_out = dice
        if self._previous is not None:
            bare = self._bare(self._previous)
            last = np.array(bare.shape[::-1]) - 1
            at = [np.clip(one.place.round().astype(int), 0, last) for one in self._landmarks]
            self._landmarks = [
                one for one, (x, y) in zip(self._landmarks, at, strict=True) if bare[y, x]
            ]

    # -- what was seen ---------------------------------------------------------------------

    def _begin(self, t: float, size: tuple[int, int], small: Image) -> None:
        self._size = size
        self._last_t = t
        self._previous = small
        self._suspicion = None
        self._lost_since = None
        self._landmarks = []
        self._add(small, np.eye(3))
        self._renewed_t = t

    def _small(self, image: Image) -> Image:
        gray = to_gray(image)
        self._scale = min(1.0, self._settings.width_px / gray.shape[1])
        size = (round(gray.shape[1] * self._scale), round(gray.shape[0] * self._scale))
        return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.uint8)

    def _find(self, small: Image) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Where the landmarks belong (n, 2), where they are seen (n, 2), and which are (n,)."""
        places = np.array([landmark.place for landmark in self._landmarks])
        seen = places.copy()
        found = np.zeros(len(places), bool)
        for k, landmark in enumerate(self._landmarks):
            at = look_near(small, landmark, self._settings)
            if at is not None:
                seen[k], found[k] = at, True
        return places, seen, found

    def _shift(self, move: Array, other: Array | None = None) -> float:
        """How far a movement takes the tray (or, without an outline, the picture) on average, or
        how far from where another movement takes it, small pixels."""
        points = self._points()
        there = points if other is None else moved(other, points)
        return float(np.linalg.norm(moved(move, points) - there, axis=1).mean())

    def _points(self) -> Array:
        """Where movements are measured, small pixels `(n, 2)`."""
        if self.standpoint is not None and self.standpoint.outline:
            return self.standpoint.outline_px() * self._scale
        assert self._size is not None
        width, height = self._size[0] * self._scale, self._size[1] * self._scale
        xs, ys = np.linspace(0.1, 0.9, 5) * width, np.linspace(0.1, 0.9, 4) * height
        return np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)

    # -- what it means ---------------------------------------------------------------------

    def _suspect(self, t: float, small: Image, move: Array) -> Bump | None:
        if self._suspicion is None:
            self._suspicion = _Suspicion(t, deque(maxlen=self._settings.samples))
        moves = self._suspicion.moves
        moves.append(move)
        rests = (
            len(moves) >= self._settings.samples
            and self._shift(moves[-1], moves[-2]) < self._settings.settled_px
        )
        shift_px = self._shift(move) / self._scale
        if rests:
            return self._settle(t, small, np.mean([moves[-2], moves[-1]], axis=0), shift_px)
        if t - self._suspicion.since >= self._settings.moving_s and not self._suspicion.told:
            self._suspicion.told = True
            return Bump(
                t,
                BumpKind.MOVING,
                shift_px,
                None,
                "The camera is moving; nothing is read until it stands still.",
            )
        return None

    def _settle(self, t: float, small: Image, move: Array, shift_px: float) -> Bump:
        """The camera stands still elsewhere: that is where it belongs from now on."""
        assert self._size is not None
        followed = None
        near = shift_px <= self._settings.follow_share * self._size[0]
        if self.standpoint is not None and near:
            followed = follow(self.standpoint, move, self._scale)
        had_one = self.standpoint is not None
        self.standpoint = followed
        self._begin(t, self._size, small)
        if followed is not None:
            text = (
                f"The camera was moved a little ({shift_px:.0f} pixels); the calibration follows."
            )
            return Bump(t, BumpKind.FOLLOWED, shift_px, followed, text)
        wanted = " Calibrate it again." if had_one else ""
        text = f"The camera was moved ({shift_px:.0f} pixels).{wanted}"
        return Bump(t, BumpKind.MOVED, shift_px, None, text)

    def _perhaps_lost(self, t: float, small: Image, previous: Image | None) -> Bump | None:
        """Hardly a landmark is where it was: something covers all, or the camera looks away."""
        still = (
            previous is not None
            and float(cv2.absdiff(small, previous).astype(np.float32).mean()) < 4.0
        )
        if self._lost_since is None:
            self._lost_since = t
        if not still or t - self._lost_since < self._settings.lost_s:
            return None
        assert self._size is not None
        had_one = self.standpoint is not None
        self.standpoint = None
        self._begin(t, self._size, small)
        wanted = "; calibrate it again" if had_one else ""
        return Bump(
            t,
            BumpKind.LOST,
            float(self._size[0]),
            None,
            f"The camera was moved: the tray is not where it was{wanted}.",
        )

    # -- landmarks -------------------------------------------------------------------------

    def _note_missing(self, found: NDArray[np.bool_], together: NDArray[np.bool_]) -> None:
        steady = found.copy()
        steady[found] = together
        for landmark, is_steady in zip(self._landmarks, steady, strict=True):
            landmark.missed = 0 if is_steady else landmark.missed + 1

    def _renew(self, small: Image, move: Array, t: float) -> None:
        """Replace landmarks that are gone for good, such as dice, by new ones."""
        if t - self._renewed_t < self._settings.renew_s:
            return
        self._renewed_t = t
        patience = round(2 * self._settings.renew_s / self._settings.every_s)
        self._landmarks = [one for one in self._landmarks if one.missed < patience]
        self._add(small, move)

    def _add(self, small: Image, move: Array) -> None:
        """Take new landmarks from a picture that shows the reference moved by `move`."""
        settings = self._settings
        mask = self._bare(small)
        half = settings.patch_px // 2 + 1
        mask[:half] = mask[-half:] = 0
        mask[:, :half] = mask[:, -half:] = 0
        for landmark in self._landmarks:
            x, y = moved(move, landmark.place[None])[0]
            cv2.circle(mask, (round(float(x)), round(float(y))), settings.patch_px, 0, -1)
        wanted = settings.landmarks - len(self._landmarks)
        if wanted <= 0:
            return
        back = np.asarray(np.linalg.inv(move), np.float64)
        for corner in corners_in(small, mask, wanted, settings):
            patch = cut(small, round(float(corner[0])), round(float(corner[1])), settings.patch_px)
            here = Landmark(corner, patch)
            if float(patch.std()) >= settings.least_contrast and is_unique(small, here, settings):
                self._landmarks.append(Landmark(moved(back, corner[None])[0], patch))

    def _bare(self, small: Image) -> Image:
        """The small picture's places where no die lies, 255, others 0."""
        if self._left_out is None:
            return np.full(small.shape, 255, np.uint8)
        dice = cv2.resize(self._left_out, small.shape[::-1], interpolation=cv2.INTER_NEAREST)
        return np.where(dice == 0, np.uint8(255), np.uint8(0))


def follow(standpoint: Standpoint, move: Array, scale: float) -> Standpoint | None:
    """Where the camera stands after the picture moved by `move` (3, 3), told in pixels that are
    `scale` of the standpoint's; None where no camera would see the floor so, or where too little
    of the floor is seen to tell."""
    lens = standpoint.lens
    places = np.array(standpoint.outline) if standpoint.outline else _floor_around(standpoint)
    if len(places) < 3:
        return None
    middle = places.mean(axis=0)
    places = np.vstack([places, (places + middle) / 2])
    before = standpoint.to_picture(places)
    after = moved(move, before * scale) / scale
    try:
        fit = fit_plane(places, after, lens.size, 0.5, lens)
    except TrayUnclear:
        return None
    return replace(fit.standpoint, outline=standpoint.outline)


def _floor_around(standpoint: Standpoint) -> Array:
    width, height = standpoint.lens.size
    pixels = np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]]) * [width, height]
    places = standpoint.to_mm(pixels)
    return places[np.isfinite(places).all(axis=1)]
