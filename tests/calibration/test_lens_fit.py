"""The lens from views of the board, and views that tell none."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.board import BoardView
from calibration.evaluate import lens_error, pose_at
from calibration.lens_fit import LensUnclear, WhyDropped, fit_lens
from tests.calibration.scenes import LENS, board_views, seen_board


def test_a_dozen_views_tell_the_lens() -> None:
    fit = fit_lens(board_views(LENS, 12, seed=1))
    assert lens_error(fit.lens, LENS) < 0.005
    assert fit.error_px < 0.3
    assert fit.focal_spread < 0.002
    assert not fit.dropped


def test_a_bad_view_is_left_out_and_said_so() -> None:
    views = board_views(LENS, 12, seed=2)
    bad = views[4]
    shaken = bad.pixels + np.random.default_rng(0).normal(0, 6, bad.pixels.shape)
    views[4] = BoardView(bad.size, bad.numbers, shaken, bad.places_mm)
    few = views[7]
    views[7] = BoardView(few.size, few.numbers[:5], few.pixels[:5], few.places_mm[:5])
    views[8] = BoardView((640, 480), few.numbers, few.pixels, few.places_mm)
    fit = fit_lens(views)
    assert fit.dropped == {
        4: WhyDropped.POOR_FIT,
        7: WhyDropped.TOO_LITTLE,
        8: WhyDropped.OTHER_SIZE,
    }
    assert lens_error(fit.lens, LENS) < 0.005


def test_views_from_straight_above_are_refused() -> None:
    rng = np.random.default_rng(3)
    views = [
        seen_board(
            LENS,
            pose_at(LENS, rng.uniform(0, 2), 0.0, rng.uniform(0, 360), 500.0, (640.0, 360.0)),
            0.08,
            rng,
        )
        for _ in range(12)
    ]
    with pytest.raises(LensUnclear, match="too much alike"):
        fit_lens(views)


def test_too_few_views_are_refused() -> None:
    with pytest.raises(LensUnclear, match="Only 4 of 4"):
        fit_lens(board_views(LENS, 4, seed=4))
    with pytest.raises(LensUnclear, match="Only 0 of 0"):
        fit_lens([])


def test_a_board_that_is_bent_all_the_time_is_refused() -> None:
    rng = np.random.default_rng(5)
    views = [
        BoardView(
            view.size,
            view.numbers,
            view.pixels + rng.normal(0, 1, 2) * (view.places_mm[:, :1] / 40) ** 2 * 3,
            view.places_mm,
        )
        for view in board_views(LENS, 12, seed=6)
    ]
    with pytest.raises(LensUnclear):
        fit_lens(views)


def test_a_few_corners_found_beside_their_place_do_not_bend_the_lens() -> None:
    clean = board_views(LENS, 14, seed=7)
    views = list(clean)
    for number in (3, 8):
        pixels = views[number].pixels.copy()
        pixels[[0, -1]] += [[1.5, -1.0], [-1.5, 1.2]]
        views[number] = replace(views[number], pixels=pixels)
    grid = np.stack(np.meshgrid([0.0, 640.0, 1279.0], [0.0, 360.0, 719.0]), axis=-1).reshape(-1, 2)
    seen = fit_lens(views).lens.project(fit_lens(clean).lens.rays(grid))
    assert np.linalg.norm(seen - grid, axis=1).max() < 1.0


def test_corners_are_left_out_only_where_most_are_well_found() -> None:
    (view,) = board_views(LENS, 1, seed=9)
    off = np.full(len(view.numbers), 0.1)
    assert view.well_found(off) is view
    off[3] = 2.0
    left = view.well_found(off)
    assert left.numbers.tolist() == np.delete(view.numbers, 3).tolist()
    assert len(left.pixels) == len(left.places_mm) == len(off) - 1
    off[: len(off) // 3] = 2.0
    assert view.well_found(off) is view
