"""What spoils a face's picture: a highlight that washes it out, or blur."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.records import Doubt, Image

WHITE = 250
"""A pixel all of whose colours reach this is washed out."""

GLARE = 0.15
"""A face is washed out from this share on: 98 % of the faces read in sharp pictures show less."""

BLURRED = 1.5
"""A face is blurred if its edges are less than so many times as steep as after smoothing: those
read in sharp pictures measure 2.4 and more, those too blurred to read 1.0 to 1.5."""

FACE = slice(6, 34)
"""The rows and columns of a patch that show mostly the up face."""


def flaws_of(patch: Image) -> Doubt:
    """Why an unwrapped face `(40, 40, 3)` that could not be read cannot be read well."""
    flaws = Doubt.NONE
    if washed_out(patch) > GLARE:
        flaws |= Doubt.GLARE
    if sharpness(patch) < BLURRED:
        flaws |= Doubt.BLURRED
    return flaws


def washed_out(patch: Image) -> float:
    """Share of an unwrapped face `(40, 40, 3)` that is white by glare, 0-1."""
    return float((patch[FACE, FACE].min(axis=2) >= WHITE).mean())


def sharpness(patch: Image) -> float:
    """How crisp an unwrapped face `(40, 40, 3)` is.

    How much steeper its edges are than after smoothing by two pixels: about 1 where smoothing
    changes nothing, so blur was there before; 2 and more for a crisp print.
    """
    grey = np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), np.float32)
    smooth = np.asarray(cv2.GaussianBlur(grey, (0, 0), 2.0), np.float32)
    return float(_steepest(grey) / max(_steepest(smooth), 1e-6))


def _steepest(grey: NDArray[np.float32]) -> float:
    """The 97th percentile of the slope."""
    dx, dy = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    return float(np.percentile(np.hypot(dx, dy)[FACE, FACE], 97))
