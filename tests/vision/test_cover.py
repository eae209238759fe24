"""What covers the tray: hands are found, shadows and lamps are not, the background is learned."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.films import DIE, TEN, TRAY, bumped, draw
from vision.compare import Mask, shrink
from vision.cover import Background, box_mask
from vision.records import Box, Image

NO_DICE = np.zeros(TRAY.shape[:2], np.uint8)
HAND = (150.0, 90.0)


def boxes(count: int = 10) -> list[Box]:
    half = DIE / 2
    return [(d.x - half, d.y - half, d.x + half, d.y + half) for d in TEN[:count]]


def places(count: int = 10, margin: float = 0.3) -> Mask:
    return box_mask(boxes(count), TRAY.shape, 1.0, margin)


def learned(image: Image = TRAY, hidden: Mask = NO_DICE) -> Background:
    background = Background()
    background.learn(shrink(image), hidden, 0.0)
    return background


def test_before_anything_is_known_nothing_covers() -> None:
    cover = Background().cover(shrink(draw(TEN, HAND)), NO_DICE, DIE, 0.0)
    assert not cover.has_hand
    assert not cover.objects.any()
    assert not cover.hides(places(1))


def test_a_hand_is_found_and_hides_what_lies_under_it() -> None:
    cover = learned().cover(shrink(draw((), HAND)), NO_DICE, DIE, 0.0)
    assert cover.has_hand
    assert cover.objects[90, 150] == 255
    assert cover.objects[40, 60] == 0
    under = box_mask([(140, 80, 156, 96)], TRAY.shape, 1.0, 0.5)
    beside = box_mask([(220, 80, 236, 96)], TRAY.shape, 1.0, 0.5)
    assert cover.hides(under)
    assert cover.hand_hides(under)
    assert not cover.hides(beside)


def test_a_hand_of_the_floors_colour_veils_what_lies_under_it() -> None:
    faint = TRAY.astype(np.int16)
    faint[70:110, 120:180] += 16
    cover = learned().cover(np.clip(faint, 0, 255).astype(np.uint8), NO_DICE, DIE, 0.0)
    under = box_mask([(140, 80, 156, 96)], TRAY.shape, 1.0, 0.0)
    beside = box_mask([(220, 80, 236, 96)], TRAY.shape, 1.0, 0.0)
    assert not cover.hides(under)
    assert cover.veils(under)
    assert not cover.veils(beside)


def test_what_little_is_left_of_a_place_does_not_tell_of_a_veil() -> None:
    half = NO_DICE.copy()
    half[:, :149] = 255
    cover = learned().cover(np.clip(TRAY + 16.0, 0, 255).astype(np.uint8), half, DIE, 0.0)
    assert not cover.veils(box_mask([(140, 80, 156, 96)], TRAY.shape, 1.0, 0.0))


def test_a_hand_is_found_in_dim_light() -> None:
    dim = (draw((), HAND) * 0.35).astype(np.uint8)
    assert learned().cover(shrink(dim), NO_DICE, DIE, 0.0).has_hand


def test_a_bumped_camera_is_followed_and_makes_no_hand() -> None:
    background = learned()
    moved = shrink(bumped(TRAY, 4.0, -3.0, 0.01))
    assert background.cover(moved, NO_DICE, DIE, 0.0).differs.any()
    assert background.follow(moved, NO_DICE, 0.0)
    cover = background.cover(moved, NO_DICE, DIE, 0.0)
    assert not cover.has_hand
    assert np.count_nonzero(cover.differs) < 0.002 * cover.differs.size


def test_a_hand_is_no_bump() -> None:
    background = learned()
    assert not background.follow(shrink(draw((), HAND)), NO_DICE, 0.0)
    assert background.cover(shrink(draw((), HAND)), NO_DICE, DIE, 0.0).has_hand


def test_dice_are_not_what_covers() -> None:
    cover = learned().cover(shrink(draw(TEN)), places(), DIE, 0.0)
    assert not cover.objects.any()
    unread = learned().cover(shrink(draw(TEN)), places(9), DIE, 0.0)
    assert unread.objects.any()
    assert not unread.has_hand


def test_a_soft_shadow_is_no_object() -> None:
    shade = np.zeros(TRAY.shape[:2], np.float32)
    cv2.circle(shade, (200, 90), 45, 1.0, cv2.FILLED)
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 16), np.float32)
    shaded = (TRAY * (1 - 0.5 * shade[:, :, None])).astype(np.uint8)
    small = shrink(shaded)
    background = learned()
    differs, _ = background.compare(small, 0.0)
    assert differs.any()
    assert not background.cover(small, NO_DICE, DIE, 0.0).objects.any()


def test_a_thing_with_a_soft_shadow_is_found() -> None:
    """A shadow around it hides its outline; its darkest part still has one."""
    shade = np.zeros(TRAY.shape[:2], np.float32)
    cv2.circle(shade, (150, 90), 50, 1.0, cv2.FILLED)
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 14), np.float32)
    shaded = (TRAY * (1 - 0.6 * shade[:, :, None])).astype(np.uint8)
    cv2.circle(shaded, (150, 90), 28, (20, 25, 160), cv2.FILLED)
    cover = learned().cover(shrink(shaded), NO_DICE, DIE, 0.0)
    assert cover.has_hand


def test_a_place_that_looks_different_all_over_is_not_bare() -> None:
    """Be it a hand or a shadow: nobody can say that a die left from there."""
    shade = np.zeros(TRAY.shape[:2], np.float32)
    cv2.circle(shade, (200, 90), 45, 1.0, cv2.FILLED)
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 16), np.float32)
    shaded = (TRAY * (1 - 0.7 * shade[:, :, None])).astype(np.uint8)
    cover = learned().cover(shrink(shaded), NO_DICE, DIE, 0.0)
    assert not cover.has_hand
    assert cover.hides(box_mask([(192, 82, 208, 98)], TRAY.shape, 1.0, 0.5))
    assert not cover.hides(box_mask([(62, 82, 78, 98)], TRAY.shape, 1.0, 0.5))


def test_what_left_is_no_object() -> None:
    """A film that began with a hand in the picture: the table where it was is no object."""
    background = learned(draw((), HAND))
    assert not background.cover(shrink(TRAY), NO_DICE, DIE, 0.0).has_hand


def test_places_under_dice_are_not_known() -> None:
    background = learned(draw(TEN), places())
    _, known = background.compare(shrink(TRAY), 0.0)
    assert not known[places() > 0].any()
    assert known[places() == 0].all()
    under_hand = background.cover(shrink(draw((), (TEN[1].x, TEN[1].y))), NO_DICE, DIE, 0.0)
    around = box_mask(boxes()[1:2], TRAY.shape, 1.0, 0.6)
    assert under_hand.hides(around), "what is around it tells that it is covered"
    assert not background.cover(shrink(TRAY), NO_DICE, DIE, 0.0).hides(around)


def test_an_arm_that_stayed_long_and_leaves_is_nothing_new() -> None:
    background = learned()
    background.learn(shrink(draw((), HAND)), NO_DICE, 0.0)
    assert not background.cover(shrink(draw((), HAND)), NO_DICE, DIE, 0.0).has_hand
    assert not background.cover(shrink(TRAY), NO_DICE, DIE, 0.0).has_hand
    assert background.cover(shrink(draw((), (80.0, 60.0))), NO_DICE, DIE, 0.0).has_hand


def test_what_was_learned_is_no_longer_different() -> None:
    background, small = learned(), shrink(draw((), HAND))
    differs, _ = background.compare(small, 0.0)
    assert differs.any()
    background.learn(small, NO_DICE, 0.0)
    differs, _ = background.compare(small, 0.0)
    assert not differs.any()


def test_hidden_places_keep_their_background_in_other_light() -> None:
    background = learned()
    background.learn((shrink(draw(TEN)) * 0.6).astype(np.uint8), places(), 0.0)
    background.learn((shrink(draw(TEN)) * 0.5).astype(np.uint8), places(), 0.0)
    differs, known = background.compare((shrink(TRAY) * 0.5).astype(np.uint8), 0.0)
    assert known.all()
    assert not differs.any()


def test_a_picture_of_another_size_starts_over() -> None:
    background = learned()
    other = shrink(TRAY)[:90].copy()
    nothing = np.zeros(other.shape[:2], np.uint8)
    assert not background.cover(other, nothing, DIE, 0.0).known.any()
    background.learn(other, nothing, 0.0)
    assert background.cover(other, nothing, DIE, 0.0).known.all()


def test_box_masks_stay_inside() -> None:
    mask = box_mask(
        [(-20, -20, 10, 10), (300, 170, 400, 400), (500, 500, 600, 600)], (180, 320), 1, 0
    )
    assert mask[:10, :10].all()
    assert mask[170:, 300:].all()
    assert int((mask > 0).sum()) == 100 + 10 * 20
    half = box_mask([(100, 100, 120, 120)], (180, 320), 0.5, 0.5)
    assert np.argwhere(half).min(axis=0).tolist() == [45, 45]
    assert np.argwhere(half).max(axis=0).tolist() == [64, 64]


def test_what_is_known_stays_known_through_an_evening_of_flicker() -> None:
    rng = np.random.default_rng(3)
    background, rows = learned(), np.arange(len(TRAY))[:, None, None]

    def seen(image: Image, turn: int) -> Image:
        flicker = 1 + 0.03 * np.sin(rows / 25 + turn)
        noisy = image * flicker + rng.normal(0, 1.5, image.shape)
        return shrink(np.asarray(np.clip(noisy, 0, 255), np.uint8))

    for turn in range(100):
        background.learn(seen(draw(TEN), turn), places(), 1.0)
    differs, known = background.compare(seen(TRAY, 7), 1.0)
    assert known.all()
    assert not differs.any(), "the places where dice have lain for long are bare again"
    cover = background.cover(seen(draw((), HAND), 7), NO_DICE, DIE, 1.0)
    hand = (shrink(draw((), HAND)) != shrink(TRAY)).all(axis=2)
    assert cover.has_hand
    assert cover.differs[hand].mean() > 0.9 * 255


def test_nothing_is_learned_close_to_what_covers() -> None:
    cover = learned().cover(shrink(draw((), HAND)), NO_DICE, DIE, 0.0)
    around = cover.around(DIE / 2)
    assert (around[cover.differs > 0] == 255).all()
    assert around[90, 150 + 21 + 5] == 255
    assert around[90, 150 + 21 + 15] == 0


def test_an_arm_without_an_outline_is_found_by_the_rim_that_it_hides() -> None:
    """Of the colour of the floor, save for a little that no shadow does; and soft all around."""
    soft = np.zeros(TRAY.shape[:2], np.float32)
    cv2.line(soft, (150, 130), (150, 210), 1.0, 50)
    soft = np.asarray(cv2.GaussianBlur(soft, (0, 0), 7), np.float32)[:, :, None]
    skin = np.array([60, 66, 110], np.float32)
    arm = np.asarray(TRAY * (1 - soft) + skin * soft, np.uint8)
    assert learned().cover(shrink(arm), NO_DICE, DIE, 0.0).has_hand
    shadow = np.asarray(TRAY * (1 - 0.5 * soft), np.uint8)
    assert not learned().cover(shrink(shadow), NO_DICE, DIE, 0.0).has_hand
