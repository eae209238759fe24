"""Settled views over films of a tray: what is given, when, and what must not be given."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.films import (
    DIE,
    OUTSIDE,
    SKIN,
    TEN,
    TRAY,
    Die,
    Film,
    SquareReader,
    bumped,
    draw,
    reading_of,
)
from vision.records import DieReading, Doubt, Frame, Image, TrayView
from vision.settle import Scene, Settler, StillSettler, settler_for
from vision.sources import open_source

ROLLED = sorted(die.face for die in TEN)


def rolled(film: Film) -> Film:
    """The film with ten dice thrown, at rest, and seen."""
    film.rest(0.6)
    film.throw(TEN)
    film.rest(0.6)
    assert film.faces == [[], ROLLED]
    return film


def without(*faces: int) -> list[int]:
    left = list(ROLLED)
    for face in faces:
        left.remove(face)
    return left


def test_an_empty_tray_is_a_view() -> None:
    film = Film()
    film.rest(1.0)
    (view,) = film.views
    assert view.readings == ()
    assert view.settled
    assert not view.hand
    assert 0.4 <= view.t <= 0.6
    assert film.settler.scene is Scene.SETTLED


@pytest.mark.parametrize("fps", [8, 12, 20, 30, 60])
def test_a_roll_is_seen_within_half_a_second_of_rest(fps: float) -> None:
    film = Film(fps=fps)
    film.rest(1.0)
    at_rest = film.throw(TEN)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]
    assert 0 < film.views[1].t - at_rest <= 0.5
    assert film.views[1].picture.t == film.views[1].t


class _Dreamer(SquareReader):
    """Sees a die in the grain of the table now and then, and a huge one; reads neither."""

    def read(self, image: Image) -> tuple[DieReading, ...]:
        readings = super().read(image)
        grain = reading_of((250.0, 20.0, 265.0, 35.0), [0.1] * 10, whole=False)
        huge = reading_of((10.0, 10.0, 300.0, 170.0), [0.1] * 10, whole=False)
        faint = replace(grain, sighting=replace(grain.sighting, score=0.2))
        return (*readings, faint, huge)


def test_patterns_of_the_table_that_nobody_can_read_are_no_dice() -> None:
    film = Film(reader=_Dreamer())
    film.rest(1.0)
    film.throw(TEN)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


def test_a_pattern_alone_in_the_tray_must_look_more_like_a_die() -> None:
    class Grained(SquareReader):
        score = 0.0

        def read(self, image: Image) -> tuple[DieReading, ...]:
            grain = reading_of((250.0, 20.0, 265.0, 35.0), [0.1] * 10, whole=False)
            seen = replace(grain, sighting=replace(grain.sighting, score=self.score))
            return (*super().read(image), seen)

    def faces(score: float, dice: tuple[Die, ...]) -> list[list[int | None]]:
        reader = Grained()
        reader.score = score
        film = Film(reader=reader)
        film.dice = dice
        film.rest(1.0)
        return film.faces

    assert faces(0.45, ()) == [[]]
    assert faces(0.55, ()) == [[None]]
    assert faces(0.45, TEN[:1]) == [[None, TEN[0].face]]


def test_a_screen_that_plays_at_the_edge_of_the_picture_is_left_out_of_account() -> None:
    """After some seconds the dice elsewhere are seen as ever; when it is switched off, too."""

    class Screen(Film):
        playing = True

        def push(self, image: Image) -> TrayView | None:
            if self.playing:
                shade = int(60 + 150 * self._rng.random())
                cv2.rectangle(image, (302, 20), (318, 60), (shade, shade, shade), cv2.FILLED)
            return super().push(image)

    film = Screen()
    film.rest(14.0)
    at_rest = film.throw(TEN)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]
    assert film.views[1].t - at_rest <= 0.5
    assert not film.views[1].hand
    film.playing = False
    film.rest(1.0)
    film.pick_up(3, 0, 7)
    film.rest(1.0)
    assert film.faces == [[], ROLLED, without(3, 0, 7)]


def test_a_view_given_with_a_hand_in_it_is_given_again_when_the_hand_has_left() -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (film.dice[0].x, film.dice[0].y))
    taken = film.dice[0].face
    film.dice = film.dice[1:]
    film.move_hand((TEN[0].x, TEN[0].y), (150, 172))
    film.rest(3.0, hand=(150, 172))
    film.move_hand((150, 172), OUTSIDE)
    film.rest(1.0)
    assert film.faces[-1] == without(taken)
    assert not film.views[-1].hand
    assert film.faces[2:] == [without(taken)] * len(film.faces[2:])


def test_while_dice_rest_nothing_is_given_again_and_the_nets_sleep() -> None:
    film = rolled(Film())
    reads = film.reader.reads
    assert reads <= 8
    film.rest(8.0)
    assert len(film.views) == 2
    assert film.reader.reads == reads


def test_a_hand_that_touches_nothing_changes_nothing() -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (100, 75))
    film.rest(0.5, hand=(100, 75))
    film.move_hand((100, 75), OUTSIDE)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


@pytest.mark.parametrize("fps", [8, 20, 60])
def test_a_pick_up_is_seen_within_half_a_second_of_the_hand_leaving(fps: float) -> None:
    film = rolled(Film(fps=fps))
    gone = film.pick_up(3, 0, 7)
    film.rest(1.0)
    assert film.faces == [[], ROLLED, without(3, 0, 7)]
    assert film.views[-1].t - gone <= 0.5
    assert not film.views[-1].hand


def test_pick_up_and_throw_again() -> None:
    film = rolled(Film())
    film.pick_up(3, 0)
    film.rest(0.6)
    film.throw([Die(150, 130, 6), Die(210, 135, 2)])
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3, 0), sorted([*without(3, 0), 6, 2])]


@pytest.mark.parametrize("fps", [20, 30])
def test_dice_back_in_the_air_at_once_are_seen_picked_up_first(fps: float) -> None:
    """The hand is out of the picture for a single frame: never still, yet nothing is lost."""
    film = rolled(Film(fps=fps))
    gone = film.pick_up(3, 0)
    film.throw([Die(150, 130, 6), Die(210, 135, 2)])
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3, 0), sorted([*without(3, 0), 6, 2])]
    pick_up, thrown = film.views[2:]
    assert gone - 0.5 <= pick_up.t <= gone + 0.1
    assert pick_up.t < thrown.t
    assert pick_up.picture.t == pick_up.t


def test_a_pick_up_is_not_given_die_by_die() -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (100, 150))
    for face in (8, 5, 9):
        die = next(die for die in film.dice if die.face == face)
        film.move_hand((100, 150), (die.x, die.y))
        film.dice = tuple(other for other in film.dice if other is not die)
        film.move_hand((die.x, die.y), (100, 150))
        film.rest(0.3, hand=(100, 150))
    film.move_hand((100, 150), OUTSIDE)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(8, 5, 9)]


@pytest.mark.parametrize("seconds", [0.3, 3.0, 12.0])
def test_a_hand_at_rest_over_dice_is_no_pick_up(seconds: float) -> None:
    film = rolled(Film(fps=15))
    over = (TEN[1].x, TEN[1].y)
    film.move_hand(OUTSIDE, over)
    film.rest(seconds, hand=over)
    assert film.settler.scene is Scene.HAND
    film.move_hand(over, OUTSIDE)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


def test_a_hand_of_the_floors_colour_that_rests_over_dice_is_no_pick_up() -> None:
    film = rolled(Film(fps=8))
    veiled = draw(TEN).astype(np.int16)
    x, y = round(TEN[1].x), round(TEN[1].y)
    veiled[y - 25 : y + 60, x - 25 : x + 25] = TRAY[y - 25 : y + 60, x - 25 : x + 25]
    veiled[y - 25 : y + 60, x - 25 : x + 25] += 16
    film.move_hand(OUTSIDE, (x, y))
    for _ in range(5):
        film.show(np.clip(veiled, 0, 255).astype(np.uint8))
    film.move_hand((x, y), OUTSIDE)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


def test_a_shadow_that_stays_on_a_bare_place_is_no_die() -> None:
    film = rolled(Film(fps=8))
    x, y = round(TEN[1].x), round(TEN[1].y)
    far, down = np.meshgrid(np.arange(320) - x, np.arange(180) - y)
    shade = (16 * np.exp(-(far**2 + down**2) / 30**2))[:, :, None]

    def shaded(dice: tuple[Die, ...]) -> Image:
        return np.asarray(np.clip(draw(dice) - shade, 0, 255), np.uint8)

    film.move_hand(OUTSIDE, (x, y))
    film.dice = tuple(die for die in TEN if die is not TEN[1])
    film.move_hand((x, y), OUTSIDE)
    for _ in range(32):
        film.show(shaded(film.dice))
    assert film.faces == [[], ROLLED, without(TEN[1].face)]
    thrown = (*film.dice, Die(250, 140, 6))
    for _ in range(32):
        film.show(shaded(thrown))
    assert film.faces[-1] == sorted(die.face for die in thrown)


def veiled(picture: Image, place: Die) -> Image:
    """The picture, and over a die's place something that looks nearly like the floor."""
    x, y = round(place.x), round(place.y)
    changed = picture.astype(np.int16)
    changed[y - 12 : y + 12, x - 12 : x + 12] += 16
    return np.asarray(np.clip(changed, 0, 255), np.uint8)


