"""Sources: folders, pictures, films; what is said of what cannot be opened."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.pictures import UnreadablePicture
from vision.records import Image
from vision.sources import (
    RECORDING_INDEX,
    PictureSource,
    RecordingSource,
    SourceError,
    VideoSource,
    is_live,
    open_source,
    sensible_fps,
)


def flat(grey: int, width: int = 64, height: int = 48) -> Image:
    return np.full((height, width, 3), grey, np.uint8)


def save(path: Path, grey: int) -> Path:
    assert cv2.imwrite(str(path), flat(grey))
    return path


def film(path: Path, frames: int, fps: float = 20.0, codec: str = "MJPG") -> Path:
    """A film whose frames get brighter: frame n has about grey level 8 n, up to 31."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, (64, 48))
    assert writer.isOpened()
    for index in range(frames):
        writer.write(flat(8 * (index % 32)))
    writer.release()
    return path


def test_a_folder_gives_its_pictures_in_name_order_a_second_apart(tmp_path: Path) -> None:
    for name, grey in (("b.png", 40), ("a.jpg", 20), ("c.PNG", 60)):
        save(tmp_path / name, grey)
    (tmp_path / "truth.json").write_text("{}")
    (tmp_path / "._b.png").write_bytes(b"left behind by another system")
    (tmp_path / "folder.png").mkdir()
    with open_source(tmp_path) as source:
        frames = list(source)
    assert [Path(frame.name).name for frame in frames] == ["a.jpg", "b.png", "c.PNG"]
    assert [frame.t for frame in frames] == [0.0, 1.0, 2.0]
    assert [int(frame.image.mean()) for frame in frames] == [20, 40, 60]
    assert source.stills
    assert not source.live
    assert source.frames == 3
    assert str(tmp_path) in source.description


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 1, 2):
        save(tmp_path / f"roll {number}.png", number)
    with open_source(tmp_path) as source:
        assert [int(frame.image.mean()) for frame in source] == [1, 2, 9, 10]


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing here")
    with pytest.raises(SourceError, match="holds no pictures"):
        open_source(tmp_path)


def test_one_picture_and_several(tmp_path: Path) -> None:
    first, second = save(tmp_path / "z.png", 10), save(tmp_path / "a.png", 20)
    with open_source(str(first)) as source:
        assert [frame.name for frame in source] == [str(first)]
    with open_source([first, str(second)]) as source:
        assert [(frame.t, int(frame.image.mean())) for frame in source] == [(0.0, 10), (1.0, 20)]
        assert source.stills
    with open_source([first]) as source:
        assert isinstance(source, PictureSource)
        assert source.frames == 1


def test_pictures_that_are_not_there(tmp_path: Path) -> None:
    there = save(tmp_path / "a.png", 10)
    with pytest.raises(UnreadablePicture, match=r"gone\.png does not exist"):
        open_source([there, tmp_path / "gone.png"])
    with pytest.raises(UnreadablePicture, match="is a folder"):
        open_source([there, tmp_path])
    with pytest.raises(SourceError, match="does not exist"):
        open_source(tmp_path / "gone.png")
    with pytest.raises(SourceError, match="No source is given"):
        open_source([])


def test_a_damaged_picture_is_named_when_its_turn_comes(tmp_path: Path) -> None:
    save(tmp_path / "a.jpg", 10)
    broken = save(tmp_path / "b.jpg", 20)
    broken.write_bytes(broken.read_bytes()[:-40])
    with open_source(tmp_path) as source:
        frames = iter(source)
        assert next(frames).t == 0.0
        with pytest.raises(UnreadablePicture, match=r"b\.jpg is damaged"):
            next(frames)


@pytest.mark.parametrize(("name", "codec"), [("film.avi", "MJPG"), ("film.mp4", "mp4v")])
@pytest.mark.parametrize("fps", [8.0, 20.0, 60.0])
def test_a_film_tells_its_time_by_counting(
    tmp_path: Path, name: str, codec: str, fps: float
) -> None:
    path = film(tmp_path / name, 24, fps, codec)
    with open_source(path) as source:
        assert isinstance(source, VideoSource)
        assert not source.stills
        assert not source.live
        assert source.frames == 24
        frames = list(source)
    assert [frame.t for frame in frames] == [index / fps for index in range(24)]
    for index, frame in enumerate(frames):
        assert frame.image.shape == (48, 64, 3)
        assert frame.image.mean() == pytest.approx(8 * index, abs=6)


