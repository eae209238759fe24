"""What speaks for each face of a die: its looks, its neighbours, and the dice around it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from vision.faces import JUNK, TEN, combine
from vision.finder import Find
from vision.layout import alike, neighbour_support, tables
from vision.pose import Pose
from vision.records import Image

Array = NDArray[np.float64]

SURE_MISFIT, SURE_D10 = 0.05, 0.9
"""Dice that fit better and look more like d10 are witnesses of how the tray lies …"""

SURE_FACE = 0.9
"""… and, with a face as sure as this, of how they are numbered."""

NO_WITNESS, WITNESSES = 0.1, 2
"""A look whose kite misses the corners by more than this is none, if so many fit better and surely
show a d10."""

FEW_FELLOWS = 2
"""More sure d10 than this make another die of their colour a d10, the more the likelier."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything the looks at one die said.

    `probabilities` (10,) joint over all witnesses; `looks` (n, 10) each look's own; `alone`
    (10,) without the neighbours; `support` (10,) the neighbours' alone. `junk`, `ten`: what
    the reader gave to "no face" and to the symbol 10. `d10`, `found`, `cocked`, `covered`,
    `leans`: probabilities. `misfit`: the kite's, as a share of the die's size. `size_px`: the
    die's larger side.
    """

    probabilities: Array
    looks: Array
    alone: Array
    support: Array
    junk: float
    ten: float
    d10: float
    found: float
    cocked: float
    covered: float
    leans: float
    misfit: float
    size_px: float


@dataclass(frozen=True, slots=True, eq=False)
class DieLook:
    """One look at one die: its pose, the net's probabilities of d10, cocked and covered, the
    readings of its up face (12,) and of the neighbours beside it (2, 12), its face unwrapped."""

    pose: Pose
    d10: float
    cocked: float
    covered: float
    up: Array
    beside: Array
    patch: Image


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of a die beside its looks: how probably it leans, how its set is numbered
    (2, 10, 10; see `layout.tables`), and how many sure d10 of its colour lie with it."""

    leans: float
    layout: Array
    fellows: float


def kin_of(looks: list[DieLook]) -> Array:
    """How far each die (row) believes each other (column), `(n, n)`: those of its colour that are
    surely read d10."""
    sure = [
        look.up.max() > SURE_FACE and look.pose.error < SURE_MISFIT and look.d10 > SURE_D10
        for look in looks
    ]
    return np.asarray(alike([look.patch for look in looks]) * np.array(sure))


def known_of(looks: list[DieLook], leans: Array, kin: Array) -> list[Known]:
    """What is known of each die that its own face doesn't tell; `leans` is `(n,)`, `kin` `(n, n)`
    is `kin_of` them."""
    ups, besides = np.array([look.up for look in looks]), np.array([look.beside for look in looks])
    parts = zip(leans, tables(ups, besides, kin), kin.sum(axis=1), strict=True)
    return [Known(float(lean), layout, float(fellows)) for lean, layout, fellows in parts]


def evidence_of(find: Find, looks: list[DieLook], known: Known) -> Evidence:
    """What one or several looks at a die say together: products of evidence, worst of faults."""
    looks = _witnesses(looks)
    supports = [neighbour_support(look.beside, known.layout) for look in looks]
    alone = np.array([combine(look.up, np.ones(10)) for look in looks])
    # A look that found no face does not tell which it is.
    told = np.array([1 - float(look.up[JUNK]) + 1e-6 for look in looks])
    joint = np.array([combine(look.up, s) for look, s in zip(looks, supports, strict=True)])
    logs = np.log(np.maximum(joint, 1e-6)).mean(axis=0)
    together = np.exp(logs - logs.max())
    support = np.exp(np.log(supports).mean(axis=0))
    return Evidence(
        probabilities=together / together.sum(),
        looks=joint,
        alone=np.average(alone, axis=0, weights=told),
        support=support,
        junk=median(float(look.up[JUNK]) for look in looks),
        ten=max(float(look.up[TEN]) for look in looks),
        d10=_among(fmean(look.d10 for look in looks), known.fellows),
        found=find.d10,
        cocked=fmean(look.cocked for look in looks),
        covered=fmean(look.covered for look in looks),
        leans=known.leans,
        misfit=median(look.pose.error for look in looks),
        size_px=max(find.size),
    )


def _witnesses(looks: list[DieLook]) -> list[DieLook]:
    """The looks without those at which the die's face was not found."""
    fitting = [look for look in looks if look.pose.error < NO_WITNESS]
    enough = len(fitting) >= WITNESSES and fmean(look.d10 for look in fitting) > SURE_D10
    return fitting if enough else looks


def _among(d10: float, fellows: float) -> float:
    """How probably a die is a d10 that lies among so many of its colour: sets are not mixed."""
    odds = d10 / max(1 - d10, 1e-9) * max(1.0, fellows - FEW_FELLOWS)
    return odds / (1 + odds)