def thrown_under_a_veil(left: tuple[Die, ...], rest: int) -> Film:
    """All but the dice `left` are taken, a shadow comes over one bare place, and five are thrown,
    which rest for so many frames until the shadow goes."""
    film = rolled(Film(fps=8))
    film.move_hand(OUTSIDE, (150, 100))
    for y in (100, 140, 175):
        film.show(veiled(draw(left, (150, y)), TEN[1]))
    for _ in range(8):
        film.show(veiled(draw(left), TEN[1]))
    assert film.faces == [[], ROLLED]
    five = [Die(65 + 45 * n, 135, (die.face + 1) % 10) for n, die in enumerate(TEN[:5])]
    for far in (140, 80, 30, 8):
        flying = [Die(die.x, die.y + far, die.face) for die in five]
        film.show(veiled(draw((*left, *flying), smear=3), TEN[1]))
    film.dice = (*left, *five)
    film.rest(rest / film.fps)
    return film


@pytest.mark.parametrize("left", [(), TEN[:1]])
def test_dice_gone_under_a_veil_are_given_once_the_next_throw_shows_that_they_are(
    left: tuple[Die, ...],
) -> None:
    film = thrown_under_a_veil(left, 8)
    thrown = sorted(die.face for die in film.dice)
    assert film.faces == [[], ROLLED, sorted(die.face for die in left), thrown]
    empty, roll = film.views[2:]
    assert empty.t == empty.picture.t < roll.t - 0.5


