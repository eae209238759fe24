"""A user's settings: one folder for all, and files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calibration.store import ProfileStore, default_folder
from calibration.user_files import CONFIG_ENV, config_folder, write_whole


def test_all_settings_are_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CONFIG_ENV, str(tmp_path))
    assert config_folder() == tmp_path
    assert default_folder() == ProfileStore().folder == tmp_path / "cameras"


def test_without_one_they_are_in_this_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CONFIG_ENV, raising=False)
    assert "boxcars" in str(config_folder())
    assert default_folder() == config_folder() / "cameras"


def test_a_file_is_the_old_one_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "file.json"
    write_whole(path, "müde\n")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "wach\n")
    assert path.read_text(encoding="utf-8") == "müde\n"
    assert [it.name for it in path.parent.iterdir()] == ["file.json"]
