"""Opening what several commands need: the record of games and the reader of dice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxcars.console import Refusal, refusing, say
from boxcars.source_names import without_secret

if TYPE_CHECKING:
    from boxcars.calibrating import Misfit, ProfiledReader
    from boxcars.journal import Journal
    from vision.reader import DiceReader


def record_path(data: Path | None) -> Path:
    """Where the record is: in the folder `data`, or in this user's data folder.

    A file in that folder's place is refused.
    """
    from boxcars.journal import FILE_NAME, default_path

    path = default_path() if data is None else data / FILE_NAME
    if path.parent.is_file():
        raise Refusal(f"{path.parent} is a file; the games are kept in a folder: name that.")
    return path


def open_journal(data: Path | None) -> Journal:
    """The record at `record_path`, begun if there is none; raises `JournalError`."""
    from boxcars.journal import Journal

    return Journal(record_path(data))


def open_reader(threads: int = 1) -> DiceReader:
    """The reader of dice, its nets loaded; a damaged installation is refused."""
    from vision.reader import DiceReader

    return _loaded(DiceReader, threads)


def open_watcher(threads: int = 1) -> DiceReader:
    """The reader for a game: one camera's pictures in order, whose tilt it remembers."""
    from vision.remembering import RememberingReader

    return _loaded(RememberingReader, threads)


def open_calibrated(
    calibration: str,
    camera: str | None = None,
    reader: DiceReader | None = None,
    misfit: Misfit | None = None,
) -> ProfiledReader:
    """The reader with what `--calibration` names; `camera` is the camera that is read, if any.

    `reader` is one that is open already. What is noticed about its pictures is said on standard
    error. A file that is no calibration is refused. `misfit` says what becomes of one that does
    not fit the pictures; by default it is refused. What `auto` finds is only said not to fit.
    """
    from boxcars.calibrating import Calibration, Misfit, ProfiledReader, find_with
    from calibration.profile import ProfileError

    with refusing(ProfileError):
        # Profiles are kept under names that tell no password.
        find = find_with(calibration, camera and without_secret(camera), notice=_tell)
    becomes = Misfit.SAID if calibration == Calibration.AUTO else misfit or Misfit.REFUSED
    return ProfiledReader(reader or open_reader(), find, _tell, becomes)


def _loaded(kind: type[DiceReader], threads: int) -> DiceReader:
    from models import ModelError

    with refusing(ModelError):
        return kind(threads=threads)


def _tell(text: str) -> None:
    say(f"boxcars: {text}")
