"""Sizes that are believed, and those meant in another unit."""

from __future__ import annotations

import math

import pytest

from calibration.limits import DIE_MM, TRAY_MM, within
from calibration.profile import NOMINAL_DIE_MM


@pytest.mark.parametrize("size", [NOMINAL_DIE_MM, *DIE_MM])
def test_ordinary_dice_are_believed(size: float) -> None:
    assert within(size, DIE_MM)


@pytest.mark.parametrize("size", [1.6, 160.0, math.inf, -16.0, math.nan])
def test_dice_in_another_unit_are_not(size: float) -> None:
    assert not within(size, DIE_MM)


def test_a_tray_in_centimetres_is_not_believed() -> None:
    assert within(300.0, TRAY_MM)
    assert not within(30.0, TRAY_MM)