def test_a_throw_that_rests_no_longer_than_the_view_before_it_takes_was_overlooked() -> None:
    film = thrown_under_a_veil((), 4)
    film.pick_up(film.dice[-1].face)
    film.rest(1.0)
    empty, left = film.views[2:]
    assert (len(empty.readings), empty.overlooked) == (0, False)
    assert (len(left.readings), left.overlooked, left.unread_dice) == (4, True, 5)


def test_a_die_that_lies_there_again_was_under_the_veil_all_the_time() -> None:
    film = rolled(Film(fps=8))
    few = tuple(die for die in TEN if die.face in (3, 0))
    film.move_hand(OUTSIDE, (150, 100))
    film.dice = few
    film.move_hand((150, 100), OUTSIDE)
    film.rest(0.8)
    film.move_hand(OUTSIDE, (150, 100))
    for _ in range(8):
        film.show(veiled(draw(few[1:]), few[0]))
    film.dice = few
    film.throw([Die(150, 130, 6), Die(210, 135, 2)])
    film.rest(0.8)
    seen = sorted(die.face for die in few)
    assert film.faces[2:] == [seen, sorted([*seen, 6, 2])]


class _HalfBlind(SquareReader):
    """Finds what it cannot see whole but faintly."""

    def read(self, image: Image) -> tuple[DieReading, ...]:
        return tuple(
            reading
            if reading.face is not None
            else replace(reading, sighting=replace(reading.sighting, score=0.3))
            for reading in super().read(image)
        )


