"""The board found in pictures of it."""

import numpy as np
import pytest

from calibration.board import BoardView, corner_places, detect
from calibration.evaluate import pose_at
from calibration.rendering import Looks, render
from tests.calibration.scenes import LENS, standpoint_of


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 60.0])
def test_its_corners_are_found_where_they_are(tilt_deg: float) -> None:
    pose = pose_at(LENS, tilt_deg, 40.0, 10.0, 560.0, (640.0, 360.0))
    view = detect(render(LENS, pose, Looks(), np.random.default_rng(1)))
    assert view is not None
    assert view.enough
    assert len(view.numbers) >= 30
    true = standpoint_of(pose, LENS).to_picture(view.places_mm)
    off = np.linalg.norm(view.pixels - true, axis=1)
    assert np.median(off) < 0.12
    assert off.max() < 0.6


def test_a_mirrored_picture_is_noticed() -> None:
    pose = pose_at(LENS, 20.0, 40.0, 10.0, 560.0, (600.0, 330.0))
    picture = render(LENS, pose, Looks(), np.random.default_rng(1))
    mirrored = detect(np.ascontiguousarray(picture[:, ::-1]))
    assert mirrored is not None
    assert mirrored.mirrored
    straight = detect(picture)
    assert straight is not None
    both, a, b = np.intersect1d(mirrored.numbers, straight.numbers, return_indices=True)
    assert len(both) > 25
    there = np.column_stack([1279 - mirrored.pixels[a, 0], mirrored.pixels[a, 1]])
    assert np.abs(there - straight.pixels[b]).max() < 0.5


def test_no_board_in_noise() -> None:
    noise = np.random.default_rng(2).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    assert detect(noise) is None


def test_corners_on_a_line_are_too_few() -> None:
    numbers = np.arange(14, dtype=np.int32)
    places = corner_places(numbers)
    assert not BoardView((1280, 720), numbers, places, places).enough
    numbers = np.arange(21, dtype=np.int32)
    places = corner_places(numbers)
    assert BoardView((1280, 720), numbers, places, places).enough
