"""Views of the board are taken when they are new and still."""

import numpy as np
import pytest

from calibration.collecting import BoardCollector, Shown, Step
from calibration.evaluate import pose_at
from calibration.rendering import Looks, render
from calibration.tray import TrayUnclear
from tests.calibration.scenes import LENS, board_views


def picture(x: float) -> np.ndarray:
    pose = pose_at(LENS, 20.0, -90.0, 0.0, 520.0, (x, 360.0))
    return render(LENS, pose, Looks(), np.random.default_rng(1))


def test_a_film_must_show_the_board_still() -> None:
    here, there = picture(560.0), picture(700.0)
    collector = BoardCollector(Shown.AS_FILM)
    assert collector.push(0.0, np.zeros((720, 1280, 3), np.uint8)) is Step.NO_BOARD
    assert collector.push(0.1, here) is Step.HOLD_STILL
    assert collector.push(0.4, there) is Step.HOLD_STILL
    assert collector.push(0.8, there) is Step.HOLD_STILL
    assert collector.push(1.0, there) is Step.TAKEN
    assert collector.push(1.2, there) is Step.KNOWN
    assert len(collector.views) == 1
    result = collector.result()
    assert result.lens is None
    assert result.tray.standpoint.tilt_deg == pytest.approx(20.0, abs=3.0)


def test_stills_are_taken_at_once() -> None:
    collector = BoardCollector(Shown.AS_STILLS)
    assert collector.push(0.0, picture(560.0)) is Step.TAKEN
    assert collector.push(1.0, picture(562.0)) is Step.KNOWN


def test_many_views_tell_the_lens_too() -> None:
    collector = BoardCollector(Shown.AS_STILLS)
    collector.views = board_views(LENS, 12, seed=1)
    assert collector.enough
    result = collector.result()
    assert result.lens is not None
    assert result.tray.standpoint.lens == result.lens.lens
    assert result.notes == ()


def test_a_last_view_of_another_size_than_the_lens_is_refused() -> None:
    collector = BoardCollector(Shown.AS_STILLS)
    small = LENS.scaled((640, 360))
    collector.views = [*board_views(LENS, 12, seed=1), *board_views(small, 1, seed=2)]
    with pytest.raises(TrayUnclear, match=r"is 640 × 360 pixels and those .* are 1280 × 720"):
        collector.result()


def test_views_that_tell_no_lens_still_tell_the_tray() -> None:
    collector = BoardCollector(Shown.AS_STILLS)
    collector.views = board_views(LENS, 3, seed=1)
    result = collector.result()
    assert result.lens is None
    assert "Only 3 of 3" in result.notes[0]
    with pytest.raises(TrayUnclear):
        BoardCollector(Shown.AS_STILLS).result()
