"""Reading whole pictures, with the real nets."""

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import GAME
from vision.doubts import DoubtThresholds
from vision.finder import Finder, FinderThresholds
from vision.pictures import load_picture
from vision.reader import DiceReader, weighed
from vision.records import DieReading, Doubt
from vision.tilt import LEVEL, Explanation, normal_at

PICTURES = Path(__file__).parents[1] / "pictures"
FIRST_ROLL = {
    (690.8, 383.7): 1, (882.9, 180.8): 3, (990.2, 415.7): 8, (551.4, 256.9): 5,
    (989.1, 259.1): 7, (524.8, 630.6): 1, (302.3, 330.6): 0, (392.3, 179.0): 7,
    (335.6, 508.9): 1, (271.7, 181.8): 0,
}  # fmt: skip

STEEP_ROLL = {
    (583.8, 255.2): 3, (486.2, 336.4): 0, (583.1, 344.3): 2, (707.5, 429.8): 7,
    (663.9, 202.6): 5, (479.0, 531.1): 4,
}  # fmt: skip
"""Tray 202, seen 30 degrees from straight above."""


def _hits(reading: DieReading, x: float, y: float) -> bool:
    """Whether the up face that was read has its middle at (x, y)."""
    return float(np.hypot(*(reading.sighting.corners.mean(axis=0) - [x, y]))) < 20


@pytest.fixture(scope="module")
def reader() -> DiceReader:
    return DiceReader()


@pytest.fixture(scope="module")
def roll(reader: DiceReader) -> tuple[DieReading, ...]:
    return reader.read(load_picture(GAME / "000-t1-roll10-roll.jpg"))


def test_every_die_is_read_where_it_lies(roll: tuple[DieReading, ...]) -> None:
    assert len(roll) == 10
    for (x, y), face in FIRST_ROLL.items():
        assert [r.face for r in roll if _hits(r, x, y)] == [face]


def test_readings_keep_their_evidence(roll: tuple[DieReading, ...]) -> None:
    for reading in roll:
        assert reading.probabilities.sum() == pytest.approx(1, abs=1e-5)
        x0, y0, x1, y1 = reading.sighting.box
        assert (reading.sighting.corners > [x0 - 8, y0 - 8]).all()
        assert (reading.sighting.corners < [x1 + 8, y1 + 8]).all()
        assert reading.sighting.corner_error < 0.06


def test_the_same_picture_reads_the_same_twice(reader: DiceReader) -> None:
    image = load_picture(GAME / "002-t1-reroll8-roll.jpg")
    once, twice = reader.read(image), reader.read(image)
    assert [r.face for r in once] == [r.face for r in twice]
    assert all(
        np.array_equal(a.probabilities, b.probabilities) for a, b in zip(once, twice, strict=True)
    )


def test_a_die_whose_face_only_a_further_look_finds_may_lean_all_the_same() -> None:
    image = load_picture(Path(__file__).parents[1] / "pictures" / "leaning.jpg")
    readings = DiceReader().read(image)
    assert len(readings) == 10
    (leaning,) = (r for r in readings if r.face is None)
    assert leaning.sighting.center == pytest.approx((1110, 426), abs=9)
    assert Doubt.COCKED in leaning.doubts


def test_faint_finds_are_dice_if_nothing_is_in_doubt() -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    faint = DiceReader(finder=FinderThresholds(die=0.999))
    assert sum(find.faint for find in Finder(1, FinderThresholds(die=0.999)).find(image)) == 10
    readings = faint.read(image)
    for (x, y), face in FIRST_ROLL.items():
        assert [r.face for r in readings if _hits(r, x, y)] == [face]
    # Blurred until its digit cannot be told, a faint one is not even asked about.
    x, y = 989, 259
    image[y - 60 : y + 60, x - 60 : x + 60] = cv2.GaussianBlur(
        image[y - 60 : y + 60, x - 60 : x + 60], (0, 0), 5
    )
    assert [r.face for r in DiceReader().read(image) if _hits(r, x, y)] == [None]
    assert not [r for r in faint.read(image) if _hits(r, x, y)]


