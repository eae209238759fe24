"""Which face is up, told from how a die stands, with the real nets."""

from pathlib import Path

import cv2
import numpy as np

from calibration.lens import nominal
from calibration.view import view_vectors
from vision.finder import Finder, unrepeated
from vision.level import LevelNet
from vision.pictures import load_picture
from vision.pose import PoseNet, cut, to_pictures
from vision.records import Image
from vision.tilt import LEVEL, normal_at

PICTURES = Path(__file__).parents[1] / "pictures"


def _logits(image: Image, normals: list[np.ndarray]) -> list[np.ndarray]:
    """The level net's logits of all dice, supposing each of the normals."""
    finds = [f for f in Finder().find(image) if f.d10 > 0.3]
    finds = [finds[k] for k in unrepeated(finds, np.array([f.d10 for f in finds]))]
    lines = nominal((image.shape[1], image.shape[0])).rays(np.array([f.center for f in finds]))
    pictures = to_pictures([cut(image, f) for f in finds])
    pose, level = PoseNet(), LevelNet()
    told = []
    for normal in normals:
        views = view_vectors(normal, lines)
        told.append(level.logits(pictures, pose.place(pictures, views), views))
    return told


def test_the_true_tilt_looks_more_level_than_others() -> None:
    """Tray 202 is seen 30.3 degrees from straight above, from its near side."""
    image = load_picture(PICTURES / "tray-202.jpg")
    true, away, aside = _logits(image, [normal_at(30, -90), normal_at(30, 90), normal_at(30, 0)])
    assert true.shape == (6,)
    assert true.mean() > away.mean() + 2
    assert true.mean() > aside.mean() + 2


def test_a_turned_picture_turns_the_answer_with_it() -> None:
    image = load_picture(PICTURES / "tray-202.jpg")
    upside_down = np.asarray(cv2.rotate(image, cv2.ROTATE_180), np.uint8)
    right_way, other_way = _logits(upside_down, [normal_at(30, 90), normal_at(30, -90)])
    assert right_way.mean() > other_way.mean() + 2


def test_there_is_a_logit_for_each_die() -> None:
    image = load_picture(PICTURES / "tray-202.jpg")
    (level,) = _logits(image, [LEVEL])
    assert np.isfinite(level).all()
