"""Which pictures tell nothing: black, dimmed all at once, blown out."""

from __future__ import annotations

import numpy as np

from vision.light import Light
from vision.records import Image


def lit(level: int) -> Image:
    """A table whose brightest parts have this grey level, with dark parts too."""
    picture = np.full((180, 320, 3), level, np.uint8)
    picture[:90] = level // 3
    return picture


def test_a_black_picture_tells_nothing() -> None:
    assert not Light().shows(0.0, lit(5))
    assert Light().shows(0.0, lit(30))


def test_neither_does_one_that_is_blown_out() -> None:
    light = Light()
    assert light.shows(0.0, lit(250))
    assert not light.shows(0.1, np.full((180, 320, 3), 255, np.uint8))


def test_where_the_light_went_off_nothing_is_told_until_that_is_what_the_room_looks_like() -> None:
    light = Light()
    assert light.shows(0.0, lit(200))
    assert light.shows(0.1, lit(60))
    assert not light.shows(0.2, lit(40))
    told = [light.shows(0.2 + k, lit(40)) for k in range(1, 8)]
    assert not told[0]
    assert told[-1]
    assert light.shows(9.0, lit(200))
