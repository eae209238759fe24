"""The board on paper: a sheet in millimetres, written as PDF or PNG at true size."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import board

MM_PER_INCH = 25.4
POINTS_PER_MM = 72 / MM_PER_INCH

DPI = 300
"""Resolution of the PNG."""

RULER_MM = 100
LINE_MM = 0.2
QUIET_MM = 5.0
"""White around the board, within the line to cut along: markers need it."""

TITLE = "boxcars board: print at 100 % (actual size), not fitted to the page."
CUT = "Cut along the line and lay the sheet flat in the tray."
RULER = "This line is 100 mm long. If yours is not, print again without scaling."


class Paper(Enum):
    """Sizes of paper, width and height in mm."""

    A4 = (210.0, 297.0)
    LETTER = (215.9, 279.4)


@dataclass(frozen=True, slots=True)
class Bar:
    """A black rectangle: left, top, width and height in mm from the sheet's top left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Words:
    """A line of words: where it begins, on its base line, and how tall its letters are, mm."""

    x: float
    y: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is printed on one sheet of paper."""

    paper: Paper
    bars: tuple[Bar, ...]
    words: tuple[Words, ...]


def board_sheet(paper: Paper) -> Sheet:
    """The board in the sheet's upper half, the line to cut along, the ruler line and how to."""
    width, _ = paper.value
    left, top = (width - board.WIDTH_MM) / 2, 40.0
    frame = _frame(
        left - QUIET_MM,
        top - QUIET_MM,
        board.WIDTH_MM + 2 * QUIET_MM,
        board.DEPTH_MM + 2 * QUIET_MM,
    )
    ruler_y = top + board.DEPTH_MM + 25.0
    ticks = [Bar(left + at - LINE_MM / 2, ruler_y - 3, LINE_MM, 3) for at in range(0, 101, 10)]
    ruler = Bar(left - LINE_MM / 2, ruler_y, RULER_MM + LINE_MM, LINE_MM)
    words = (
        Words(left, 20.0, 4.0, TITLE),
        Words(left, 28.0, 4.0, CUT),
        Words(left, ruler_y + 7.0, 3.5, RULER),
    )
    return Sheet(paper, (*_board_bars(left, top), *frame, ruler, *ticks), words)


def _board_bars(left: float, top: float) -> list[Bar]:
    """The board's black cells; neighbours in a row are one bar, and equal bars below it too."""
    black = board.cells()
    open_bars: dict[tuple[int, int], int] = {}
    bars: list[Bar] = []

    def close(span: tuple[int, int], first: int, last: int) -> None:
        start, stop = span
        cell = board.CELL_MM
        bars.append(
            Bar(
                left + start * cell,
                top + first * cell,
                (stop - start) * cell,
                (last - first) * cell,
            )
        )

    for row in range(len(black) + 1):
        spans = _spans(black[row]) if row < len(black) else []
        for span in [span for span in open_bars if span not in spans]:
            close(span, open_bars.pop(span), row)
        for span in spans:
            open_bars.setdefault(span, row)
    return bars


def _spans(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where the row's runs of True begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _frame(x: float, y: float, width: float, height: float) -> list[Bar]:
    return [
        Bar(x, y, width, LINE_MM),
        Bar(x, y + height, width + LINE_MM, LINE_MM),
        Bar(x, y, LINE_MM, height),
        Bar(x + width, y, LINE_MM, height),
    ]


def to_pdf(sheet: Sheet) -> bytes:
    """The sheet as a PDF file: one page of vectors, letters in the reader's own Helvetica."""
    width, height = (side * POINTS_PER_MM for side in sheet.paper.value)

    def up(y_mm: float) -> float:
        return height - y_mm * POINTS_PER_MM

    lines = ["0 g"]
    for bar in sheet.bars:
        x, w, h = (side * POINTS_PER_MM for side in (bar.x, bar.width, bar.height))
        lines.append(f"{x:.4f} {up(bar.y + bar.height):.4f} {w:.4f} {h:.4f} re")
    lines.append("f")
    for words in sheet.words:
        text = words.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        size = words.height * POINTS_PER_MM
        x = words.x * POINTS_PER_MM
        lines.append(f"BT /F1 {size:.2f} Tf {x:.4f} {up(words.y):.4f} Td ({text}) Tj ET")
    content = "\n".join(lines).encode("ascii")
    # Printers asked for "none" do not scale the page by themselves.
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.4f} {height:.4f}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return _pdf_file(objects)


def _pdf_file(objects: list[bytes]) -> bytes:
    """Numbered objects with the table that says where each begins."""
    data = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        data += b"%010d 00000 n \n" % place
    data += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    data += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(data)


def to_png(sheet: Sheet) -> bytes:
    """The sheet as a PNG file of 300 dots an inch that says so itself."""
    done, encoded = cv2.imencode(".png", picture(sheet))
    if not done:
        raise RuntimeError("OpenCV could not write a PNG.")
    data = encoded.tobytes()
    per_metre = round(DPI / MM_PER_INCH * 1000)
    body = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    chunk = struct.pack(">I", 9) + body + struct.pack(">I", zlib.crc32(body))
    # Right after the signature and the header, which is always 25 bytes long.
    return data[:33] + chunk + data[33:]


def picture(sheet: Sheet) -> NDArray[np.uint8]:
    """The sheet in pixels at 300 dots an inch, gray, `(h, w)`."""
    per_mm = DPI / MM_PER_INCH
    width, height = (round(side * per_mm) for side in sheet.paper.value)
    image = np.full((height, width), 255, np.uint8)
    for bar in sheet.bars:
        x0, y0 = round(bar.x * per_mm), round(bar.y * per_mm)
        x1 = max(x0 + 1, round((bar.x + bar.width) * per_mm))
        y1 = max(y0 + 1, round((bar.y + bar.height) * per_mm))
        image[y0:y1, x0:x1] = 0
    for words in sheet.words:
        # Hershey's capital letters are 21 units tall at scale 1.
        scale = words.height * 0.72 * per_mm / 21
        at = (round(words.x * per_mm), round(words.y * per_mm))
        cv2.putText(image, words.text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, 0, 3, cv2.LINE_AA)
    return image
