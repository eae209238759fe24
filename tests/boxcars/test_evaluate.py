"""The figures over a folder of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from boxcars.evaluate import Evaluation, evaluate
from boxcars.matching import judge_picture
from boxcars.truth import OtherThing, TrueDie, TruePicture
from tests.boxcars.made import make_reading
from vision.pictures import UnreadablePicture
from vision.records import DieReading, Doubt, Image


def die(face: int, x: float, size: float, look: str | None = None) -> TrueDie:
    return TrueDie(face, (x - size / 2, 100 - size / 2, x + size / 2, 100 + size / 2), None, look)


@pytest.fixture
def evaluation() -> Evaluation:
    """Three pictures: a flawed roll, an exact roll, and other dice only."""
    flawed = TruePicture(
        Path("flawed.jpg"),
        (die(1, 100, 44, "metal"), die(2, 200, 45, "metal"), die(3, 300, 90, "pearl")),
        (OtherThing("d6", (480, 80, 520, 120)), OtherThing("d8", (580, 80, 620, 120))),
        12.0,
    )
    exact = TruePicture(Path("exact.jpg"), (die(4, 100, 60, "pearl"), die(5, 200, 91)), (), 12.1)
    strangers = TruePicture(Path("strangers.jpg"), (), (OtherThing("d6", None),), 25.1)
    return Evaluation(
        (
            judge_picture(
                flawed,
                [
                    make_reading(7, (100, 100)),
                    make_reading(2, (200, 100), doubts=Doubt.BLURRED),
                    make_reading(8, (500, 100)),
                    make_reading(8, (900, 100)),
                ],
            ),
            judge_picture(exact, [make_reading(4, (100, 100)), make_reading(5, (200, 100))]),
            judge_picture(strangers, [make_reading(0, (20, 20))]),
        )
    )


def test_the_total(evaluation: Evaluation) -> None:
    assert evaluation.total.to_dict() == {
        "images": 3,
        "dice": 5,
        "correct": 2,
        "abstained": 1,
        "silent_misreads": 1,
        "missed": 1,
        "false_dice": 3,
        "rolls": 2,
        "rolls_exact": 1,
    }


def test_other_things_by_kind(evaluation: Evaluation) -> None:
    assert evaluation.other == {"d6": 2, "d8": 1}
    assert evaluation.other_read == {"d6": 2, "d8": 0}


def test_bands_of_tilt_hold_pictures(evaluation: Evaluation) -> None:
    tilt = evaluation.by["tilt"]
    assert list(tilt) == ["0-12", "12-25", "over-25"]
    assert [tally.dice for tally in tilt.values()] == [3, 2, 0]
    assert [tally.images for tally in tilt.values()] == [1, 1, 1]
    assert [tally.false_dice for tally in tilt.values()] == [2, 0, 1]
    assert [tally.rolls_exact for tally in tilt.values()] == [0, 1, 0]


def test_bands_of_size_and_look_hold_dice(evaluation: Evaluation) -> None:
    size = evaluation.by["size"]
    assert list(size) == ["under-45", "45-60", "60-90", "over-90"]
    assert [tally.dice for tally in size.values()] == [1, 1, 2, 1]
    assert [tally.silent_misreads for tally in size.values()] == [1, 0, 0, 0]
    # Both pictures have a die of 60 to 90 pixels: one is exact, the other has two false dice.
    assert size["60-90"].rolls == 2
    assert size["60-90"].rolls_exact == 1
    assert size["60-90"].false_dice == 2
    look = evaluation.by["look"]
    assert {name: tally.dice for name, tally in look.items()} == {"metal": 2, "pearl": 2}
    assert look["metal"].rolls == 1


def test_mistakes_name_picture_and_die(evaluation: Evaluation) -> None:
    mistakes = list(evaluation.mistakes)
    assert [(it["image"], it["mistake"]) for it in mistakes] == [
        ("flawed.jpg", "silent-misread"),
        ("flawed.jpg", "abstained"),
        ("flawed.jpg", "missed"),
        ("flawed.jpg", "false-die"),
        ("flawed.jpg", "false-die"),
        ("strangers.jpg", "false-die"),
    ]
    assert mistakes[1]["doubts"] == ["blurred"]
    assert mistakes[1]["likeliest"] == 2
    assert "face" not in mistakes[2]
    assert [it.get("other") for it in mistakes[3:]] == ["d6", None, "d6"]


class ReadsBrightness:
    """Reads one die whose face is the picture's brightness, so that pictures can't be mixed up."""

    def read(self, image: Image) -> Sequence[DieReading]:
        return [make_reading(round(float(image.mean()) / 20), (32, 32), size=20)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_picture_is_measured_by_its_own_truth(tmp_path: Path, jobs: int) -> None:
    pictures = []
    for number in range(20):
        path = tmp_path / f"{number}.png"
        cv2.imwrite(str(path), np.full((64, 64, 3), number % 10 * 20, np.uint8))
        pictures.append(TruePicture(path, (die(number % 10, 32, 200),), (), None))
    steps: list[None] = []
    evaluation = evaluate(
        pictures,
        ReadsBrightness,
        jobs=jobs,
        on_picture=lambda: steps.append(None),
    )
    assert evaluation.total.correct == 20
    assert [result.picture for result in evaluation.results] == pictures
    assert len(steps) == 20


def test_an_unreadable_picture_ends_it(tmp_path: Path) -> None:
    pictures = [TruePicture(tmp_path / f"{number}.png", (), (), None) for number in range(3)]
    with pytest.raises(UnreadablePicture, match=r"0\.png does not exist"):
        evaluate(pictures, ReadsBrightness, jobs=2)
