"""What tests share: readings are remembered, and one whole game is played once for all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from samples import GAME
from tests.running import Played, boxcars

pytest_plugins = ["tests.beside"]

if TYPE_CHECKING:
    from calibration.lens import Lens
    from calibration.view import Array
    from vision.reader import DiceReader
    from vision.records import DieReading, Image


@pytest.fixture(scope="session")
def remembered() -> Iterator[None]:
    """Within this process each picture is read once by readers set alike; they would say the same
    again."""
    from vision.reader import DiceReader

    known: dict[tuple[bytes, str], tuple[DieReading, ...]] = {}
    read = DiceReader.read

    def read_once(
        reader: DiceReader, image: Image, normal: Array | None = None, lens: Lens | None = None
    ) -> tuple[DieReading, ...]:
        if normal is not None or lens is not None:
            return read(reader, image, normal, lens)
        finder = reader._finder._thresholds
        settings = repr((reader._layout, reader._thresholds, reader._search, finder))
        key = (hashlib.sha256(image.tobytes()).digest(), settings)
        if key not in known:
            known[key] = read(reader, image)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiceReader, "read", read_once)
        yield


@pytest.fixture(scope="session")
def whole_game(remembered: None, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The sample game, played once by the real reader; its record is only to be read."""
    data = tmp_path_factory.mktemp("whole-game")
    ran = boxcars("play", "--source", GAME, "--players", "Ann", "--json", "--data", data)
    return Played(ran, data)
