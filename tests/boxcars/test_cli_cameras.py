"""`boxcars cameras`: the list, as lines and as JSON, and a kind word where there is none."""

from __future__ import annotations

import pytest

from tests.running import boxcars, boxcars_process
from vision import cameras
from vision.cameras import Camera

PLUGGED_IN = (
    Camera(0, "Integrated Camera", "04f2:b6d0", "1-8:1.0"),
    Camera(12, "Kamera Größe", "", ""),
)


def test_each_camera_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "list_cameras", lambda: PLUGGED_IN)
    ran = boxcars("cameras")
    assert ran.code == 0
    assert ran.out == " 0  Integrated Camera\n12  Kamera Größe\n"
    assert "boxcars play --source 0" in ran.err


def test_each_camera_is_a_json_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "list_cameras", lambda: PLUGGED_IN)
    ran = boxcars("cameras", "--json")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.records == [
        {
            "number": 0,
            "name": "Integrated Camera",
            "model": "04f2:b6d0",
            "place": "1-8:1.0",
            "identity": "Integrated Camera [04f2:b6d0] @1-8:1.0",
        },
        {
            "number": 12,
            "name": "Kamera Größe",
            "model": None,
            "place": None,
            "identity": "Kamera Größe",
        },
    ]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_none_is_no_error(options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "list_cameras", lambda: ())
    ran = boxcars("cameras", *options)
    assert ran.code == 0
    assert ran.out == ""
    assert ran.err.startswith("No camera is plugged in.")
    assert ran.err.count("\n") == 1


def test_this_machines_own_cameras() -> None:
    """Whatever is plugged in, a process of its own lists it."""
    ran = boxcars_process("cameras", "--json")
    assert ran.code == 0
    assert [it["number"] for it in ran.records] == [it.number for it in cameras.list_cameras()]