def test_a_die_found_faintly_beside_a_certain_one_is_asked_about() -> None:
    film = Film(reader=_HalfBlind())
    film.rest(1.0)
    beside = Die(TEN[1].x + 18, TEN[1].y, TEN[0].face)
    alone = Die(260, 150, 4)

    def half_covered() -> Image:
        picture = draw((*TEN[1:], beside, alone))
        for die in (beside, alone):
            x, y = round(die.x), round(die.y)
            picture[y - 8 : y + 1, x - 8 : x + 9] = (30, 30, 30)
        return picture

    for _ in range(25):
        film.show(half_covered())
    assert film.faces[-1] == [None, *without(TEN[0].face)]
    (doubtful,) = (r for r in film.views[-1].readings if r.face is None)
    assert abs(doubtful.sighting.center[0] - beside.x) < DIE / 2


def test_a_hand_at_rest_that_half_hides_a_die_raises_no_question() -> None:
    film = rolled(Film(fps=15))
    beside = (TEN[6].x + 18, TEN[6].y)
    film.move_hand(OUTSIDE, beside)
    film.rest(4.0, hand=beside)
    film.move_hand(beside, OUTSIDE)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


def test_dice_taken_from_under_a_resting_hand() -> None:
    film = rolled(Film())
    over = (TEN[1].x, TEN[1].y)
    film.move_hand(OUTSIDE, over)
    film.rest(2.0, hand=over)
    film.dice = tuple(die for die in film.dice if die is not TEN[1])
    film.move_hand(over, OUTSIDE)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3)]


def test_a_hand_resting_elsewhere_delays_a_pick_up_but_does_not_hold_it_back() -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (TEN[1].x, TEN[1].y))
    film.dice = tuple(die for die in film.dice if die is not TEN[1])
    film.move_hand((TEN[1].x, TEN[1].y), (170, 160))
    film.rest(1.0, hand=(170, 160))
    assert len(film.views) == 2
    film.rest(1.5, hand=(170, 160))
    assert film.faces == [[], ROLLED, without(3)]
    assert film.views[-1].hand
    # A hand that lies there for ever is part of the table.
    film.rest(1.5, hand=(170, 160))
    assert film.faces == [[], ROLLED, without(3), without(3)]
    assert not film.views[-1].hand


def test_what_stays_on_the_table_becomes_part_of_it() -> None:
    """A score pad in the picture's corner costs a moment once, then nothing any more."""
    film = rolled(Film())
    film.move_hand(OUTSIDE, (260, 165), 0.5)
    film.rest(4.0, hand=(260, 165))
    assert film.faces == [[], ROLLED]
    still = film.clock
    film.dice = tuple(die for die in film.dice if die is not TEN[1])
    for step in range(5):
        flying = Die(TEN[1].x, TEN[1].y - 20 * (step + 1), 3)
        film.show(draw((*film.dice, flying), hand=(260, 165)))
    film.rest(1.0, hand=(260, 165))
    assert film.faces == [[], ROLLED, without(3)]
    assert film.views[-1].t - still <= 0.7


