"""Films of a tray for tests: coloured squares as dice, a hand, noise, light; and their reader.

A square's hue is its face, so reading it back needs no nets and is exact; what is covered or
smeared is doubted, as a real reader would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.records import DieReading, Doubt, Frame, Image, Point, Sighting, TrayView
from vision.settle import Settler

WIDTH, HEIGHT = 320, 180
DIE = 15
"""Side of a square in pixels."""
HUES = 180 / 10
SKIN = (110, 150, 205)


@dataclass(frozen=True)
class Die:
    """A square showing `face` with its middle at `(x, y)`."""

    x: float
    y: float
    face: int


def tray(seed: int = 0) -> Image:
    """An empty tray: a rim, a grained floor, a table around it."""
    rng = np.random.default_rng(seed)
    picture = np.full((HEIGHT, WIDTH, 3), 215, np.uint8)
    picture[10:170, 20:300] = (70, 90, 80)
    grain = cv2.blur(rng.normal(0, 25, (150, 260)), (5, 3))
    picture[15:165, 30:290] = np.clip(60 + grain, 0, 255)[:, :, None].astype(np.uint8)
    return picture


TRAY = tray()
NOISE = np.random.default_rng(2).normal(0, 1, TRAY.shape).astype(np.float32)
"""One frame of noise; shifted at random it serves for all."""


def draw(dice: Iterable[Die], hand: Point | None = None, smear: int = 0) -> Image:
    """The tray with `dice` and, above them, a hand that reaches from below to `hand`.

    `smear` blurs the dice over so many pixels, as if they moved.
    """
    picture = TRAY.copy()
    for die in dice:
        colour = cv2.cvtColor(
            np.array([[[round(die.face * HUES), 255, 230]]], np.uint8), cv2.COLOR_HSV2BGR
        )[0, 0].tolist()
        x, y = round(die.x - DIE / 2), round(die.y - DIE / 2)
        cv2.rectangle(picture, (x, y), (x + DIE, y + DIE), colour, cv2.FILLED)
    if smear:
        picture = np.asarray(cv2.blur(picture, (1, smear)), np.uint8)
    if hand is not None:
        x, y = round(hand[0]), round(hand[1])
        cv2.line(picture, (x, y), (x + 15, HEIGHT + 30), SKIN, 22)
        cv2.circle(picture, (x, y), 21, SKIN, cv2.FILLED)
    return picture


class SquareReader:
    """Reads the squares of `draw`; `reads` counts the pictures read."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self, image: Image) -> tuple[DieReading, ...]:
        self.reads += 1
        hsv = cv2.cvtColor(cv2.medianBlur(image, 3), cv2.COLOR_BGR2HSV)
        vivid = ((hsv[:, :, 1] > 190) & (hsv[:, :, 2] > 50)).astype(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(vivid)
        readings = []
        for label in range(1, count):
            x, y, wide, high, area = (int(value) for value in stats[label])
            if area < 0.3 * DIE**2:
                continue
            hues = hsv[:, :, 0][labels == label].astype(np.int64)
            faces = np.bincount(np.rint(hues / HUES).astype(np.int64) % 10, minlength=10)
            whole = 0.8 * DIE**2 < area < 1.3 * DIE**2 and abs(wide - high) < 0.3 * DIE
            box = (float(x), float(y), float(x + wide), float(y + high))
            readings.append(reading_of(box, faces / faces.sum(), whole=whole))
        return tuple(readings)


def bumped(picture: Image, dx: float, dy: float, turn: float) -> Image:
    """The picture moved by so many pixels and turned by so many radians around its middle."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), np.degrees(turn), 1.0)
    matrix[:, 2] += np.array([dx, dy])
    return np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def reading_of(
    box: tuple[float, float, float, float], probabilities: Sequence[float], *, whole: bool
) -> DieReading:
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    kite = np.array([[x, y0], [x1, y], [x, y1], [x0, y]], np.float32)
    doubts = Doubt.NONE if whole else Doubt.COVERED
    return DieReading(
        Sighting((x, y), box, 0.9, kite, 0.0), np.asarray(probabilities, np.float32), doubts
    )


@dataclass
class Film:
    """Films what happens in a tray and gives each frame to the settler at once.

    `views` are the views given, `clock` the time of the next frame in seconds.
    """

    fps: float = 20.0
    noise: float = 2.0
    gain: Callable[[float], float] = lambda t: 1.0
    seed: int = 1
    reader: SquareReader = field(default_factory=SquareReader)
    clock: float = 0.0
    views: list[TrayView] = field(default_factory=list)
    dice: tuple[Die, ...] = ()

    def __post_init__(self) -> None:
        self.settler = Settler(self.reader)
        self._rng = np.random.default_rng(self.seed)

    def show(self, picture: Image) -> TrayView | None:
        """One frame of `picture`, in the film's light and with its noise."""
        down, across = self._rng.integers(0, (HEIGHT, WIDTH))
        grain = np.roll(NOISE, (down, across), (0, 1))
        lit = picture * np.float32(self.gain(self.clock)) + np.float32(self.noise) * grain
        return self.push(np.clip(lit, 0, 255).astype(np.uint8))

    def push(self, image: Image) -> TrayView | None:
        """One frame exactly as it is."""
        view = self.settler.push(Frame(self.clock, image))
        self.clock += 1 / self.fps
        if view is not None:
            self.views.append(view)
        return view

    def rest(self, seconds: float, hand: Point | None = None) -> None:
        """Nothing moves."""
        for _ in range(max(1, round(seconds * self.fps))):
            self.show(draw(self.dice, hand))

    def move_hand(self, start: Point, end: Point, seconds: float = 0.3) -> None:
        """The hand goes from `start` to `end` without touching anything."""
        steps = max(2, round(seconds * self.fps))
        for step in range(1, steps + 1):
            share = step / steps
            hand = (
                start[0] + share * (end[0] - start[0]),
                start[1] + share * (end[1] - start[1]),
            )
            self.show(draw(self.dice, hand))

    def throw(self, dice: Sequence[Die], seconds: float = 0.6) -> float:
        """The dice roll in from below, slowing down; the time at which they came to rest."""
        lying = self.dice
        steps = max(3, round(seconds * self.fps))
        for step in range(1, steps):
            left = (1 - step / steps) ** 2
            flying = [
                Die(die.x + 30 * left, die.y + 150 * left, (die.face + step) % 10) for die in dice
            ]
            self.show(draw((*lying, *flying), smear=round(6 * left) + 1))
        self.dice = (*lying, *dice)
        at_rest = self.clock
        self.show(draw(self.dice))
        return at_rest

    def pick_up(self, *faces: int, out_s: float = 0.3) -> float:
        """A hand takes dice with these faces and leaves; when it was out of the picture."""
        hand = OUTSIDE
        for face in faces:
            die = next(die for die in self.dice if die.face == face)
            self.move_hand(hand, (die.x, die.y))
            self.dice = tuple(other for other in self.dice if other is not die)
            hand = (die.x, die.y)
        self.move_hand(hand, OUTSIDE, out_s)
        return self.clock

    @property
    def faces(self) -> list[list[int | None]]:
        """The faces of each view so far, sorted, the doubtful ones first."""
        return [sorted(v.faces, key=lambda face: -1 if face is None else face) for v in self.views]


OUTSIDE = (150.0, HEIGHT + 50.0)
"""A place of the hand where it cannot be seen."""

TEN = tuple(
    Die(55 + 45 * (k % 5), 45 + 55 * (k // 5) + 3 * (k % 3), face)
    for k, face in enumerate((1, 3, 8, 5, 7, 1, 0, 7, 9, 0))
)
"""Ten dice, apart from each other."""
