"""The tray's tilt, found from the dice, with the real nets."""

from pathlib import Path

import numpy as np
import pytest

from calibration.lens import nominal
from samples import GAME
from vision.faces import FaceNet
from vision.finder import Finder, unrepeated
from vision.lean import LeanNet
from vision.level import LevelNet
from vision.pictures import load_picture
from vision.pose import Placement, PoseNet, cut, to_pictures
from vision.tilt import LEVEL, Dice, Nets, Tilt, TiltSearch, normal_at, search_tilt

PICTURES = Path(__file__).parents[1] / "pictures"


def _search(path: Path) -> Tilt:
    image = load_picture(path)
    finds = [f for f in Finder().find(image) if f.d10 > 0.3]
    finds = [finds[k] for k in unrepeated(finds, np.array([f.d10 for f in finds]))]
    lines = nominal((image.shape[1], image.shape[0])).rays(np.array([f.center for f in finds]))
    crops = [cut(image, f) for f in finds]
    nets = Nets(PoseNet(), LevelNet(), LeanNet(), FaceNet())
    dice = Dice(crops, to_pictures(crops), lines)
    level: Placement = dice.placed(nets.pose, LEVEL)
    trust = np.array([f.d10 for f in finds]) * level.d10
    return search_tilt(nets, dice, level, trust, TiltSearch())


def _tilt_deg(tilt: Tilt) -> float:
    return float(np.degrees(np.arccos(-tilt.normal[2])))


def test_a_steep_view_is_recognised() -> None:
    """Tray 202 is seen 30.3 degrees from straight above."""
    assert _tilt_deg(_search(PICTURES / "tray-202.jpg")) == pytest.approx(30.3, abs=6)


def test_a_view_from_nearly_above_stays_level() -> None:
    assert _tilt_deg(_search(GAME / "000-t1-roll10-roll.jpg")) < 12


def test_a_normal_leans_to_its_azimuth() -> None:
    assert normal_at(0, 77) == pytest.approx(LEVEL, abs=1e-9)
    right, below = normal_at(30, 0), normal_at(30, 90)
    assert right == pytest.approx([0.5, 0, -np.sqrt(0.75)])
    assert below == pytest.approx([0, 0.5, -np.sqrt(0.75)])


def test_a_clear_view_needs_no_other_explanation() -> None:
    assert _search(GAME / "000-t1-roll10-roll.jpg").explanations == ()


def test_a_steep_view_comes_with_what_else_it_may_be() -> None:
    """The chosen normal leads; chances are those of all considered, so at most one in all."""
    tilt = _search(PICTURES / "tray-202.jpg")
    chances = [one.chance for one in tilt.explanations]
    assert chances == sorted(chances, reverse=True)
    assert 0 < sum(chances) <= 1 + 1e-9
    assert tilt.explanations[0].normal @ tilt.normal > np.cos(np.radians(12))
    for one in tilt.explanations:
        assert one.read.shape == (len(tilt.placement.corners), 12)
        assert one.read.sum(axis=1) == pytest.approx(1)