def test_a_film_that_starts_with_a_hand_in_the_picture() -> None:
    film = Film()
    film.rest(1.0, hand=(150, 100))
    film.move_hand((150, 100), OUTSIDE)
    film.rest(0.6)
    at_rest = film.throw(TEN)
    film.rest(1.0)
    assert film.faces == [[], ROLLED]
    assert film.views[-1].t - at_rest <= 0.5


def test_a_film_that_starts_with_dice_lying() -> None:
    film = Film()
    film.dice = TEN
    film.rest(0.6)
    over = (TEN[1].x, TEN[1].y)
    film.move_hand(OUTSIDE, over)
    film.rest(2.0, hand=over)
    film.move_hand(over, OUTSIDE)
    film.rest(0.6)
    film.pick_up(8, 9)
    film.rest(0.6)
    assert film.faces == [ROLLED, without(8, 9)]


def test_something_small_over_a_die_is_a_covered_die() -> None:
    film = rolled(Film())
    die = TEN[4]
    for step in range(30):
        picture = draw(TEN)
        row = max(15, round(die.y) - 11 - 5 * (20 - min(20, step)))
        picture[row : row + 22, round(die.x) - 11 : round(die.x) + 11] = SKIN
        film.show(picture)
    for _ in range(60):
        film.show(picture)
    covered = film.views[-1].readings[-1]
    assert len(film.views) == 3
    assert covered.face is None
    assert covered.doubts == Doubt.COVERED
    assert math.dist(covered.sighting.center, (die.x, die.y)) < 5


def test_a_jump_in_brightness_is_no_event() -> None:
    film = rolled(Film(gain=lambda t: 0.6 if 3.0 <= t < 5.0 else 1.0))
    film.rest(5.0)
    film.pick_up(3)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3)]


def test_drifting_exposure_is_no_event() -> None:
    film = rolled(Film(gain=lambda t: 1 + 0.2 * math.sin(2 * t)))
    reads = film.reader.reads
    film.rest(6.0)
    assert film.faces == [[], ROLLED]
    assert film.reader.reads - reads <= 4


def test_a_pick_up_in_another_light() -> None:
    """The light changes while the hand is at work: places are still seen to be bare."""
    film = rolled(Film(gain=lambda t: 0.7 if t > 2.1 else 1.0))
    film.pick_up(3, 0)
    film.rest(1.0)
    film.throw([Die(150, 130, 6)])
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3, 0), sorted([*without(3, 0), 6])]


def test_a_noisy_camera() -> None:
    film = rolled(Film(noise=14.0))
    film.rest(3.0)
    film.pick_up(3, 0)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3, 0)]


def test_flickering_light() -> None:
    """Bands of rows wander through the picture, as under lamps on mains."""
    film = Film()
    rows = np.arange(180)[:, None, None]

    def rest(seconds: float, dice: tuple[Die, ...]) -> None:
        for step in range(round(seconds * 20)):
            bands = 1 + 0.04 * np.sin(rows / 20 + 1.3 * step)
            film.show(np.clip(draw(dice) * bands, 0, 255).astype(np.uint8))

    rest(1.0, ())
    film.throw(TEN)
    rest(1.0, TEN)
    assert film.faces == [[], ROLLED]


