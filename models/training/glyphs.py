"""Digits and marks as signed distance fields, drawn from the typefaces installed here."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

CELL = 64
"""Pixels across a glyph cell; a digit is `CAP` pixels tall in its middle."""
CAP = 38
SPREAD = 10.0
"""Signed distance, in cell pixels, that fills half the byte range (128 is the outline)."""

DIGITS = [str(d) for d in range(10)]
MARKED = ["6_", "9_", "6.", "9."]
TENS = [f"{d}0" for d in range(10)]
TEENS = [str(d) for d in range(11, 20)]
PIPS = [f"pip{d}" for d in range(1, 7)]
ORNAMENTS = ["star", "ring", "cross", "triangle", "frame"]
SYMBOLS = DIGITS + MARKED + TENS + TEENS + PIPS + ORNAMENTS
INDEX = {symbol: i for i, symbol in enumerate(SYMBOLS)}
BLANK = len(SYMBOLS)

Mask = NDArray[np.uint8]


def find_fonts(folder: Path = Path("/usr/share/fonts")) -> list[Path]:
    """All TrueType and OpenType files under `folder`, in name order."""
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".ttf", ".otf"))


def _draw(font: ImageFont.FreeTypeFont, text: str, cap: int) -> Mask | None:
    """`text` drawn `cap` pixels tall in the middle of a cell, or None if it does not fit."""
    box = font.getbbox(text)
    width, height = box[2] - box[0], box[3] - box[1]
    if width < 2 or height < 8:
        return None
    picture = Image.new("L", (int(width) + 8, int(height) + 8))
    ImageDraw.Draw(picture).text((4 - box[0], 4 - box[1]), text, font=font, fill=255)
    drawn = np.asarray(picture)
    rows, cols = np.nonzero(drawn > 127)
    if len(rows) < 20:
        return None
    drawn = drawn[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1]
    scale = min(cap / drawn.shape[0], (CELL - 6) / drawn.shape[1])
    size = (max(2, round(drawn.shape[1] * scale)), max(2, round(drawn.shape[0] * scale)))
    small = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA)
    cell = np.zeros((CELL, CELL), np.uint8)
    y, x = (CELL - size[1]) // 2, (CELL - size[0]) // 2
    cell[y : y + size[1], x : x + size[0]] = small
    return cell


def _mark(cell: Mask, mark: str) -> Mask:
    """The digit with a bar under it, or with a dot at its foot."""
    marked = cell.copy()
    cols = np.nonzero(cell.max(axis=0) > 127)[0]
    foot = (CELL + CAP) // 2
    if mark == "_":
        cv2.rectangle(marked, (int(cols.min()), foot + 4), (int(cols.max()), foot + 8), 255, -1)
    else:
        cv2.circle(marked, (min(int(cols.max()) + 7, CELL - 4), foot - 3), 4, 255, -1)
    return marked


def _field(cell: Mask) -> Mask:
    """Signed distance field of a mask: 128 on the outline, larger inside."""
    inside = cv2.distanceTransform((cell > 127).astype(np.uint8), cv2.DIST_L2, 5)
    outside = cv2.distanceTransform((cell <= 127).astype(np.uint8), cv2.DIST_L2, 5)
    return np.clip(128 + (inside - outside) * 127 / SPREAD, 0, 255).astype(np.uint8)


def _pips(count: int) -> Mask:
    cell = np.zeros((CELL, CELL), np.uint8)
    places = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "abcghi"}[count]
    for letter in places:
        row, col = divmod("abcdefghi".index(letter), 3)
        cv2.circle(cell, (12 + 20 * row, 12 + 20 * col), 7, 255, -1)
    return cell


def _ornament(name: str) -> Mask:
    cell = np.zeros((CELL, CELL), np.uint8)
    c = CELL // 2
    if name == "star":
        for k in range(5):
            a = 2 * np.pi * k / 5
            tip = (int(c + 28 * np.sin(a)), int(c - 28 * np.cos(a)))
            cv2.line(cell, (c, c), tip, 255, 7)
    elif name == "ring":
        cv2.circle(cell, (c, c), 22, 255, 6)
        cv2.circle(cell, (c, c), 8, 255, -1)
    elif name == "cross":
        cv2.line(cell, (8, 8), (56, 56), 255, 8)
        cv2.line(cell, (56, 8), (8, 56), 255, 8)
    elif name == "triangle":
        cv2.polylines(cell, [np.array([(c, 8), (56, 52), (8, 52)])], True, 255, 5)
        cv2.line(cell, (c, 20), (c, 44), 255, 6)
    else:
        cv2.rectangle(cell, (6, 6), (58, 58), 255, 5)
        cv2.line(cell, (20, 44), (44, 20), 255, 7)
        cv2.line(cell, (20, 20), (32, 32), 255, 5)
    return cell


def load_typeface(path: Path) -> NDArray[np.uint8] | None:
    """Fields of all symbols in one typeface, shape `(symbols, CELL, CELL)`, or None if unfit."""
    try:
        font = ImageFont.truetype(str(path), 96)
        cells: dict[str, Mask] = {}
        for text in DIGITS:
            drawn = _draw(font, text, CAP)
            if drawn is None:
                return None
            cells[text] = drawn
        for text in TENS + TEENS:
            drawn = _draw(font, text, CAP)
            if drawn is None:
                return None
            cells[text] = drawn
    except (OSError, ValueError):
        return None
    for base in ("6", "9"):
        for mark in ("_", "."):
            cells[base + mark] = _mark(cells[base], mark)
    for count in range(1, 7):
        cells[f"pip{count}"] = _pips(count)
    for name in ORNAMENTS:
        cells[name] = _ornament(name)
    return np.array([_field(cells[s]) for s in SYMBOLS] + [np.zeros((CELL, CELL), np.uint8)])


def load_typefaces(limit: int, seed: int) -> NDArray[np.uint8]:
    """Up to `limit` readable typefaces, shape `(typefaces, symbols + 1, CELL, CELL)`.

    A typeface counts as readable when its digits look like the median typeface's: that
    leaves out symbol fonts, dingbats and scripts with figures of their own.
    """
    faces: list[NDArray[np.uint8]] = []
    seen: set[bytes] = set()
    paths = find_fonts()
    order = np.random.default_rng(seed).permutation(len(paths))
    for k in order:
        face = load_typeface(paths[k])
        if face is None or face[:10].tobytes() in seen:
            continue
        seen.add(face[:10].tobytes())
        faces.append(face)
        if len(faces) >= 2 * limit:
            break
    stack = np.array(faces)
    digits = stack[:, :10].astype(np.float32).reshape(len(stack), 10, -1)
    median = np.median(digits, axis=0)
    likeness = np.array(
        [
            [float(np.atleast_2d(np.corrcoef(face[d], median[d]))[0, 1]) for d in range(10)]
            for face in digits
        ]
    ).min(axis=1)
    alike = np.array(
        [np.asarray(np.corrcoef(face))[np.triu_indices(10, 1)].max() for face in digits]
    )
    good = np.nonzero((likeness > 0.62) & (alike < 0.97))[0]
    return stack[good[:limit]]
