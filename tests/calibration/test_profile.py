"""Profiles: their file, their folder, and pictures they were not made for."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.orientation import Orientation
from calibration.profile import Origin, Profile, ProfileError, fitted, orientations_for
from calibration.profile_file import from_text, load, save, to_text
from calibration.store import ProfileStore
from tests.calibration.scenes import LENS, tray

PROFILE = Profile(
    camera="HD Webcam C920 (usb 1-4)",
    standpoint=tray(20.0, LENS),
    origin=Origin.CORNERS,
    error_px=0.31,
    focal_spread=0.02,
    created="2026-11-30T18:00:00+01:00",
)


def test_file_gives_back_the_same(tmp_path: Path) -> None:
    profile = PROFILE.with_reference(np.full((720, 1280, 3), 90, np.uint8))
    path = tmp_path / "new" / "camera.json"
    save(profile, path)
    assert load(path) == profile
    assert [it.name for it in path.parent.iterdir()] == ["camera.json"]
    reference = load(path).reference_image()
    assert reference is not None
    assert reference.shape == (180, 320)
    assert PROFILE.reference_image() is None


def test_people_can_read_it() -> None:
    text = to_text(PROFILE)
    assert '"size": [1280, 720]' in text
    assert '"camera": "HD Webcam C920 (usb 1-4)"' in text


def broken(*path: str, value: Any) -> str:
    content = json.loads(to_text(PROFILE))
    part = content
    for key in path[:-1]:
        part = part[key]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1 is not JSON"),
        ("[]", "no calibration of boxcars"),
        ('{"camera": "x"}', "no calibration of boxcars"),
        (broken("boxcars-calibration", value=2), "version 2"),
        (broken("lens", value=None), "lacks lens"),
        (broken("lens", value=3), "lens must be an object"),
        (broken("lens", "focal", value=[1]), "lens.focal must be 2 numbers"),
        (broken("lens", "focal", value=[-5, -5]), "focal length"),
        (broken("lens", "size", value=[1280.5, 720]), "two whole numbers"),
        (broken("lens", "center", value=["a", "b"]), "lens.center must be 2 numbers"),
        (broken("tray", "translation_mm", value=[0, 0, -300]), "above the tray"),
        (broken("tray", "outline_mm", value=[[1, 2, 3]]), "a list of corners"),
        (broken("made_from", value="guess"), "one of board-views, board, corners, dice"),
        (broken("die_mm", value=900), "5 to 60"),
        (broken("error_px", value=True), "0 or more"),
        (broken("camera", value=7), "camera must be a text"),
        (broken("reference_jpeg", value="%"), "base64"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(ProfileError, match=words) as refused:
        from_text(text, "camera.json")
    assert str(refused.value).startswith("camera.json")
    assert "\n" not in str(refused.value)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        load(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileError, match="not a text"):
        load(tmp_path / "bytes.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileError, match="cannot be written"):
        save(PROFILE, tmp_path / "file" / "camera.json")


def test_a_write_that_breaks_off_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "camera.json"
    save(PROFILE, path)

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ProfileError, match="No space left"):
        save(replace(PROFILE, camera="other"), path)
    assert load(path) == PROFILE
    assert [it.name for it in tmp_path.iterdir()] == ["camera.json"]


def test_store_finds_a_camera_by_name_and_size(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    assert store.find(PROFILE.camera, (1280, 720)) is None
    store.save(PROFILE)
    assert store.find(PROFILE.camera, (1280, 720)) == PROFILE
    assert store.find("another", (1280, 720)) is None
    (tmp_path / "notes.json").write_text("{}")
    assert store.all() == (PROFILE,)


def test_store_fits_a_profile_to_another_size(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE)
    small = store.find(PROFILE.camera, (640, 360))
    assert small is not None
    assert small.standpoint.lens.focal[0] == pytest.approx(520)
    with pytest.raises(ProfileError, match="show another part of the view"):
        store.find(PROFILE.camera, (640, 480))
    assert store.find(PROFILE.camera, (720, 1280)) == PROFILE


def test_a_damaged_file_of_the_camera_is_said(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE).write_text("{}")
    with pytest.raises(ProfileError, match="no calibration"):
        store.find(PROFILE.camera, (1280, 720))


def test_forgetting_deletes_a_cameras_profiles(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE)
    store.save(fitted(PROFILE, (640, 360)))
    store.save(replace(PROFILE, camera="another"))
    assert store.forget(PROFILE.camera) == 2
    assert [profile.camera for profile in store.all()] == ["another"]


def test_a_damaged_file_is_told_and_forgotten_with_its_camera(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    cut = store.save(PROFILE)
    cut.write_text(cut.read_text()[:200])
    longer = store.save(replace(PROFILE, camera=PROFILE.camera + " 2"))
    longer.write_text("")
    told = sorted(str(error).partition(" is no calibration: ")[0] for error in store.unreadable())
    assert told == sorted([str(cut), str(longer)])
    assert store.all() == ()
    assert store.forget(PROFILE.camera) == 1
    assert [path.name for path in tmp_path.iterdir()] == [longer.name]


def test_a_profile_copied_to_another_name_is_forgotten_too(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE).rename(tmp_path / "copy.json")
    assert store.find(PROFILE.camera, (1280, 720)) == PROFILE
    assert store.forget(PROFILE.camera) == 1
    assert store.find(PROFILE.camera, (1280, 720)) is None


def test_shapes_tell_which_turns_are_possible() -> None:
    upright = orientations_for(PROFILE, (640, 360))
    assert Orientation.UPRIGHT in upright
    assert Orientation.LEFT not in upright
    turned = orientations_for(PROFILE, (720, 1280))
    assert set(turned) == set(Orientation) - set(upright)
    assert orientations_for(PROFILE, (640, 480)) == ()
