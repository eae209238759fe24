"""Pick-ups seen as they happen: dice untouched, plainly gone, or neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.films import DIE, OUTSIDE, TEN, TRAY, Die, SquareReader, draw
from vision.compare import shrink
from vision.cover import Background
from vision.pickup import PickUpWatch
from vision.records import DieReading, Frame, Image, Point

READINGS = SquareReader().read(draw(TEN))


def table() -> Background:
    background = Background()
    background.learn(shrink(TRAY), np.zeros(TRAY.shape[:2], np.uint8), 0.0)
    return background


class Watching:
    """A watch over ten dice, at 20 frames a second."""

    def __init__(self) -> None:
        self.watch = PickUpWatch(READINGS, shrink(draw(TEN)), 1.0, DIE)
        self.background = table()
        self.t = 0.0

    def see(self, image: Image) -> None:
        self.t += 0.05
        self.watch.push(Frame(self.t, image), shrink(image), self.background, 0.0)

    def see_dice(self, dice: tuple[Die, ...], hand: Point = OUTSIDE, frames: int = 1) -> None:
        for _ in range(frames):
            self.see(draw(dice, hand))

    def kept(self) -> list[int] | None:
        """The faces left by a finished pick-up."""
        pick_up = self.watch.finished(self.t)
        return None if pick_up is None else faces(pick_up.kept)


def faces(readings: tuple[DieReading, ...]) -> list[int]:
    return sorted(reading.likeliest for reading in readings)


LEFT = sorted(die.face for die in TEN[2:])


def test_untouched_dice_are_told_from_moved_ones() -> None:
    watch = PickUpWatch(READINGS, shrink(draw(TEN)), 1.0, DIE)
    moved = (Die(TEN[0].x + 8, TEN[0].y, TEN[0].face), *TEN[1:])
    assert len(watch.untouched(shrink(draw(TEN)), 0.0)) == 10
    assert faces(watch.untouched(shrink(draw(moved)), 0.0)) == sorted(d.face for d in TEN[1:])
    turned = (Die(TEN[0].x, TEN[0].y, 6), *TEN[1:])
    assert len(watch.untouched(shrink(draw(turned)), 0.0)) == 9
    assert watch.untouched(shrink(TRAY)[:90], 0.0) == ()


def test_a_pick_up_is_finished_when_the_hand_has_left() -> None:
    watching = Watching()
    watching.see_dice(TEN, hand=(150.0, 140.0))
    assert watching.kept() is None
    watching.see_dice(TEN[2:], hand=(150.0, 140.0), frames=5)
    assert watching.kept() is None, "the hand is still there"
    watching.see_dice(TEN[2:])
    assert watching.kept() is None, "one frame may be a slip"
    watching.see_dice(TEN[2:])
    assert watching.kept() == LEFT
    watching.see_dice(TEN[2:], hand=(150.0, 140.0))
    assert watching.kept() is None, "and now it is back"


def test_an_emptied_tray_takes_longer() -> None:
    watching = Watching()
    watching.see_dice((), frames=8)
    assert watching.kept() is None
    watching.see_dice((), frames=2)
    assert watching.kept() == []


def under_a_low_lamp(dice: tuple[Die, ...], hand: Point = OUTSIDE) -> Image:
    """The tray with dice that throw sharp shadows, longer than they are wide."""
    picture, bare = draw(dice, hand), draw(())
    for die in dice:
        x, y = round(die.x - DIE / 2), round(die.y - DIE / 2)
        shadow = np.s_[max(0, y - 2 * DIE) : y, x : x + DIE]
        floor = (picture[shadow] == bare[shadow]).all(axis=2)
        picture[shadow][floor] = picture[shadow][floor] // 2
    return picture


def test_shadows_thrown_far_are_no_hand() -> None:
    watching = Watching()
    watching.watch = PickUpWatch(READINGS, shrink(under_a_low_lamp(TEN)), 1.0, DIE)
    for _ in range(2):
        watching.see(under_a_low_lamp(TEN[2:], (150.0, 140.0)))
    assert watching.kept() is None, "that is one"
    for _ in range(2):
        watching.see(under_a_low_lamp(TEN[2:]))
    assert watching.kept() == LEFT


def test_a_neighbours_shadow_may_fall_on_a_bare_place() -> None:
    for share, left in ((0.2, LEFT), (0.5, None)):
        watching = Watching()
        gone = draw(TEN[2:])
        x, y = round(TEN[0].x - DIE / 2), round(TEN[0].y - DIE / 2)
        gone[y : y + round(share * DIE), x : x + DIE] //= 2
        for _ in range(2):
            watching.see(gone)
        assert watching.kept() == left


def test_a_die_out_of_sight_leaves_it_open() -> None:
    watching = Watching()
    watching.see_dice(TEN[2:], hand=(TEN[6].x, TEN[6].y), frames=9)
    assert watching.kept() is None
    assert watching.watch.before_throw(READINGS) is None


def test_dice_put_back_are_no_pick_up() -> None:
    watching = Watching()
    watching.see_dice(TEN[2:])
    watching.see_dice(TEN, frames=5)
    assert watching.kept() is None
    assert watching.watch.before_throw(READINGS) is None


def test_a_pick_up_counts_once_dice_were_thrown_among_those_kept() -> None:
    watching = Watching()
    watching.see_dice(TEN[2:], hand=(150.0, 150.0), frames=2)
    watching.see_dice(TEN[2:])
    watching.see_dice(TEN[2:], hand=(TEN[6].x, TEN[6].y))
    thrown = SquareReader().read(draw((*TEN[2:], Die(150, 130, 6))))
    pick_up = watching.watch.before_throw(thrown)
    assert pick_up is not None
    assert faces(pick_up.kept) == LEFT
    assert pick_up.first.t == 0.05
    assert watching.watch.before_throw(SquareReader().read(draw(TEN[2:]))) is None
    assert not pick_up.hurried


@pytest.mark.parametrize(
    ("moved", "counts"),
    [
        ((replace(TEN[2], x=TEN[2].x + 8), *TEN[3:]), True),
        ((replace(TEN[2], x=TEN[2].x + 8), replace(TEN[3], y=TEN[3].y + 8), *TEN[4:]), True),
        ((replace(TEN[2], x=TEN[2].x + 8, face=4), *TEN[3:]), False),
        ((replace(TEN[2], y=TEN[2].y + 40), *TEN[3:]), False),
    ],
)
def test_dice_kept_that_lie_elsewhere_were_knocked_or_picked_up_too(
    moved: tuple[Die, ...], counts: bool
) -> None:
    watching = Watching()
    watching.see_dice(TEN[2:], hand=(150.0, 150.0), frames=2)
    watching.see_dice(TEN[2:])
    pick_up = watching.watch.before_throw(SquareReader().read(draw((*moved, Die(150, 130, 6)))))
    assert (pick_up is not None) == counts
    assert pick_up is None or pick_up.hurried, "more may have been picked up unseen"
    aside = SquareReader().read(draw(moved))
    assert watching.watch.before_throw(aside) is None, "nothing was thrown yet"


@pytest.mark.parametrize("gone", [TEN[2:], TEN])
def test_that_dice_are_gone_shows_in_a_frame_with_others_out_of_sight_too(
    gone: tuple[Die, ...],
) -> None:
    watching = Watching()
    watching.see_dice(TEN[2:])
    watching.see_dice(gone, hand=(TEN[6].x, TEN[6].y))
    thrown = SquareReader().read(draw((*TEN[2:], Die(150, 130, 6))))
    assert (watching.watch.before_throw(thrown) is not None) == (gone == TEN[2:])


@pytest.mark.parametrize("clear", [0, 1])
def test_a_die_knocked_from_its_place_while_the_thrown_ones_land_was_kept(clear: int) -> None:
    watching = Watching()
    watching.see_dice(TEN[2:], hand=(150.0, 150.0), frames=2)
    watching.see_dice(TEN[2:], frames=clear)
    knocked = (replace(TEN[2], y=TEN[2].y + 20), *TEN[3:])
    landed = (*knocked, Die(150, 130, 6))
    watching.see_dice(landed, frames=3)
    pick_up = watching.watch.before_throw(SquareReader().read(draw(landed)))
    assert (pick_up is not None) == bool(clear)
    if pick_up is not None:
        assert (faces(pick_up.kept), pick_up.hurried) == (LEFT, True)
    watching.see_dice(TEN[1:])
    watching.see_dice(landed)
    assert watching.watch.before_throw(SquareReader().read(draw(landed))) is None, "one came back"


def test_a_die_pushed_aside_in_sight_is_no_pick_up() -> None:
    watching = Watching()
    aside = Die(TEN[0].x, TEN[0].y + 28, TEN[0].face)
    watching.see_dice((aside, *TEN[1:]), hand=(aside.x, aside.y + 35), frames=5)
    watching.see_dice((aside, *TEN[1:]), frames=5)
    assert watching.kept() is None
    assert watching.watch.before_throw(SquareReader().read(draw((aside, *TEN[1:])))) is None


def test_nor_is_one_pushed_in_between_others() -> None:
    watching = Watching()
    left, right = TEN[1], replace(TEN[2], x=TEN[1].x + 27, y=TEN[1].y)
    crowd = (TEN[0], left, right, *TEN[3:])
    before = draw(crowd)
    watching.watch = PickUpWatch(SquareReader().read(before), shrink(before), 1.0, DIE)
    between = replace(TEN[0], x=(left.x + right.x) / 2, y=left.y)
    watching.see_dice((between, *crowd[1:]), frames=5)
    assert watching.kept() is None
    watching.see_dice(crowd[1:], frames=2)
    assert watching.kept() == sorted(die.face for die in crowd[1:])


def test_a_single_frame_is_not_enough() -> None:
    watching = Watching()
    watching.see_dice(TEN[2:])
    thrown = SquareReader().read(draw((*TEN[2:], Die(150, 130, 6))))
    assert watching.watch.before_throw(thrown) is None


def test_a_hand_of_the_floors_colour_bares_nothing() -> None:
    watching = Watching()
    hidden = draw(TEN[2:]).astype(np.int16)
    x, y = round(TEN[0].x), round(TEN[0].y)
    hidden[y - 30 : y + 30, x - 20 : x + 80] += 16
    for _ in range(4):
        watching.see(np.clip(hidden, 0, 255).astype(np.uint8))
    assert watching.kept() is None


def test_where_the_tray_was_never_seen_bare_nothing_is_plainly_gone() -> None:
    watching = Watching()
    watching.background = Background()
    watching.see_dice(TEN[2:], frames=9)
    assert watching.kept() is None


def test_the_watch_goes_on_over_the_dice_kept() -> None:
    watch = PickUpWatch(READINGS, shrink(draw(TEN)), 1.0, DIE)
    narrower = watch.of_kept(READINGS[:3])
    assert len(narrower.untouched(shrink(draw(TEN)), 0.0)) == 3
