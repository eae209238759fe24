"""A bumped camera: the whole picture shifted and turned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.films import TRAY, bumped
from vision.compare import shrink
from vision.shift import MOST_PX, shift_between, shifted

SMALL = shrink(TRAY)
EVERYWHERE = np.full(SMALL.shape[:2], 255, np.uint8)


@pytest.mark.parametrize(
    ("dx", "dy", "turn"), [(3, -2, 0.0), (0, 0, 0.012), (-3, 3, -0.012), (6, 1, 0.02)]
)
@pytest.mark.parametrize("light", [1.0, 0.6])
def test_a_bump_is_undone(dx: float, dy: float, turn: float, light: float) -> None:
    now = bumped(SMALL, dx, dy, turn)
    move = shift_between(SMALL, (now * light).astype(np.uint8), EVERYWHERE)
    assert move is not None
    inside = (slice(10, -10), slice(10, -10))
    before = np.abs(now.astype(int) - SMALL)[inside].mean()
    after = np.abs(now.astype(int) - shifted(SMALL, move))[inside].mean()
    assert after < 0.3 * before


def test_an_unmoved_camera_is_found_unmoved() -> None:
    move = shift_between(SMALL, SMALL, EVERYWHERE)
    assert move is not None
    assert move == pytest.approx(np.eye(3)[:2], abs=0.01)


def test_another_view_is_no_bump() -> None:
    move = shift_between(SMALL, bumped(SMALL, 3 * MOST_PX, 0, 0.0), EVERYWHERE)
    assert (
        move is None
        or np.abs(shifted(SMALL, move).astype(int) - bumped(SMALL, 3 * MOST_PX, 0, 0.0)).mean() > 1
    )


def test_pictures_with_nothing_in_them_tell_nothing() -> None:
    plain = np.full_like(SMALL, 90)
    move = shift_between(plain, plain, EVERYWHERE)
    assert move is None or move == pytest.approx(np.eye(3)[:2], abs=0.01)
