"""Up faces measured: where many looks at the same dice place their corners, not yet levelled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.standpoint import Standpoint
from calibration.view import view_vectors
from vision.finder import Find
from vision.pose import PoseNet, cut, to_pictures
from vision.records import DieReading, Image

Array = NDArray[np.float64]

SPANS = (1.0, 1.12, 0.9)
"""The dice are cut out this much larger than they are …"""

TURNS = (0, 1, 2, 3)
"""… and turned by so many quarter turns: each look errs in another way."""


class KiteMeasure:
    """Measures up faces, on `threads` threads."""

    def __init__(self, threads: int = 1) -> None:
        self._pose = PoseNet(threads)

    def corners(
        self, image: Image, readings: Sequence[DieReading], standpoint: Standpoint
    ) -> Array:
        """Pole, right, blunt and left corner of each die's up face, pixels `(n, 4, 2)`.

        A reading's own corners are those of a level kite, whatever the net saw. These are what it
        saw, the median of a dozen looks. `standpoint` tells roughly how the camera stands.
        """
        if not readings:
            return np.empty((0, 4, 2))
        centers = np.array([reading.sighting.center for reading in readings])
        views = view_vectors(standpoint.normal, standpoint.lens.rays(centers))
        looks = []
        for span in SPANS:
            crops = [cut(image, _find(reading, span)) for reading in readings]
            pictures = to_pictures(crops)
            for turns in TURNS:
                placed = self._pose.place_turned(pictures, views, turns).corners
                pairs = zip(crops, placed, strict=True)
                looks.append([crop.to_picture(at * crop.image.shape[0]) for crop, at in pairs])
        return np.asarray(np.median(looks, axis=0))


def _find(reading: DieReading, span: float) -> Find:
    side = reading.sighting.size * span
    return Find(reading.sighting.center, (side, side), 1.0, 0.0)