def test_a_trembling_camera() -> None:
    """Each frame is moved by a part of a pixel, as when the table shakes."""
    film = Film()
    large = {
        dice: cv2.resize(draw(dice), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
        for dice in ((), TEN)
    }

    def rest(seconds: float, dice: tuple[Die, ...]) -> None:
        for step in range(round(seconds * 20)):
            shift = 1.2 * np.sin(1.7 * step), 1.2 * np.cos(2.3 * step)
            move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
            moved = cv2.warpAffine(large[dice], move, (1280, 720), borderMode=cv2.BORDER_REPLICATE)
            small = cv2.resize(moved, (320, 180), interpolation=cv2.INTER_AREA)
            film.push(np.asarray(small, np.uint8))

    rest(1.0, ())
    film.throw(TEN)
    rest(1.0, TEN)
    assert film.faces == [[], ROLLED]


def test_a_bumped_camera_holds_nothing_up() -> None:
    """The tray is emptied and the camera bumped; the dice come back before a second has passed."""
    film = Film()
    film.rest(0.6)
    film.throw(TEN)
    film.rest(1.0)
    film.dice = ()
    for _ in range(round(0.9 * film.fps)):
        film.show(bumped(draw(()), 3.0, -2.0, 0.012))
    assert film.faces == [[], ROLLED, []]


def test_a_die_pushed_aside_is_a_new_view() -> None:
    film = rolled(Film())
    pushed = Die(TEN[0].x + 12, TEN[0].y, TEN[0].face)
    for step in range(5):
        film.show(draw((Die(TEN[0].x + 2.5 * step, TEN[0].y, TEN[0].face), *TEN[1:])))
    film.dice = (pushed, *TEN[1:])
    film.rest(0.6)
    assert film.faces == [[], ROLLED, ROLLED]


def test_a_die_pushed_far_aside_by_a_hand_was_not_picked_up() -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (TEN[5].x, TEN[5].y + 32))
    for step in range(1, 11):
        pushed = Die(TEN[5].x, TEN[5].y - 3 * step, TEN[5].face)
        film.dice = (*TEN[:5], pushed, *TEN[6:])
        film.show(draw(film.dice, hand=(pushed.x, pushed.y + 32)))
    film.move_hand((pushed.x, pushed.y + 32), OUTSIDE)
    film.rest(1.0)
    assert film.faces == [[], ROLLED, ROLLED]


def test_a_hung_camera_does_not_make_flying_dice_lie() -> None:
    film = Film(noise=4.0)
    film.rest(0.6)
    noisy = draw([Die(die.x, die.y + 20, die.face) for die in TEN]).astype(np.float32)
    noisy += np.random.default_rng(3).normal(0, 4, noisy.shape)
    hung = np.clip(noisy, 0, 255).astype(np.uint8)
    for _ in range(12):
        film.push(hung)
    film.throw(TEN)
    film.rest(0.6)
    assert film.faces == [[], ROLLED]


def test_a_film_without_noise_repeats_pictures_and_that_is_fine() -> None:
    film = rolled(Film(noise=0.0))
    film.pick_up(3)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3)]


def test_time_that_jumps_back_starts_over() -> None:
    film = rolled(Film())
    film.clock = 0.0
    film.rest(1.0)
    film.pick_up(3)
    film.rest(0.6)
    assert film.faces == [[], ROLLED, without(3)]


def test_the_picture_may_change_its_size() -> None:
    film = rolled(Film())
    for _ in range(30):
        film.push(draw(TEN)[:150].copy())
    assert film.faces[-1] == ROLLED


class Hesitant(SquareReader):
    """Doubts the face 8 in its first looks at it, or always says another face for it."""

    def __init__(self, doubtful: int = 0, faces: tuple[int, ...] = (8,)) -> None:
        super().__init__()
        self.doubtful = doubtful
        self.faces = faces
        self.looks = 0

    def read(self, image: Image) -> tuple[DieReading, ...]:
        readings = list(super().read(image))
        for index, reading in enumerate(readings):
            if reading.face == 8:
                face = self.faces[self.looks % len(self.faces)]
                doubt = Doubt.GLARE if self.looks < self.doubtful else Doubt.NONE
                self.looks += 1
                readings[index] = DieReading(
                    reading.sighting, np.eye(10, dtype=np.float32)[face], doubt
                )
        return tuple(readings)


