"""Comparing pictures: light and trembling are no difference, dice and hands are."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.films import TEN, draw
from vision.compare import SMALL_WIDTH, difference, matched, shrink
from vision.records import Image

DICE = draw(TEN)


def lit(image: Image, gain: float | NDArray[np.float64]) -> Image:
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def seen(image: Image, right: float = 0.0, down: float = 0.0) -> Image:
    """As a camera of four times the size sees it, moved by so many small pixels; shrunk."""
    large = cv2.resize(image, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    move = np.array([[1, 0, 4 * right], [0, 1, 4 * down]], np.float32)
    size = (large.shape[1], large.shape[0])
    moved = cv2.warpAffine(large, move, size, borderMode=cv2.BORDER_REPLICATE)
    return shrink(np.asarray(moved, np.uint8))


@pytest.mark.parametrize("shape", [(720, 1280), (480, 640), (1920, 1080), (180, 320)])
def test_small_pictures_are_of_one_width(shape: tuple[int, int]) -> None:
    small = shrink(np.full((*shape, 3), 77, np.uint8))
    assert small.shape == (round(shape[0] * SMALL_WIDTH / shape[1]), SMALL_WIDTH, 3)
    assert (small == 77).all()


def test_a_bright_line_is_no_flicker() -> None:
    """Bands of light are broad; one row alone is something that lies there."""
    plain = np.full((180, SMALL_WIDTH, 3), 100, np.uint8)
    line = plain.copy()
    line[60] = 109
    assert matched(plain, line)[60].max() < 104
    assert difference(plain, line)[60].min() > 4


@pytest.mark.parametrize("gain", [0.5, 0.8, 1.1, 1.25])
def test_exposure_is_no_difference(gain: float) -> None:
    small = shrink(DICE)
    assert difference(small, shrink(lit(DICE, gain))).max() <= 12
    assert matched(small, lit(small, gain)).mean() == pytest.approx(lit(small, gain).mean(), abs=2)


def test_white_balance_is_no_difference() -> None:
    tint = np.array([1.2, 1.0, 0.8])
    assert difference(shrink(DICE), shrink(lit(DICE, tint))).max() <= 12


def test_flicker_is_no_difference() -> None:
    rows = np.arange(DICE.shape[0])[:, None, None]
    bands = 1 + 0.05 * np.sin(rows / 25)
    assert difference(shrink(DICE), shrink(lit(DICE, bands))).max() <= 12


@pytest.mark.parametrize("gain", [0.6, 1.0, 1.2])
def test_a_die_that_went_is_a_difference_in_any_light(gain: float) -> None:
    change = difference(shrink(DICE), shrink(lit(draw(TEN[1:]), gain)))
    x, y = round(TEN[0].x), round(TEN[0].y)
    assert change[y - 4 : y + 4, x - 4 : x + 4].min() > 60
    change[y - 12 : y + 12, x - 12 : x + 12] = 0
    assert change.max() <= 14


def test_half_the_picture_may_change_at_once() -> None:
    """A hand close to the camera does not pass for a change of light."""
    covered = DICE.copy()
    covered[:, 190:] = (110, 150, 205)
    change = difference(shrink(DICE), shrink(covered))
    assert np.percentile(change[:, 200:], 20) > 20
    assert change[:, :180].max() <= 12


@pytest.mark.parametrize(("right", "down"), [(0.4, 0.0), (-0.3, 0.4), (0.6, -0.5)])
def test_a_trembling_camera_is_no_difference(right: float, down: float) -> None:
    steady, trembled = seen(DICE), seen(DICE, right, down)
    assert cv2.absdiff(steady, trembled).max() > 25
    assert difference(steady, trembled).max() <= 14


def test_a_die_that_went_shows_though_the_camera_trembles() -> None:
    change = difference(seen(DICE), seen(draw(TEN[1:]), 0.4, -0.3))
    x, y = round(TEN[0].x), round(TEN[0].y)
    assert change[y - 4 : y + 4, x - 4 : x + 4].min() > 60
    change[y - 12 : y + 12, x - 12 : x + 12] = 0
    assert change.max() <= 14


def test_a_die_that_was_nudged_is_no_trembling() -> None:
    nudged = [*TEN]
    nudged[3] = replace(TEN[3], x=TEN[3].x + 2)
    change = difference(shrink(DICE), shrink(draw(nudged)))
    assert np.count_nonzero(change > 40) >= 20


def test_flat_pictures_can_be_compared() -> None:
    flat = np.full((180, 320, 3), 90, np.uint8)
    assert difference(flat, flat).max() == 0
    assert difference(flat, np.full_like(flat, 255)).min() > 0


def test_matching_over_and_over_goes_nowhere() -> None:
    """A place hidden for long is matched to every picture in between, noise and flicker and all."""
    rng = np.random.default_rng(3)
    small = shrink(DICE)
    rows = np.arange(len(small))[:, None, None]
    reference = small
    for turn in range(60):
        flicker = 1 + 0.03 * np.sin(rows / 25 + turn)
        noisy = small * flicker + rng.normal(0, 1.5, small.shape)
        reference = matched(reference, np.asarray(np.clip(noisy, 0, 255), np.uint8))
    drift = np.abs(matched(reference, small).astype(np.int16) - small)
    assert drift.mean() < 4
    assert drift.max() < 40
