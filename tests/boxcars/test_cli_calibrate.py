"""`boxcars calibrate` and `--calibration` at the command line."""

from __future__ import annotations

import json
from itertools import chain, repeat
from pathlib import Path

import cv2
import numpy as np
import pytest

from boxcars.commands.opening import open_calibrated
from calibration.evaluate import pose_at
from calibration.profile import Origin, Profile
from calibration.profile_file import load
from calibration.rendering import Looks, render
from calibration.store import ProfileStore
from samples import GAME
from tests.calibration.scenes import LENS, textured, tray
from tests.running import assert_one_sentence, assert_refused, boxcars
from tests.vision.streaming import MjpegServer, jpeg
from vision.pictures import load_picture

PICTURE = GAME / "000-t1-roll10-roll.jpg"
CORNERS = [
    *("--corner", "190,80"),
    *("--corner", "1090,80"),
    *("--corner", "1140,690"),
    *("--corner", "150,690"),
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Profiles are kept in a folder of the test's own."""
    monkeypatch.setattr("calibration.store.default_folder", lambda: tmp_path / "cameras")


@pytest.mark.parametrize(("name", "begins"), [("b.pdf", b"%PDF-"), ("b.png", b"\x89PNG")])
def test_board_is_written(tmp_path: Path, name: str, begins: bytes) -> None:
    out = tmp_path / "new" / name
    ran = boxcars("calibrate", "board", "--paper", "letter", "--out", out)
    assert (ran.code, ran.out) == (0, "")
    assert out.read_bytes().startswith(begins)
    assert "ruler line" in ran.err
    told = boxcars("calibrate", "board", "--paper", "letter", "--out", out, "--json")
    assert told.record == {"file": str(out), "paper": "letter"}
    assert (told.code, told.err) == (0, "")


def test_board_needs_a_folder_to_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = boxcars("calibrate", "board", "--out", tmp_path / "file" / "b.png")
    assert_refused(ran, f"{tmp_path / 'file'} is a file", "b.png")


def test_board_must_be_pdf_or_png(tmp_path: Path) -> None:
    assert_refused(boxcars("calibrate", "board", "--out", tmp_path / "b.svg"), ".pdf or .png")


def test_corners_make_a_file_that_read_takes(tmp_path: Path) -> None:
    out = tmp_path / "cam.json"
    made = boxcars(
        "calibrate", "corners", PICTURE, "--tray", "290x196", *CORNERS, "--out", out, "--json"
    )
    assert made.code == 0, made
    assert made.record["made_from"] == "corners"
    assert made.record["file"] == str(out)
    read = boxcars("read", PICTURE, "--calibration", out, "--json")
    assert read.code == 0, read
    assert len(read.record["dice"]) == 10


def test_a_camera_is_kept_listed_and_forgotten() -> None:
    made = boxcars("calibrate", "dice", PICTURE, "--camera", "my cam")
    assert made.code == 0, made
    assert "kept in" in made.out
    listed = boxcars("calibrate", "list", "--json")
    assert listed.record["camera"] == "my cam"
    assert boxcars("calibrate", "forget", "my cam").code == 0
    assert_refused(boxcars("calibrate", "forget", "my cam"), "my cam")
    none = boxcars("calibrate", "list")
    assert none.code == 0
    assert "No camera is calibrated yet" in none.err


def test_a_damaged_calibration_is_listed_and_forgotten(tmp_path: Path) -> None:
    for camera in ("my cam", "other"):
        ran = boxcars("calibrate", "dice", PICTURE, "--camera", camera)
        assert ran.code == 0, ran
    (cut,) = (tmp_path / "cameras").glob("my-cam-*.json")
    cut.write_bytes(cut.read_bytes()[:200])
    listed = boxcars("calibrate", "list", "--json")
    assert listed.code == 2
    assert listed.record["camera"] == "other"
    assert_one_sentence(listed.err, str(cut), "not JSON", "calibrate again", "delete the file")
    forgotten = boxcars("calibrate", "forget", "my cam", "--json")
    assert (forgotten.code, forgotten.err) == (0, "")
    assert forgotten.record == {"camera": "my cam", "files_deleted": 1}
    assert not cut.exists()
    assert boxcars("calibrate", "list", "--json").code == 0


def test_a_camera_is_kept_without_its_password_and_found_again(tmp_path: Path) -> None:
    with MjpegServer(lambda: repeat(PICTURE.read_bytes())) as server:
        address = f"http://ann:s3cret@127.0.0.1:{server.port}/video"
        corners = ("--tray", "290x196", *CORNERS)
        for ran in (
            boxcars("calibrate", "corners", address, *corners),
            boxcars("calibrate", "corners", address, *corners, "--camera", address, "--json"),
            boxcars("calibrate", "list"),
        ):
            assert ran.code == 0, ran
            assert server.url in ran.out
            assert "s3cret" not in ran.out + ran.err
        (kept,) = (tmp_path / "cameras").iterdir()
        assert "s3cret" not in kept.name + kept.read_text(encoding="utf-8")
        reader = open_calibrated("auto", address)
        reader.read(load_picture(PICTURE))
        assert reader.profile is not None
    assert boxcars("calibrate", "forget", address).code == 0
    gone = boxcars("calibrate", "forget", address)
    assert_refused(gone, server.url)
    assert "s3cret" not in gone.err


def test_a_phone_that_is_turned_is_read_without_what_is_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = Profile("phone", tray(15.0), Origin.CORNERS, 0.3, 0.02, "").with_reference(textured())
    ProfileStore().save(kept)
    reader = open_calibrated("auto", "phone")
    reader.read(np.zeros((1280, 720, 3), np.uint8))
    assert reader.profile is None
    assert_one_sentence(capsys.readouterr().err)


def test_views_of_the_board_tell_lens_and_tray(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    turns = [(25.0, k * 45.0, (560.0 + 25 * k, 300.0 + 15 * k)) for k in range(8)]
    for k, (tilt, azimuth, middle) in enumerate(turns):
        pose = pose_at(LENS, tilt, azimuth, 10.0 * k, 620.0, middle)
        cv2.imwrite(str(tmp_path / f"view-{k}.png"), render(LENS, pose, Looks(), rng))
    (tmp_path / "out").mkdir()
    made = boxcars(
        *("calibrate", "views", tmp_path, "--tray", "260x180", "--die", "16", "--json"),
        *("--out", tmp_path / "out" / "cam.json"),
    )
    assert made.code == 0, made
    assert made.record["made_from"] == "board-views"
    assert made.record["focal_px"] == pytest.approx(LENS.focal[0], rel=0.005)
    assert made.record["tilt_deg"] == pytest.approx(25.0, abs=0.3)
    assert made.record["error_px"] < 0.3
    assert len(made.record["outline_px"]) == 4
    assert made.err == ""


def test_at_a_camera_the_twelfth_view_is_the_tray_and_that_is_said_in_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sides = [(25.0, k * 45.0, 25.0 * k, (540.0 + 20 * k, 290.0 + 12 * k)) for k in range(11)]
    seen = [
        jpeg(render(LENS, pose_at(LENS, tilt, around, turn, 620.0, middle), Looks(), rng), 95)
        for tilt, around, turn, middle in (*sides, (4.0, 0.0, 0.0, (640.0, 360.0)))
    ]
    shown = [view for view in seen for _ in range(22)]
    with MjpegServer(lambda: chain(shown, repeat(seen[-1])), fps=20.0) as server:
        ran = boxcars(
            *("calibrate", "views", server.url, "--tray", "260x180", "--camera", "c"),
            *("--out", tmp_path / "cam.json"),
        )
    assert ran.code == 0, ran
    said = ran.err.splitlines()
    assert said.index("View 11 taken.") + 1 == said.index(
        "That tells the lens: now lay the board flat into the tray."
    )
    assert said.count("View 12 taken.") == 1
    profile = load(tmp_path / "cam.json")
    assert profile.standpoint.tilt_deg == pytest.approx(4.0, abs=1.0)


def test_without_a_word_it_explains_itself() -> None:
    ran = boxcars("calibrate")
    assert ran.code == 0
    assert "corners" in ran.out


def test_check_reports_thing_by_thing() -> None:
    ran = boxcars("calibrate", "check", PICTURE, "--json")
    assert ran.code in (0, 1)
    names = [finding["name"] for finding in ran.record["findings"]]
    assert {"digit-height", "tilt", "focus", "exposure", "glare", "noise", "frame-rate"} <= {*names}
    people = boxcars("calibrate", "check", PICTURE)
    assert "Digits are" in people.out


def test_check_shows_the_tray_from_above(tmp_path: Path) -> None:
    profile, above = tmp_path / "cam.json", tmp_path / "above.png"
    boxcars("calibrate", "corners", PICTURE, "--tray", "290x196", *CORNERS, "--out", profile)
    ran = boxcars("calibrate", "check", PICTURE, "--calibration", profile, "--top-down", above)
    assert ran.code in (0, 1)
    assert "2 pixels a millimetre" in ran.err
    # 290 by 196 mm, whichever way round the tray lies in the picture.
    assert load_picture(above).shape == (392, 580, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", PICTURE, "--top-down", "above.jpg"], "above.jpg must end in .png"),
        (["check", PICTURE, "--top-down", "above.png"], "needs a calibration"),
        (["corners", PICTURE, "--tray", "big", *CORNERS], "300x200"),
        (["corners", PICTURE, "--tray", "infx196", *CORNERS], "300x200, not infx196"),
        (["corners", PICTURE, "--tray", "30x20", *CORNERS], "in millimetres, 50 to 2000"),
        (["corners", PICTURE, "--tray", "1e9x1e9", *CORNERS], "like 300x200, not 1e9x1e9"),
        (["corners", PICTURE, "--tray", "-290x-196", *CORNERS], "like 300x200, not -290x-196"),
        (["views", PICTURE, "--tray", "26x18", "--camera", "c"], "in millimetres"),
        (["dice", PICTURE, "--die", "7.9", "--camera", "c"], "in millimetres, 8 to 40"),
        (["dice", PICTURE, "--die", "41", "--camera", "c"], "not 41."),
        (["dice", PICTURE, "--die", "nan", "--camera", "c"], "not nan."),
        (["corners", PICTURE, "--tray", "290x196", "--corner", "7"], "210,95"),
        (["corners", PICTURE, "--tray", "290x196", "--corner", "nan,7"], "210,95, not nan,7"),
        (["corners", PICTURE, "--tray", "290x196", "--corner", "1,2,3"], "210,95, not 1,2,3"),
        (["corners", PICTURE, "--tray", "290x196", *CORNERS], "--camera"),
        (["corners", PICTURE, "--tray", "900x60", *CORNERS, "--camera", "c"], "size"),
        (["views", PICTURE, "--camera", "c"], "board is not seen"),
        (["dice", "no-such-folder", "--camera", "c"], "no-such-folder"),
    ],
)
def test_what_cannot_be_done_is_refused(arguments: list[str | Path], words: str) -> None:
    assert_refused(boxcars("calibrate", *arguments), words)


def test_evaluate_refuses_auto() -> None:
    ran = boxcars("evaluate", GAME, "--calibration", "auto")
    assert_refused(ran, "evaluate", "FILE, truth or none, not auto")


@pytest.mark.parametrize("command", ["read", "check"])
def test_help_says_that_pictures_need_a_file(command: str) -> None:
    ran = boxcars(command, "--help")
    assert ran.code == 0
    assert "they need a FILE" in " ".join(ran.out.replace("│", " ").split())


def test_read_refuses_an_empty_calibration() -> None:
    assert_refused(boxcars("read", PICTURE, "--calibration", ""), "--calibration is empty")


def test_read_refuses_a_file_that_is_no_calibration(tmp_path: Path) -> None:
    (tmp_path / "cam.json").write_text(json.dumps({"hello": 1}))
    assert_refused(
        boxcars("read", PICTURE, "--calibration", tmp_path / "cam.json"), "no calibration"
    )