def test_a_doubt_is_given_after_a_while_and_clears_later() -> None:
    film = Film(reader=Hesitant(doubtful=6))
    film.rest(0.6)
    at_rest = film.throw(TEN)
    film.rest(6.0)
    assert film.faces == [[], [None, *without(8)], ROLLED]
    doubtful = next(die for die in film.views[1].readings if die.face is None)
    assert doubtful.doubts == Doubt.GLARE
    assert doubtful.likeliest == 8
    assert 0.4 <= film.views[1].t - at_rest <= 0.7


def test_a_lasting_doubt_is_looked_at_ever_more_rarely() -> None:
    film = Film(fps=15, reader=Hesitant(doubtful=10**6))
    film.rest(0.6)
    film.throw(TEN)
    film.rest(2.0)
    early = film.reader.reads
    film.rest(20.0)
    assert film.faces == [[], [None, *without(8)]]
    assert 3 <= film.reader.reads - early <= 8


def test_what_is_known_of_an_untouched_die_stays_known() -> None:
    """Doubts that come up later, about a die that nobody touched, raise no question."""
    reader = Hesitant()
    film = rolled(Film(reader=reader))
    reader.doubtful = 10**6
    film.pick_up(3)
    film.rest(2.0)
    assert film.faces == [[], ROLLED, without(3)]


def test_a_certain_look_against_what_is_known_is_a_doubt() -> None:
    reader = Hesitant()
    film = rolled(Film(reader=reader))
    reader.faces = (4,)
    film.pick_up(3)
    film.rest(2.0)
    assert film.faces == [[], ROLLED, without(3), [None, *without(3, 8)]]


def test_certain_looks_that_disagree_stay_a_doubt_until_something_moves() -> None:
    film = Film(fps=15, reader=Hesitant(doubtful=0, faces=(8, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8)))
    film.rest(0.6)
    film.throw(TEN)
    film.rest(10.0)
    assert film.faces == [[], [None, *without(8)]]
    disputed = next(die for die in film.views[1].readings if die.face is None)
    assert disputed.doubts == Doubt.UNSURE
    assert disputed.probabilities[8] == pytest.approx(0.5)
    assert disputed.probabilities[6] == pytest.approx(0.5)


def test_pictures_are_views_by_themselves() -> None:
    settler = StillSettler(SquareReader())
    frame = Frame(3.0, draw(TEN), "ten.png")
    view = settler.push(frame)
    assert sorted(die.likeliest for die in view.readings) == ROLLED
    assert (view.t, view.settled, view.hand) == (3.0, True, False)
    assert view.picture is frame
    assert settler.push(Frame(4.0, draw(()))).readings == ()


