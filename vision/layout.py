"""How dice are numbered: neighbouring faces as witnesses for the face that is up.

Most dice follow the standard layout, but makers differ. Dice that lie together are mostly of
one set: where the others surely show other neighbours than the standard layout has, it is not
believed, and what they show is.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import d10
from vision.faces import CLASSES, JUNK
from vision.records import FACES, Image

Array = NDArray[np.float64]

TRUST = 0.6
"""How far the standard layout is believed of a die alone."""

AGREES, DISAGREES = 2.0, 0.15
"""The most that one other die says for and against the standard layout, as odds: other layouts
share about half of its pairs, and a face may be misread."""

MOST_TRUST = 0.95
"""Neighbours may be misread, however they are numbered."""

BELIEF = 2.0
"""The standard layout weighs as much as so many dice that show what lies beside a face."""

COLOUR = 12.0
"""Dice of one set differ in colour by about so much (CIE Lab)."""

_STANDARD = np.array(
    [np.eye(FACES)[[d10.NEIGHBOURS[face][side] for face in range(FACES)]] for side in (0, 1)]
)
"""The standard layout as tables `(2, 10, 10)`: see `tables`."""


def unread(n: int) -> Array:
    """The readings `(n, 2, 12)` of the neighbours of `n` dice, none of which can be read."""
    besides = np.zeros((n, 2, CLASSES))
    besides[:, :, JUNK] = 1.0
    return besides


def alike(patches: list[Image]) -> Array:
    """How probably dice are of one set by the colour of their faces, `(n, n)`; 0 of itself."""
    # Most of a face is its body, not its digit.
    bodies = np.median(np.stack(patches)[:, ::4, ::4].reshape(len(patches), -1, 3), axis=1)
    lab = cv2.cvtColor((bodies[None] / 255).astype(np.float32), cv2.COLOR_BGR2LAB)[0]
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    return np.asarray(np.exp(-0.5 * (apart / COLOUR) ** 2) * (1 - np.eye(len(patches))), np.float64)


def tables(ups: Array, besides: Array, kin: Array) -> Array:
    """How probably each face lies on the left and on the right of each, `(n, 2, 10, 10)`.

    One table for each die, [side, face up, face beside], from the standard layout and from what
    the dice of its set show. `ups` (n, 12) are the up faces' readings, `besides` (n, 2, 12) their
    left and right neighbours', `kin` (n, n) how far each (row) believes each (column): not at all
    itself, and nobody dice that are not surely read.
    """
    trust = _trust(ups, besides, kin)[:, None, None, None]
    standard = trust * _STANDARD + (1 - trust) / FACES
    others = np.einsum("nm,msfb->nsfb", kin, _shown(ups, besides))
    weight = BELIEF + others.sum(axis=3, keepdims=True)
    return np.asarray((BELIEF * standard + others) / weight)


def neighbour_support(beside: Array, table: Array) -> Array:
    """How well both neighbours' readings `(2, 12)` go with each up face, `(10,)`, about 0-1.

    `table` (2, 10, 10) is the die's own of `tables`. An unreadable neighbour supports all faces
    alike.
    """
    support = np.einsum("sfb,sb->sf", table, _readable(beside)).prod(axis=0)
    return np.asarray(support / support.max())


def _readable(besides: Array) -> Array:
    """The neighbours as faces `(..., 10)`; what is unreadable may be any."""
    return np.asarray(besides[..., :FACES] + besides[..., JUNK, None] / FACES)


def _shown(ups: Array, besides: Array) -> Array:
    """What each die shows to lie beside what, as shares of a die, `(n, 2, 10, 10)`.

    What lies on the right of a face has that face on its own left.
    """
    seen = np.einsum("nf,nsb->nsfb", ups[:, :FACES], besides[..., :FACES])
    return np.asarray(seen + seen[:, ::-1].swapaxes(2, 3))


def _trust(ups: Array, besides: Array, kin: Array) -> Array:
    """How probably each die is numbered by the standard layout, as its kin tell, `(n,)`."""
    faces = ups[:, :FACES] / np.maximum(ups[:, :FACES].sum(axis=1, keepdims=True), 1e-9)
    expected = np.einsum("sfb,nsb->nsf", _STANDARD, _readable(besides)).prod(axis=1)
    standard = (faces * expected).sum(axis=1)
    votes = np.clip(2 * standard / (standard + 1 / FACES**2), DISAGREES, AGREES)
    odds = TRUST / (1 - TRUST) * np.exp(kin @ np.log(votes))
    return np.asarray(np.minimum(odds / (1 + odds), MOST_TRUST))
