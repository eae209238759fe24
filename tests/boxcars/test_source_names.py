"""What a source is called, on record and to people."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxcars.source_names import source_text, source_title, without_secret
from samples import GAME


def test_the_same_pictures_have_one_text_wherever_they_are_named_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = source_text([str(GAME)])
    monkeypatch.chdir(GAME.parent)
    assert source_text([GAME.name]) == text
    assert Path(text).is_absolute()


@pytest.mark.parametrize(
    "spec", ["0", "sim", "sim:7", "HD Webcam [046d:0825] @1-2:1.0", "http://phone:8080/video"]
)
def test_what_is_no_file_stays_as_it_is(spec: str) -> None:
    assert source_text([spec]) == spec


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("/home/ann/tray.mp4", "tray.mp4"),
        ("/a/1.jpg\n/a/2.jpg\n/a/3.jpg", "1.jpg and 2 more"),
        ("sim:7", "the simulated table"),
        ("rtsp://ann:secret@phone:554/live", "rtsp://phone:554/live"),
        ("http://ann:p@ss@phone:8080/video?at=@home", "http://phone:8080/video?at=@home"),
        ("0", "0"),
    ],
)
def test_titles_are_short_and_tell_no_secret(text: str, title: str) -> None:
    assert source_title(text) == title


def test_a_name_without_an_address_holds_no_secret() -> None:
    for name in ("HD Webcam [046d:0825] @1-2:1.0", "folder /photos/ann@home", "0"):
        assert without_secret(name) == name
