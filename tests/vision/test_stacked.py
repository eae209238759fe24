"""Dice that lie on or against others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.view import view_vectors
from vision.finder import Find
from vision.stacked import touching
from vision.tilt import LEVEL, normal_at

STRAIGHT_DOWN = np.array([[0.0, 0.0, 1.0]] * 3)


def finds(*middles: tuple[float, float]) -> list[Find]:
    return [Find(middle, (60.0, 50.0), 0.9, 0.0) for middle in middles]


def test_dice_too_near_to_each_other_may_lie_on_each_other() -> None:
    views = view_vectors(LEVEL, STRAIGHT_DOWN)
    near = finds((100, 100), (130, 120), (300, 100))
    assert touching(near, views).tolist() == [True, True, False]
    assert not touching(finds((100, 100), (150, 100), (300, 100)), views).any()


def test_along_the_tilt_dice_are_farther_apart_than_they_seem() -> None:
    views = view_vectors(normal_at(40.0, 90.0), STRAIGHT_DOWN)
    across, along = finds((100, 100), (142, 100), (400, 400)), finds((100, 100), (100, 142), (9, 9))
    assert touching(across, views)[0]
    assert not touching(along, views)[0]


def test_what_is_hardly_found_is_touched_by_none() -> None:
    sure, faint = finds((100, 100), (130, 120))
    views = view_vectors(LEVEL, STRAIGHT_DOWN)[:2]
    assert touching([sure, replace(faint, faint=True)], views).tolist() == [False, True]


def test_a_die_alone_touches_none() -> None:
    assert not touching(finds((9, 9)), np.zeros((1, 2))).any()
