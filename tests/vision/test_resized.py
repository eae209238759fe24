"""Pictures drawn smaller."""

import cv2
import numpy as np
import pytest

from vision.resized import resized


@pytest.mark.parametrize("size", [(144, 144), (100, 60), (37, 90), (301, 200)])
def test_a_ramp_stays_a_ramp(size: tuple[int, int]) -> None:
    width, height = size
    ramp = np.tile(np.linspace(0, 255, 301).astype(np.uint8)[None, :, None], (200, 1, 3))
    small = resized(ramp, width, height)
    assert small.shape == (height, width, 3)
    middles = (np.arange(width) + 0.5) * 301 / width - 0.5
    expected = middles * 255 / 300
    assert np.abs(small[height // 2, :, 0].astype(float) - expected).max() < 4


def test_fine_stripes_average_out_rather_than_alias() -> None:
    stripes = np.zeros((300, 300, 3), np.uint8)
    stripes[:, ::2] = 255
    assert np.ptp(resized(stripes, 70, 70)[4:-4, 4:-4]) < 8
    careless = cv2.resize(stripes, (70, 70), interpolation=cv2.INTER_NEAREST)
    assert np.ptp(careless[4:-4, 4:-4]) > 100


def test_the_same_size_is_the_same_picture() -> None:
    picture = np.arange(12 * 9 * 3, dtype=np.uint8).reshape(12, 9, 3)
    assert np.array_equal(resized(picture, 9, 12), picture)
