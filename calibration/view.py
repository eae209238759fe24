"""The tray's normal as lines of sight see it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def view_vectors(normal: Array, lines: Array) -> Array:
    """The tray's normal as each line of sight sees it: its x and y in the picture, `(n, 2)`.

    (0, 0) is seen from straight above; the length is the sine of the viewing angle. `normal`
    is (3,), or `(m, 3)` for many at once, then the result is `(m, n, 2)`.
    """
    x, y, z = lines.T
    # Picture x and y at each line of sight, at right angles to it.
    breadth = np.sqrt(1 - x * x)
    across = np.stack([breadth, -x * y / breadth, -x * z / breadth], axis=-1)
    down = np.stack([np.zeros_like(x), z / breadth, -y / breadth], axis=-1)
    return np.stack([normal @ across.T, normal @ down.T], axis=-1)
