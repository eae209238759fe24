"""The lens agrees with OpenCV's, there and back."""

import cv2
import numpy as np
import pytest

from calibration.lens import Lens, nominal
from tests.calibration.scenes import LENS


def test_projects_as_opencv_does() -> None:
    points = np.random.default_rng(1).normal((0, 0, 1.5), 0.3, (50, 3))
    theirs, _ = cv2.projectPoints(
        points, np.zeros(3), np.zeros(3), LENS.matrix, np.array(LENS.distortion)
    )
    assert np.abs(LENS.project(points) - np.asarray(theirs).reshape(-1, 2)).max() < 1e-6


def test_rays_lead_back_to_their_pixels() -> None:
    pixels = np.stack(np.meshgrid(np.linspace(0, 1280, 9), np.linspace(0, 720, 7)), -1)
    lines = LENS.rays(pixels.reshape(-1, 2))
    assert np.linalg.norm(lines, axis=1) == pytest.approx(1.0)
    assert np.abs(LENS.project(lines) - pixels.reshape(-1, 2)).max() < 1e-4
    assert LENS.rays(np.empty((0, 2))).shape == (0, 3)


def test_nominal_lens_is_an_ordinary_webcams() -> None:
    pixels = np.array([[10.0, 20.0], [900.0, 500.0]])
    lines = np.column_stack([(pixels - [640, 360]) / (0.85 * 1280), np.ones(2)])
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    assert np.allclose(nominal((1280, 720)).rays(pixels), lines)


def test_scaled_lens_sees_the_same() -> None:
    half = LENS.scaled((640, 360))
    points = np.array([[0.2, -0.1, 1.0], [-0.4, 0.2, 1.2]])
    assert np.allclose(half.project(points) * 2, LENS.project(points))


def test_no_lens_without_a_focal_length() -> None:
    with pytest.raises(ValueError, match="focal length"):
        Lens((640, 480), (0.0, 500.0), (320.0, 240.0))
