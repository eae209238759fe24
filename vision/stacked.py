"""Dice so near to others that they may lie on or against them: two flat ones hardly do so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.finder import Find
from vision.pose import shrinkage

Array = NDArray[np.float64]

TOUCHING = 0.8
"""Middles of two dice nearer than this share of their size lie so that one bears the other, if one
leans: side by side, flat dice have about the face-to-face distance between them, two thirds of
their size."""

TOUCHING_ODDS = 1.5
"""Log odds that such a die leans, more than elsewhere."""


def touching(finds: Sequence[Find], views: Array) -> NDArray[np.bool_]:
    """Which dice lie so near to another, no faint one, that one may lie on the other, `(n,)`;
    `views` `(n, 2)` is the tray's normal as each line of sight sees it."""
    middles, sizes = (
        np.array(v) for v in ([f.center for f in finds], [max(f.size) for f in finds])
    )
    apart = middles[:, None] - middles[None]
    # Along the tilt the tray is seen shortened.
    level = np.einsum("nij,nmj->nmi", np.linalg.inv(shrinkage(views)), apart)
    usual = (sizes[:, None] + sizes[None]) / 2
    near = np.linalg.norm(level, axis=2) < TOUCHING * usual
    np.fill_diagonal(near, False)
    near[:, [f.faint for f in finds]] = False
    return np.asarray(near.any(axis=1))
