"""Turned and mirrored pictures are recognised and set upright."""

import numpy as np
import pytest

from calibration.orientation import Orientation, recognise
from tests.calibration.scenes import textured


@pytest.mark.parametrize("orientation", list(Orientation))
def test_recognised_and_undone(orientation: Orientation) -> None:
    picture = textured()
    seen = orientation.apply(picture)
    noisy = np.clip(seen * 0.8 + np.random.default_rng(1).normal(0, 6, seen.shape), 0, 255)
    assert recognise(picture, noisy.astype(np.uint8)) is orientation
    assert np.array_equal(orientation.undo(seen), picture)
    assert (seen.shape[1], seen.shape[0]) == orientation.size((1280, 720))


@pytest.mark.parametrize("orientation", list(Orientation))
def test_points_go_where_pixels_go(orientation: Orientation) -> None:
    picture = np.zeros((30, 50, 3), np.uint8)
    picture[7, 11] = 255
    rows, columns = np.nonzero(orientation.apply(picture)[..., 0])
    there = orientation.apply_points(np.array([[11.5, 7.5]]), (50, 30))
    assert there[0].tolist() == [columns[0] + 0.5, rows[0] + 0.5]


def test_another_scene_is_not_recognised() -> None:
    other = np.random.default_rng(3).integers(0, 255, (18, 32, 3), dtype=np.uint8)
    assert recognise(textured(), np.repeat(np.repeat(other, 40, axis=0), 40, axis=1)) is None


def test_words_say_what_happened() -> None:
    assert Orientation.HALF.words == "turned by 180°"
    assert Orientation.MIRRORED.words == "mirrored"
    assert Orientation.MIRRORED_LEFT.words == "mirrored and turned by 90° to the left"
