"""The settler over the first half minute of the photoreal session: every event in time.

The dice are read by comparing with the stills that the session was made from, so that this
test is about settling alone.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.films import reading_of
from vision.pictures import load_picture
from vision.records import DieReading, Image
from vision.settle import Settler
from vision.sources import VideoSource, open_source

DATA = Path(__file__).parents[3] / "shared" / "data"
SESSION, GAME = DATA / "photoreal-session", DATA / "photoreal-game"
FRAMES = 640
HALF = 26
"""Half the side of what is compared, in pixels."""

pytestmark = pytest.mark.skipif(not SESSION.is_dir(), reason="the session is not here")


class StillsReader:
    """Finds the dice that look just as they do in one of the stills, at the same place."""

    def __init__(self, files: list[str]) -> None:
        truth = json.loads((GAME / "truth.json").read_text())
        self._known: list[tuple[int, tuple[float, float], NDArray[np.float32]]] = []
        for frame in truth["frames"]:
            if frame["file"] not in files:
                continue
            picture = load_picture(GAME / frame["file"])
            for die in frame["dice"]:
                center = (float(die["center"][0]), float(die["center"][1]))
                if all((die["value"], center) != known[:2] for known in self._known):
                    self._known.append((die["value"], center, _patch(picture, center)))

    def read(self, image: Image) -> tuple[DieReading, ...]:
        found = [
            (float((_patch(image, center) * look).sum()), face, center)
            for face, center, look in self._known
        ]
        readings: list[DieReading] = []
        for alike, face, (x, y) in sorted(found, reverse=True):
            apart = [np.hypot(x - r.sighting.center[0], y - r.sighting.center[1]) for r in readings]
            if alike > 0.6 and min(apart, default=99) > HALF:
                box = (x - 32, y - 32, x + 32, y + 32)
                readings.append(reading_of(box, np.eye(10)[face].tolist(), whole=alike > 0.9))
        return tuple(readings)


def _patch(image: Image, center: tuple[float, float]) -> NDArray[np.float32]:
    x, y = round(center[0]), round(center[1])
    patch = image[y - HALF : y + HALF, x - HALF : x + HALF].astype(np.float32)
    patch -= patch.mean()
    return patch / np.float32(np.sqrt((patch**2).sum()) + 1e-6)


def _lying(events: list[dict[str, Any]]) -> list[tuple[float, list[int]]]:
    """When what lies in the tray by the session's truth."""
    truth = json.loads((GAME / "truth.json").read_text())
    dice = {f["file"]: sorted(die["value"] for die in f["dice"]) for f in truth["frames"]}
    return [(event["frame"] / 20, dice.get(event.get("file", ""), [])) for event in events]


def test_every_event_of_the_first_turn_is_seen_in_time() -> None:
    truth = json.loads((SESSION / "truth.json").read_text())
    events = [event for event in truth["events"] if event["frame"] < FRAMES - 10]
    assert any(event.get("quick") for event in events)
    settler = Settler(StillsReader([event["file"] for event in events if "file" in event]))
    with open_source(SESSION / "session.mp4") as source:
        assert isinstance(source, VideoSource)
        assert source.fps == truth["fps"]
        seen = [settler.push(frame) for frame in itertools.islice(source, FRAMES)]
    empty, *views = [view for view in seen if view is not None]
    assert empty.readings == ()
    assert [sorted(f for f in v.faces if f is not None) for v in views] == [
        faces for _, faces in _lying(events)
    ]
    assert all(None not in view.faces for view in views)
    late = [view.t - t for view, (t, _) in zip(views, _lying(events), strict=True)]
    assert max(late) <= 0.5
    assert min(late) >= -0.7