def test_the_settler_suits_the_source(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), draw(TEN))
    with open_source(tmp_path) as stills:
        assert isinstance(settler_for(stills, SquareReader()), StillSettler)
    writer = cv2.VideoWriter(
        str(tmp_path / "a.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 180)
    )
    writer.write(draw(TEN))
    writer.release()
    with open_source(tmp_path / "a.avi") as film:
        assert isinstance(settler_for(film, SquareReader()), Settler)


def test_frames_far_apart_while_something_moves_may_hide_a_throw() -> None:
    film = rolled(Film())
    before = tuple(film.views)
    film.move_hand(OUTSIDE, (150.0, 120.0))
    film.clock += 0.6
    film.pick_up(3)
    film.rest(1.0)
    views = [view.overlooked for view in film.views[len(before) :]]
    assert views == [True]


def test_short_rests_on_a_shaking_table_add_up_to_a_throw_that_nobody_read() -> None:
    film = Film(fps=8)
    film.rest(1.0)
    film.throw(TEN)
    for shake in (0, 5, 0, 5, 0):
        film.show(np.roll(draw(TEN), shake, axis=1))
        film.show(np.roll(draw(TEN), shake, axis=1))
    film.rest(1.0)
    assert [(len(view.readings), view.overlooked) for view in film.views] == [
        (0, False),
        (10, True),
    ]


@pytest.mark.parametrize("dice", [TEN, TEN[:2]])
def test_more_dice_that_rested_for_a_moment_only_were_a_throw_that_nobody_read(
    dice: tuple[Die, ...],
) -> None:
    film = rolled(Film(fps=12))
    film.pick_up(*ROLLED[2:])
    film.rest(1.0)
    kept, film.dice = film.dice, dice
    film.rest(0.33)
    film.dice = kept
    film.pick_up(kept[0].face)
    film.rest(1.0)
    assert len(film.views[-1].readings) == 1
    assert film.views[-1].overlooked == (dice == TEN)


def test_looks_go_on_after_a_short_disturbance() -> None:
    def looked_at(other: tuple[Die, ...]) -> list[list[int | None]]:
        film = Film(fps=8)
        film.rest(1.0)
        film.throw(TEN)
        for dice in (TEN, other):
            film.show(draw(dice))
            film.show(draw(dice))
            film.show(draw(dice, (150.0, 130.0)))
        return film.faces

    assert looked_at(TEN) == [[], ROLLED]
    assert looked_at((*TEN[:9], Die(TEN[9].x + 20, TEN[9].y, TEN[9].face))) == [[]]


def test_a_hand_that_pauses_over_the_dice_it_takes_hides_no_throw() -> None:
    def paused(*others: Die) -> list[bool]:
        reader = Hesitant()
        film = rolled(Film(fps=8, reader=reader))
        over = (film.dice[0].x, film.dice[0].y)
        film.move_hand(OUTSIDE, over)
        reader.looks, reader.doubtful = 0, 9
        film.dice = (*(Die(die.x, die.y + 9, die.face) for die in film.dice[2:]), *others)
        film.rest(0.8, over)
        film.move_hand(over, OUTSIDE)
        film.rest(1.0)
        return [view.overlooked for view in film.views[:3]]

    assert paused() == [False] * 3
    assert paused(Die(250.0, 140.0, 6)) == [False, False, True], "no such face lay there"


def test_in_frames_that_come_in_time_nothing_is_overlooked() -> None:
    film = rolled(Film())
    film.pick_up(3)
    film.rest(1.0)
    assert film.faces[-1] != ROLLED
    assert not any(view.overlooked for view in film.views[1:])
    film.clock += 3.0
    film.rest(0.5)
    film.pick_up(7)
    film.rest(1.0)
    assert not film.views[-1].overlooked, "nothing moved while the frames stayed away"


@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_a_lamp_put_out_with_a_hand_in_the_picture_is_no_empty_tray(seconds: float) -> None:
    film = rolled(Film())
    film.move_hand(OUTSIDE, (150.0, 90.0))
    for _ in range(round(seconds * film.fps)):
        film.show(np.zeros_like(draw(())))
    film.rest(1.0)
    assert film.faces == [[], ROLLED]


def test_dice_taken_in_the_dark_are_seen_gone_in_the_light_again() -> None:
    film = rolled(Film())
    for _ in range(round(3 * film.fps)):
        film.show(np.zeros_like(draw(())))
    film.dice = film.dice[2:]
    film.rest(1.0)
    assert film.faces[2:] == [without(TEN[0].face, TEN[1].face)]
    assert film.views[-1].overlooked


@pytest.mark.parametrize("gap", [2.0, 20.0])
def test_dice_thrown_while_no_pictures_came_are_seen_afterwards(gap: float) -> None:
    film = rolled(Film())
    film.clock += gap
    film.dice = tuple(Die(die.x + 22, die.y + 9, (die.face + 3) % 10) for die in TEN)
    film.rest(1.5)
    assert len(film.views) == 3
    assert film.views[-1].overlooked
    assert film.faces[-1] == sorted((face + 3) % 10 for face in ROLLED)


def test_a_view_that_nobody_could_use_is_given_again() -> None:
    film = rolled(Film())
    film.settler.look_anew()
    film.rest(1.0)
    assert film.faces == [[], ROLLED, ROLLED]
    film.rest(2.0)
    assert len(film.views) == 3
