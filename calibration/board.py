"""The printed board: a chessboard with markers, and where its corners are in a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

COLUMNS, ROWS = 8, 6
"""Squares of the board."""

SQUARE_MM, MARKER_MM = 20.0, 15.0
"""Sides of a square and of the marker in it; a marker's cell is 2.5 mm, a square 8 cells."""

CELL_MM = 2.5

WIDTH_MM, DEPTH_MM = COLUMNS * SQUARE_MM, ROWS * SQUARE_MM
"""The whole board: small enough for every usual tray, the same on A4 and Letter."""

FEWEST_CORNERS = 8
"""A view with fewer corners says too little."""

FEWEST_LINES = 3
"""Corners on fewer rows or columns than this lie nearly on a line."""


OUTLIER, OUTLIER_PX = 3.0, 0.4
"""A corner that is off by more than this many times the median, and more than this, is wrong."""

MOST_GOOD = 0.8
"""If fewer corners than this share are right, none is trusted to be."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board's corners as one picture of `size` (w, h) shows them.

    `pixels` (n, 2) are their places in the picture, `places_mm` (n, 2) those on the board:
    x to the right and y up, both from the board's middle. `numbers` (n,) name the corners.
    `mirrored`: the picture shows everything mirrored, and `pixels` are those of that picture.
    """

    size: tuple[int, int]
    numbers: NDArray[np.int32]
    pixels: Array
    places_mm: Array
    mirrored: bool = False

    @property
    def enough(self) -> bool:
        """Whether the corners suffice for a pose: enough of them, not nearly on one line."""
        if len(self.numbers) < FEWEST_CORNERS:
            return False
        columns = self.numbers % (COLUMNS - 1)
        rows = self.numbers // (COLUMNS - 1)
        return min(len(set(columns.tolist())), len(set(rows.tolist()))) >= FEWEST_LINES

    def well_found(self, off_px: Array) -> BoardView:
        """The view without corners found beside their place, as some are where the picture is
        blurred or the board runs far away.

        `off_px` (n,) is how far each lies from where a fit expects it. The same view if that tells
        of no corner, or against too many to trust the fit.
        """
        good = off_px <= max(OUTLIER * float(np.median(off_px)), OUTLIER_PX)
        if good.all() or good.sum() < MOST_GOOD * len(good):
            return self
        numbers, pixels, places_mm = self.numbers[good], self.pixels[good], self.places_mm[good]
        left = replace(self, numbers=numbers, pixels=pixels, places_mm=places_mm)
        return left if left.enough else self


@cache
def _board() -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary)


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    found = cv2.aruco.DetectorParameters()
    # Marker corners only predict where chessboard corners are; those are refined afterwards.
    found.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.CharucoDetector(_board(), cv2.aruco.CharucoParameters(), found)


def cells() -> NDArray[np.bool_]:
    """The board cell by cell, `(48, 64)`: True where it is printed black."""
    size = (COLUMNS * 8, ROWS * 8)
    return np.asarray(_board().generateImage(size, marginSize=0, borderBits=1)) < 128


def corner_places(numbers: NDArray[np.int32]) -> Array:
    """Where the corners of these numbers are on the board, mm from its middle, `(n, 2)`."""
    columns, rows = numbers % (COLUMNS - 1) + 1, numbers // (COLUMNS - 1) + 1
    return np.column_stack(
        [columns * SQUARE_MM - WIDTH_MM / 2, DEPTH_MM / 2 - rows * SQUARE_MM]
    ).astype(np.float64)


def detect(image: Image) -> BoardView | None:
    """The board in a picture `(h, w, 3)` or `(h, w)`, or None where none is seen.

    A picture in which everything is mirrored is noticed.
    """
    gray = to_gray(image)
    view = _detect(gray)
    if view is not None:
        return view
    flipped = _detect(np.ascontiguousarray(gray[:, ::-1]))
    if flipped is None:
        return None
    pixels = np.column_stack([gray.shape[1] - 1 - flipped.pixels[:, 0], flipped.pixels[:, 1]])
    return BoardView(flipped.size, flipped.numbers, pixels, flipped.places_mm, mirrored=True)


def to_gray(image: Image) -> Image:
    """The picture in shades of gray, `(h, w)`."""
    return (
        image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    )


def _detect(gray: Image) -> BoardView | None:
    corners, numbers, _, _ = _detector().detectBoard(gray)
    # OpenCV answers None where it finds nothing, whatever its stubs say.
    if corners is None or numbers is None or len(corners) == 0:
        return None
    found = np.asarray(numbers, np.int32).reshape(-1)
    return BoardView(
        size=(gray.shape[1], gray.shape[0]),
        numbers=found,
        pixels=np.asarray(corners, np.float64).reshape(-1, 2),
        places_mm=corner_places(found),
    )
