"""Which way the tray faces, found from the dice: suppose a tilt, place the dice, see how well
level kites fit.

Seen from the side, a die's neighbouring face can look like its up face. A supposed tilt under
which all dice's up faces come out as sharp, level kites is the right one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.view import view_vectors
from vision.faces import JUNK, FaceNet
from vision.lean import LeanNet, moved
from vision.level import LevelNet
from vision.pose import Crop, Placement, PoseNet, misfits, picked, poses_in, replaced
from vision.unwrap import unwrap

Array = NDArray[np.float64]

LEVEL = np.array([0.0, 0.0, -1.0])
"""The normal of a tray seen from straight above."""

NEARLY_LEVEL_DEG = 12.0
"""A camera tilted less than this may stand on any side of the tray."""

WORST_FIT = -1.0
"""A die that fits worse than this (score of `die_scores`) says no more against a tilt."""

SAME_FACES = 0.75
"""Two explanations that place this share of the dice alike are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Nets:
    """The nets that the search asks."""

    pose: PoseNet
    level: LevelNet
    lean: LeanNet
    faces: FaceNet


@dataclass(frozen=True, slots=True)
class TiltSearch:
    """How hard the tilt is searched for, and what is believed about it."""

    clear_misfit: float = 0.0145
    """A mean misfit up to this near the first guess ends the search. Raise: faster, and
    steep views are mistaken for level ones."""
    clear_peak: float = 0.955
    """So does only a mean peak of at least this."""
    clear_score: float = -0.1
    """And only a `fit_score` of at least this: two faces can swap places almost neatly."""
    enough_voters: int = 2
    """With fewer dice, tilts are tried even when the first guess looks clear."""
    first_deg: float = 30.0
    azimuths: int = 8
    dice: int = 10
    """Dice that try out each direction under the first supposed tilt."""
    directions: int = 4
    tilts_deg: tuple[float, ...] = (15.0, 30.0, 45.0)
    voters: int = 12
    """Dice that try out each tilt in the best directions."""
    modes: int = 8
    """So many of the best tilts are refined and compared thoroughly."""
    place_again_deg: float = 5.0
    """The dice are placed once more when the refined normal is further away than this."""
    place_again_misfit: float = 0.012
    """Only dice whose kite then misses by more than this are placed again."""
    lone_of: int = 3
    """How a lone d10 stands tells more of the tilt than how its kite fits. Among more finds than
    this one voter is not alone: what it is itself is doubtful …"""
    sure_misfit: float = 0.05
    sure_d10: float = 0.9
    """… and so it is if no kite fits."""
    pull: float = 0.05
    """Pull of the refined normal towards the guess: a lone die's noise must not tilt the tray."""
    misfit_weight: float = 8.0
    """What a misfit costs against weaker peaks (in logarithm)."""
    rival_deg: float = 20.0
    """Tilts further apart than this are different explanations, not one refined."""
    fit_weight: float = 3.0
    """Log odds per unit of `die_scores`: how much a better kite says."""
    level_weight: float = 0.9
    """Log odds per logit of the level net, for a lone die; several dice of one picture share
    their light and ground, so together they count as the square root of their number."""
    upright_odds: float = 1.5
    upright_odds_deg: float = 0.04
    """Log odds that a camera which looks at the tray from a side stands upright, and how much
    more each degree of tilt makes them."""
    upright_alone_deg: float = 0.12
    """The same for a picture of one die, for each degree beyond `NEARLY_LEVEL_DEG`: it is taken by
    hand, from any side if from above. Lower: fewer questions about lone dice, more misreads."""
    upright_deg: float = 40.0
    """Cameras that lean less than this to a side stand upright."""
    read_weight: float = 1.0
    """Log odds per logarithm of the share of faces that can be read: a kite drawn across two
    faces, or upside down, shows none."""
    unmoved_odds: float = 4.0
    """Log odds that the camera stands where earlier pictures were taken from."""
    unmoved_deg: float = 12.0
    tilt_cost: float = 0.03
    """What each degree of tilt costs: people look down at dice. Raise: fewer questions about lone
    dice, more misreads of those seen from the side."""
    steepest_deg: float = 46.0
    """Cameras hardly look from lower than this …"""
    steep_cost: float = 0.5
    """… and each degree more costs this much."""
    least_chance: float = 0.003
    """Explanations less likely than this are forgotten."""
    other_face: float = 0.12
    """Corners further apart than this share of the crop belong to another face."""


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
class Dice:
    """Dice to be placed: their crops, the crops as the nets take them `(n, 64, 64, 3)`, and
    their lines of sight `(n, 3)`."""

    crops: list[Crop]
    pictures: NDArray[np.uint8]
    lines: Array

    def at(self, index: NDArray[np.intp]) -> Dice:
        """Only the dice at `index`."""
        return Dice([self.crops[k] for k in index], self.pictures[index], self.lines[index])

    def placed(self, net: PoseNet, normal: Array) -> Placement:
        """The dice placed on a tray with this normal (3,)."""
        return net.place(self.pictures, view_vectors(normal, self.lines))

    def read(self, net: FaceNet, placement: Placement, normal: Array) -> Array:
        """What the placed faces show, `(n, 12)`."""
        poses = poses_in(self.crops, placement, view_vectors(normal, self.lines))
        pairs = zip(self.crops, poses, strict=True)
        return net.read([unwrap(crop.image, pose.affine) for crop, pose in pairs])


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A normal (3,) that may be the tray's, its probability among all considered, and what
    each die's up face would then show, `(n, 12)`."""

    normal: Array
    chance: float
    read: Array


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """The tray's normal (3,), the dice placed under it, and what else it may be: all
    explanations that cannot be ruled out, the chosen one among them, or none if it is clear."""

    normal: Array
    placement: Placement
    explanations: tuple[Explanation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Supposed:
    """A normal (3,) as it was tried: the dice placed under it, and their `fit_score`."""

    normal: Array
    placement: Placement
    fit: float


@dataclass(frozen=True, slots=True, eq=False)
class _Mode:
    """One explanation: a refined normal, the voters placed under it, and its log odds."""

    normal: Array
    placement: Placement
    odds: float


def search_tilt(
    nets: Nets,
    dice: Dice,
    first: Placement,
    trust: Array,
    search: TiltSearch,
    guess: Array | None = None,
    found: int | None = None,
) -> Tilt:
    """The tilt that explains the dice best.

    `first` are the dice as placed under the first guess: `guess` (3,), a normal that earlier
    pictures told, or else `LEVEL`. `trust` `(n,)` is how surely each is a d10: the surest ones
    decide.
    """
    order = np.argsort(-trust, kind="stable")
    # What is hardly a d10 has no say in how the d10 lie.
    voters = order[: max(1, int((trust > 0.5 * trust.max()).sum()))]
    start = LEVEL if guess is None else guess
    near = refined(picked(first, voters), dice.lines[voters], start, search.pull)
    # A lone die may fit any first guess, but not many dice have told one before.
    enough = len(voters) >= search.enough_voters or guess is not None
    if enough and is_clear(picked(first, voters), view_vectors(near, dice.lines[voters]), search):
        return _finished(nets, dice, voters, start, near, first, search)
    few = voters[: search.voters]
    some = dice.at(few)
    guesses = _likely(nets.pose, some, search, guess)
    alone = len(few) == 1 and (len(dice.crops) if found is None else found) <= search.lone_of
    refinements = [_mode(nets, some, supposed, search, guess, alone) for supposed in guesses]
    modes = _different(sorted(refinements, key=lambda mode: -mode.odds), search)
    chances = np.exp([mode.odds - modes[0].odds for mode in modes])
    chances /= chances.sum()
    likely = [
        (mode, float(chance), _unflipped(dice.placed(nets.pose, mode.normal), few, mode, search))
        for mode, chance in zip(modes, chances, strict=True)
        if chance > search.least_chance
    ]
    best, _, placement = likely[0]
    finer = refined(picked(placement, voters), dice.lines[voters], best.normal, search.pull)
    tilt = _finished(nets, dice, voters, best.normal, finer, placement, search)
    explanations = tuple(
        Explanation(mode.normal, chance, dice.read(nets.faces, placed, mode.normal))
        for mode, chance, placed in likely
    )
    return replace(tilt, explanations=explanations)


def _finished(
    nets: Nets,
    dice: Dice,
    voters: NDArray[np.intp],
    normal: Array,
    finer: Array,
    placement: Placement,
    search: TiltSearch,
) -> Tilt:
    """The tilt `finer`, refined from `normal` with all voters, and the dice, placed once more
    and the tilt refined with them if it is far from there."""
    lines = dice.lines
    if float(finer @ normal) < np.cos(np.radians(search.place_again_deg)):
        views = view_vectors(finer, lines)
        placement = placed_again(nets.pose, dice.pictures, views, placement, search)
        finer = refined(picked(placement, voters), lines[voters], finer, search.pull)
    return Tilt(finer, placement, ())


def placed_again(
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


def _likely(net: PoseNet, dice: Dice, search: TiltSearch, guess: Array | None) -> list[_Supposed]:
    """Normals worth a thorough look: the guess, and those under which these dice fit best.

    All dice choose the likely directions, then the tilt.
    """

    def tried(normal: Array, some: Dice) -> _Supposed:
        placement = some.placed(net, normal)
        fit = fit_score(placement, view_vectors(normal, some.lines), search)
        return _Supposed(normal, placement, fit)

    first_dice = dice.at(np.arange(min(search.dice, len(dice.crops))))
    step = 360.0 / search.azimuths
    first = {
        k: tried(normal_at(search.first_deg, k * step), first_dice).fit
        for k in range(search.azimuths)
    }
    ranked = sorted(first, key=lambda k: -first[k])[: search.directions]
    # Most cameras stand upright: there the tray's normal points to the picture's top.
    upright = round(270 / step) % search.azimuths
    if upright not in ranked:
        ranked.append(upright)
    normals = [LEVEL] + [normal_at(t, k * step) for k in ranked for t in search.tilts_deg]
    ranking = sorted((tried(normal, dice) for normal in normals), key=lambda one: -one.fit)
    if guess is not None:
        ranking.insert(0, tried(guess, dice))
    return _apart(ranking, search.rival_deg)[: search.modes]


def _apart(ranking: list[_Supposed], least_deg: float) -> list[_Supposed]:
    """The supposed normals without those near an earlier one."""
    limit = np.cos(np.radians(least_deg))
    kept: list[_Supposed] = []
    for one in ranking:
        if all(float(one.normal @ other.normal) < limit for other in kept):
            kept.append(one)
    return kept


def _mode(
    nets: Nets,
    dice: Dice,
    supposed: _Supposed,
    search: TiltSearch,
    guess: Array | None,
    alone: bool,
) -> _Mode:
    """The explanation near a supposed normal, refined twice, and what speaks for it.

    `alone`: the dice are but one, and nothing else was found.
    """
    normal = refined(supposed.placement, dice.lines, supposed.normal, search.pull)
    placement = dice.placed(nets.pose, normal)
    normal = refined(placement, dice.lines, normal, search.pull)
    views = view_vectors(normal, dice.lines)
    if alone:
        # One kite tells little of a tilt, the whole die more.
        sure = misfits(placement.corners, views, placement.peaks) < search.sure_misfit
        sure &= placement.d10 > search.sure_d10
        if sure.any():
            poses = poses_in(dice.crops, placement, views)
            normal = moved(normal, nets.lean.stance(dice.crops, poses, views))
            views = view_vectors(normal, dice.lines)
    # A cocked die, or what is no die, fits no explanation: it must not decide.
    fits = np.maximum(die_scores(placement, views, search), WORST_FIT)
    looks = nets.level.logits(dice.pictures, placement, views)
    readable = 1 - dice.read(nets.faces, placement, normal)[:, JUNK]
    together = np.sqrt(len(looks))
    odds = search.fit_weight * float(fits.sum())
    odds += search.level_weight * float(looks.sum()) / together
    odds += search.read_weight * float(np.log(readable + 0.02).sum()) / together
    return _Mode(normal, placement, odds + _prior(normal, search, guess, alone))


def _unflipped(
    placement: Placement, voters: NDArray[np.intp], mode: _Mode, search: TiltSearch
) -> Placement:
    """The placement, but voters that now show another face stay as the mode was judged."""
    moved = _moved(picked(placement, voters), mode.placement)
    flipped = np.nonzero(moved > search.other_face)[0]
    return replaced(placement, voters[flipped], picked(mode.placement, flipped))


def _different(modes: list[_Mode], search: TiltSearch) -> list[_Mode]:
    """The modes, best first, without those that place the same faces as a better one."""
    kept: list[_Mode] = []
    for mode in modes:
        if not any(_same_faces(mode.placement, other.placement, search) for other in kept):
            kept.append(mode)
    return kept


def _same_faces(a: Placement, b: Placement, search: TiltSearch) -> bool:
    return bool((_moved(a, b) < search.other_face).mean() >= SAME_FACES)


def _moved(a: Placement, b: Placement) -> Array:
    """How far each die's worst corner moved, as a share of the crop, `(n,)`."""
    return np.asarray(np.linalg.norm(a.corners - b.corners, axis=2).max(axis=1))


def _prior(normal: Array, search: TiltSearch, guess: Array | None, alone: bool) -> float:
    """Log odds of a normal before any die is seen: people look down at dice, upright cameras are
    the rule, and cameras seldom move during a game."""
    aside = float(np.degrees(np.arctan2(abs(normal[0]), -normal[1])))
    tilt = float(np.degrees(np.arccos(np.clip(-normal[2], -1, 1))))
    odds = -search.tilt_cost * tilt
    if aside > search.upright_deg and tilt > NEARLY_LEVEL_DEG:
        if alone:
            odds -= search.upright_alone_deg * (tilt - NEARLY_LEVEL_DEG)
        else:
            odds -= search.upright_odds + search.upright_odds_deg * tilt
    odds -= search.steep_cost * max(0.0, tilt - search.steepest_deg)
    if guess is not None and normal @ guess > np.cos(np.radians(search.unmoved_deg)):
        odds += search.unmoved_odds
    return odds


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
