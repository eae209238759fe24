"""What `truth.json` says, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boxcars.truth import OtherThing, TrueDie, TruthUnreadable, load_truth
from samples import GAME


def write_truth(folder: Path, content: object) -> None:
    (folder / "truth.json").write_text(json.dumps(content), encoding="utf-8")


def test_reads_images(tmp_path: Path) -> None:
    write_truth(
        tmp_path,
        {
            "images": [
                {
                    "file": "a.jpg",
                    "tilt_deg": 12.5,
                    "dice": [{"value": 4, "box": [10, 20, 50, 70], "look": "marble"}],
                    "other": [{"kind": "d6", "box": [1, 2, 3, 4]}, {"kind": "d8", "box": None}],
                },
                {"file": "b.jpg", "dice": [{"value": 0, "box": None}]},
            ]
        },
    )
    first, second = load_truth(tmp_path)
    assert first.path == tmp_path / "a.jpg"
    assert first.dice == (TrueDie(4, (10.0, 20.0, 50.0, 70.0), None, "marble"),)
    assert first.dice[0].size == 50
    assert first.other == (OtherThing("d6", (1.0, 2.0, 3.0, 4.0)), OtherThing("d8", None))
    assert first.tilt_deg == 12.5
    assert second.dice == (TrueDie(0, None, None, None),)
    assert second.dice[0].size is None
    assert second.tilt_deg is None


def test_reads_the_frames_of_a_game() -> None:
    pictures = load_truth(GAME)
    assert len(pictures) == 50
    assert all(picture.path.is_file() for picture in pictures)
    assert {picture.tilt_deg for picture in pictures} == {8.0}
    assert sum(len(picture.dice) for picture in pictures) == 375
    assert pictures[0].dice[0] == TrueDie(1, None, (690.8, 383.7), None)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"events": []}, "describes no pictures"),
        ({"images": []}, "describes no pictures"),
        ([1, 2], "describes no pictures"),
        ({"images": [{"dice": []}]}, "is incomplete: picture 1 lacks 'file'"),
        ({"images": [{"file": "a.jpg", "dice": None}]}, "is wrong about picture 1"),
        (
            {"images": [{"file": "a.jpg", "dice": []}, {"file": "b.jpg"}]},
            "is incomplete: picture 2 lacks 'dice'",
        ),
        ({"images": ["a.jpg"]}, "is wrong about picture 1"),
        ({"images": [{"file": 3, "dice": []}]}, "is wrong about picture 1"),
        ({"images": [{"file": "a.jpg", "dice": [], "tilt_deg": "steep"}]}, "'steep'"),
        ({"images": [{"file": "a.jpg", "dice": [], "other": [{}]}]}, "lacks 'kind'"),
        (
            {"images": [{"file": "a.jpg", "dice": [{"value": 1, "box": [1, 2, 3]}]}]},
            "is wrong about picture 1",
        ),
        (
            {"images": [{"file": "a.jpg", "dice": [{"value": 1, "box": ["x", 2, 3, 4]}]}]},
            "is wrong about picture 1",
        ),
        (
            {"images": [{"file": "a.jpg", "dice": [{"value": 1, "center": [5]}]}]},
            "is wrong about picture 1",
        ),
        (
            {"images": [{"file": "a", "dice": [], "tray_corners": [1], "tray_size_mm": [1]}]},
            "is wrong about picture 1",
        ),
        ({"images": [{"file": "a.jpg", "dice": [{"value": 10, "box": None}]}]}, "0 to 9, not 10"),
        (
            {"images": [{"file": "a.jpg", "dice": [{"value": 1}, {"value": 2}]}]},
            "a.jpg has 2 dice, so each needs a box or a center",
        ),
    ],
)
def test_refuses_what_it_cannot_use(tmp_path: Path, content: object, sentence: str) -> None:
    write_truth(tmp_path, content)
    with pytest.raises(TruthUnreadable) as refusal:
        load_truth(tmp_path)
    assert sentence in str(refusal.value)


def test_refuses_a_folder_without_truth(tmp_path: Path) -> None:
    with pytest.raises(TruthUnreadable, match=r"has no truth\.json"):
        load_truth(tmp_path)


def test_refuses_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(TruthUnreadable, match="is not a folder"):
        load_truth(tmp_path / "missing")


def test_refuses_broken_json(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text('{"images": [', encoding="utf-8")
    with pytest.raises(TruthUnreadable, match="cannot be read"):
        load_truth(tmp_path)
