"""Which reading belongs to which die, by the rules by which figures are counted."""

from __future__ import annotations

from pathlib import Path

from boxcars.matching import Outcome, PictureResult, judge_picture
from boxcars.truth import OtherThing, TrueDie, TruePicture
from tests.boxcars.made import make_reading
from vision.records import Box, DieReading, Doubt


def picture(*dice: TrueDie, other: tuple[OtherThing, ...] = ()) -> TruePicture:
    return TruePicture(Path("a.jpg"), dice, other, None)


def boxed(face: int, x: float, y: float, size: float = 60.0) -> TrueDie:
    return TrueDie(face, box_at(x, y, size), None, None)


def box_at(x: float, y: float, size: float = 60.0) -> Box:
    return x - size / 2, y - size / 2, x + size / 2, y + size / 2


def outcomes(result: PictureResult) -> list[Outcome]:
    return [judged.outcome for judged in result.judged]


def readings_of(result: PictureResult) -> list[DieReading | None]:
    return [judged.reading for judged in result.judged]


def test_the_four_outcomes() -> None:
    result = judge_picture(
        picture(boxed(1, 100, 100), boxed(2, 200, 100), boxed(3, 300, 100), boxed(4, 400, 100)),
        [
            make_reading(9, (310, 100)),
            make_reading(2, (195, 110), doubts=Doubt.GLARE),
            make_reading(1, (100, 100)),
        ],
    )
    assert outcomes(result) == ["correct", "abstained", "silent-misread", "missed"]
    assert result.is_roll
    assert not result.is_exact


def test_exact_when_every_die_is_correct_and_nothing_else_is_read() -> None:
    dice = picture(boxed(1, 100, 100), boxed(2, 200, 100))
    right = [make_reading(1, (100, 100)), make_reading(2, (200, 100))]
    assert judge_picture(dice, right).is_exact
    unsure_extra = make_reading(5, (500, 500), doubts=Doubt.UNSURE)
    assert judge_picture(dice, [*right, unsure_extra]).is_exact
    certain_extra = make_reading(5, (500, 500))
    assert not judge_picture(dice, [*right, certain_extra]).is_exact


def test_the_center_decides_and_not_the_overlap() -> None:
    # The reading's box covers the die, but its centre lies just outside.
    result = judge_picture(picture(boxed(1, 100, 100)), [make_reading(1, (131, 100))])
    assert outcomes(result) == ["missed"]
    assert [false.kind for false in result.false_dice] == [None]


def test_nearest_first_and_each_used_once() -> None:
    # Both readings lie in both boxes; in the order given, the first die would take the other's.
    near_second, near_first = make_reading(2, (112, 100)), make_reading(1, (101, 100))
    result = judge_picture(
        picture(boxed(1, 100, 100), boxed(2, 115, 100)), [near_second, near_first]
    )
    assert readings_of(result) == [near_first, near_second]
    assert outcomes(result) == ["correct", "correct"]


def test_a_second_reading_of_one_die_is_a_false_die() -> None:
    result = judge_picture(
        picture(boxed(1, 100, 100)), [make_reading(1, (105, 100)), make_reading(7, (100, 100))]
    )
    assert outcomes(result) == ["silent-misread"]
    assert [false.reading.face for false in result.false_dice] == [1]


def test_only_a_center_is_known() -> None:
    # The up face's centre must lie in the reading's box.
    die = TrueDie(1, None, (100.0, 100.0), None)
    assert outcomes(judge_picture(picture(die), [make_reading(1, (129, 100))])) == ["correct"]
    assert outcomes(judge_picture(picture(die), [make_reading(1, (131, 100))])) == ["missed"]


def test_no_place_is_known_so_the_best_reading_counts() -> None:
    die = TrueDie(3, None, None, None)
    weak, strong = make_reading(5, (10, 10), confidence=0.6), make_reading(3, (900, 400))
    result = judge_picture(picture(die), [weak, strong])
    assert readings_of(result) == [strong]
    assert [false.reading for false in result.false_dice] == [weak]
    assert outcomes(judge_picture(picture(die), [])) == ["missed"]


def test_false_dice_on_other_things() -> None:
    other = (OtherThing("d6", box_at(100, 100)), OtherThing("d8", box_at(300, 100)))
    result = judge_picture(
        picture(other=other),
        [
            make_reading(1, (100, 100)),
            make_reading(2, (300, 100), doubts=Doubt.NOT_A_D10),
            make_reading(3, (500, 100)),
        ],
    )
    assert [(false.reading.face, false.kind) for false in result.false_dice] == [
        (1, "d6"),
        (3, None),
    ]
    assert not result.is_roll
    assert not result.is_exact


def test_an_other_thing_without_a_box_fills_the_picture() -> None:
    result = judge_picture(picture(other=(OtherThing("d20", None),)), [make_reading(1, (640, 360))])
    assert [false.kind for false in result.false_dice] == ["d20"]
