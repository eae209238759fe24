"""Pictures: what is read, and the sentence for what isn't."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.pictures import UnreadablePicture, decode_picture, load_picture
from vision.records import Image

RED, BLUE = (0, 0, 255), (255, 0, 0)


def two_halves(width: int = 96, height: int = 64) -> Image:
    """Left half red, right half blue, with enough detail not to compress to nothing."""
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2], image[:, width // 2 :] = RED, BLUE
    noise = np.random.default_rng(5).integers(0, 40, image.shape, np.uint8)
    return np.where(image > noise, image - noise, 0).astype(np.uint8)


def encoded(suffix: str, image: NDArray[Any], *options: int) -> bytes:
    done, data = cv2.imencode(suffix, image, list(options))
    assert done
    return data.tobytes()


def with_exif_orientation(jpeg: bytes, orientation: int) -> bytes:
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"MM\x00\x2a\x00\x00\x00\x08\x00\x01" + entry + bytes(4)
    body = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def grey_png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG of the size given, its compressed `pixels` perhaps fewer."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", pixels)
        + png_chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".bmp"])
def test_reads_colour_pictures(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"halves{suffix}"
    path.write_bytes(encoded(suffix, two_halves()))
    image = load_picture(path)
    assert image.shape == (64, 96, 3)
    assert image.dtype == np.uint8
    assert image[32, 10, 2] > 180 > image[32, 10, 0]
    assert image[32, 85, 0] > 180 > image[32, 85, 2]


def test_reads_lossless_webp() -> None:
    data = encoded(".webp", two_halves(), cv2.IMWRITE_WEBP_QUALITY, 101)
    assert np.array_equal(decode_picture(data), two_halves())


def test_reads_progressive_jpeg() -> None:
    data = encoded(".jpg", two_halves(), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    assert decode_picture(data).shape == (64, 96, 3)


def test_grey_and_transparent_pictures_become_three_channels() -> None:
    grey = two_halves()[:, :, 0].copy()
    assert decode_picture(encoded(".png", grey)).shape == (64, 96, 3)
    clear = cv2.cvtColor(two_halves(), cv2.COLOR_BGR2BGRA)
    assert decode_picture(encoded(".png", clear)).shape == (64, 96, 3)


def test_sixteen_bit_pictures_become_eight_bit() -> None:
    deep = two_halves().astype(np.uint16) * 256
    image = decode_picture(encoded(".png", deep))
    assert image.dtype == np.uint8
    assert image[32, 10, 2] > 180


def test_turns_as_exif_says() -> None:
    jpeg = encoded(".jpg", two_halves())
    upright = decode_picture(with_exif_orientation(jpeg, 1))
    assert upright.shape == (64, 96, 3)
    turned = decode_picture(with_exif_orientation(jpeg, 6))  # the camera was turned right
    assert turned.shape == (96, 64, 3)
    assert turned[10, 32, 2] > 180, "what was left is on top"


def test_an_embedded_preview_neither_ends_nor_measures_the_picture() -> None:
    """The preview has an end marker and a size of its own, inside the EXIF segment."""
    jpeg, preview = encoded(".jpg", two_halves()), encoded(".jpg", two_halves(32, 32))
    segment = b"\xff\xe1" + struct.pack(">H", len(preview) + 2) + preview
    whole = jpeg[:2] + segment + jpeg[2:]
    assert decode_picture(whole).shape == (64, 96, 3)
    with pytest.raises(UnreadablePicture, match="ends too early"):
        decode_picture(whole[:-200])


def test_what_phones_append_to_a_jpeg_does_no_harm() -> None:
    assert decode_picture(encoded(".jpg", two_halves()) + b"film\xff\xd8" * 50) is not None


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".bmp"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9, 0.999])
def test_refuses_truncated_pictures(suffix: str, share: float) -> None:
    data = encoded(suffix, two_halves())
    with pytest.raises(UnreadablePicture, match=r"^cut\.x is (damaged|not a picture)"):
        decode_picture(data[: int(len(data) * share)], "cut.x")


@pytest.mark.parametrize("missing", [1, 2, 3, 10])
def test_refuses_a_jpeg_without_its_very_end(missing: int) -> None:
    with pytest.raises(UnreadablePicture, match="ends too early"):
        decode_picture(encoded(".jpg", two_halves())[:-missing])


def test_refuses_a_progressive_jpeg_cut_between_scans() -> None:
    data = encoded(".jpg", two_halves(), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    second_scan = data.index(b"\xff\xda", data.index(b"\xff\xda") + 2)
    with pytest.raises(UnreadablePicture, match="ends too early"):
        decode_picture(data[:second_scan])


def test_refuses_a_png_with_a_flipped_bit() -> None:
    data = bytearray(encoded(".png", two_halves()))
    data[len(data) // 2] ^= 1
    with pytest.raises(UnreadablePicture, match="a checksum is wrong"):
        decode_picture(bytes(data))


def test_refuses_a_jpeg_that_holds_no_picture_data() -> None:
    with pytest.raises(UnreadablePicture, match="damaged"):
        decode_picture(b"\xff\xd8\xff\xd9")


def test_refuses_a_picture_whose_insides_cannot_be_decoded() -> None:
    data = encoded(".png", two_halves())
    header = data[: data.index(b"IDAT") - 4]
    broken = header + png_chunk(b"IDAT", b"no pixels") + png_chunk(b"IEND", b"")
    with pytest.raises(UnreadablePicture, match="cannot be decoded"):
        decode_picture(broken)


@pytest.mark.parametrize(("width", "height", "told"), [(8660, 5774, 50), (60000, 60000, 3600)])
def test_too_many_megapixels_are_refused_before_decoding(
    width: int, height: int, told: int
) -> None:
    with pytest.raises(UnreadablePicture, match=f"has {told} megapixels; the most is 40"):
        decode_picture(grey_png(width, height, b""))


def test_a_jpeg_of_fifty_megapixels_is_refused() -> None:
    data = bytearray(encoded(".jpg", two_halves()))
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", 5774, 8660)
    with pytest.raises(UnreadablePicture, match="has 50 megapixels"):
        decode_picture(bytes(data))


def test_large_pictures_within_the_limit_are_read() -> None:
    pixels = zlib.compress(bytes(6001 * 4000), 1)
    assert decode_picture(grey_png(6000, 4000, pixels)).shape == (4000, 6000, 3)


def test_tiny_pictures_are_refused() -> None:
    with pytest.raises(UnreadablePicture, match="is only 96 × 20 pixels"):
        decode_picture(encoded(".png", two_halves(96, 20)))


def test_files_that_are_no_pictures(tmp_path: Path) -> None:
    text = tmp_path / "notes.jpg"
    text.write_text("not a picture\n")
    with pytest.raises(UnreadablePicture, match=r"notes\.jpg is not a picture"):
        load_picture(text)
    empty = tmp_path / "empty.jpg"
    empty.touch()
    with pytest.raises(UnreadablePicture, match=r"empty\.jpg is empty"):
        load_picture(empty)
    with pytest.raises(UnreadablePicture, match="is a folder"):
        load_picture(tmp_path)
    with pytest.raises(UnreadablePicture, match=r"gone\.jpg does not exist"):
        load_picture(tmp_path / "gone.jpg")
    with pytest.raises(UnreadablePicture, match="cannot be opened"):
        load_picture(text / "inside.jpg")


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    jpeg, png = encoded(".jpg", two_halves()), encoded(".png", two_halves())
    header = png[: png.index(b"IDAT") - 4]
    for data in (jpeg[:400], png[:400], header + png_chunk(b"IEND", b""), b"BM" + bytes(60)):
        with pytest.raises(UnreadablePicture):
            decode_picture(data)
    assert capfd.readouterr() == ("", "")
