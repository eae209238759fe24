"""Tests of dice known again after a bump of the camera."""

from __future__ import annotations

import cmath
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxcars.bumps import Shift, find_shift
from boxcars.lying import Lying, lying, nowhere
from tests.boxcars.table import Die, scattered, view


def ten(seed: int) -> tuple[Lying, ...]:
    rng = random.Random(seed)
    return lying(view(scattered(rng.choices(range(10), k=10), rng)).readings)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    turn=st.floats(-0.5, 0.5),
    zoom=st.floats(0.8, 1.25),
    x=st.floats(-400, 400),
    y=st.floats(-400, 400),
    gone=st.integers(0, 6),
)
def test_a_bump_is_found_and_undone(
    seed: int, turn: float, zoom: float, x: float, y: float, gone: int
) -> None:
    before = ten(seed)
    bump = Shift(cmath.rect(zoom, turn), complex(x, y))
    shift = find_shift(before, [bump.of(die) for die in before[gone:]], 3)
    assert shift is not None
    for die in before:
        found, there = shift.of(die), bump.of(die)
        assert math.dist(found.center, there.center) < 0.1 * there.size
        assert abs(math.remainder(found.angle - there.angle, math.tau)) < 0.1


@pytest.mark.parametrize("seed", range(12))
def test_another_throw_is_no_bump(seed: int) -> None:
    assert find_shift(ten(seed), ten(seed + 100), 4) is None


def test_dice_that_were_read_otherwise_or_pushed_do_not_hide_it() -> None:
    before = ten(1)
    bump = Shift(cmath.rect(1, 0.1), complex(30, 70))
    after = [bump.of(die) for die in before]
    after[0] = ten(2)[0]
    after[1] = nowhere([3])[0]
    shift = find_shift(before, after, 5)
    assert shift is not None
    assert abs(shift.factor - bump.factor) < 0.01


def test_too_few_dice_tell_of_none() -> None:
    before = lying(view([Die(1, 100.0, 100.0), Die(2, 400.0, 100.0)]).readings)
    assert find_shift(before, before, 3) is None
    assert find_shift(before, before, 2) is not None
    assert find_shift((), before, 2) is None
