"""The printed sheet is true to size, as PDF and as PNG."""

import re
import struct

import cv2
import numpy as np
import pytest

from calibration import board
from calibration.sheet import DPI, MM_PER_INCH, Paper, board_sheet, picture, to_pdf, to_png


@pytest.mark.parametrize("paper", list(Paper))
def test_png_has_the_board_at_true_size(paper: Paper) -> None:
    data = to_png(board_sheet(paper))
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    width, height = paper.value
    assert image.shape[1] == pytest.approx(width / MM_PER_INCH * DPI, abs=1)
    assert image.shape[0] == pytest.approx(height / MM_PER_INCH * DPI, abs=1)
    view = board.detect(np.asarray(image, np.uint8))
    assert view is not None
    assert len(view.numbers) == 35
    found = view.pixels - view.pixels.mean(axis=0)
    true = view.places_mm * [1, -1] * DPI / MM_PER_INCH
    assert np.abs(found - (true - true.mean(axis=0))).max() < 1.0
    at = data.index(b"pHYs") + 4
    assert struct.unpack(">IIB", data[at : at + 9]) == (11811, 11811, 1)


@pytest.mark.parametrize("paper", list(Paper))
def test_pdf_draws_the_same_bars_in_points(paper: Paper) -> None:
    sheet = board_sheet(paper)
    data = to_pdf(sheet)
    assert data.startswith(b"%PDF-1.4")
    assert data.endswith(b"%%EOF\n")
    width, height = paper.value
    assert f"/MediaBox [0 0 {width * 72 / 25.4:.4f} {height * 72 / 25.4:.4f}]".encode() in data
    drawn = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re", data)
    assert len(drawn) == len(sheet.bars)
    per_mm = 20
    canvas = np.zeros((round(height * per_mm), round(width * per_mm)), np.uint8)
    for x, y, w, h in ((float(n) * 25.4 / 72 * per_mm for n in bar) for bar in drawn):
        top = round(height * per_mm - y - h)
        canvas[top : round(top + h), round(x) : round(x + w)] = 255
    view = board.detect(255 - canvas)
    assert view is not None
    assert len(view.numbers) == 35
    assert np.linalg.norm(view.pixels[6] - view.pixels[0]) == pytest.approx(120 * per_mm, abs=2)


def test_every_object_of_the_pdf_is_where_its_table_says() -> None:
    data = to_pdf(board_sheet(Paper.A4))
    table = int(data.split(b"startxref\n")[1].split(b"\n")[0])
    assert data[table:].startswith(b"xref\n0 6\n")
    for number, line in enumerate(data[table:].split(b"\n")[3:8], 1):
        assert data[int(line[:10]) :].startswith(b"%d 0 obj" % number)


def test_ruler_is_a_hundred_millimetres_long() -> None:
    image = picture(board_sheet(Paper.A4))
    per_mm = DPI / MM_PER_INCH
    rows = (image[round(180 * per_mm) : round(186 * per_mm)] < 128).sum(axis=1)
    assert rows.max() / per_mm == pytest.approx(100.2, abs=0.3)
