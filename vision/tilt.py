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
from vision.pose import Placement, PoseNet, misfits, picked, replaced

Array = NDArray[np.float64]

LEVEL = np.array([0.0, 0.0, -1.0])
"""The normal of a tray seen from straight above."""


@dataclass(frozen=True, slots=True)
class TiltSearch:
    """How hard the tilt is searched for."""

    clear_misfit: float = 0.0145
    """A mean misfit up to this near the first guess ends the search. Raise: faster, and
    steep views are mistaken for level ones."""
    clear_peak: float = 0.955
    """So does only a mean peak of at least this."""
    first_deg: float = 30.0
    azimuths: int = 8
    dice: int = 10
    """Dice that try out each direction under the first supposed tilt."""
    directions: int = 4
    tilts_deg: tuple[float, ...] = (15.0, 30.0, 45.0)
    voters: int = 12
    """Dice that try out each tilt in the best directions."""
    place_again_deg: float = 5.0
    """The dice are placed once more when the refined normal is further away than this."""
    place_again_misfit: float = 0.012
    """Only dice whose kite then misses by more than this are placed again."""
    pull: float = 0.05
    """Pull of the refined normal towards the guess: a lone die's noise must not tilt the tray."""
    misfit_weight: float = 8.0
    """What a misfit costs against weaker peaks (in logarithm)."""
    level_bonus: float = 0.03
    """What a tilt must fit better than the level guess. Raise: steep views need more proof."""
    clear_score: float = -0.1
    """And only a `fit_score` of at least this: two faces can swap places almost neatly."""
    enough_voters: int = 2
    """With fewer dice, tilts are tried even when the first guess looks clear."""
    rival_deg: float = 20.0
    """Tilts further apart than this are different explanations, not one refined."""
    rival_margin: float = 0.3
    """Another tilt that fits a lone die worse by less than this may contest it; the margin
    shrinks with the square root of the number of dice. Raise: more doubt."""
    other_face: float = 0.12
    """Corners further apart than this share of the crop belong to another face."""
    contest_gain: float = 0.16
    """A lone die is contested unless its chosen face fits better than the other by this; as for
    the margin, more dice together need less. Under a rival within half the margin, every die
    with another face is contested: all of them may be wrong together."""


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
    return (
        bool(misfit[most - 1] < 1.6 * search.clear_misfit)
        and bool(misfit[:most].mean() < search.clear_misfit)
        and bool(peaks[-most:].mean() > search.clear_peak)
        and fit_score(placement, views, search) > search.clear_score
    )


def refined(placement: Placement, lines: Array, normal: Array, pull: float) -> Array:
    """The normal near `normal` under which the corners found make the most level kites."""
    best = normal
    for reach_deg in (8.0, 4.0, 2.0):
        around = _around(best, reach_deg)
        views = view_vectors(around, lines)
        misfit = np.sort(misfits(placement.corners, views, placement.peaks), axis=1)
        most = max(1, round(0.8 * misfit.shape[1]))
        away = 1 - around @ normal
        best = around[int((misfit[:, :most].mean(axis=1) + pull * away).argmin())]
    return best


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """The tray's normal (3,), the dice placed under it, and which dice are contested (n,): they
    fit another tilt, which explains the dice nearly as well, with another face up."""

    normal: Array
    placement: Placement
    contested: NDArray[np.bool_]


