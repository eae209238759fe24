"""The recorder: what it keeps plays again to the same views and events, on bounded disk."""

from __future__ import annotations

import errno
import itertools
import json
import os
import threading
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from boxcars.journal import event_line
from boxcars.recorder import EVENTS_FILE, Recorder, RecordLimits, make_room, new_recording
from scoring.events import Event, Stood
from scoring.phases import Phase
from tests.boxcars.filmed import filmed_turn, play
from tests.vision.test_settle_session import FRAMES, SESSION, StillsReader
from vision.records import Frame, Image
from vision.settle import Settler
from vision.sources import RECORDING_INDEX, RecordingSource, SourceError, open_source


@cache
def wall(seed: int, size: tuple[int, int] = (90, 160)) -> Image:
    """What a camera sees of a grey wall; each seed is other noise."""
    noise = np.random.default_rng(seed).normal(90, 4, (*size, 3))
    return np.clip(noise, 0, 255).astype(np.uint8)


def moving(number: int) -> Image:
    """The wall with something in front of it, elsewhere in each picture."""
    image = wall(number).copy()
    image[20:60, 10 * (number % 12) : 10 * (number % 12) + 30] = 220
    return image


def told(t: float) -> Event:
    return Stood(t, "Ann", 1, Phase.REROLL_8)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine busy with other things loses no frame; how much a slow disk may is told below."""
    monkeypatch.setattr("boxcars.recorder._PATIENCE_S", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_recorded_game_plays_again_to_the_same_events(tmp_path: Path) -> None:
    film = filmed_turn()
    with Recorder(tmp_path / "recording") as recorder:
        events = play(film, tmp_path / "first", recorder)
    assert recorder.trouble is None
    assert recorder.lost == 0
    kinds = {type(event).__name__ for event in events}
    assert {"Rolled", "PickedUp", "Rerolled", "Stood", "Scored"} <= kinds
    with open_source(tmp_path / "recording") as source:
        kept = list(source)
        assert source.frames == len(kept)
    assert len(kept) < 0.8 * len(film)
    assert play(kept, tmp_path / "again") == events
    lines = (tmp_path / "recording" / EVENTS_FILE).read_text().splitlines()
    assert lines == [event_line(event) for event in events]


@pytest.mark.slow
@pytest.mark.usefixtures("patient")
@pytest.mark.skipif(not SESSION.is_dir(), reason="the session is not here")
def test_the_photoreal_session_recorded_plays_again_to_the_same_views(tmp_path: Path) -> None:
    truth = json.loads((SESSION / "truth.json").read_text())
    files = [it["file"] for it in truth["events"] if it["frame"] < FRAMES and "file" in it]
    reader = StillsReader(files)

    def views(frames: Iterable[Frame], recorder: Recorder | None) -> list[tuple[float, list[str]]]:
        settler, found = Settler(reader), []
        for frame in frames:
            if recorder:
                recorder.frame(frame)
            view = settler.push(frame)
            if view is not None:
                found.append((view.t, sorted(map(str, view.faces))))
                if recorder:
                    recorder.event(told(view.t))
        return found

    with open_source(SESSION / "session.mp4") as film, Recorder(tmp_path) as recorder:
        seen = views(itertools.islice(film, FRAMES), recorder)
    assert recorder.lost == 0
    with open_source(tmp_path) as again:
        assert again.frames is not None
        assert again.frames < FRAMES
        seen_again = views(again, None)
    assert [faces for _, faces in seen_again] == [faces for _, faces in seen]
    late = [abs(a - b) for (a, _), (b, _) in zip(seen, seen_again, strict=True)]
    assert max(late) <= 0.1


def test_while_nothing_moves_little_is_kept(tmp_path: Path) -> None:
    frames = [Frame(n / 30, wall(n % 50)) for n in range(30 * 40)]
    with Recorder(tmp_path) as recorder:
        for frame in frames:
            recorder.frame(frame)
    with open_source(tmp_path) as source:
        times = [frame.t for frame in source]
    limits = RecordLimits()
    late = [t for t in times if t > limits.after_s + 0.1]
    # And those at the end, which would be wanted if something moved now.
    assert len(late) <= 40 / limits.still_every_s + limits.before_s / limits.thin_every_s + 1
    assert max(b - a for a, b in itertools.pairwise(times)) <= limits.still_every_s + 0.1


def test_an_event_keeps_its_frame_and_those_around_it(tmp_path: Path) -> None:
    limits = RecordLimits(all_s=0.5, after_s=0.5, still_every_s=1000.0)
    with Recorder(tmp_path, limits) as recorder:
        for n in range(300):
            recorder.frame(Frame(n / 30, wall(n % 50)))
            if n == 200:
                recorder.event(told(200 / 30))
    with open_source(tmp_path) as source:
        times = [frame.t for frame in source]
    assert 200 / 30 in times
    around = [t for t in times if 1.0 < t < 9.0 - limits.before_s]
    assert around[0] == pytest.approx(200 / 30 - limits.before_s, abs=0.2)
    assert [n / 30 for n in range(200, 215)] == [t for t in times if t >= 200 / 30][:15]
    assert around[-1] == pytest.approx(200 / 30 + limits.all_s, abs=0.1)


def test_the_oldest_goes_when_the_disk_is_full(tmp_path: Path) -> None:
    limits = RecordLimits(max_bytes=200_000)
    with Recorder(tmp_path, limits) as recorder:
        for n in range(100):
            recorder.frame(Frame(n / 30, moving(n)))
    assert sum(path.stat().st_size for path in tmp_path.glob("*.jpg")) <= 200_000
    with open_source(tmp_path) as source:
        times = [frame.t for frame in source]
    assert 3 < len(times) < 100
    assert times == [n / 30 for n in range(100)][-len(times) :]
    # Gone on with, what is there counts.
    with Recorder(tmp_path, limits) as recorder:
        for n in range(100, 110):
            recorder.frame(Frame(n / 30, moving(n)))
    assert sum(path.stat().st_size for path in tmp_path.glob("*.jpg")) <= 200_000
    with open_source(tmp_path) as source:
        assert [frame.t for frame in source][-10:] == [n / 30 for n in range(100, 110)]


def test_times_come_back_exactly(tmp_path: Path) -> None:
    times = [0.1 * 3, 1 / 3 + 1, 2.0000000001, 7e-05 + 3]
    with Recorder(tmp_path) as recorder:
        for n, t in enumerate(times):
            recorder.frame(Frame(t, wall(n)))
    with open_source(tmp_path) as source:
        assert [frame.t for frame in source] == times


def test_a_recording_that_broke_off_is_played_and_gone_on_with(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        for n in range(5):
            recorder.frame(Frame(n / 30, wall(n)))
        recorder.event(told(4 / 30))
    # The power goes while a line is being written.
    index = tmp_path / RECORDING_INDEX
    index.write_bytes(index.read_bytes()[:-6])
    (tmp_path / EVENTS_FILE).write_text('{"event": "sta')
    (tmp_path / "0000005.jpg").write_bytes(b"\xff\xd8half")
    with open_source(tmp_path) as source:
        assert [frame.t for frame in source] == [n / 30 for n in range(4)]
    # The game is resumed at its latest event, so time goes back a little.
    with Recorder(tmp_path) as recorder:
        for n in range(2, 5):
            recorder.frame(Frame(n / 30 + 0.001, wall(n)))
        recorder.event(told(12 / 30))
    with open_source(tmp_path) as source:
        assert [frame.t for frame in source] == [
            *(n / 30 for n in range(3)),
            *(n / 30 + 0.001 for n in range(2, 5)),
        ]
    assert (tmp_path / EVENTS_FILE).read_text() == event_line(told(12 / 30)) + "\n"


def test_a_disk_that_fails_ends_the_recording_not_the_game(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110 – a device, not a file
        pytest.skip("no device that is always full")
    (tmp_path / EVENTS_FILE).symlink_to("/dev/full")
    with Recorder(tmp_path) as recorder:
        recorder.frame(Frame(0.0, wall(0)))
        recorder.event(told(0.0))
        recorder.frame(Frame(1.0, wall(1)))
    assert recorder.trouble == (f"No more is recorded in {tmp_path}: {os.strerror(errno.ENOSPC)}.")
    with open_source(tmp_path) as source:
        assert [frame.t for frame in source] == [0.0]


def test_a_disk_too_slow_loses_frames_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_answers = threading.Event()
    write = Path.write_bytes

    def slow(path: Path, data: bytes) -> int:
        disk_answers.wait(60)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", slow)
    with Recorder(tmp_path) as recorder:
        began = time.monotonic()
        for n in range(2000):
            recorder.frame(Frame(n / 30, moving(n % 50)))
        assert time.monotonic() - began < 20
        assert recorder.lost > 1900
        disk_answers.set()
        recorder.event(told(2000 / 30))
    assert recorder.trouble is None
    with open_source(tmp_path) as source:
        times = [frame.t for frame in source]
    assert len(times) == 2000 - recorder.lost
    assert (tmp_path / EVENTS_FILE).read_text() == event_line(told(2000 / 30)) + "\n"


def test_what_cannot_be_begun_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        Recorder(tmp_path / "file" / "recording")
    (tmp_path / RECORDING_INDEX).write_bytes(b"\xff\xff\n")
    with pytest.raises(SourceError, match="cannot be read"):
        Recorder(tmp_path)
    assert not [it for it in threading.enumerate() if it.name == "boxcars recorder"]


def test_closing_writes_what_waits_and_leaves_no_thread(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    for n in range(20):
        recorder.frame(Frame(n / 30, wall(n, (720, 1280))))
    recorder.close()
    recorder.close()
    recorder.frame(Frame(9.0, wall(9)))  # too late, and no error
    assert not [it for it in threading.enumerate() if it.name == "boxcars recorder"]
    with open_source(tmp_path) as source:
        assert source.frames == 20


def test_room_is_made_by_removing_the_oldest_recordings(tmp_path: Path) -> None:
    for number in range(4):
        with Recorder(tmp_path / f"game-{number}") as recorder:
            for n in range(5):
                recorder.frame(Frame(n / 30, wall(n)))
        os.utime(tmp_path / f"game-{number}" / RECORDING_INDEX, (number, number))
    (tmp_path / "game-0" / "notes.txt").write_text("mine")
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "a.jpg").write_bytes(b"mine")
    size = sum(path.stat().st_size for path in (tmp_path / "game-3").iterdir())
    make_room(tmp_path, 2 * size + 100)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "game-0",
        "game-2",
        "game-3",
        "holiday",
    ]
    assert [path.name for path in (tmp_path / "game-0").iterdir()] == ["notes.txt"]
    assert (tmp_path / "holiday" / "a.jpg").exists()
    make_room(tmp_path, 0)
    assert isinstance(open_source(tmp_path / "game-3"), RecordingSource)
    assert not (tmp_path / "game-2").exists()
    make_room(tmp_path / "nowhere", 0)


def test_a_frame_is_kept_as_it_was(tmp_path: Path) -> None:
    frame = Frame(0.0, wall(1), "camera")
    with Recorder(tmp_path) as recorder:
        recorder.frame(frame)
    with open_source(tmp_path) as source:
        (again,) = source
    assert again.t == frame.t
    assert np.abs(again.image.astype(int) - frame.image).mean() < 4


def test_each_recording_has_a_folder_named_by_its_time(tmp_path: Path) -> None:
    for minute in (10, 11, 12):
        with new_recording(tmp_path / "kept", f"2026-11-30T20:{minute}:00+01:00") as recorder:
            recorder.frame(Frame(0.0, wall(minute)))
        os.utime(recorder.folder / RECORDING_INDEX, (minute, minute))
    names = [f"2026-11-30T20-{minute}-00" for minute in (10, 11, 12)]
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == names
    limits = RecordLimits(max_bytes=1)
    with new_recording(tmp_path / "kept", "2026-12-01T19:00:00+01:00", limits):
        assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
            names[-1],
            "2026-12-01T19-00-00",
        ]
