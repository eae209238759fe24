"""Opening a source to watch it, and what is told of it through all wrappers."""

from __future__ import annotations

import numpy as np
import pytest

from boxcars.opening import open_any
from boxcars.watching import DiceSeen, Started
from samples import GAME
from vision.records import DieReading, Frame, Image
from vision.settle import Scene, settler_for
from vision.sources import SourceError, open_source

STILLS = sorted(GAME.glob("*.jpg"))


def test_the_simulated_table_is_opened_by_its_name() -> None:
    with open_any(["sim:7"], since=2.0) as source:
        assert source.live
        frame = next(iter(source))
    assert frame.t >= 2.0
    assert frame.image.shape[2] == 3


def test_it_cannot_be_mixed_with_others() -> None:
    with pytest.raises(SourceError, match="alone"):
        open_any(["sim", str(STILLS[0])])


def test_pictures_and_folders_are_opened_as_ever() -> None:
    with open_any(str(GAME)) as folder, open_any([str(path) for path in STILLS[:2]]) as two:
        assert (folder.frames, two.frames) == (50, 2)


def test_what_is_going_on_is_told_through_all_wrappers() -> None:
    class Moving:
        scene = Scene.MOVING

        def push(self, frame: Frame) -> None:
            """Nothing settles."""

        def look_anew(self) -> None:
            """Nothing was given."""

        def camera_moved(self) -> None:
            """Nothing was known."""

    assert DiceSeen(Moving()).scene is Scene.MOVING
    with open_source(STILLS[:1]) as source:
        assert DiceSeen(settler_for(source, Unread())).scene is Scene.SETTLED


class Unread:
    """A reader that nobody asks."""

    def read(self, image: Image) -> tuple[DieReading, ...]:
        raise AssertionError


def test_a_source_that_has_begun_gives_all_its_frames() -> None:
    taken = []
    with Started(open_source(STILLS[:3]), lambda: taken.append(1)) as source:
        frames = list(source)
    assert len(frames) == len(taken) == 3
    assert np.array_equal(frames[0].image, next(iter(open_source(STILLS[:1]))).image)
