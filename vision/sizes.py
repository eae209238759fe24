"""Dice of one set are of one size: which seem larger or smaller, as those do that do not lie flat.

A face taken for the up face of a die that leans lies nearer to the camera or farther away, or its
kite is drawn across several faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FELLOWS = 3.0
"""Fewer sure dice of a set do not tell its size."""

USUAL = 0.08
"""Logarithm of the ratio of sizes up to which kites of flat dice of one set differ."""

ODDS, MOST_ODDS = 30.0, 3.0
"""Log odds that a die leans, for each unit of that logarithm beyond, and at most."""


def lean_odds(scales: Array, lines: Array, normal: Array, kin: Array) -> Array:
    """Log odds that dice lean, told by how large they seem beside those of their set, `(n,)`.

    `scales` (n,) are in pixels, `lines` (n, 3) the dice's lines of sight, `normal` (3,) is the
    tray's; `kin` (n, n) tells how far each (row) believes that each (column) is of its set, lies
    flat and is well placed: not at all itself.
    """
    # All dice lie on one plane; the farther, the smaller they seem.
    depths = 1 / np.maximum(-(lines / np.abs(lines[:, 2:])) @ normal, 1e-3)
    sizes = np.log(np.maximum(scales * depths, 1e-6))
    order = np.argsort(sizes)
    weights = np.cumsum(kin[:, order], axis=1)
    middle = (weights >= weights[:, -1:] / 2).argmax(axis=1)
    apart = np.abs(sizes - sizes[order][middle])
    odds = np.clip(ODDS * (apart - USUAL), 0.0, MOST_ODDS)
    return np.asarray(np.where(weights[:, -1] >= FELLOWS, odds, 0.0))