def search_tilt(
    net: PoseNet,
    pictures: NDArray[np.uint8],
    lines: Array,
    level: Placement,
    trust: Array,
    search: TiltSearch,
) -> Tilt:
    """The tilt that explains the dice in `pictures` `(n, 64, 64, 3)` best.

    `lines` `(n, 3)` are the lines of sight, `level` the dice as placed under the first guess,
    `LEVEL`, and `trust` `(n,)` how surely each is a d10: the surest ones decide.
    """
    order = np.argsort(-trust, kind="stable")
    # What is hardly a d10 has no say in how the d10 lie.
    voters = order[: max(1, int((trust > 0.5 * trust.max()).sum()))]
    near = refined(picked(level, voters), lines[voters], LEVEL, search.pull)
    clear = len(voters) >= search.enough_voters and is_clear(
        picked(level, voters), view_vectors(near, lines[voters]), search
    )
    normal, placement = LEVEL, level
    rivals: list[tuple[Array, float]] = []
    if not clear:
        normal, rivals = _try_tilts(net, pictures[voters], lines[voters], search)
        if normal is not LEVEL:
            placement = net.place(pictures, view_vectors(normal, lines))
    finer = refined(picked(placement, voters), lines[voters], normal, search.pull)
    if float(finer @ normal) < np.cos(np.radians(search.place_again_deg)):
        views = view_vectors(finer, lines)
        placement = _placed_again(net, pictures, views, placement, search)
        finer = refined(picked(placement, voters), lines[voters], finer, search.pull)
    contested = np.zeros(len(pictures), bool)
    for rival, enough in rivals:
        other = level if rival is LEVEL else net.place(pictures, view_vectors(rival, lines))
        contested |= _contested(
            placement,
            view_vectors(finer, lines),
            other,
            view_vectors(rival, lines),
            search,
            enough,
        )
    return Tilt(finer, placement, contested)


def _placed_again(
    net: PoseNet,
    pictures: NDArray[np.uint8],
    views: Array,
    placement: Placement,
    search: TiltSearch,
) -> Placement:
    """Place the dice that do not fit the better views well; the others stay as they are."""
    misfit = misfits(placement.corners, views, placement.peaks)
    poor = np.nonzero(misfit > search.place_again_misfit)[0]
    if not len(poor):
        return placement
    return replaced(placement, poor, net.place(pictures[poor], views[poor]))


def _contested(
    chosen: Placement,
    views: Array,
    other: Placement,
    other_views: Array,
    search: TiltSearch,
    enough: float,
) -> NDArray[np.bool_]:
    """Dice whose other face, under another tilt, fits nearly as well as the chosen one."""
    moved = np.linalg.norm(chosen.corners - other.corners, axis=2).max(axis=1)
    gain = die_scores(chosen, views, search) - die_scores(other, other_views, search)
    return np.asarray((moved > search.other_face) & (gain < enough))


def _try_tilts(
    net: PoseNet, pictures: NDArray[np.uint8], lines: Array, search: TiltSearch
) -> tuple[Array, list[tuple[Array, float]]]:
    """The best of the level tray and tilts all around, as these dice see them, and its rivals:
    other tilts that explain the dice nearly as well, each with the gain that a die's chosen
    face needs against it.

    A few dice choose the likely directions, then up to `search.voters` the tilt.
    """

    def score(normal: Array, dice: int) -> float:
        views = view_vectors(normal, lines[:dice])
        return fit_score(net.place(pictures[:dice], views), views, search)

    step = 360.0 / search.azimuths
    ranked = sorted(
        range(search.azimuths),
        key=lambda k: -score(normal_at(search.first_deg, k * step), search.dice),
    )
    tried = [(score(LEVEL, search.voters) + search.level_bonus, LEVEL)]
    for azimuth in ranked[: search.directions]:
        for tilt in search.tilts_deg:
            normal = normal_at(tilt, azimuth * step)
            tried.append((score(normal, search.voters), normal))
    best_score, best = max(tried, key=lambda one: one[0])
    far = np.cos(np.radians(search.rival_deg))
    margin = search.rival_margin / np.sqrt(min(len(lines), search.voters))
    enough = search.contest_gain / np.sqrt(len(lines))
    rivals = [
        (normal, np.inf if points > best_score - margin / 2 else float(enough))
        for points, normal in tried
        if points > best_score - margin and float(normal @ best) < far
    ]
    return best, rivals


def _around(normal: Array, reach_deg: float) -> Array:
    """The normal and eight beside it, `reach_deg` away, shape (9, 3)."""
    across = np.array([-normal[2], 0.0, normal[0]])
    across /= np.linalg.norm(across)
    down = np.cross(normal, across)
    turns = np.radians(np.arange(0, 360, 45))[:, None]
    beside = normal + np.tan(np.radians(reach_deg)) * (
        np.cos(turns) * across + np.sin(turns) * down
    )
    around = np.vstack([normal, beside])
    return np.asarray(around / np.linalg.norm(around, axis=1, keepdims=True))
