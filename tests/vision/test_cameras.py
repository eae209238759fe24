"""Cameras: which is meant, found again by what it is, and what is said of one that is absent."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import pytest

from vision import cameras
from vision.cameras import (
    Camera,
    NoSuchCamera,
    find_camera,
    list_cameras,
    open_camera,
    remember_camera,
    remembered_camera,
)
from vision.live import TroubleKind
from vision.sources import SourceError, open_source

BUILT_IN = Camera(0, "Integrated Camera", "04f2:b6d0", "1-8:1.0")
DESK = Camera(2, "HD Pro Webcam C920", "046d:082d", "1-2:1.0")
TWIN = Camera(4, "HD Pro Webcam C920", "046d:082d", "1-3:1.0")
PHONE = Camera(6, "Camera of the phone")
ALL = (BUILT_IN, DESK, TWIN, PHONE)


def test_a_camera_tells_what_it_is() -> None:
    assert DESK.kind == "HD Pro Webcam C920 [046d:082d]"
    assert DESK.identity == "HD Pro Webcam C920 [046d:082d] @1-2:1.0"
    assert PHONE.kind == PHONE.identity == "Camera of the phone"
    assert DESK.usual_name == "camera HD Pro Webcam C920"
    assert PHONE.usual_name == "Camera of the phone"


@pytest.mark.parametrize("camera", ALL)
def test_a_number_or_an_identity_means_one_camera(camera: Camera) -> None:
    assert find_camera(ALL, str(camera.number)) == camera
    assert find_camera(ALL, camera.identity) == camera
    assert find_camera(ALL, camera.identity.upper()) == camera


def test_a_part_of_a_name_is_enough_if_no_other_has_it() -> None:
    assert find_camera(ALL, "integrated") == BUILT_IN
    assert find_camera(ALL, "PHONE") == PHONE
    assert find_camera((BUILT_IN, DESK), "c920") == DESK
    # A whole name is meant, even if it is a part of another.
    other = Camera(9, "Integrated Camera 2")
    assert find_camera((other, BUILT_IN), "integrated camera") == BUILT_IN


def test_twins_must_be_told_apart() -> None:
    for wanted in ("C920", DESK.name, DESK.kind):
        with pytest.raises(NoSuchCamera) as refused:
            find_camera(ALL, wanted)
        assert refused.value.several
        assert f"2 ({DESK.identity}), 4 ({TWIN.identity})" in str(refused.value)


def test_a_camera_plugged_in_elsewhere_is_found() -> None:
    moved = Camera(7, DESK.name, DESK.model, "3-1.4:1.0")
    assert find_camera((BUILT_IN, moved), DESK.identity) == moved


@pytest.mark.parametrize("wanted", ["3", "Logitech", "", "  "])
def test_what_is_not_there_says_what_is(wanted: str) -> None:
    with pytest.raises(NoSuchCamera, match=r"is not there: there is 0 \(Integrated Camera\), 2"):
        find_camera(ALL, wanted)
    with pytest.raises(NoSuchCamera, match=r"is not there: no camera is plugged in\.$"):
        find_camera((), wanted)


def test_the_systems_list_is_in_order() -> None:
    """Whatever cameras this machine has."""
    found = list_cameras()
    assert [camera.number for camera in found] == sorted(camera.number for camera in found)
    assert all(camera.name for camera in found)


def test_an_absent_camera_is_refused_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError, match=r"^Camera 97 is not there: "):
        open_source("97")
    with pytest.raises(NoSuchCamera, match=r"^Camera “No such camera” is not there: "):
        open_camera("No such camera")
    assert capfd.readouterr() == ("", "")


def test_a_name_that_is_no_file_may_be_a_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "list_cameras", lambda: ALL)
    with pytest.raises(NoSuchCamera, match="may be any of several cameras"):
        open_source("c920")
    with pytest.raises(SourceError, match=r"^logitech does not exist: give a folder"):
        open_source("logitech")


def test_a_camera_in_the_list_that_does_not_open(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The list says that it is there, OpenCV really tries, and nothing comes: it is busy."""
    there = [BUILT_IN, Camera(98, "Webcam", "1234:5678", "1-1:1.0")]
    monkeypatch.setattr(cameras, "list_cameras", lambda: tuple(there))
    for wanted in ("98", "webcam"):
        with pytest.raises(SourceError, match=r"^Camera Webcam is there but does not open: close"):
            open_source(wanted)
    assert capfd.readouterr() == ("", "")


def watched(camera: Camera = DESK) -> cameras._Watched:
    others = frozenset(it.identity for it in ALL) - {camera.identity}
    return cameras._Watched(camera, others)


def test_it_is_opened_by_the_number_it_has_now(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = watched()
    for number in (2, 0, 5):
        there = Camera(number, DESK.name, DESK.model, DESK.place)
        monkeypatch.setattr(cameras, "list_cameras", lambda there=there: (TWIN, there))
        assert {capture.target for capture in desk.locate()} == {number}
    moved = Camera(3, DESK.name, DESK.model, "9-9:1.0")
    monkeypatch.setattr(cameras, "list_cameras", lambda: (BUILT_IN, TWIN, moved))
    assert {capture.target for capture in desk.locate()} == {3}


def test_its_twin_is_never_taken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = watched()
    monkeypatch.setattr(cameras, "list_cameras", lambda: (BUILT_IN, TWIN))
    assert desk.locate() == []
    gone = desk.explain(True).trouble
    assert gone.kind is TroubleKind.UNPLUGGED
    assert gone.text == (
        "Camera HD Pro Webcam C920 was unplugged: plug it in again, the game waits."
    )
    assert desk.explain(False).trouble.kind is TroubleKind.ABSENT


def test_one_that_is_there_but_gives_nothing_is_busy_or_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = watched()
    monkeypatch.setattr(cameras, "list_cameras", lambda: ALL)
    if not Path(f"/dev/video{DESK.number}").exists():
        assert desk.explain(False).trouble.kind is TroubleKind.BUSY
        assert desk.explain(True).trouble.kind is TroubleKind.LOST


@pytest.mark.skipif(sys.platform != "linux", reason="the way of Linux")
def test_linux_opens_cameras_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "list_cameras", lambda: ALL)
    assert [it.backend for it in watched().locate()] == [cv2.CAP_V4L2]


def test_the_camera_is_remembered_in_a_readable_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cameras.CONFIG_ENV, str(tmp_path / "new folder"))
    assert remembered_camera() is None
    for camera in (DESK, TWIN):
        remember_camera(camera.identity)
        assert remembered_camera() == camera.identity
    path = tmp_path / "new folder" / "camera.json"
    assert json.loads(path.read_text()) == {"camera": TWIN.identity}
    assert [it.name for it in path.parent.iterdir()] == ["camera.json"]
    for damage in ("", "{", "[]", '{"camera": 3}', '{"camera": ""}', "\x00"):
        path.write_text(damage)
        assert remembered_camera() is None


def test_without_a_folder_named_it_is_this_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cameras.CONFIG_ENV, raising=False)
    assert cameras._config_path().name == "camera.json"
    assert "boxcars" in str(cameras._config_path())
