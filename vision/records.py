"""The records that pass from stage to stage: frame, sighting, die reading, tray view."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Flag, auto

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture: array of shape `(height, width, 3)`, BGR, 0-255."""

Point = tuple[float, float]
"""A place in a picture, `(x, y)` in pixels from the top left corner."""

Box = tuple[float, float, float, float]
"""`(x_min, y_min, x_max, y_max)` in pixels."""

FACES = 10


class Doubt(Flag):
    """Why a die's face may not be taken as certain; all that apply are set."""

    NONE = 0
    UNSURE = auto()
    """No face is likely enough."""
    SIX_OR_NINE = auto()
    """The witnesses for 6 against 9 (mark, kite, neighbours) disagree or are too weak."""
    NEIGHBOURS_DISAGREE = auto()
    """The faces beside the up face are not those this face has on a standard d10."""
    COCKED = auto()
    """The die leans: no face lies parallel to the tray."""
    STACKED = auto()
    """The die lies on another die."""
    COVERED = auto()
    """Part of the die is hidden: a hand, another die, the picture's edge."""
    GLARE = auto()
    """A highlight washes out the up face."""
    BLURRED = auto()
    """Out of focus or moving."""
    TOO_SMALL = auto()
    """Too few pixels across to be read."""
    NOT_A_D10 = auto()
    """Probably another kind of die, or no die."""

    @property
    def names(self) -> tuple[str, ...]:
        """The doubts' names as other programs see them, e.g. `("cocked", "six-or-nine")`."""
        return tuple(str(d.name).lower().replace("_", "-") for d in type(self) if d in self)


LEANING = Doubt.COCKED | Doubt.STACKED
"""Doubts about how a die lies, which no better look can clear."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture from a source.

    `t` is seconds of source time; `image` has shape `(height, width, 3)`, BGR;
    `name` is the file it came from, or empty.
    """

    t: float
    image: Image
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """A die is here.

    `corners` has shape `(4, 2)`: the up face's pole, side, blunt corner and other side
    (clockwise in the picture), in pixels. `corner_error` says how badly a flat kite seen
    in perspective fits the corners found, as a fraction of the die's size. `score` is
    the detector's confidence, 0-1.
    """

    center: Point
    box: Box
    score: float
    corners: NDArray[np.float32]
    corner_error: float

    def __post_init__(self) -> None:
        if self.corners.shape != (4, 2):
            raise ValueError(f"corners must have shape (4, 2), not {self.corners.shape}.")

    @property
    def size(self) -> float:
        """The larger side of the box in pixels."""
        return max(self.box[2] - self.box[0], self.box[3] - self.box[1])

    @property
    def angle(self) -> float:
        """Direction in which the digit's top points, radians, 0 along +x, clockwise on screen."""
        dx, dy = self.corners[0] - self.corners[2]
        return math.atan2(float(dy), float(dx))


@dataclass(frozen=True, slots=True, eq=False)
class DieReading:
    """What one still look says about one die.

    `probabilities` has shape (10,), sums to 1, indexed by face 0-9. `face` is None
    while any doubt stands: the caller must ask, never guess.
    """

    sighting: Sighting
    probabilities: NDArray[np.float32]
    doubts: Doubt

    def __post_init__(self) -> None:
        if self.probabilities.shape != (FACES,):
            raise ValueError(
                f"probabilities must have shape ({FACES},), not {self.probabilities.shape}."
            )

    @property
    def face(self) -> int | None:
        """The up face 0-9, or None while any doubt stands."""
        return None if self.doubts else self.likeliest

    @property
    def likeliest(self) -> int:
        """The most probable face, certain or not."""
        return int(self.probabilities.argmax())

    @property
    def confidence(self) -> float:
        """The probability of the likeliest face, 0-1."""
        return float(self.probabilities.max())


@dataclass(frozen=True, slots=True)
class TrayView:
    """All dice at one time.

    `settled`: the dice have been at rest and their readings agree. `hand`: something that
    is no die moves or covers part of the tray. `picture` is the frame it was read from.
    `overlooked`: since the view before, a rest of the dice may have gone by unread: frames
    came too far apart, or the rest was too short. `unread_dice` are the most that were seen in such
    a rest. `hurried`: dice were picked up and thrown so soon that more may have been picked up
    than the view shows.
    """

    t: float
    readings: tuple[DieReading, ...]
    settled: bool
    hand: bool
    picture: Frame
    overlooked: bool = False
    unread_dice: int = 0
    hurried: bool = False

    @property
    def faces(self) -> tuple[int | None, ...]:
        """One face per die, in the order of `readings`; None where it is doubtful."""
        return tuple(reading.face for reading in self.readings)
