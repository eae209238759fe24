"""Which dice lean, told from how their bodies stand beside their faces, with the real nets."""

from pathlib import Path

import numpy as np
import pytest

from calibration.lens import nominal
from calibration.view import view_vectors
from samples import GAME
from vision.finder import Finder, unrepeated
from vision.lean import LeanNet, Stance, leans_told, moved, weakened
from vision.pictures import load_picture
from vision.pose import PoseNet, cut, poses_in, to_pictures
from vision.records import Image
from vision.tilt import normal_at

PICTURES = Path(__file__).parents[1] / "pictures"
STEEP_DEG = 30.3
"""Tray 202 is seen so far from straight above, from its near side."""


@pytest.fixture(scope="module")
def steep() -> Image:
    return load_picture(PICTURES / "tray-202.jpg")


def _stance(image: Image, normal: np.ndarray) -> Stance:
    """How all dice of the picture stand on a tray with this normal."""
    finds = [f for f in Finder().find(image) if f.d10 > 0.3]
    finds = [finds[k] for k in unrepeated(finds, np.array([f.d10 for f in finds]))]
    lines = nominal((image.shape[1], image.shape[0])).rays(np.array([f.center for f in finds]))
    views = view_vectors(normal, lines)
    crops = [cut(image, find) for find in finds]
    placement = PoseNet().place(to_pictures(crops), views)
    return LeanNet().stance(crops, poses_in(crops, placement, views), views)


def test_dice_that_lie_flat_do_not_lean(steep: Image) -> None:
    stance = _stance(steep, normal_at(STEEP_DEG, -90))
    assert stance.leans.shape == (6,)
    assert stance.leans.max() < 0.5
    assert np.hypot(*np.median(stance.beside, axis=0)) < np.sin(np.radians(3))


def test_on_a_tray_that_lies_otherwise_they_all_lean(steep: Image) -> None:
    """A die that leans 16 degrees and a tray tilted 16 degrees further look alike."""
    stance = _stance(steep, normal_at(STEEP_DEG - 16, -90))
    assert np.median(stance.leans) > 0.9
    shift = np.sin(np.radians(STEEP_DEG)) - np.sin(np.radians(STEEP_DEG - 16))
    assert np.median(stance.beside[:, 1]) == pytest.approx(-shift, abs=0.08)


def test_flat_dice_tell_how_the_tray_lies(steep: Image) -> None:
    guess = normal_at(STEEP_DEG - 8, -80)
    stance = _stance(steep, guess)
    better = moved(guess, stance)
    true = normal_at(STEEP_DEG, -90)
    assert np.linalg.norm(better) == pytest.approx(1)
    assert np.degrees(np.arccos(better @ true)) < 4 < np.degrees(np.arccos(guess @ true))


def test_one_leaning_die_does_not_move_the_tray() -> None:
    level = np.array([0.0, 0.0, -1.0])
    stance = Stance(np.array([0.1, 0.1, 0.99]), np.array([[0.01, 0.0], [0.0, 0.01], [0.4, 0.4]]))
    assert np.degrees(np.arccos(-moved(level, stance)[2])) < 1


def test_no_tray_is_steeper_than_a_camera_can_see() -> None:
    stance = Stance(np.array([0.9]), np.array([[0.9, 0.9]]))
    steepest = moved(normal_at(40, 45), stance)
    assert np.linalg.norm(steepest) == pytest.approx(1)
    assert steepest[2] < -0.4


def test_odds_against_weaken_a_chance() -> None:
    weaker = weakened(np.array([0.5, 0.99]), float(np.log(9)))
    assert weaker == pytest.approx([0.1, 11 / 12])


def test_dice_of_the_sample_game_lie_flat() -> None:
    """The sample's camera looks down steeply: about 8 degrees from straight above."""
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    stance = _stance(image, normal_at(8, -90))
    assert stance.leans.shape == (10,)
    assert stance.leans.max() < 0.9


@pytest.mark.parametrize("sign", ["leans", "beside", "cocked", "misfit"])
def test_every_sign_of_a_lean_counts_where_the_tray_is_known(sign: str) -> None:
    signs = {name: np.array([0.1, 0.1]) for name in ("leans", "beside", "cocked", "misfit")}
    signs[sign] = np.array([0.1, 0.14])
    stance = Stance(signs["leans"], np.column_stack([signs["beside"], np.zeros(2)]))
    less, more = leans_told(stance, signs["cocked"], signs["misfit"])
    assert less < more


def test_a_flat_die_with_no_sign_of_a_lean_is_flat_and_one_with_all_leans() -> None:
    stance = Stance(np.array([0.01, 0.99, 1.0]), np.array([[0.0, 0.01], [0.2, 0.1], [0.0, -1.0]]))
    flat, leaning, much = leans_told(
        stance, np.array([0.04, 0.2, 1.0]), np.array([0.01, 0.03, 9.0])
    )
    assert flat < 0.02
    assert 0.95 < leaning < much < 1.0
