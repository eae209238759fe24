"""Measured up faces lie where the reader sees them, however exactly it framed the dice."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.dice import tray_from_dice
from calibration.standpoint import Standpoint
from samples import GAME
from vision import d10
from vision.kites import KiteMeasure
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.records import DieReading, Image


def _read() -> tuple[Image, tuple[DieReading, ...], Standpoint]:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    readings = DiceReader().read(image)
    return image, readings, tray_from_dice(_corners(readings), d10.KITE, (1280, 720)).standpoint


def _corners(readings: tuple[DieReading, ...]) -> NDArray[np.float64]:
    return np.array([reading.sighting.corners for reading in readings], np.float64)


def _shifted(reading: DieReading, share: float) -> DieReading:
    seen = reading.sighting
    center = (seen.center[0] + share * seen.size, seen.center[1])
    return replace(reading, sighting=replace(seen, center=center))


def test_up_faces_are_measured_where_they_were_read() -> None:
    image, readings, standpoint = _read()
    measured = KiteMeasure().corners(image, readings, standpoint)
    sizes = np.array([reading.sighting.size for reading in readings])
    off = np.linalg.norm(measured - _corners(readings), axis=2) / sizes[:, None]
    assert off.max() < 0.1
    # Badly framed they are measured alike.
    beside = [_shifted(reading, 0.06) for reading in readings]
    again = KiteMeasure().corners(image, beside, standpoint)
    apart = np.linalg.norm(again - measured, axis=2) / sizes[:, None]
    assert 0 < np.median(apart) < 0.02


def test_without_dice_there_is_nothing_to_measure() -> None:
    image, _, standpoint = _read()
    assert KiteMeasure().corners(image, [], standpoint).shape == (0, 4, 2)
