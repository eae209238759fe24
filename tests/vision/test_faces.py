"""Witnesses put together."""

import numpy as np

from vision.faces import CLASSES, JUNK, combine


def _certain(index: int, share: float = 0.99) -> np.ndarray:
    probabilities = np.full(CLASSES, (1 - share) / (CLASSES - 1))
    probabilities[index] = share
    return probabilities


def test_no_face_is_doubt_not_evidence() -> None:
    joint = combine(_certain(JUNK, 0.9), np.ones(10))
    assert joint.max() < 0.2
