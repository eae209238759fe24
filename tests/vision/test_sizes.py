"""Sizes of dice of one set: who seems larger or smaller does not lie as the others."""

from __future__ import annotations

import numpy as np
import pytest

from vision.sizes import MOST_ODDS, lean_odds
from vision.tilt import LEVEL, normal_at

LINES = np.array([[x, y, 1.0] for x in (-0.3, 0.0, 0.3) for y in (-0.2, 0.2)])
KIN = 1 - np.eye(len(LINES))


def seen(normal: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How many pixels dice of these sizes measure on a tray with this normal."""
    return np.asarray(-(LINES @ normal) * sizes * 100)


@pytest.mark.parametrize("normal", [LEVEL, normal_at(40.0, 90.0), normal_at(25.0, 200.0)])
def test_dice_of_one_size_say_nothing_however_far_they_lie(normal: np.ndarray) -> None:
    scales = seen(normal, np.array([1.0, 1.03, 0.97, 1.0, 1.05, 1.0]))
    assert not lean_odds(scales, LINES, normal, KIN).any()


@pytest.mark.parametrize("size", [1.25, 0.8])
def test_one_that_seems_larger_or_smaller_is_suspect(size: float) -> None:
    scales = seen(LEVEL, np.array([1.0, 1.0, size, 1.0, 1.0, 1.0]))
    odds = lean_odds(scales, LINES, LEVEL, KIN)
    assert odds[2] == pytest.approx(MOST_ODDS)
    assert not np.delete(odds, 2).any()


def test_few_fellows_and_dice_of_other_sets_do_not_tell() -> None:
    scales = seen(LEVEL, np.array([1.0, 1.0, 1.3, 1.3, 1.3, 1.3]))
    sets = np.array([0, 0, 1, 1, 1, 1])
    kin = (sets[:, None] == sets[None]) * KIN
    assert not lean_odds(scales, LINES, LEVEL, kin).any()
    assert not lean_odds(scales[:2], LINES[:2], LEVEL, KIN[:2, :2]).any()
