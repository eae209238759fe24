"""`read`, `evaluate` and `bench` with real pictures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from samples import GAME
from tests.running import TIMEOUT_S, boxcars, command, environment
from vision.pictures import load_picture
from vision.sources import RECORDING_INDEX

ROLL = GAME / "000-t1-roll10-roll.jpg"
PICKUP = GAME / "001-t1-reroll8-pickup.jpg"
CLEARED = GAME / "008z-t1-cleared.jpg"


def test_json_has_every_die_with_its_evidence() -> None:
    ran = boxcars("read", ROLL, "--json")
    assert (ran.code, ran.err) == (0, "")
    record = ran.record
    assert list(record) == ["image", "dice", "ms"]
    assert record["image"] == str(ROLL)
    assert record["ms"] >= 0
    assert sorted(die["face"] for die in record["dice"]) == [0, 0, 1, 1, 1, 3, 5, 7, 7, 8]
    for die in record["dice"]:
        assert list(die) == ["face", "confidence", "probabilities", "center", "box", "doubts"]
        assert len(die["probabilities"]) == 10
        assert sum(die["probabilities"]) == pytest.approx(1, abs=1e-4)
        assert die["confidence"] == max(die["probabilities"])
        assert die["probabilities"].index(die["confidence"]) == die["face"]
        assert die["doubts"] == []
        (x, y), (x0, y0, x1, y1) = die["center"], die["box"]
        assert 0 <= x0 < x < x1 <= 1280
        assert 0 <= y0 < y < y1 <= 720


def test_a_recording_is_read_picture_by_picture(tmp_path: Path) -> None:
    """The folder that `play --record` writes: it is in order of time, not of names."""
    names = ["b.jpg", "a.jpg"]
    for name, path in zip(names, (ROLL, PICKUP), strict=True):
        shutil.copy(path, tmp_path / name)
    lines = [f"{name},{t}.0\n" for t, name in enumerate(names)]
    (tmp_path / RECORDING_INDEX).write_text("".join(["file,seconds\n", *lines]))
    ran = boxcars("read", tmp_path, "--json", "--annotate", tmp_path / "seen")
    assert ran.code == 0
    assert [Path(record["image"]).name for record in ran.records] == names
    assert {path.name for path in (tmp_path / "seen").iterdir()} == {*names}


def test_pictures_and_folders_are_read_in_order(tmp_path: Path) -> None:
    for name in ("10.jpg", "9.jpg"):
        shutil.copy(ROLL, tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a picture", encoding="utf-8")
    ran = boxcars("read", PICKUP, tmp_path, "--json")
    assert ran.code == 0
    assert [Path(record["image"]).name for record in ran.records] == [
        PICKUP.name,
        "9.jpg",
        "10.jpg",
    ]
    assert [len(record["dice"]) for record in ran.records] == [4, 10, 10]


def test_for_people_a_line_a_picture() -> None:
    ran = boxcars("read", ROLL, PICKUP)
    assert ran.code == 0
    assert ran.out.splitlines() == [f"{ROLL}: 0 0 1 1 1 3 5 7 7 8", f"{PICKUP}: 0 1 7 7"]


def test_an_emptied_tray_shows_no_dice() -> None:
    ran = boxcars("read", CLEARED)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"boxcars: {CLEARED} shows no dice.\n"


def test_annotate_draws_on_a_copy(tmp_path: Path) -> None:
    drawn = tmp_path / "deep" / "seen.png"
    ran = boxcars("read", ROLL, "--annotate", drawn)
    assert ran.code == 0
    before, after = load_picture(ROLL), load_picture(drawn)
    assert after.shape == before.shape
    changed = (before != after).any(axis=2)
    assert 0.001 < changed.mean() < 0.5
    dice = boxcars("read", ROLL, "--json").record["dice"]
    for die in dice:
        x0, y0, x1, y1 = (round(side) for side in die["box"])
        assert changed[max(y0 - 5, 0) : y1 + 5, max(x0 - 5, 0) : x1 + 5].any()


def test_annotate_fills_a_folder(tmp_path: Path) -> None:
    ran = boxcars("read", ROLL, PICKUP, "--annotate", tmp_path / "seen", "--json")
    assert ran.code == 0
    assert len(ran.records) == 2
    assert sorted(path.name for path in (tmp_path / "seen").iterdir()) == [ROLL.name, PICKUP.name]
    assert (load_picture(tmp_path / "seen" / ROLL.name) != load_picture(ROLL)).any()


def test_a_doubtful_die_is_shown_with_its_doubts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every die of this game is read for certain, so the doubt is made.
    from tests.boxcars.made import make_reading
    from vision.reader import DiceReader
    from vision.records import Doubt

    seen = (
        make_reading(4, (100, 100)),
        make_reading(9, (300.4, 200), doubts=Doubt.SIX_OR_NINE | Doubt.GLARE, confidence=0.625),
    )
    monkeypatch.setattr(DiceReader, "read", lambda *_: seen)
    ran = boxcars("read", ROLL)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"{ROLL}: 4   and 1 in doubt",
        "  at 300,200: perhaps 9 (62%) – it may be a 6 or a 9 and light glares on it",
    ]
    doubtful = boxcars("read", ROLL, "--json").record["dice"][1]
    assert (doubtful["face"], doubtful["doubts"]) == (None, ["six-or-nine", "glare"])


def test_check_cannot_tell_when_a_die_is_in_doubt_or_one_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.boxcars.made import make_reading
    from vision.reader import DiceReader
    from vision.records import Doubt

    ten = tuple(make_reading(face, (100.0 * (face + 1), 100.0)) for face in range(10))
    doubtful = (*ten[:9], make_reading(9, (1000.0, 100.0), doubts=Doubt.GLARE))
    eleven = (*ten, make_reading(3, (600.0, 600.0)))
    for views in ([doubtful, doubtful], [ten, eleven], [eleven, ten], [ten, ten[:9]]):
        pictures = iter(views)
        monkeypatch.setattr(DiceReader, "read", lambda *_, pictures=pictures: next(pictures))
        ran = boxcars("check", ROLL, PICKUP, "--phase", "reroll-8", "--json")
        assert (ran.code, ran.record["verdict"], ran.record["reasons"]) == (3, "cannot-tell", [])
        assert ran.err.startswith("boxcars: ")
        assert ran.err.count("\n") == 1
    assert ran.record["before"] == list(range(10))


def test_evaluate_for_people() -> None:
    ran = boxcars("evaluate", GAME, "--mistakes", "--jobs", "2")
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["all", "50", "375", "375", "100.0%"] in [line[:5] for line in lines]
    assert ["0-12", "50", "375", "375", "100.0%"] in [line[:5] for line in lines]


def test_bench_measures_each_stage() -> None:
    ran = boxcars("bench", "--runs", "3", "--json")
    assert (ran.code, ran.err) == (0, "")
    record = ran.record
    assert record["threads"] == 1
    small, large = record["cases"]
    assert (small["width"], small["height"], small["dice"]) == (1280, 720, 10)
    assert (large["width"], large["height"]) == (1920, 1080)
    for case in record["cases"]:
        stages = case["stages"]
        assert list(stages) == ["find", "pose", "read"]
        assert sum(stage["share"] for stage in stages.values()) == pytest.approx(1, abs=0.01)
        assert case["total"]["p95_ms"] >= case["total"]["median_ms"] > 0
        assert case["total"]["median_ms"] >= stages["find"]["median_ms"]
    assert record["ms_per_further_die"] is not None
    assert record["first_reading_s"] > 0


def test_bench_for_people(tmp_path: Path) -> None:
    path = tmp_path / "tray.jpg"
    shutil.copy(ROLL, path)
    ran = boxcars("bench", path, "--runs", "2")
    assert ran.code == 0
    assert "first reading" in ran.out
    assert "one more die" not in ran.out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_goes_to_the_terminal_and_never_among_the_json(tmp_path: Path) -> None:
    import pty

    terminal, its_end = pty.openpty()
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        process = subprocess.Popen(
            command("read", GAME, "--json"), env=environment(), stdout=stdout, stderr=its_end
        )
    os.close(its_end)
    shown = b""
    # The terminal reports an error, not an end, when its last writer has gone.
    with suppress(OSError):
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    assert process.wait(TIMEOUT_S) == 2
    assert b"Reading" in shown
    assert b"100%" in shown
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 50
