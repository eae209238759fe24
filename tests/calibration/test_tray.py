"""The tray's plane from a board in it, or from its corners."""

import numpy as np
import pytest

from calibration.board import BoardView
from calibration.evaluate import pose_at
from calibration.tray import (
    TrayUnclear,
    tray_from_board,
    tray_from_clicks,
    tray_from_corners,
)
from tests.calibration.scenes import LENS, PINHOLE, seen_board, tray


def clicks_of(tilt_deg: float) -> np.ndarray:
    standpoint = tray(tilt_deg)
    return standpoint.to_picture(np.array(standpoint.outline))


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 45.0])
def test_exact_corners_give_the_tray(tilt_deg: float) -> None:
    true = tray(tilt_deg)
    fit = tray_from_corners(clicks_of(tilt_deg), (260.0, 180.0), (1280, 720), PINHOLE)
    assert fit.error_px < 0.01
    assert fit.focal_spread == 0
    assert fit.standpoint.tilt_deg == pytest.approx(tilt_deg, abs=0.1)
    assert fit.standpoint.height_mm == pytest.approx(true.height_mm, rel=0.001)
    assert np.allclose(fit.standpoint.outline, true.outline, atol=1e-6)


def test_a_tilted_tray_tells_the_focal_length_too() -> None:
    fit = tray_from_corners(clicks_of(40.0), (260.0, 180.0), (1280, 720))
    assert fit.standpoint.lens.focal[0] == pytest.approx(1040, rel=0.02)
    assert fit.focal_spread < 0.04
    level = tray_from_corners(clicks_of(0.0), (260.0, 180.0), (1280, 720))
    assert level.focal_spread > 0.1


@pytest.mark.parametrize("seed", range(8))
def test_clicks_two_pixels_off_are_good_to_two_millimetres(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, 4)
    tilt_deg = rng.uniform(0, 40)
    clicks = clicks_of(tilt_deg) + 2 * np.column_stack([np.cos(turn), np.sin(turn)])
    fit = tray_from_clicks(rng.permutation(clicks), (180.0, 260.0), (1280, 720))
    places = np.array(tray(tilt_deg).outline) * 0.9
    seen = fit.standpoint.to_mm(tray(tilt_deg).to_picture(places))
    assert np.linalg.norm(seen - places, axis=1).max() < 2.0


def test_corners_may_go_round_either_way() -> None:
    corners = clicks_of(25.0)
    forth = tray_from_corners(corners, (260.0, 180.0), (1280, 720)).standpoint
    back = tray_from_corners(corners[::-1], (260.0, 180.0), (1280, 720)).standpoint
    turned = tray_from_corners(np.roll(corners, 1, axis=0), (180.0, 260.0), (1280, 720)).standpoint
    assert np.allclose(forth.normal, back.normal, atol=1e-6)
    assert np.allclose(forth.normal, turned.normal, atol=1e-6)
    assert np.allclose(forth.outline, turned.outline, atol=1e-6)


def test_board_gives_the_tray_in_millimetres() -> None:
    rng = np.random.default_rng(1)
    pose = pose_at(LENS, 30.0, -80.0, 5.0, 520.0, (640.0, 380.0))
    fit = tray_from_board(seen_board(LENS, pose, 0.1, rng), LENS)
    places = np.array([[-100.0, -70.0], [100.0, 70.0], [0.0, 0.0]])
    pixels = LENS.project(
        np.column_stack([places, np.zeros(3)]) @ pose.matrix.T + np.array(pose.translation)
    )
    assert np.abs(fit.standpoint.to_mm(pixels) - places).max() < 0.3


@pytest.mark.parametrize(
    ("corners", "size_mm", "words"),
    [
        ([[0, 0], [900, 0], [100, 700], [900, 700]], (260, 180), "do not make a tray"),
        ([[0, 0], [20, 0], [20, 20], [0, 20]], (260, 180), "do not make a tray"),
        ([[200, 100], [1000, 100], [1000, 600], [200, 600]], (0, 180), "two lengths"),
        ([[200, 100], [1000, 100], [1000, 600], [200, 600]], (900, 60), "check the size"),
        ([[200, 100], [1000, 100], [1000, 600]], (260, 180), "four corners"),
    ],
)
def test_corners_that_make_no_tray_are_refused(
    corners: list[list[float]], size_mm: tuple[float, float], words: str
) -> None:
    with pytest.raises(TrayUnclear, match=words):
        tray_from_corners(np.array(corners, float), size_mm, (1280, 720))


def test_three_clicks_are_refused() -> None:
    with pytest.raises(TrayUnclear, match="not 3"):
        tray_from_clicks(np.zeros((3, 2)), (260.0, 180.0), (1280, 720))


def test_board_views_that_tell_nothing_are_refused() -> None:
    rng = np.random.default_rng(1)
    pose = pose_at(LENS, 30.0, -80.0, 5.0, 520.0, (640.0, 380.0))
    view = seen_board(LENS, pose, 0.1, rng)
    few = BoardView(view.size, view.numbers[:6], view.pixels[:6], view.places_mm[:6])
    with pytest.raises(TrayUnclear, match="Too little"):
        tray_from_board(few)
    mirrored = BoardView(view.size, view.numbers, view.pixels, view.places_mm, mirrored=True)
    with pytest.raises(TrayUnclear, match="mirrored"):
        tray_from_board(mirrored)
    shaken = view.pixels + rng.normal(0, 4, view.pixels.shape)
    with pytest.raises(TrayUnclear, match="miss a flat board"):
        tray_from_board(BoardView(view.size, view.numbers, shaken, view.places_mm))
