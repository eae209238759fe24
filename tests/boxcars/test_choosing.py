"""Which sources there are to choose from, with and without cameras."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxcars import choosing
from boxcars.choosing import default_specs, offers_for, open_watched
from samples import GAME
from tests.running import assert_refused, boxcars
from vision.cameras import CONFIG_ENV, Camera, remember_camera
from vision.sources import SourceError

CAMERAS = (Camera(0, "Laptop", "0bda:58f4", "1-6"), Camera(2, "Tray", "046d:0825", "1-2"))


@pytest.fixture
def cameras(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two cameras are plugged in: no test machine has any."""
    monkeypatch.setattr(choosing, "list_cameras", lambda: CAMERAS)
    monkeypatch.setenv(CONFIG_ENV, str(tmp_path))


@pytest.fixture
def no_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "list_cameras", lambda: ())


def test_without_a_camera_it_says_what_else_there_is(no_camera: None, tmp_path: Path) -> None:
    ran = boxcars("play", "--data", tmp_path)
    assert_refused(ran, "No camera", "--source sim", "video", "folder of pictures")
    assert not list(tmp_path.glob("*/*"))


def test_the_first_camera_is_watched_if_none_was_used_before(cameras: None) -> None:
    assert default_specs() == [CAMERAS[0].identity]


def test_the_camera_used_last_is_watched_again(cameras: None) -> None:
    remember_camera(CAMERAS[1].identity)
    assert default_specs() == [CAMERAS[1].identity]


def test_unless_it_is_not_there(cameras: None) -> None:
    remember_camera("Gone [1234:5678] @1-1")
    assert default_specs() == [CAMERAS[0].identity]


def test_what_is_watched_is_offered_first(cameras: None) -> None:
    offers = offers_for(CAMERAS[1].identity)
    assert [offer.id for offer in offers] == ["s0", "s1", "s2"]
    assert [offer.spec for offer in offers] == [CAMERAS[1].identity, CAMERAS[0].identity, "sim"]
    assert [offer.title for offer in offers][1:] == ["Laptop", "the simulated table"]


def test_at_the_simulated_table_it_is_offered_once(no_camera: None) -> None:
    assert [offer.spec for offer in offers_for("sim:7")] == ["sim:7"]


def test_what_is_opened_says_what_it_is() -> None:
    watched = open_watched([str(GAME)])
    watched.source.close()
    assert (watched.title, watched.text) == (GAME.name, str(GAME.resolve()))
    simulated = open_watched(["sim:7"])
    simulated.source.close()
    assert (simulated.title, simulated.text) == ("the simulated table", "sim:7")


def test_what_cannot_be_opened_is_told() -> None:
    with pytest.raises(SourceError, match="does not exist"):
        open_watched(["nothing-here"])
