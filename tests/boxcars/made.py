"""Readings made to order for tests."""

from __future__ import annotations

import numpy as np

from vision.records import DieReading, Doubt, Point, Sighting


def make_reading(
    face: int,
    center: Point = (100.0, 100.0),
    *,
    size: float = 60.0,
    doubts: Doubt = Doubt.NONE,
    confidence: float = 0.99,
) -> DieReading:
    """The reading of a square, upright die."""
    x, y = center
    half = size / 2
    corners = np.array(
        [[x, y - half], [x + half, y], [x, y + half], [x - half, y]], dtype=np.float32
    )
    probabilities = np.full(10, (1 - confidence) / 9, dtype=np.float32)
    probabilities[face] = confidence
    box = (x - half, y - half, x + half, y + half)
    return DieReading(Sighting(center, box, 0.9, corners, 0.01), probabilities, doubts)
