"""Fitting a flat kite to four corners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision import d10
from vision.finder import Find
from vision.pose import Crop, Pose, cut, decode, fit_kites, framed, misfits


def _seen_kite(scale: float, turn: float, view: np.ndarray, at: tuple[float, float]) -> np.ndarray:
    """Corners of a kite lying on a tray, seen by weak perspective along `view`."""
    c, s = np.cos(turn), np.sin(turn)
    flat = np.column_stack([d10.KITE[:, 0], -d10.KITE[:, 1]]) @ np.array([[c, s], [-s, c]]) * scale
    sine = np.hypot(*view)
    if sine > 0:
        axis = view / sine
        flat = flat - (1 - np.sqrt(1 - sine**2)) * np.outer(flat @ axis, axis)
    return np.asarray(flat + np.array(at))


def fit_kite(corners: np.ndarray, view: np.ndarray, weights: np.ndarray) -> Pose:
    """The level kite, seen along `view` (2,), that fits one die's corners (4, 2) best."""
    return fit_kites(corners[None], view[None], weights[None])[0]


@given(
    st.floats(5, 60), st.floats(-3.1, 3.1), st.floats(0, 0.8), st.floats(0, 6.3), st.floats(0, 100)
)
def test_a_perfect_kite_fits_perfectly(
    scale: float, turn: float, sine: float, azimuth: float, x: float
) -> None:
    view = sine * np.array([np.cos(azimuth), np.sin(azimuth)])
    corners = _seen_kite(scale, turn, view, (x, 40.0))
    pose = fit_kite(corners, view, np.ones(4))
    assert pose.error < 1e-6
    assert pose.corners == pytest.approx(corners, abs=1e-6)


def test_a_mirrored_kite_does_not_fit() -> None:
    corners = _seen_kite(20, 0.4, np.zeros(2), (50, 50))
    assert fit_kite(corners[[0, 3, 2, 1]], np.zeros(2), np.ones(4)).error > 0.15


def test_a_neighbour_at_a_steep_angle_is_no_level_face() -> None:
    """Seen from straight above, a face leaning by 51.8° is too narrow for a level kite."""
    full = d10.KITE[:, :1] * d10.RIGHT[1] + d10.KITE[:, 1:] * d10.RIGHT[2] + d10.RIGHT[0]
    corners = np.column_stack([full[:, 0], -full[:, 1]]) * 20 + 60
    assert fit_kite(corners, np.zeros(2), np.ones(4)).error > 0.08


def test_a_doubtful_corner_weighs_little() -> None:
    corners = _seen_kite(20, 1.0, np.zeros(2), (50, 50))
    wrong = corners.copy()
    wrong[2] += [30, -30]
    pose = fit_kite(wrong, np.zeros(2), np.array([1.0, 1.0, 0.0, 1.0]))
    assert np.abs(pose.corners - corners).max() < 2.0
    assert pose.error > 0.1


def test_many_supposed_views_at_once_fit_as_each_alone() -> None:
    dice = np.array(
        [_seen_kite(20, 0.3, np.array([0.3, 0.1]), (9, 9)), _seen_kite(9, 2.0, np.zeros(2), (0, 5))]
    )
    views = np.random.default_rng(1).uniform(-0.5, 0.5, (6, 2, 2))
    weights = np.random.default_rng(2).uniform(0.2, 1, (2, 4))
    together = misfits(dice, views, weights)
    for m in range(6):
        for n in range(2):
            alone = fit_kite(dice[n], views[m, n], weights[n]).error
            assert together[m, n] == pytest.approx(alone, abs=1e-9)


def test_corner_maps_are_read_between_cells() -> None:
    maps = np.full((1, 4, 32, 32), -20.0, np.float32)
    maps[0, 0, 10, 20] = maps[0, 0, 10, 21] = 5
    maps[0, 1, 0, 0] = maps[0, 2, 31, 31] = maps[0, 3, 16, 4] = 5
    places, mass = decode(maps)
    assert places[0, 0] * 32 == pytest.approx([21.0, 10.5], abs=1e-4)
    assert places[0, 1] * 32 == pytest.approx([0.5, 0.5], abs=1e-4)
    assert places[0, 2] * 32 == pytest.approx([31.5, 31.5], abs=1e-4)
    assert mass[0] == pytest.approx(np.ones(4), abs=1e-4)


def _find(x: float, y: float, size: float) -> Find:
    return Find((x, y), (size, size), 0.9, 0.0)


def test_a_cut_at_the_edge_is_filled_with_black_and_maps_back() -> None:
    image = np.full((100, 200, 3), 255, np.uint8)
    crop = cut(image, _find(5, 50, 40))
    side = crop.image.shape[0]
    edge = side // 2 - 5
    assert (crop.image[:, : edge - 1] == 0).all()
    assert (crop.image[:, edge + 1 :] == 255).all()
    assert crop.to_picture(np.array([[side / 2, side / 2]]))[0] == pytest.approx([5, 50], abs=1)


def test_large_dice_are_shrunk() -> None:
    image = np.zeros((800, 800, 3), np.uint8)
    crop: Crop = cut(image, _find(400, 400, 300))
    assert crop.image.shape == (144, 144, 3)
    assert crop.to_picture(np.array([[72.0, 72.0]]))[0] == pytest.approx([400, 400], abs=2)


def test_a_kite_tells_its_dies_middle_and_size() -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    find = _find(210, 190, 60)
    crop = cut(image, find)
    view = np.array([0.0, -0.5])
    corners = _seen_kite(20, 0.7, view, (50, 45))
    better = framed(find, crop, fit_kite(corners, view, np.ones(4)), view)
    assert max(better.size) == pytest.approx(2.6 * 20, rel=0.01)
    # The tray's normal points up in the picture: the middle lies below the face's.
    face = np.array(crop.corner) + np.array([50, 45])
    assert better.center == pytest.approx((face[0], face[1] + 0.5 * 20), abs=0.1)
