"""Which way the tray faces, found from the dice: suppose a tilt, place the dice, see how well
level kites fit.

Seen from the side, a die's neighbouring face can look like its up face. A supposed tilt under
which all dice's up faces come out as sharp, level kites is the right one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.view import view_vectors
from vision.pose import Placement, PoseNet, misfits

Array = NDArray[np.float64]

LEVEL = np.array([0.0, 0.0, -1.0])
"""The normal of a tray seen from straight above."""


@dataclass(frozen=True, slots=True)
class TiltSearch:
    """How hard the tilt is searched for."""

    clear_misfit: float = 0.021
    """A mean misfit up to this under the first guess ends the search. Raise: faster, and
    steep views are mistaken for level ones."""
    clear_peak: float = 0.9
    """So does only a mean peak of at least this."""
    dice: int = 5
    """Dice that try out each supposed tilt; the others follow."""
    tilts_deg: tuple[float, ...] = (30.0, 15.0, 45.0)
    azimuths: int = 8
    misfit_weight: float = 8.0
    """What a misfit costs against weaker peaks (in logarithm)."""
    level_bonus: float = 0.03
    """What a tilt must fit better than the level guess. Raise: steep views need more proof."""
    other_face: float = 0.12
    """Corners further apart than this share of the crop belong to another face."""
    contest_gain: float = 0.06
    """A die is contested unless its chosen face fits better than the other by this."""


def normal_at(tilt_deg: float, azimuth_deg: float) -> Array:
    """Unit normal, towards the camera, of a tray tilted by `tilt_deg` to the direction
    `azimuth_deg` of the picture (0 is +x, 90 is down)."""
    tilt, azimuth = np.radians([tilt_deg, azimuth_deg])
    return np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), -np.cos(tilt)])


def die_scores(placement: Placement, views: Array, search: TiltSearch) -> Array:
    """How well each die placed under supposed views `(n, 2)` fits: `(n,)`, 0 is perfect."""
    misfit = misfits(placement.corners, views, placement.peaks)
    peak = np.log(np.minimum(placement.peaks.mean(axis=1) + 0.02, 1.0))
    return np.asarray(peak - search.misfit_weight * misfit)


def fit_score(placement: Placement, views: Array, search: TiltSearch) -> float:
    """The mean of `die_scores` without the worst quarter, which may be cocked or no dice."""
    scores = np.sort(die_scores(placement, views, search))
    return float(scores[len(scores) // 4 :].mean())


def is_clear(placement: Placement, views: Array, search: TiltSearch) -> bool:
    """Whether the first guess already explains nearly all dice."""
    misfit = np.sort(misfits(placement.corners, views, placement.peaks))
    peaks = np.sort(placement.peaks.mean(axis=1))
    most = max(1, round(0.8 * len(misfit)))
    return bool(misfit[most - 1] < 1.6 * search.clear_misfit) and bool(
        misfit[:most].mean() < search.clear_misfit and peaks[-most:].mean() > search.clear_peak
    )


def refined(placement: Placement, lines: Array, normal: Array) -> Array:
    """The normal near `normal` under which the corners found make the most level kites."""
    best = normal
    for reach_deg in (8.0, 4.0, 2.0):
        around = _around(best, reach_deg)
        views = np.stack([view_vectors(n, lines) for n in around])
        misfit = np.sort(misfits(placement.corners, views, placement.peaks), axis=1)
        most = max(1, round(0.8 * misfit.shape[1]))
        # A pull towards the guess keeps a lone die's noise from tilting the tray.
        away = np.array([1 - float(n @ normal) for n in around])
        best = around[int((misfit[:, :most].mean(axis=1) + 0.15 * away).argmin())]
    return best


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """The tray's normal (3,), the dice placed under it, and which dice contest it (n,): they
    would fit a tray seen from straight above as well, with another face up."""

    normal: Array
    placement: Placement
    contested: NDArray[np.bool_]


def search_tilt(
    net: PoseNet,
    pictures: NDArray[np.float32],
    lines: Array,
    trust: Array,
    search: TiltSearch,
) -> Tilt:
    """The tilt that explains the dice in `pictures` `(n, 3, 64, 64)` best.

    `lines` `(n, 3)` are the lines of sight, `trust` `(n,)` how surely each is a d10: the
    surest ones decide.
    """
    level = net.place(pictures, view_vectors(LEVEL, lines))
    surest = np.argsort(-trust, kind="stable")[: search.dice]
    normal, placement = LEVEL, level
    if not is_clear(level, view_vectors(LEVEL, lines), search):
        normal = _try_tilts(net, pictures[surest], lines[surest], search)
        if normal is not LEVEL:
            placement = net.place(pictures, view_vectors(normal, lines))
    finer = refined(placement, lines, normal)
    if float(finer @ normal) < np.cos(np.radians(5.0)):
        placement = net.place(pictures, view_vectors(finer, lines))
    contested = np.zeros(len(pictures), bool)
    if normal is not LEVEL:
        contested = _contested(placement, view_vectors(finer, lines), level, lines, search)
    return Tilt(finer, placement, contested)


def _contested(
    chosen: Placement, views: Array, level: Placement, lines: Array, search: TiltSearch
) -> NDArray[np.bool_]:
    """Dice whose other face, under the level guess, fits nearly as well as the chosen one."""
    moved = np.linalg.norm(chosen.corners - level.corners, axis=2).max(axis=1)
    gain = die_scores(chosen, views, search) - die_scores(level, view_vectors(LEVEL, lines), search)
    return np.asarray((moved > search.other_face) & (gain < search.contest_gain))


def _try_tilts(
    net: PoseNet, pictures: NDArray[np.float32], lines: Array, search: TiltSearch
) -> Array:
    """The best of the level tray and tilts all around, as these dice see them."""

    def score(normal: Array) -> float:
        views = view_vectors(normal, lines)
        return fit_score(net.place(pictures, views), views, search)

    step = 360.0 / search.azimuths
    best, best_score = LEVEL, score(LEVEL) + search.level_bonus
    first, *others = search.tilts_deg
    ranked = sorted(
        ((score(normal_at(first, k * step)), k * step) for k in range(search.azimuths)),
        reverse=True,
    )
    candidates = [(points, normal_at(first, azimuth)) for points, azimuth in ranked[:1]]
    candidates += [
        (score(normal), normal)
        for _, azimuth in ranked[:3]
        for tilt in others
        for normal in (normal_at(tilt, azimuth),)
    ]
    for points, normal in candidates:
        if points > best_score:
            best, best_score = normal, points
    return best


def _around(normal: Array, reach_deg: float) -> list[Array]:
    """The normal and eight beside it, `reach_deg` away."""
    across = np.cross(normal, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    down = np.cross(normal, across)
    reach = np.tan(np.radians(reach_deg))
    turns = np.radians(np.arange(0, 360, 45))
    beside = [normal + reach * (np.cos(t) * across + np.sin(t) * down) for t in turns]
    return [n / np.linalg.norm(n) for n in (normal, *beside)]
