"""Opening what several commands need: the record of games and the reader of dice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxcars.console import refusing

if TYPE_CHECKING:
    from boxcars.journal import Journal
    from vision.reader import DiceReader


def record_path(data: Path | None) -> Path:
    """Where the record is: in the folder `data`, or in this user's data folder."""
    from boxcars.journal import FILE_NAME, default_path

    return default_path() if data is None else data / FILE_NAME


def open_journal(data: Path | None) -> Journal:
    """The record at `record_path`, begun if there is none; raises `JournalError`."""
    from boxcars.journal import Journal

    return Journal(record_path(data))


def open_reader(threads: int = 1) -> DiceReader:
    """The reader of dice, its nets loaded; a damaged installation is refused."""
    from models import ModelError
    from vision.reader import DiceReader

    with refusing(ModelError):
        return DiceReader(threads=threads)