def test_the_same_film_gives_the_same_frames(tmp_path: Path) -> None:
    path = film(tmp_path / "film.avi", 5)
    with open_source(path) as first, open_source(path) as second:
        for one, other in zip(first, second, strict=True):
            assert one.t == other.t
            assert np.array_equal(one.image, other.image)


@pytest.mark.parametrize("name", ["notes.txt", "notes.mp4", "notes"])
def test_a_text_is_no_film(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("Not a film, whatever its name says.\n" * 100)
    with pytest.raises(SourceError, match="neither a picture nor a readable video"):
        open_source(path)


def test_other_files_are_no_films(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    empty, noise = tmp_path / "empty.mp4", tmp_path / "noise.avi"
    empty.touch()
    noise.write_bytes(np.random.default_rng(1).bytes(5000))
    for path in (empty, noise):
        with pytest.raises(SourceError, match="neither a picture nor a readable video"):
            open_source(path)
    assert capfd.readouterr() == ("", "")


def test_a_film_that_breaks_off_says_so_after_its_frames(tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.avi", 200).read_bytes()
    path = tmp_path / "cut.avi"
    path.write_bytes(whole[: len(whole) // 2])
    seen: list[float] = []
    with open_source(path) as source, pytest.raises(SourceError, match=r"breaks off after \d"):
        seen.extend(frame.t for frame in source)
    assert 50 < len(seen) < 150


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    with open_source(film(tmp_path / "film.avi", 3)) as source:
        next(iter(source))
        source.close()
    source.close()


@pytest.mark.parametrize(
    ("spec", "live"),
    [
        ("0", True),
        ("http://10.0.0.7:8080/video", True),
        ("RTSP://cam/1", True),
        ("film.mp4", False),
        (r"C:\films\a.mp4", False),
        ("Webcam: HD", False),
    ],
)
def test_live_sources_are_told_by_their_names(spec: str, live: bool) -> None:
    assert is_live(spec) is live


def test_addresses_that_are_not_understood() -> None:
    with pytest.raises(SourceError, match=r"^Addresses like ftp://10\.0\.0\.7/a are not under"):
        open_source("ftp://10.0.0.7/a")


def recording(folder: Path, lines: str) -> Path:
    (folder / RECORDING_INDEX).write_text("file,seconds\n" + lines)
    return folder


def test_a_recording_plays_at_the_times_it_was_seen(tmp_path: Path) -> None:
    for number in range(4):
        save(tmp_path / f"{number}.png", 10 * number)
    lines = "0.png,0.0\n2.png,1e-05\n1.png,0.30000000000000004\ngone.png,2\n"
    with open_source(recording(tmp_path, lines + "../other.png,3.0\nnonsense\n3.png,1")) as source:
        assert isinstance(source, RecordingSource)
        assert not source.live
        assert not source.stills
        assert source.frames == 3
        assert str(tmp_path) in source.description
        frames = list(source)
    # What is gone, nonsense or was never finished is passed over.
    assert [frame.t for frame in frames] == [0.0, 1e-05, 0.30000000000000004]
    assert [int(frame.image.mean()) for frame in frames] == [0, 20, 10]
    assert Path(frames[1].name).name == "2.png"


def test_where_a_recording_was_gone_on_with_what_came_later_counts(tmp_path: Path) -> None:
    for number in range(5):
        save(tmp_path / f"{number}.png", 10 * number)
    lines = "0.png,0.0\n1.png,1.0\n2.png,2.0\n3.png,1.0\n4.png,1.5\n"
    with open_source(recording(tmp_path, lines)) as source:
        assert [(frame.t, int(frame.image.mean())) for frame in source] == [
            (0.0, 0),
            (1.0, 30),
            (1.5, 40),
        ]


def test_a_recording_without_pictures(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no pictures"):
        open_source(recording(tmp_path, ""))
    (tmp_path / RECORDING_INDEX).write_bytes(b"\xff\xfe\xff")
    with pytest.raises(SourceError, match=r"frames\.csv cannot be read"):
        open_source(tmp_path)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"nothing does not exist: give a folder"):
        open_source(tmp_path / "nothing")


def test_a_frame_rate_that_makes_no_sense_is_replaced() -> None:
    """Some streams tell 0 or 90000 frames a second."""
    for told in (0.0, -1.0, 90000.0, float("nan"), float("inf")):
        assert sensible_fps(told) == 30.0
    assert sensible_fps(29.97) == 29.97