def test_where_all_finds_are_faint_and_no_d10_nothing_lies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Mirrored, for readings of the picture itself are remembered from other tests.
    image = np.ascontiguousarray(load_picture(GAME / "000-t1-roll10-roll.jpg")[:, ::-1])
    limits = FinderThresholds(die=0.999)
    assert all(find.faint for find in Finder(1, limits).find(image))
    monkeypatch.setattr("vision.reader.FAINT_D10", 1.0)
    assert DiceReader(finder=limits).read(image) == ()
    assert DiceReader(finder=limits).read(image, LEVEL) == ()


@pytest.mark.parametrize(("other", "sure", "left"), [(8, 1.0, 0.8), (3, 1.0, 1.0), (8, 0.7, 1.0)])
def test_another_tilt_counts_against_a_face_if_it_surely_shows_another(
    other: int, sure: float, left: float
) -> None:
    def read(face: int, share: float) -> np.ndarray:
        return np.eye(12)[[face]] * share

    chosen = Explanation(LEVEL, 0.8, read(3, 0.6))
    rival = Explanation(normal_at(30.0, 90.0), 0.2, read(other, sure))
    shares = weighed(np.eye(10)[[3]], (chosen, rival), [0])
    assert shares[0, 3] == pytest.approx(left)
    assert shares.sum() == pytest.approx(1)


def test_an_empty_tray_has_no_dice(reader: DiceReader) -> None:
    assert reader.read(load_picture(GAME / "008z-t1-cleared.jpg")) == ()


def test_a_steep_view_is_read_or_asked_about_never_wrong(reader: DiceReader) -> None:
    readings = reader.read(load_picture(PICTURES / "tray-202.jpg"))
    assert len(readings) == 6
    for (x, y), face in STEEP_ROLL.items():
        (there,) = [r for r in readings if _hits(r, x, y)]
        assert there.likeliest == face
        assert there.face in (face, None)


def test_the_layout_witness_can_be_switched_off() -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    faces = sorted(r.likeliest for r in DiceReader(layout=False).read(image))
    assert faces == [0, 0, 1, 1, 1, 3, 5, 7, 7, 8]


def test_what_is_too_blurred_to_read_gets_no_face(reader: DiceReader) -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), 14), np.uint8)
    assert all(r.face is None for r in reader.read(blurred))


def test_each_stage_is_timed(reader: DiceReader) -> None:
    started = time.perf_counter()
    _, times = reader.read_timed(load_picture(GAME / "000-t1-roll10-roll.jpg"))
    taken_ms = (time.perf_counter() - started) * 1000
    assert min(times.find_ms, times.pose_ms, times.read_ms) > 0
    assert times.find_ms + times.pose_ms + times.read_ms < taken_ms


def test_only_a_view_that_may_lie_otherwise_is_contested() -> None:
    """No face can pass this threshold, so whatever is weighed against other tilts is asked."""
    strict = DiceReader(thresholds=DoubtThresholds(contest=1.1))
    clear = strict.read(load_picture(GAME / "000-t1-roll10-roll.jpg"))
    assert sorted(r.likeliest for r in clear if r.face is not None) == [
        0,
        0,
        1,
        1,
        1,
        3,
        5,
        7,
        7,
        8,
    ]
    steep = strict.read(load_picture(PICTURES / "tray-202.jpg"))
    assert steep
    assert [(r.likeliest, r.doubts) for r in steep if Doubt.UNSURE not in r.doubts] == []


SINGLE_DICE = Path(__file__).parents[3] / "shared" / "data" / "single-dice"


@pytest.mark.skipif(not SINGLE_DICE.is_dir(), reason="needs the measuring pictures")
@pytest.mark.parametrize(
    ("name", "face"), [("d10_color072.jpg", 5), ("d10_wood0256.jpg", 2), ("d10_wood0700.jpg", 3)]
)
def test_a_large_die_is_not_taken_for_its_own_digits(
    reader: DiceReader, name: str, face: int
) -> None:
    """Its speckles and digits look like small dice: they may neither be read nor have a say."""
    image = load_picture(SINGLE_DICE / name)
    readings = reader.read(image)
    assert [r.face for r in readings if r.sighting.size < image.shape[1] / 4] == []
    assert [r.likeliest for r in readings] == [face]


def test_a_tray_of_dice_is_not_taken_for_one_large_die(reader: DiceReader) -> None:
    """In a smaller copy of this rendered tray its edge and ten dice look like one die."""
    readings = reader.read(load_picture(PICTURES / "crowd.jpg"))
    assert len(readings) == 10
    assert max(r.sighting.size for r in readings) < 100
