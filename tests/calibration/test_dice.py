"""The tray's plane from dice lying in it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.dice import tray_from_dice
from calibration.evaluate import pose_at
from calibration.standpoint import Standpoint, triple
from calibration.tray import TrayUnclear
from tests.calibration.scenes import PINHOLE, standpoint_of, tray

KITE = np.array([[0.0, 1.2], [0.85, 0.1], [0.0, -0.45], [-0.85, 0.1]])
"""Something like an up face, in half face-to-face distances."""


def kites(standpoint: Standpoint, count: int, noise_px: float, seed: int) -> NDArray[np.float64]:
    """Up faces of dice of 16 mm spread over the tray."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(count):
        turn = rng.uniform(0, 2 * np.pi)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        column, row = k % 5, k // 5 % 2
        middle = [-100 + 50 * column + rng.uniform(-10, 10), -45 + 90 * row + rng.uniform(-20, 20)]
        found.append(standpoint.to_picture(KITE * 8 @ spin.T + middle, 16.0))
    return np.array(found) + rng.normal(0, noise_px, (count, 4, 2))


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 40.0])
def test_ten_dice_tell_tilt_and_scale(tilt_deg: float) -> None:
    true = tray(tilt_deg)
    seen = kites(true, 10, 0.6, seed=1)
    fit = tray_from_dice(seen, KITE, (1280, 720), 16.0)
    off = np.degrees(np.arccos(np.clip(fit.standpoint.normal @ true.normal, -1, 1)))
    assert off < 4.0
    middle = true.middle_px()
    scale = fit.standpoint.mm_per_px(middle) / true.mm_per_px(middle)
    assert scale[0] == pytest.approx(1.0, abs=0.05)


def test_a_cocked_die_is_outvoted() -> None:
    true = tray(20.0)
    seen = kites(true, 10, 0.4, seed=2)
    seen[3] = seen[3].mean(axis=0) + (seen[3] - seen[3].mean(axis=0)) * [0.5, 1.2]
    fit = tray_from_dice(seen, KITE, (1280, 720), 16.0, PINHOLE)
    off = np.degrees(np.arccos(np.clip(fit.standpoint.normal @ true.normal, -1, 1)))
    assert off < 3.0


def test_two_cocked_dice_of_ten_change_little() -> None:
    true = tray(30.0)
    seen = kites(true, 10, 0.8, seed=5)
    for k in (2, 7):
        seen[k] = seen[k].mean(axis=0) + (seen[k] - seen[k].mean(axis=0)) @ [[0.7, 0.3], [0, 0.9]]
    fit = tray_from_dice(seen, KITE, (1280, 720), 16.0)
    assert fit.standpoint.tilt_deg == pytest.approx(true.tilt_deg, abs=3.0)


def test_a_camera_that_lies_on_its_side_is_found_though_few_do() -> None:
    true = standpoint_of(pose_at(PINHOLE, 30.0, 0.0, 0.0, 500.0, (640.0, 360.0)))
    assert abs(true.normal[0]) > 0.4
    fit = tray_from_dice(kites(true, 10, 0.6, seed=6), KITE, (1280, 720), 16.0)
    off = np.degrees(np.arccos(np.clip(fit.standpoint.normal @ true.normal, -1, 1)))
    assert off < 4.0


def test_large_dice_may_miss_by_more_pixels() -> None:
    """Four pixels say much about a die of 60 pixels and little about one of 300."""
    near = tray(10.0)
    near = Standpoint(near.lens, near.rotation, triple(0.3 * np.array(near.translation)))
    seen = near.to_picture(np.vstack([KITE * 8 + [x, 0] for x in (-20, 0, 20)]), 16.0)
    seen = seen.reshape(3, 4, 2) + np.random.default_rng(7).normal(0, 7, (3, 4, 2))
    assert tray_from_dice(seen, KITE, (1280, 720), 16.0).error_px > 4.0


def test_too_few_dice_or_none_that_lie_flat_are_refused() -> None:
    with pytest.raises(TrayUnclear, match="2 are seen"):
        tray_from_dice(kites(tray(10.0), 2, 0.5, seed=3), KITE, (1280, 720))
    wild = np.random.default_rng(4).uniform(100, 600, (6, 4, 2))
    with pytest.raises(TrayUnclear):
        tray_from_dice(wild, KITE, (1280, 720))
