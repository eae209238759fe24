"""The tray's normal, from what the dice see of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.lens import nominal
from calibration.view import view_vectors

LENS = nominal((1280, 720))


def _normal(tilt_deg: float, azimuth_deg: float) -> np.ndarray:
    """Unit normal of a tray seen at `tilt_deg`, towards the camera (z points away from it)."""
    tilt, azimuth = np.radians([tilt_deg, azimuth_deg])
    return np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), -np.cos(tilt)])


PLACES = np.array([[200.0, 150.0], [640.0, 360.0], [1000.0, 600.0], [300.0, 650.0], [900.0, 90.0]])


@given(st.floats(0, 45), st.floats(0, 360))
def test_a_views_length_is_the_sine_of_its_angle(tilt: float, azimuth: float) -> None:
    normal = _normal(tilt, azimuth)
    lines = LENS.rays(PLACES)
    views = view_vectors(normal, lines)
    sines = np.linalg.norm(np.cross(lines, normal), axis=1)
    assert np.linalg.norm(views, axis=1) == pytest.approx(sines, abs=1e-9)


def test_a_tray_seen_from_straight_above_is_level_in_the_middle_only() -> None:
    lines = LENS.rays(np.array([[640.0, 360.0], [1240.0, 360.0]]))
    views = view_vectors(np.array([0.0, 0.0, -1.0]), lines)
    assert views[0] == pytest.approx([0, 0], abs=1e-9)
    # To the right of the middle the line of sight leans right: the normal leans left of it.
    assert views[1][0] > 0.3
    assert views[1][1] == pytest.approx(0, abs=1e-9)


def test_a_longer_lens_means_straighter_lines() -> None:
    points = np.array([[1280.0, 360.0]])
    wide, tele = LENS.with_focal(600.0).rays(points), LENS.with_focal(2000.0).rays(points)
    assert abs(wide[0, 0]) > abs(tele[0, 0])
