"""A reader that remembers how the tray lies, with the real nets."""

from pathlib import Path

import numpy as np
import pytest

from samples import GAME
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.remembering import RememberingReader

PICTURES = Path(__file__).parents[1] / "pictures"


def test_the_first_picture_is_read_as_ever() -> None:
    image = load_picture(PICTURES / "tray-202.jpg")
    plain = DiceReader().read(image)
    remembering = RememberingReader().read(image)
    assert [r.face for r in remembering] == [r.face for r in plain]


def test_the_second_look_at_a_steep_tray_needs_no_search() -> None:
    """Tray 202 is seen 30.3 degrees from straight above."""
    image = load_picture(PICTURES / "tray-202.jpg")
    reader = RememberingReader()
    first, second = reader.look(image), reader.look(image)
    assert first.normal is not None
    assert second.normal is not None
    assert np.degrees(np.arccos(first.normal @ second.normal)) < 6
    assert second.times.pose_ms < 0.5 * first.times.pose_ms
    certain = {r.likeliest for r in first.readings if r.face is not None}
    assert certain <= {r.face for r in second.readings}


def test_another_camera_is_noticed() -> None:
    """After a steep tray, a picture from above is read as if nothing had come before."""
    reader = RememberingReader()
    reader.read(load_picture(PICTURES / "tray-202.jpg"))
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    look = reader.look(image)
    assert look.normal is not None
    assert np.degrees(np.arccos(-look.normal[2])) < 12
    assert sorted(r.face for r in look.readings if r.face is not None) == sorted(
        r.face for r in DiceReader().read(image) if r.face is not None
    )


def test_a_given_normal_beats_the_remembered_one() -> None:
    image = load_picture(PICTURES / "tray-202.jpg")
    reader = RememberingReader()
    reader.read(image)
    given = np.array([0.0, 0.0, -1.0])
    assert reader.look(image, normal=given).normal == pytest.approx(given)


def test_a_given_normal_is_not_remembered() -> None:
    """It is a calibration's word; the next look without it must be the dice's own."""
    image = load_picture(PICTURES / "tray-202.jpg")
    own = DiceReader().look(image).normal
    assert own is not None
    aside = own + np.array([0.08, 0.0, 0.0])
    reader = RememberingReader()
    reader.look(image, normal=aside / np.linalg.norm(aside))
    after = reader.look(image).normal
    assert after is not None
    assert np.array_equal(after, own)
