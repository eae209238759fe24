"""Dice that lie on or against others: nearer to them than dice can lie that stand on the tray."""

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


def on_others(finds: Sequence[Find], views: Array, leaning: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the dice that lean, `(n,)`, do so on another; `views` `(n, 2)` is the tray's normal
    as each line of sight sees it."""
    middles, sizes = (
        np.array(v) for v in ([f.center for f in finds], [max(f.size) for f in finds])
    )
    apart = middles[:, None] - middles[None]
    # Along the tilt the tray is seen shortened.
    level = np.einsum("nij,nmj->nmi", np.linalg.inv(shrinkage(views)), apart)
    usual = (sizes[:, None] + sizes[None]) / 2
    near = np.linalg.norm(level, axis=2) < TOUCHING * usual
    np.fill_diagonal(near, False)
    return np.asarray(leaning & near.any(axis=1))
