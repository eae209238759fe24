"""From pixels to millimetres and back."""

import numpy as np
import pytest

from calibration.standpoint import LONGEST_SIDE, Standpoint, top_down
from tests.calibration.scenes import LENS, PINHOLE, tray

PLACES = np.array([[0.0, 0.0], [100.0, 60.0], [-120.0, -80.0]])


@pytest.mark.parametrize("height_mm", [0.0, 16.0])
def test_there_and_back(height_mm: float) -> None:
    standpoint = tray(35.0, LENS)
    pixels = standpoint.to_picture(PLACES, height_mm)
    assert np.allclose(standpoint.to_mm(pixels, height_mm), PLACES, atol=1e-6)


def test_what_stands_up_seems_farther_from_the_camera() -> None:
    standpoint = tray(35.0)
    top = standpoint.to_picture(np.array([[0.0, 0.0]]), 16.0)
    seeming = standpoint.to_mm(top)
    assert seeming[0, 1] == pytest.approx(16 * np.tan(np.radians(35)), rel=0.1)


def test_normal_points_at_the_camera() -> None:
    standpoint = tray(35.0)
    assert np.linalg.norm(standpoint.normal) == pytest.approx(1)
    assert standpoint.normal[2] == pytest.approx(-np.cos(np.radians(35)), abs=0.001)
    assert standpoint.tilt_deg == pytest.approx(35.0, abs=0.01)


def test_pixels_are_larger_at_the_far_side() -> None:
    standpoint = tray(35.0)
    near, far = standpoint.to_picture(np.array([[0.0, -80.0], [0.0, 80.0]]))
    scales = standpoint.mm_per_px(np.array([near, far]))
    right = np.array([1.0, 0.0])
    step = standpoint.to_mm(np.array([near, near + right, far, far + right]))
    across = np.linalg.norm(step[1::2] - step[::2], axis=1)
    assert scales == pytest.approx(across, rel=0.02)
    assert scales[1] > scales[0]


def test_nothing_beyond_the_horizon() -> None:
    standpoint = tray(65.0)
    assert np.isnan(standpoint.to_mm(np.array([[640.0, -2500.0]]))).all()
    assert not standpoint.inside(np.array([[np.nan, np.nan]])).any()


def test_inside_the_tray_or_a_little_beside() -> None:
    standpoint = tray(20.0)
    places = np.array([[129.0, 0.0], [132.0, 0.0], [140.0, 0.0]])
    assert standpoint.inside(places).tolist() == [True, False, False]
    assert standpoint.inside(places, 3.0).tolist() == [True, True, False]
    bare = Standpoint(PINHOLE, standpoint.rotation, standpoint.translation)
    assert bare.inside(places).all()
    assert bare.outline_px().shape == (0, 2)
    assert bare.middle_px().tolist() == [[640.0, 360.0]]


def test_top_down_view_is_in_millimetres() -> None:
    standpoint = tray(35.0)
    image = np.zeros((720, 1280, 3), np.uint8)
    x, y = standpoint.to_picture(np.array([[50.0, 30.0]]))[0].round().astype(int)
    image[y - 3 : y + 4, x - 3 : x + 4] = 255
    view = top_down(standpoint, image, 2.0)
    assert view.image.shape == (360, 520, 3)
    rows, columns = np.nonzero(view.image[..., 0] > 128)
    assert view.corner_mm[0] + columns.mean() / 2 == pytest.approx(50, abs=1)
    assert view.corner_mm[1] - rows.mean() / 2 == pytest.approx(30, abs=1)


def test_a_floor_seen_from_above_without_an_outline_has_bounds() -> None:
    image = np.zeros((720, 1280, 3), np.uint8)
    flat, steep = tray(40.0), tray(75.0)
    wide = top_down(Standpoint(PINHOLE, flat.rotation, flat.translation), image, 50.0)
    assert max(wide.image.shape) == LONGEST_SIDE
    assert wide.px_per_mm < 50.0
    with pytest.raises(ValueError, match="beyond the floor"):
        top_down(Standpoint(PINHOLE, steep.rotation, steep.translation), image)


def test_a_camera_below_the_tray_is_none() -> None:
    standpoint = tray(10.0)
    with pytest.raises(ValueError, match="above"):
        Standpoint(PINHOLE, standpoint.rotation, (0.0, 0.0, -400.0))
    with pytest.raises(ValueError, match="three corners"):
        Standpoint(PINHOLE, standpoint.rotation, standpoint.translation, ((0, 0), (1, 1)))
