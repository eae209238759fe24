"""What spoils a face, on faces of the committed game and on what is done to them."""

import cv2
import numpy as np
import pytest

from samples import GAME
from vision.flaws import flaws_of
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.records import Doubt, Image


def _face() -> Image:
    """A crisp printed 4 on a plain face."""
    face = np.full((160, 160, 3), (140, 90, 60), np.uint8)
    cv2.putText(face, "4", (45, 115), cv2.FONT_HERSHEY_SIMPLEX, 3.2, (240, 240, 240), 10)
    return np.asarray(cv2.resize(face, (40, 40), interpolation=cv2.INTER_AREA), np.uint8)


def test_a_crisp_face_has_no_flaw() -> None:
    assert flaws_of(_face()) is Doubt.NONE


@pytest.mark.parametrize("sigma", [3.0, 5.0])
def test_a_blurred_face_is_said_to_be_blurred(sigma: float) -> None:
    assert flaws_of(np.asarray(cv2.GaussianBlur(_face(), (0, 0), sigma), np.uint8)) == Doubt.BLURRED


def test_a_highlight_on_the_face_is_glare() -> None:
    face = _face()
    cv2.circle(face, (20, 20), 9, (255, 255, 255), -1)
    assert flaws_of(face) == Doubt.GLARE


def test_dice_out_of_focus_are_asked_about_with_the_reason() -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    readings = DiceReader().read(np.asarray(cv2.GaussianBlur(image, (0, 0), 5.0), np.uint8))
    assert readings
    assert not [r for r in readings if r.face is not None]
    assert [r for r in readings if Doubt.BLURRED in r.doubts]
