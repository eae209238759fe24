"""Reading with a calibration: what lies beside the tray, pictures turned, weak readings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.orientation import Orientation
from calibration.profile import Origin, Profile, ProfileError
from samples import GAME
from tests.calibration.scenes import tray
from vision.calibrated import CalibratedReader
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.records import Image

PICTURE = GAME / "000-t1-roll10-roll.jpg"


@pytest.fixture(scope="module")
def reader() -> DiceReader:
    return DiceReader()


@pytest.fixture(scope="module")
def image() -> Image:
    return load_picture(PICTURE)


def profile(width_mm: float = 400.0) -> Profile:
    """A camera that looks down nearly straight, as in the sample game."""
    return Profile("test", tray(8.0).with_outline(width_mm, 300.0), Origin.CORNERS, 0.5, 0.02, "")


def test_reads_the_same_dice(reader: DiceReader, image: Image) -> None:
    plain = sorted(r.likeliest for r in reader.read(image))
    seen = CalibratedReader(reader, profile()).read(image)
    assert len(seen) == 10
    assert sorted(r.likeliest for r in seen) == plain
    assert all(r.face is not None for r in seen)


def test_dice_beside_the_tray_are_told_apart(reader: DiceReader, image: Image) -> None:
    seen = CalibratedReader(reader, profile(width_mm=140.0)).read_all(image)
    assert len(seen.inside) + len(seen.off_tray) == 10
    assert seen.inside
    assert seen.off_tray
    reach = max(abs(r.sighting.center[0] - 640) for r in seen.inside)
    assert all(abs(r.sighting.center[0] - 640) > reach - 30 for r in seen.off_tray)


@pytest.mark.parametrize("seen_as", [Orientation.MIRRORED, Orientation.LEFT])
def test_turned_pictures_are_read_and_places_are_theirs(
    reader: DiceReader, image: Image, seen_as: Orientation
) -> None:
    straight = CalibratedReader(reader, profile()).read(image)
    turned = CalibratedReader(reader, profile(), seen_as).read(seen_as.apply(image))
    assert [r.likeliest for r in turned] == [r.likeliest for r in straight]
    there = seen_as.apply_points(np.array([straight[0].sighting.center]), (1280, 720))
    assert turned[0].sighting.center == pytest.approx(tuple(there[0]))
    x0, y0, x1, y1 = turned[0].sighting.box
    assert x0 < turned[0].sighting.center[0] < x1
    assert y0 < turned[0].sighting.center[1] < y1


def test_pictures_of_another_view_are_refused(reader: DiceReader) -> None:
    with pytest.raises(ProfileError, match="another part of the view"):
        CalibratedReader(reader, profile()).read(np.zeros((480, 640, 3), np.uint8))


def test_half_size_pictures_are_read_with_the_profile_made_to_fit(
    reader: DiceReader, image: Image
) -> None:
    large = np.repeat(np.repeat(image, 2, axis=0), 2, axis=1)
    seen = CalibratedReader(reader, replace(profile(), camera="large")).read(large)
    assert len(seen) == 10
