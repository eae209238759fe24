"""Which calibration is read with, and pictures that came out turned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boxcars.calibrating import (
    Misfit,
    ProfiledReader,
    find_with,
    orientation_of,
    reading_calibrated,
    true_profile,
)
from boxcars.truth import TruePicture, TrueTray, load_truth
from calibration.orientation import Orientation
from calibration.profile import Origin, Profile, ProfileError
from calibration.profile_file import save
from calibration.store import ProfileStore
from tests.calibration.scenes import textured, tray
from vision.reader import DiceReader

PROFILE = Profile("cam", tray(15.0), Origin.CORNERS, 0.3, 0.02, "").with_reference(textured())


def test_a_file_is_used_for_all_and_a_bad_one_refused_at_once(tmp_path: Path) -> None:
    save(PROFILE, tmp_path / "cam.json")
    assert find_with(str(tmp_path / "cam.json"), None)((1280, 720)) == PROFILE
    with pytest.raises(ProfileError, match="No such file"):
        find_with(str(tmp_path / "no.json"), None)


def test_an_empty_option_is_refused_and_told_what_it_takes() -> None:
    with pytest.raises(ProfileError, match=r"--calibration is empty; it takes FILE, auto or none"):
        find_with("", None)
    with pytest.raises(ProfileError, match=r"--calibration is empty; it takes FILE, truth or none"):
        reading_calibrated("")


def test_evaluating_finds_no_profile_by_itself() -> None:
    with pytest.raises(ProfileError, match=r"evaluate .* takes FILE, truth or none, not auto"):
        reading_calibrated("auto")


def test_auto_takes_what_is_kept_for_the_camera(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE)
    assert find_with("auto", "cam", store)((1280, 720)) == PROFILE
    assert find_with("auto", "other", store)((1280, 720)) is None
    assert find_with("auto", None, store)((1280, 720)) is None
    assert find_with("none", "cam", store)((1280, 720)) is None


def test_auto_says_what_does_not_fit_and_reads_on(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE)
    said: list[str] = []
    assert find_with("auto", "cam", store, said.append)((640, 480)) is None
    assert len(said) == 1
    assert "another part of the view" in said[0]


def test_turned_pictures_are_noticed_and_said() -> None:
    assert orientation_of(PROFILE, textured()) is Orientation.UPRIGHT
    half = Orientation.HALF.apply(textured())
    assert orientation_of(PROFILE, half) is Orientation.HALF
    left = Orientation.LEFT.apply(textured())
    assert orientation_of(PROFILE, left) is Orientation.LEFT
    said: list[str] = []
    reader = ProfiledReader(DiceReader(), lambda _: PROFILE, said.append)
    reader.read(half)
    reader.read(half)
    assert said == [
        "The picture is turned by 180° since the calibration; it is read as it was then."
    ]
    assert reader.seen_as is Orientation.HALF


def test_a_turned_picture_that_is_not_recognised_is_refused() -> None:
    blind = replace(PROFILE, reference=b"")
    with pytest.raises(ProfileError, match="another part of the view"):
        orientation_of(blind, np.zeros((1280, 720, 3), np.uint8))
    assert orientation_of(blind, np.zeros((720, 1280, 3), np.uint8)) is Orientation.UPRIGHT


ELSEWHERE = np.zeros((1280, 720, 3), np.uint8)
"""A picture on its side that shows something else than the profile's."""


def test_a_kept_profile_that_no_longer_fits_is_said_and_left_aside(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(PROFILE)
    said: list[str] = []
    find = find_with("auto", "cam", store, said.append)
    reader = ProfiledReader(DiceReader(), find, said.append, Misfit.SAID)
    assert reader.read(ELSEWHERE) == ()
    assert reader.read(ELSEWHERE) == ()
    assert reader.profile is None
    (text,) = said
    assert "another part of the view" in text
    reader.read(textured())
    assert reader.profile == PROFILE


@pytest.mark.parametrize("shape", [(1280, 720, 3), (480, 640, 3)])
def test_a_file_that_fits_the_first_picture_ends_no_game_later(shape: tuple[int, ...]) -> None:
    said: list[str] = []
    reader = ProfiledReader(DiceReader(), lambda _: PROFILE, said.append, Misfit.REFUSED_AT_FIRST)
    other = np.zeros(shape, np.uint8)
    for _ in range(2):
        with pytest.raises(ProfileError, match="another part of the view"):
            reader.read(other)
    reader.read(textured())
    reader.read(other)
    assert reader.profile is None
    assert len(said) == 1
    reader.read(textured())
    assert reader.profile == PROFILE


def test_pictures_that_are_read_one_by_one_must_all_fit() -> None:
    reader = ProfiledReader(DiceReader(), lambda _: PROFILE)
    reader.read(textured())
    with pytest.raises(ProfileError, match="another part of the view"):
        reader.read(ELSEWHERE)


def test_a_moved_camera_is_followed_or_forgotten() -> None:
    reader = ProfiledReader(DiceReader(), lambda _: PROFILE)
    profiles = [reader.profile]
    reader.read(textured())
    profiles.append(reader.profile)
    reader.follow(tray(17.0))
    profiles.append(reader.profile)
    reader.forget()
    profiles.append(reader.profile)
    reader.read(textured())
    profiles.append(reader.profile)
    assert profiles == [None, PROFILE, replace(PROFILE, standpoint=tray(17.0)), None, None]


def test_truth_tells_the_trays_corners_where_it_has_them(tmp_path: Path) -> None:
    told = {
        "tray_corners": [[1, 2], [9, 2], [9, 8], [1, 8]],
        "tray_size_mm": [206, 159],
    }
    images = [{"file": "a.jpg", "dice": []} | told, {"file": "b.jpg", "dice": []}]
    (tmp_path / "truth.json").write_text(json.dumps({"images": images}))
    first, second = load_truth(tmp_path)
    assert first.tray == TrueTray(((1, 2), (9, 2), (9, 8), (1, 8)), (206, 159))
    assert second.tray is None


def test_truth_gives_a_profile_where_it_tells_the_tray() -> None:
    corners = tray(20.0).to_picture(np.array(tray(20.0).outline))
    told = TrueTray(tuple((float(x), float(y)) for x, y in corners), (260.0, 180.0))
    picture = TruePicture(Path("t.jpg"), (), (), 20.0, told)
    profile = true_profile(picture, (1280, 720))
    assert profile is not None
    assert profile.standpoint.tilt_deg == pytest.approx(20.0, abs=1.0)
    assert true_profile(replace(picture, tray=None), (1280, 720)) is None
    crossed = replace(told, corners=(told.corners[0], told.corners[2], *told.corners[1::2]))
    with pytest.raises(ProfileError, match=r"t\.jpg: .*do not make a tray"):
        true_profile(replace(picture, tray=crossed), (1280, 720))
