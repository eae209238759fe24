"""Whole JPEGs in a stream of bytes: however it is cut up, and whatever lies between."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.streaming import jpeg, noisy, part
from vision.jpegs import MAX_BYTES, JpegFinder
from vision.pictures import decode_picture

PICTURES = [noisy(seed=seed) for seed in range(4)]


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def found(data: bytes, size: int = 1000) -> list[bytes]:
    finder = JpegFinder()
    return [picture for piece in pieces(data, size) for picture in finder.push(piece)]


@pytest.mark.parametrize("size", [1, 2, 3, 999, 10**6])
def test_pictures_come_out_as_they_went_in(size: int) -> None:
    assert found(b"".join(map(part, PICTURES)), size) == PICTURES


def test_a_picture_is_there_with_its_last_byte() -> None:
    finder = JpegFinder()
    assert finder.push(PICTURES[0][:-1]) == []
    assert finder.push(PICTURES[0][-1:]) == [PICTURES[0]]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_half_picture_costs_no_other(share: float) -> None:
    first, second, third, _ = PICTURES
    half = second[: int(len(second) * share)]
    assert found(part(first) + part(half) + part(third)) == [first, third]
    # Also without anything between, and with a length that is a lie.
    assert found(first + half + third) == [first, third]
    assert found(part(first) + part(second).replace(second, half) + part(third)) == [first, third]


@settings(deadline=None)
@given(st.binary(max_size=3000), st.integers(1, 5000))
def test_garbage_between_pictures_is_passed_over(garbage: bytes, size: int) -> None:
    first, second, third, _ = PICTURES
    garbage = garbage.replace(b"\xff\xd8\xff", b"")
    assert found(first + garbage + second + garbage + third, size)[0] == first
    assert found(first + garbage + second + garbage + third, size) == [first, second, third]


def test_noise_inside_a_picture_is_noticed_by_its_marks() -> None:
    first, second, *_ = PICTURES
    noise = np.random.default_rng(3).bytes(2000)
    assert found(first[:3000] + noise + first[5000:] + second) == [second]


def test_a_picture_that_begins_like_one_is_given_up() -> None:
    lies = b"\xff\xd8\xff\xe0\x00\x00" + b"\xff\xd8\xff\x00abc" + b"\xff\xd8\xff\xe0\x00\x05abc!"
    assert found(lies + PICTURES[0]) == [PICTURES[0]]


def test_a_preview_inside_a_picture_is_no_picture() -> None:
    picture = PICTURES[0]
    preview = jpeg(np.zeros((16, 16, 3), np.uint8))
    segment = b"\xff\xe1" + (2 + len(preview)).to_bytes(2, "big") + preview
    with_preview = picture[:2] + segment + picture[2:]
    assert found(with_preview + PICTURES[1]) == [with_preview, PICTURES[1]]


def test_fill_bytes_before_a_marker_are_no_end() -> None:
    picture = PICTURES[0]
    assert found(filled := picture[:2] + b"\xff\xff" + picture[2:]) == [filled]


def test_progressive_pictures_and_restarts() -> None:
    image = decode_picture(PICTURES[0])
    for options in ([cv2.IMWRITE_JPEG_PROGRESSIVE, 1], [cv2.IMWRITE_JPEG_RST_INTERVAL, 4]):
        done, data = cv2.imencode(".jpg", image, options)
        assert done
        picture = data.tobytes()
        assert picture != PICTURES[0]
        assert found(part(picture) * 3) == [picture] * 3


def test_what_never_ends_fills_no_memory() -> None:
    finder = JpegFinder()
    head = PICTURES[0][:2000]
    assert finder.push(head) == []
    for _ in range(MAX_BYTES // 10**6 + 2):
        assert finder.push(bytes(10**6)) == []
        assert len(finder._data) <= MAX_BYTES
    assert finder.push(PICTURES[1]) == [PICTURES[1]]
