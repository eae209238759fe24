"""Parts of large dice are no dice, and dice are no parts."""

from pathlib import Path

import numpy as np
import pytest

from calibration.lens import nominal
from vision.finder import Find
from vision.pictures import load_picture
from vision.pose import PoseNet
from vision.records import Image
from vision.tilt import TiltSearch
from vision.wholes import parts_of_others

CROWD = Path(__file__).parents[1] / "pictures" / "crowd.jpg"
DIE = Path(__file__).parents[3] / "shared/data/single-dice/d10_color028.jpg"
"""A large die seen a little from the side."""


def _find(x: float, y: float, size: float, d10: float = 0.7) -> Find:
    return Find((x, y), (size, size), d10, 0.05)


def _parts(image: Image, finds: list[Find], quality: list[float]) -> list[bool]:
    lens = nominal((image.shape[1], image.shape[0]))
    lines = lens.rays(np.array([find.center for find in finds]))
    parts = parts_of_others(
        PoseNet(), TiltSearch(), image, finds, lines, np.array(quality, np.float64)
    )
    return [bool(part) for part in parts]


@pytest.mark.skipif(not DIE.exists(), reason="needs the shared pictures")
@pytest.mark.parametrize("size", [190.0, 243.0])
def test_the_hole_of_a_digit_is_part_of_its_die_though_found_too_large(size: float) -> None:
    finds = [_find(264, 264, size), _find(214, 304, 32)]
    assert _parts(load_picture(DIE), finds, [0.02, 0.42]) == [False, True]


@pytest.mark.skipif(not DIE.exists(), reason="needs the shared pictures")
def test_a_find_beside_a_large_die_is_none_of_its_parts() -> None:
    finds = [_find(264, 264, 190), _find(60, 60, 32)]
    assert _parts(load_picture(DIE), finds, [0.02, 0.42]) == [False, False]


def test_dice_that_lie_close_are_no_parts_of_their_crowd() -> None:
    image = load_picture(CROWD)
    middle = image.shape[1] / 2, image.shape[0] / 2
    finds = [_find(*middle, 0.6 * min(image.shape[:2])), _find(*middle, 40)]
    assert _parts(image, finds, [0.3, 0.3]) == [False, False]


def test_where_nothing_is_large_nothing_is_a_part() -> None:
    finds = [_find(100, 100, 50), _find(120, 100, 45)]
    assert _parts(load_picture(CROWD), finds, [0.3, 0.3]) == [False, False]
