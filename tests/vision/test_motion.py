"""Motion: for how long nothing has moved."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.films import NOISE, TEN, TRAY, WIDTH, Die, draw
from vision.compare import shrink
from vision.motion import DEFAULT_MOTION, Stillness
from vision.records import Image

DICE = draw(TEN)


def noisy(image: Image, sigma: float, shift: int) -> Image:
    return np.clip(image + sigma * np.roll(NOISE, shift, 0), 0, 255).astype(np.uint8)


def test_still_pictures_are_still_for_as_long_as_they_are() -> None:
    stillness = Stillness()
    times = [0.05 * step for step in range(40)]
    still = [stillness.push(t, shrink(noisy(DICE, 4, 7 * k))) for k, t in enumerate(times)]
    assert still == pytest.approx(times)


def test_motion_resets_it() -> None:
    stillness = Stillness()
    for step in range(10):
        stillness.push(0.1 * step, shrink(DICE))
    moved = draw((Die(TEN[0].x + 4, TEN[0].y, TEN[0].face), *TEN[1:]))
    assert stillness.push(1.0, shrink(moved)) == 0.0
    assert stillness.push(1.1, shrink(moved)) == pytest.approx(0.1)


def test_what_moves_for_ever_is_left_out_of_account_until_it_rests() -> None:
    """A screen at the edge; meanwhile a die that moves elsewhere still shows."""
    stillness = Stillness()
    rng = np.random.default_rng(3)
    still = []
    for step in range(300):
        picture = DICE.copy()
        if step < 150:
            picture[20:60, 300:318] = rng.integers(40, 200)
        still.append(stillness.push(0.1 * step, shrink(picture)))
    assert max(still[:40]) < 0.3
    assert min(still[120:]) > 0.5
    assert stillness.restless is None
    moved = draw((Die(TEN[0].x + 4, TEN[0].y, TEN[0].face), *TEN[1:]))
    assert stillness.push(30.0, shrink(moved)) == 0.0


def test_where_hands_were_busy_for_long_something_is_known_as_soon_as_they_rest() -> None:
    """They are busy for so much of the time that it might be a screen; but screens never rest."""
    stillness = Stillness()
    rng = np.random.default_rng(3)
    restless_s, ever = 0.0, False
    for step in range(400):
        picture = DICE.copy()
        busy = step % 40 < 30
        if busy:
            picture[20:60, 200:240] = rng.integers(40, 200)
        stillness.push(0.1 * step, shrink(picture))
        ever |= stillness.restless is not None
        restless_s = 0.0 if busy or stillness.restless is None else restless_s + 0.1
        # What lies still is compared with a picture that may be this old.
        assert restless_s < DEFAULT_MOTION.calm_s + DEFAULT_MOTION.anchor_s + 0.05
    assert ever


def test_dice_that_keep_rolling_for_a_while_are_never_left_out() -> None:
    stillness = Stillness()
    for step in range(30):
        rolling = draw((Die(TEN[0].x + 3 * (step % 5), TEN[0].y, TEN[0].face), *TEN[1:]))
        still_s = stillness.push(0.1 * step, shrink(rolling))
        assert still_s == 0.0


def test_a_slow_movement_shows() -> None:
    """A quarter of a pixel a frame is less than any two frames tell apart."""
    stillness = Stillness()
    still = []
    for step in range(60):
        turned = draw(TEN[1:])
        turned[60:75, 150:165] = (40, 40, round(90 + 1.5 * step))
        still.append(stillness.push(step / 60, shrink(turned)))
    assert max(still[20:]) < 0.3


@pytest.mark.parametrize("sigma", [0.0, 5.0, 15.0, 30.0])
def test_noise_is_no_motion_and_dice_are(sigma: float) -> None:
    stillness = Stillness()
    still = [
        stillness.push(0.05 * step, shrink(noisy(DICE, sigma, 11 * step))) for step in range(20)
    ]
    assert still[-1] == pytest.approx(0.95)
    assert stillness.push(1.0, shrink(noisy(draw(TEN[1:]), sigma, 3))) == 0.0


def test_a_hand_that_fills_the_picture_is_no_noise() -> None:
    stillness = Stillness()
    for step in range(10):
        stillness.push(0.1 * step, shrink(noisy(DICE, 4, 11 * step)))
    quiet = stillness.noise
    for step in range(10, 20):
        filled = DICE.copy()
        filled[:, 60:, 2] = 40 + 150 * (np.arange(60, WIDTH) // 40 % 2 == step % 2)
        stillness.push(0.1 * step, shrink(noisy(filled, 4, 11 * step)))
    assert stillness.noise < 2.2 * quiet


def test_noise_that_grew_manifold_is_no_motion_after_a_while() -> None:
    stillness = Stillness()
    for step in range(20):
        stillness.push(0.1 * step, shrink(noisy(DICE, 6, 11 * step)))
    still = [
        stillness.push(0.1 * step, shrink(noisy(DICE, 36, 11 * step))) for step in range(20, 80)
    ]
    assert still[-1] > 1.5


def test_a_camera_that_hangs_gives_no_evidence_for_a_while() -> None:
    stillness = Stillness()
    for step in range(11):
        stillness.push(0.1 * step, shrink(noisy(DICE, 6, 13 * step)))
    assert stillness.noise > 0.3
    hung = shrink(noisy(DICE, 6, 1))
    before = stillness.push(1.1, hung)
    during = [stillness.push(1.2 + 0.1 * step, hung) for step in range(4)]
    assert during == [before] * 4
    assert stillness.push(5.0, hung) > before


def test_a_cut_starts_over() -> None:
    stillness = Stillness()
    for t in (0.0, 0.5, 1.0):
        stillness.push(t, shrink(DICE))
    assert stillness.push(0.2, shrink(DICE)) == 0.0
    assert stillness.push(0.4, shrink(DICE)) == pytest.approx(0.2)
    assert stillness.push(0.6, shrink(TRAY[:90])) == 0.0
