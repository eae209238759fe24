"""Read faces: digit probabilities of unwrapped patches, and the witnesses put together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models import entry, open_model
from vision.records import FACES, Image

Array = NDArray[np.float64]

TEN, JUNK = 10, 11
CLASSES = 12


class FaceNet:
    """The reader net on `threads` threads."""

    def __init__(self, threads: int = 1) -> None:
        self._session = open_model("reader", threads)
        if len(entry("reader").classes) != CLASSES:
            raise ValueError(f"The reader must know {CLASSES} classes.")

    def read(self, patches: list[Image]) -> Array:
        """Probabilities `(n, 12)` of upright patches: digits 0-9, the symbol 10, no face."""
        if not patches:
            return np.zeros((0, CLASSES))
        (logits,) = self._session.run(None, {"patches": np.stack(patches)})
        scores = np.asarray(logits, np.float64)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def combine(up: Array, support: Array) -> Array:
    """Face probabilities `(10,)` from the up face's reading `(12,)` and its neighbours' support.

    What the reader gave to "no face" is spread evenly: it is doubt, not evidence.
    """
    spread = up[:FACES] + up[JUNK] / FACES
    joint = spread * support
    return np.asarray(joint / joint.sum())
