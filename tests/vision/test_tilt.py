"""The tray's tilt, found from the dice, with the real nets."""

from pathlib import Path

import numpy as np
import pytest

from calibration.view import rays, view_vectors
from samples import GAME
from vision.finder import Finder, unrepeated
from vision.pictures import load_picture
from vision.pose import Placement, PoseNet, cut, to_pictures
from vision.tilt import LEVEL, Tilt, TiltSearch, normal_at, search_tilt

PICTURES = Path(__file__).parents[1] / "pictures"


def _search(path: Path) -> Tilt:
    image = load_picture(path)
    finds = [f for f in Finder().find(image) if f.d10 > 0.3]
    finds = [finds[k] for k in unrepeated(finds, np.array([f.d10 for f in finds]))]
    lines = rays(np.array([f.center for f in finds]), (image.shape[1], image.shape[0]))
    pictures = to_pictures([cut(image, f) for f in finds])
    net = PoseNet()
    level: Placement = net.place(pictures, view_vectors(LEVEL, lines))
    trust = np.array([f.d10 for f in finds]) * level.d10
    return search_tilt(net, pictures, lines, level, trust, TiltSearch())


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
