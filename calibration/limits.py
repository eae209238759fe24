"""Which sizes of trays and dice are believed: a figure outside was meant in another unit."""

from __future__ import annotations

from typing import Final

TRAY_MM: Final = (50.0, 2000.0)
"""Shortest and longest inner width or depth of a tray, in millimetres."""

DIE_MM: Final = (8.0, 40.0)
"""Smallest and largest die, face to face, in millimetres."""


def within(value: float, limits: tuple[float, float]) -> bool:
    """Whether it lies between the limits or on one; what is no number does not."""
    low, high = limits
    return low <= value <= high
