"""Finding dice in whole pictures, with the real net."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import GAME
from vision.finder import Find, Finder, FinderThresholds, unrepeated
from vision.pictures import load_picture

PICTURES = Path(__file__).parents[1] / "pictures"


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def _find(x: float, y: float, size: float) -> Find:
    return Find((x, y), (size, size), 0.9, 0.0)


def test_all_ten_dice_of_a_roll_are_found(finder: Finder) -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    finds = [f for f in finder.find(image) if f.d10 > 0.3]
    assert len(unrepeated(finds, np.array([f.d10 for f in finds]))) == 10


def test_an_empty_tray_holds_no_likely_die(finder: Finder) -> None:
    image = load_picture(PICTURES / "tray-140.jpg")
    assert all(f.d10 < 0.5 for f in finder.find(image))


def test_faint_finds_come_last_and_are_about_as_large_as_the_sure_ones(finder: Finder) -> None:
    finds = finder.find(load_picture(GAME / "001-t1-reroll8-pickup.jpg"))
    faint = [find for find in finds if find.faint]
    assert faint
    assert faint == list(finds[-len(faint) :])
    limits = FinderThresholds()
    sizes = [max(find.size) for find in finds if find.d10 > limits.sure]
    for find in faint:
        assert limits.faint < find.d10 + find.other <= limits.die
        assert min(sizes) / limits.like_size < max(find.size) < max(sizes) * limits.like_size


def test_where_none_is_sure_nothing_faint_is_looked_at(finder: Finder) -> None:
    assert not any(f.faint for f in finder.find(load_picture(GAME / "008z-t1-cleared.jpg")))


def test_what_looks_more_like_another_die_is_looked_at_among_d10_of_its_size(
    finder: Finder,
) -> None:
    d10, rather_other, other = (
        replace(_find(x, 100, 60), d10=d10, other=other)
        for x, d10, other in ((100, 0.9, 0.05), (300, 0.2, 0.3), (500, 0.01, 0.6))
    )
    assert finder._faint([d10, rather_other, other]) == [replace(rather_other, faint=True)]
    assert finder._faint([rather_other, other]) == []
    assert finder._faint([replace(rather_other, d10=0.45, other=0.5)]) == []
    assert finder._faint([d10, replace(rather_other, size=(120.0, 120.0))]) == []


def test_a_black_or_tiny_picture_is_no_trouble(finder: Finder) -> None:
    assert finder.find(np.zeros((720, 1280, 3), np.uint8)) == ()
    finder.find(np.full((40, 30, 3), 128, np.uint8))


def test_places_are_in_the_pictures_own_pixels(finder: Finder) -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    larger = np.asarray(cv2.resize(image, None, fx=1.5, fy=1.5), np.uint8)
    for find in finder.find(image)[:10]:
        place = np.array(find.center) * 1.5
        nearest = min(float(np.hypot(*(np.array(f.center) - place))) for f in finder.find(larger))
        assert nearest < 12


def test_of_overlapping_finds_the_best_stays() -> None:
    finds = [_find(100, 100, 60), _find(110, 104, 20), _find(170, 100, 60), _find(400, 300, 50)]
    assert unrepeated(finds, np.array([0.9, 0.5, 0.8, 0.3])) == [0, 2, 3]
    assert unrepeated(finds, np.array([0.2, 0.5, 0.8, 0.3])) == [1, 2, 3]
    assert unrepeated([], np.zeros(0)) == []
