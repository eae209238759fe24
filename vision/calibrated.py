"""Reading with a calibration: the tray's normal known, dice beside the tray left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.orientation import Orientation
from calibration.profile import Profile, fitted
from calibration.standpoint import Standpoint
from vision.reader import DiceReader
from vision.records import DieReading, Doubt, Image, Sighting

Array = NDArray[np.float64]

BESIDE_MM = 3.0
"""A die whose middle lies further than this outside the tray's floor is not in the tray."""


TRUSTED_DEG = 25.0
"""Up to this tilt the dice tell the tray's normal well by themselves: another look, that way."""

WEAK_DOUBTS = Doubt.UNSURE | Doubt.NEIGHBOURS_DISAGREE
"""Doubts that another look which is sure of the same face takes away."""

SAME_PLACE = 0.25
"""Two looks saw the same die when its middles are nearer than this share of its size."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What a picture shows in the tray, and which dice lie off it."""

    inside: tuple[DieReading, ...]
    off_tray: tuple[DieReading, ...]


class CalibratedReader:
    """Reads dice with what `profile` knows of the camera and the tray.

    Pictures of another size that show the same are read with the profile made to fit. `seen_as`
    is how the pictures are oriented to the profile's: they are set upright before reading, and
    places in the readings are those in the pictures as they came.
    """

    def __init__(
        self,
        reader: DiceReader,
        profile: Profile,
        seen_as: Orientation = Orientation.UPRIGHT,
    ) -> None:
        self._reader = reader
        self.seen_as = seen_as
        self.profile = profile

    def read(self, image: Image) -> tuple[DieReading, ...]:
        """Every die in the tray; raises `ProfileError` for pictures of another view."""
        return self.read_all(image).inside

    def read_all(self, image: Image) -> Readings:
        """Every die, also those off the tray; raises `ProfileError` as `read` does."""
        upright = self.seen_as.undo(image)
        size = (upright.shape[1], upright.shape[0])
        profile = fitted(self.profile, size)
        standpoint = profile.standpoint
        readings = self._reader.read(upright, normal=standpoint.normal, lens=standpoint.lens)
        if standpoint.tilt_deg <= TRUSTED_DEG and any(_is_weak(r) for r in readings):
            readings = _settled_by(readings, self._reader.read(upright))
        inside = in_tray(standpoint, readings, profile.die_mm)
        if self.seen_as is not Orientation.UPRIGHT:
            readings = tuple(_as_seen(reading, self.seen_as, size) for reading in readings)
        return Readings(
            tuple(r for r, is_in in zip(readings, inside, strict=True) if is_in),
            tuple(r for r, is_in in zip(readings, inside, strict=True) if not is_in),
        )


def _is_weak(reading: DieReading) -> bool:
    return bool(reading.doubts) and not reading.doubts & ~WEAK_DOUBTS


def _settled_by(
    readings: tuple[DieReading, ...], again: tuple[DieReading, ...]
) -> tuple[DieReading, ...]:
    """The readings, weak ones replaced by those of another look that is sure of the same face."""
    return tuple(
        next((other for other in again if _confirms(other, reading)), reading)
        if _is_weak(reading)
        else reading
        for reading in readings
    )


def _confirms(other: DieReading, reading: DieReading) -> bool:
    away = np.subtract(other.sighting.center, reading.sighting.center)
    near = float(np.hypot(*away)) < SAME_PLACE * reading.sighting.size
    return near and other.face == reading.likeliest


def in_tray(
    standpoint: Standpoint, readings: tuple[DieReading, ...], die_mm: float
) -> NDArray[np.bool_]:
    """Which of the readings lie on the tray's floor, `(n,)`."""
    centers = np.array([r.sighting.center for r in readings]).reshape(-1, 2)
    return standpoint.inside(standpoint.to_mm(centers, die_mm / 2), BESIDE_MM)


def _as_seen(reading: DieReading, seen_as: Orientation, size: tuple[int, int]) -> DieReading:
    """The reading of an upright picture of `size` with the places of the picture as it came."""
    sighting = reading.sighting
    x0, y0, x1, y1 = sighting.box
    points = np.array([sighting.center, (x0, y0), (x1, y1), *sighting.corners.tolist()])
    moved = seen_as.apply_points(points, size)
    low, high = moved[1:3].min(axis=0), moved[1:3].max(axis=0)
    return replace(
        reading,
        sighting=Sighting(
            center=(float(moved[0, 0]), float(moved[0, 1])),
            box=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
            score=sighting.score,
            corners=moved[3:].astype(np.float32),
            corner_error=sighting.corner_error,
        ),
    )
