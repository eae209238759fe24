"""Read all dice in a picture: find, place, read, and doubt."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens, nominal
from calibration.view import view_vectors
from vision import d10
from vision.doubts import DoubtThresholds, doubts_of, is_certain, is_no_die
from vision.evidence import (
    NO_WITNESS,
    SURE_D10,
    SURE_MISFIT,
    DieLook,
    Evidence,
    Known,
    evidence_of,
    kin_of,
    known_of,
)
from vision.faces import FaceNet
from vision.finder import Find, Finder, FinderThresholds, unrepeated
from vision.flaws import flaws_of
from vision.layout import unread
from vision.lean import LeanNet, Stance, leans_told, moved, weakened
from vision.level import LevelNet
from vision.pose import (
    Crop,
    Placement,
    Pose,
    PoseNet,
    cut,
    framed,
    picked,
    poses_in,
    replaced,
    to_pictures,
)
from vision.records import DieReading, Doubt, Image, Sighting
from vision.sizes import lean_odds
from vision.stacked import TOUCHING_ODDS, touching
from vision.tilt import (
    LEVEL,
    Dice,
    Explanation,
    Nets,
    TiltSearch,
    die_scores,
    placed_again,
    search_tilt,
)
from vision.unwrap import neighbour_affine, unwrap
from vision.wholes import parts_of_others

Array = NDArray[np.float64]

MORE_LOOKS = (1, 2, 3)
"""Quarter turns of the picture for the further looks at a doubtful die."""

POOR_FIT, BETTER_FIT = -0.35, 0.1
"""A die whose kite fits worse than this is looked at in other sizes, which must fit better by
this much (scores of `tilt.die_scores`)."""

OTHER_SIZES = (1.4, 0.72)

RECUT_MISFIT = 0.06
"""A kite that fits worse than this says nothing about where its die is."""

RECUT_SHIFT, RECUT_RATIO = 0.08, 1.12
"""Cut again when the die's middle is off by more than this share of its size, or its size by
more than this factor."""

ENOUGH_DICE, TELLERS = 6, 8
"""Fewer witnesses, or dice on a cloth, cannot tell which die leans; so many know the tray's normal
better than the tilt search, and more than the second need not be asked …"""

MOVED_DEG, PLACED_AGAIN_DEG = 1.5, 9.0
"""… if they move it by more than the first; by more than the second, and dice whose kites do not
fit any more are placed again."""

TOLD_BY_DICE = 1.1
"""Log odds against a lean where dice and not a calibration told how the tray lies."""

FAINT_D10 = 0.9
"""A faint find that at a first look is less likely a d10 than this is none."""

CONTRADICTION = 0.8
"""A face that a die shows under another explanation of the tilt counts against its own if it is
read as surely as this: that of a kite not quite in place is not."""

NEIGHBOUR_AREA = 0.25
"""A neighbour whose face shows less than this share of the up face's area is not read."""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Milliseconds spent finding, placing and reading in one picture."""

    find_ms: float
    pose_ms: float
    read_ms: float


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything one look at a picture gives: the readings, surest find first, what each stage
    took, and the tray's normal (3,), given or told by the dice, None where none lie."""

    readings: tuple[DieReading, ...]
    times: StageTimes
    normal: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Finds with their crops, `pictures` of them as the nets take them `(n, 64, 64, 3)` and their
    lines of sight `(n, 3)`, placed on a tray with this `normal` (3,), which those see as `views`
    `(n, 2)`; how they stand there, None where nothing tells how the tray lies, and whether that was
    `told` by a calibration; whether each is `touching` another, `(n,)`; and what else the tray's
    tilt may be, with the places of these dice among those `explained` there."""

    finds: list[Find]
    crops: list[Crop]
    pictures: NDArray[np.uint8]
    lines: Array
    views: Array
    placement: Placement
    normal: Array
    stance: Stance | None
    told: bool
    touching: NDArray[np.bool_]
    explanations: tuple[Explanation, ...]
    explained: list[int]


class DiceReader:
    """Reads every d10 in a picture, on `threads` threads.

    `layout` tells whether neighbouring faces may speak for or against a face by the standard
    layout; switch it off for dice whose makers number them differently.
    """

    def __init__(
        self,
        threads: int = 1,
        layout: bool = True,
        thresholds: DoubtThresholds | None = None,
        search: TiltSearch | None = None,
        finder: FinderThresholds | None = None,
    ) -> None:
        self._finder = Finder(threads, finder)
        self._pose = PoseNet(threads)
        self._faces = FaceNet(threads)
        self._lean = LeanNet(threads)
        self._nets = Nets(self._pose, LevelNet(threads), self._lean, self._faces)
        self._layout = layout
        self._thresholds = thresholds or DoubtThresholds()
        self._search = search or TiltSearch()

    def read(
        self, image: Image, normal: Array | None = None, lens: Lens | None = None
    ) -> tuple[DieReading, ...]:
        """Every die found in the picture `(h, w, 3)`, surest find first.

        `normal` (3,) is the tray's normal in camera coordinates, towards the camera, where a
        calibration knows it; without it the dice themselves tell. `lens` is the camera's, without
        it an ordinary webcam's.
        """
        return self.look(image, normal, lens).readings

    def read_timed(
        self, image: Image, normal: Array | None = None, lens: Lens | None = None
    ) -> tuple[tuple[DieReading, ...], StageTimes]:
        """The same, with what each stage took."""
        look = self.look(image, normal, lens)
        return look.readings, look.times

    def look(
        self,
        image: Image,
        normal: Array | None = None,
        lens: Lens | None = None,
        guess: Array | None = None,
    ) -> Look:
        """The same, with all else that is found out.

        `guess` (3,) is a normal that the dice told before: it is tried first.
        """
        start = time.perf_counter()
        finds = list(self._finder.find(image))
        after_find = time.perf_counter()
        lens = lens or nominal((image.shape[1], image.shape[0]))
        dice = self._placed(image, finds, lens, normal, guess) if finds else None
        after_pose = time.perf_counter()
        readings = self._readings(dice) if dice else ()
        end = time.perf_counter()
        times = StageTimes(
            (after_find - start) * 1000, (after_pose - after_find) * 1000, (end - after_pose) * 1000
        )
        return Look(readings, times, dice.normal if dice else normal)

    def _placed(
        self, image: Image, finds: list[Find], lens: Lens, given: Array | None, guess: Array | None
    ) -> Placed | None:
        """The dice among the finds, if any, placed on the tray; `given` is its normal where that is
        known, `guess` one to try first."""
        normal = next((n for n in (given, guess) if n is not None), LEVEL)
        finds, crops, pictures, placement = self._candidates(image, finds, lens, normal)
        if not finds:
            return None
        lines = lens.rays(np.array([f.center for f in finds]))
        explanations: tuple[Explanation, ...] = ()
        if given is None:
            trust = np.array([f.d10 for f in finds]) * placement.d10
            dice = Dice(crops, pictures, lines)
            firm = sum(not f.faint for f in finds)
            tilt = search_tilt(self._nets, dice, placement, trust, self._search, guess, firm)
            normal, placement, explanations = tilt.normal, tilt.placement, tilt.explanations
        views = view_vectors(normal, lines)
        finds, placement = self._resized(image, finds, crops, pictures, views, placement)
        finds, placement = self._recut(image, finds, crops, pictures, views, placement)
        # Better framed, two finds may turn out to be one die.
        kept = unrepeated(finds, self._quality(finds, placement, views))
        finds, crops = [finds[k] for k in kept], [crops[k] for k in kept]
        pictures, views, lines = pictures[kept], views[kept], lines[kept]
        placement = picked(placement, kept)
        if given is None:
            dice = Dice(crops, pictures, lines)
            witnesses = np.array([not f.faint for f in finds])
            stood = self._stood(dice, placement, views, normal, witnesses)
            normal, placement, views, stance = stood
        else:
            stance = self._lean.stance(crops, poses_in(crops, placement, views), views)
        return Placed(
            finds,
            crops,
            pictures,
            lines,
            views,
            placement,
            normal,
            stance,
            given is not None,
            touching(finds, views),
            explanations,
            kept,
        )

    def _readings(self, dice: Placed) -> tuple[DieReading, ...]:
        """What the dice show, without those that turn out to be none."""
        looks, evidence, doubts = self._evidence(dice)
        # Glare and blur can be mended: players should hear of them.
        doubts = [
            d | flaws_of(look.patch) if d & Doubt.UNSURE else d
            for d, look in zip(doubts, looks, strict=True)
        ]
        shares = np.array([e.probabilities for e in evidence])
        if dice.explanations:
            faces = shares.argmax(axis=1)
            shares = weighed(shares, dice.explanations, dice.explained)
            left = np.take_along_axis(shares, faces[:, None], axis=1)[:, 0]
            contested = left < self._thresholds.contest
            doubts = [d | Doubt.UNSURE if c else d for d, c in zip(doubts, contested, strict=True)]
        leaning = np.array([bool(d & Doubt.COCKED) for d in doubts])
        for k in np.nonzero(leaning & dice.touching)[0]:
            doubts[k] |= Doubt.STACKED
        return tuple(
            DieReading(_sighting(find, crop, look.pose), share.astype(np.float32), doubt)
            for find, crop, look, e, share, doubt in zip(
                dice.finds, dice.crops, looks, evidence, shares, doubts, strict=True
            )
            if not is_no_die(e, self._thresholds)
            and (not find.faint or (not doubt and is_certain(e, self._thresholds)))
        )

    def _evidence(self, dice: Placed) -> tuple[list[DieLook], list[Evidence], list[Doubt]]:
        """The best look at each die, what all its looks say together, and the doubts left."""
        looks = self._look(dice.crops, dice.placement, dice.views)
        kin = kin_of(looks)
        known = known_of(looks, self._leans(dice, looks, kin), kin)
        evidence = [
            evidence_of(f, [look], told)
            for f, look, told in zip(dice.finds, looks, known, strict=True)
        ]
        doubts = [doubts_of(e, self._thresholds) for e in evidence]
        self._look_again(dice, looks, known, evidence, doubts)
        return looks, evidence, doubts

    def _leans(self, dice: Placed, looks: list[DieLook], kin: Array) -> Array:
        """How probable it is that each die leans, `(n,)`."""
        if dice.stance is None:
            return np.zeros(len(looks))
        odds = TOUCHING_ODDS * dice.touching.astype(np.float64)
        if not dice.told:
            scales = np.array(
                [look.pose.scale / crop.scale for look, crop in zip(looks, dice.crops, strict=True)]
            )
            odds += lean_odds(scales, dice.lines, dice.normal, kin)
        return weakened(_told_by(dice.stance, looks, told=dice.told), -odds)

    def _candidates(
        self, image: Image, finds: list[Find], lens: Lens, normal: Array
    ) -> tuple[list[Find], list[Crop], NDArray[np.uint8], Placement]:
        """One find for each die, with its crop and its first placement.

        Of finds that overlap, a die and its parts, the one that makes the best d10 stays.
        """
        lines = lens.rays(np.array([f.center for f in finds]))
        views = view_vectors(normal, lines)
        crops = [cut(image, f) for f in finds]
        pictures = to_pictures(crops)
        placement = self._pose.place(pictures, views)
        likely = [k for k, f in enumerate(finds) if not f.faint or placement.d10[k] > FAINT_D10]
        if len(likely) < len(finds):
            finds, crops = [finds[k] for k in likely], [crops[k] for k in likely]
            pictures, views, lines = pictures[likely], views[likely], lines[likely]
            placement = picked(placement, likely)
        if not finds:
            return finds, crops, pictures, placement
        quality = self._quality(finds, placement, views)
        parts = parts_of_others(self._pose, self._search, image, finds, lines, quality)
        whole = np.nonzero(~parts)[0]
        kept = whole[unrepeated([finds[k] for k in whole], quality[whole])]
        return (
            [finds[k] for k in kept],
            [crops[k] for k in kept],
            pictures[kept],
            picked(placement, kept),
        )

    def _quality(self, finds: list[Find], placement: Placement, views: Array) -> Array:
        """How good a d10 each find makes: found, recognised and well placed, `(n,)`."""
        fit = np.exp(np.maximum(die_scores(placement, views, self._search), -3.0))
        return np.asarray(np.array([f.d10 for f in finds]) * placement.d10 * fit)

    def _resized(
        self,
        image: Image,
        finds: list[Find],
        crops: list[Crop],
        pictures: NDArray[np.uint8],
        views: Array,
        placement: Placement,
    ) -> tuple[list[Find], Placement]:
        """Try other sizes for dice that no kite fits well: the finder may have misjudged them.

        Changes `crops` and `pictures` in place where another size fits better.
        """
        found, finds = finds, list(finds)
        scores = die_scores(placement, views, self._search)
        poor = [k for k, s in enumerate(scores) if s < POOR_FIT and not finds[k].faint]
        for factor in OTHER_SIZES if poor else ():
            tries = [
                replace(found[k], size=(found[k].size[0] * factor, found[k].size[1] * factor))
                for k in poor
            ]
            cuts = [cut(image, find) for find in tries]
            shrunk = to_pictures(cuts)
            seen = self._pose.place(shrunk, views[poor])
            new_scores = die_scores(seen, views[poor], self._search)
            for j, k in enumerate(poor):
                if new_scores[j] > scores[k] + BETTER_FIT:
                    scores[k] = new_scores[j]
                    finds[k], crops[k], pictures[k] = tries[j], cuts[j], shrunk[j]
                    placement = replaced(placement, [k], picked(seen, [j]))
        return finds, placement

    def _recut(
        self,
        image: Image,
        finds: list[Find],
        crops: list[Crop],
        pictures: NDArray[np.uint8],
        views: Array,
        placement: Placement,
    ) -> tuple[list[Find], Placement]:
        """Cut dice again that the finder framed badly, and place those once more.

        A well-fitting kite knows a die's middle and size better than the finder does. Changes
        `crops` and `pictures` in place.
        """
        finds = list(finds)
        again = []
        poses = poses_in(crops, placement, views)
        for k, (find, crop, pose) in enumerate(zip(finds, crops, poses, strict=True)):
            if pose.error > RECUT_MISFIT:
                continue
            better = framed(find, crop, pose, views[k])
            off = np.hypot(
                better.center[0] - find.center[0], better.center[1] - find.center[1]
            ) / max(find.size)
            ratio = max(better.size) / max(find.size)
            if off > RECUT_SHIFT or not 1 / RECUT_RATIO < ratio < RECUT_RATIO:
                finds[k] = better
                crops[k] = cut(image, better)
                again.append(k)
        if not again:
            return finds, placement
        pictures[again] = to_pictures([crops[k] for k in again])
        seen = self._pose.place(pictures[again], views[again])
        return finds, replaced(placement, again, seen)

    def _stood(
        self,
        dice: Dice,
        placement: Placement,
        views: Array,
        normal: Array,
        witnesses: NDArray[np.bool_],
    ) -> tuple[Array, Placement, Array, Stance | None]:
        """The tray's normal (3,) once more, now that the dice stand on it, with the placement and
        the views `(n, 2)` that follow, and how they stand, None where too few tell.

        Of the `witnesses` `(n,)` those tell how the tray lies whose kites fit best.
        """
        poses = poses_in(dice.crops, placement, views)
        errors = np.array([pose.error for pose in poses])
        sure = np.nonzero(witnesses & (errors < SURE_MISFIT) & (placement.d10 > SURE_D10))[0]
        if len(sure) < ENOUGH_DICE:
            return normal, placement, views, None
        best = sure[np.argsort(errors[sure], kind="stable")[:TELLERS]]
        told = self._lean.stance(
            [dice.crops[k] for k in best], [poses[k] for k in best], views[best]
        )
        better = moved(normal, told)
        off_deg = float(np.degrees(np.arccos(np.clip(better @ normal, -1, 1))))
        if off_deg > MOVED_DEG:
            normal, views = better, view_vectors(better, dice.lines)
            if off_deg > PLACED_AGAIN_DEG:
                placement = placed_again(self._pose, dice.pictures, views, placement, self._search)
            poses = poses_in(dice.crops, placement, views)
        return normal, placement, views, self._lean.stance(dice.crops, poses, views)

    def _look(self, crops: list[Crop], placement: Placement, views: Array) -> list[DieLook]:
        """Read the up face and both long-edge neighbours of every die in one batch."""
        poses = poses_in(crops, placement, views)
        patches = [unwrap(c.image, p.affine) for c, p in zip(crops, poses, strict=True)]
        sides: list[tuple[int, int]] = []
        if self._layout:
            ups = np.array([pose.affine for pose in poses])
            scales = np.array([pose.scale for pose in poses])
            for side, plane in enumerate((d10.LEFT, d10.RIGHT)):
                maps = neighbour_affine(ups, scales, views, plane)
                # A face that looks away shows mirrored: its area changes sign.
                shown = -_areas(maps) > NEIGHBOUR_AREA * np.abs(_areas(ups))
                for k in np.nonzero(shown)[0].tolist():
                    sides.append((k, side))
                    patches.append(unwrap(crops[k].image, maps[k]))
        read = self._faces.read(patches)
        besides = unread(len(crops))
        for (k, side), probabilities in zip(sides, read[len(crops) :], strict=True):
            besides[k, side] = probabilities
        return [
            DieLook(
                pose,
                float(placement.d10[k]),
                float(placement.cocked[k]),
                float(placement.covered[k]),
                read[k],
                besides[k],
                patches[k],
            )
            for k, pose in enumerate(poses)
        ]

    def _look_again(
        self,
        dice: Placed,
        looks: list[DieLook],
        known: list[Known],
        evidence: list[Evidence],
        doubts: list[Doubt],
    ) -> None:
        """Give doubtful dice three more looks, the picture turned by quarter turns."""
        again = [
            k
            for k, d in enumerate(doubts)
            if d & self._thresholds.worth_another_look and not dice.finds[k].faint
        ]
        if not again:
            return
        some, some_views = [dice.crops[k] for k in again], dice.views[again]
        per_die: list[list[DieLook]] = [[looks[k]] for k in again]
        for turns in MORE_LOOKS:
            placement = self._pose.place_turned(dice.pictures[again], some_views, turns)
            for mine, look in zip(per_die, self._look(some, placement, some_views), strict=True):
                mine.append(look)
        for k, mine in zip(again, per_die, strict=True):
            best = min(mine, key=lambda look: look.pose.error)
            if looks[k].pose.error > NO_WITNESS > best.pose.error:
                known[k] = self._leaning_anew(dice, k, best, known[k])
            evidence[k] = evidence_of(dice.finds[k], mine, known[k])
            doubts[k] = doubts_of(evidence[k], self._thresholds)
            looks[k] = best

    def _leaning_anew(self, dice: Placed, k: int, look: DieLook, known: Known) -> Known:
        """What is known of die `k`, with how it stands on the face that only a further look found;
        where nothing tells how the tray lies, nothing new."""
        if dice.stance is None:
            return known
        stance = self._lean.stance([dice.crops[k]], [look.pose], dice.views[k : k + 1])
        return replace(known, leans=float(_told_by(stance, [look], told=dice.told)[0]))


def _told_by(stance: Stance, looks: list[DieLook], *, told: bool) -> Array:
    """How probable it is that dice lean by how they stand, `(n,)`; `told` if a calibration told how
    the tray lies."""
    if told:
        return leans_told(stance, *signs_of(looks))
    return weakened(stance.leans, TOLD_BY_DICE)


def signs_of(looks: list[DieLook]) -> tuple[Array, Array]:
    """How probably each die is cocked by itself, and how far its kite misses, `(n,)` each."""
    return np.array([it.cocked for it in looks]), np.array([it.pose.error for it in looks])


def weighed(shares: Array, explanations: tuple[Explanation, ...], kept: list[int]) -> Array:
    """Face probabilities `(n, 10)` over all explanations of how the tray lies.

    `shares` are those under the chosen one, `kept` the dice's places among those explained.
    Where a die shows the same face under an explanation, or nothing that can be read for sure,
    that says nothing against its face.
    """
    together = np.zeros_like(shares)
    faces = shares.argmax(axis=1)
    for one in explanations:
        read = one.read[kept]
        against = (read.argmax(axis=1) != faces) & (read.max(axis=1) > CONTRADICTION)
        seen = np.where(against[:, None], read[:, : shares.shape[1]] ** 2, 0.0)
        together += one.chance * (seen + (1 - seen.sum(axis=1, keepdims=True)) * shares)
    return np.asarray(together / together.sum(axis=1, keepdims=True))


def _areas(affines: Array) -> Array:
    """By how much face maps (n, 2, 3) enlarge areas, `(n,)`, negative if they mirror."""
    return np.asarray(affines[:, 0, 0] * affines[:, 1, 1] - affines[:, 0, 1] * affines[:, 1, 0])


def _sighting(find: Find, crop: Crop, pose: Pose) -> Sighting:
    corners = crop.to_picture(pose.corners)
    return Sighting(find.center, find.box, find.d10, corners.astype(np.float32), pose.error)
