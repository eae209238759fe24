"""A user's settings on disk: their folder, and files written wholly or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from platformdirs import user_config_path

CONFIG_ENV: Final = "BOXCARS_CONFIG"
"""The folder of settings, where it shall not be this user's configuration folder."""


def config_folder() -> Path:
    """Where all settings of this user are kept."""
    folder = os.environ.get(CONFIG_ENV)
    return Path(folder) if folder else user_config_path("boxcars", appauthor=False)


def write_whole(path: Path, text: str) -> None:
    """Write a file, and the folders it needs, wholly or not at all; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partly = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=".", suffix=".new", delete=False
        ) as file:
            partly = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partly.replace(path)
    except OSError:
        if partly is not None:
            with suppress(OSError):
                partly.unlink()
        raise
