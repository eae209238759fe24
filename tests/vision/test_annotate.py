"""Annotated pictures: outlines, labels beside the dice, doubts told apart without colour."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.annotate import CERTAIN, DOUBTFUL, annotate
from vision.records import DieReading, Doubt, Image, Sighting


def reading(
    x: float, y: float, face: int = 7, doubts: Doubt = Doubt.NONE, size: float = 60
) -> DieReading:
    kite = [[x, y - 0.5 * size], [x + 0.3 * size, y], [x, y + 0.3 * size], [x - 0.3 * size, y]]
    probabilities = np.full(10, 0.01, np.float32)
    probabilities[face] = 0.91
    half = size / 2
    sighting = Sighting(
        (x, y), (x - half, y - half, x + half, y + half), 0.9, np.array(kite, np.float32), 0.0
    )
    return DieReading(sighting, probabilities, doubts)


def grey(height: int = 480, width: int = 640) -> Image:
    return np.full((height, width, 3), 90, np.uint8)


def changed(before: Image, after: Image) -> NDArray[np.bool_]:
    return np.asarray((before != after).any(axis=2))


def count(image: Image, colour: tuple[int, int, int]) -> int:
    return int((image == colour).all(axis=2).sum())


def test_the_given_picture_stays_as_it_is() -> None:
    image = grey()
    drawn = annotate(image, [reading(300, 200)])
    assert np.array_equal(image, grey())
    assert drawn.shape == image.shape
    assert changed(image, drawn).any()


def test_without_dice_nothing_is_drawn() -> None:
    assert np.array_equal(annotate(grey(), []), grey())


def test_the_digit_on_the_die_stays_visible() -> None:
    """The up face's middle, where the digit is, is neither under a line nor under a label."""
    drawn = annotate(grey(), [reading(300, 200)])
    assert not changed(grey(), drawn)[194:206, 294:306].any()


def test_the_outline_follows_the_up_face() -> None:
    drawn = annotate(grey(), [reading(300, 200)])
    for x, y in ((300, 170), (318, 200), (300, 218), (282, 200)):
        assert changed(grey(), drawn)[y - 2 : y + 3, x - 2 : x + 3].any()


def test_certain_and_doubtful_dice_differ_in_colour_and_shape() -> None:
    certain = annotate(grey(), [reading(300, 200)])
    doubtful = annotate(grey(), [reading(300, 200, doubts=Doubt.SIX_OR_NINE)])
    assert count(certain, CERTAIN) > 50 > count(certain, DOUBTFUL)
    assert count(doubtful, DOUBTFUL) > 50 > count(doubtful, CERTAIN)
    ring = changed(grey(), doubtful) & ~changed(grey(), certain)
    assert ring[200 - 37 - 4 : 200 - 37 + 4, 280:320].any(), "a ring around the doubtful die"
    assert not changed(grey(), certain)[200 - 37 - 4 : 200 - 37 + 4, 280:320].any()


def test_faces_and_names_are_written() -> None:
    seven, one = annotate(grey(), [reading(300, 200)]), annotate(grey(), [reading(300, 200, 1)])
    named = annotate(grey(), [reading(300, 200)], {7: "Tank"})
    assert changed(seven, one).any()
    assert changed(grey(), named).sum() > changed(grey(), seven).sum()


def test_a_name_is_not_written_on_a_doubtful_die() -> None:
    doubtful = reading(300, 200, doubts=Doubt.GLARE)
    assert np.array_equal(annotate(grey(), [doubtful], {7: "Tank"}), annotate(grey(), [doubtful]))


@pytest.mark.parametrize(("x", "y"), [(30, 30), (610, 30), (30, 450), (610, 450), (610, 240)])
def test_labels_stay_inside_the_picture_and_off_the_die(x: float, y: float) -> None:
    die = reading(x, y, doubts=Doubt.NONE)
    drawn = annotate(grey(), [die], {7: "Tank"})
    white = (drawn == 255).all(axis=2)
    x0, y0, x1, y1 = (int(value) for value in die.sighting.box)
    beside = white.copy()
    beside[y0:y1, x0:x1] = False
    assert beside.sum() > 500, "the plate is all there"
    rows, columns = np.nonzero(beside)
    assert rows.max() < 480
    assert columns.max() < 640


def test_labels_of_neighbours_hide_no_die() -> None:
    dice = [reading(200 + 75 * (k % 3), 150 + 75 * (k // 3), k) for k in range(9)]
    drawn = annotate(grey(), dice)
    hidden = [
        die.likeliest
        for die in dice
        if changed(grey(), drawn)[
            int(die.sighting.center[1]) - 5 : int(die.sighting.center[1]) + 5,
            int(die.sighting.center[0]) - 5 : int(die.sighting.center[0]) + 5,
        ].any()
    ]
    # Nine dice a fingertip apart leave the middle one's label nowhere to go but over a corner.
    assert len(hidden) <= 1


def test_large_pictures_get_larger_marks() -> None:
    small = annotate(grey(), [reading(300, 200)])
    large = annotate(grey(1920, 2560), [reading(1200, 800, size=240)])
    assert changed(grey(1920, 2560), large).sum() > 8 * changed(grey(), small).sum()
