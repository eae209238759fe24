"""Read all dice in a picture: find, place, read, and doubt."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.view import rays, view_vectors
from vision import d10
from vision.doubts import DoubtThresholds, Evidence, doubts_of
from vision.faces import CLASSES, JUNK, FaceNet, combine, neighbour_support
from vision.finder import Find, Finder
from vision.pose import Crop, Placement, Pose, PoseNet, cut, fit_kite, to_tensors
from vision.records import DieReading, Doubt, Image, Sighting
from vision.tilt import TiltSearch, search_tilt
from vision.unwrap import neighbour_affine, unwrap

Array = NDArray[np.float64]

MORE_LOOKS = (1, 2, 3)
"""Quarter turns of the picture for the further looks at a doubtful die."""

NEIGHBOUR_AREA = 0.25
"""A neighbour whose face shows less than this share of the up face's area is not read."""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Milliseconds spent finding, placing and reading in one picture."""

    find_ms: float
    pose_ms: float
    read_ms: float

    @property
    def total_ms(self) -> float:
        return self.find_ms + self.pose_ms + self.read_ms


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """One look at one die: its pose, the net's probabilities of d10, cocked and covered, the
    mean corner peak, the up face's reading (12,) and its neighbours' support (10,)."""

    pose: Pose
    d10: float
    cocked: float
    covered: float
    sharpness: float
    up: Array
    support: Array


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
    ) -> None:
        self._finder = Finder(threads)
        self._pose = PoseNet(threads)
        self._faces = FaceNet(threads)
        self._layout = layout
        self._thresholds = thresholds or DoubtThresholds()
        self._search = search or TiltSearch()

    def read(self, image: Image, normal: Array | None = None) -> tuple[DieReading, ...]:
        """Every die found in the picture `(h, w, 3)`, surest find first.

        `normal` (3,) is the tray's normal in camera coordinates, towards the camera, where a
        calibration knows it; without it the dice themselves tell.
        """
        return self.read_timed(image, normal)[0]

    def read_timed(
        self, image: Image, normal: Array | None = None
    ) -> tuple[tuple[DieReading, ...], StageTimes]:
        """The same, with what each stage took."""
        start = time.perf_counter()
        found = self._finder.find(image)
        finds = [f for f in found if f.d10 >= f.other]
        after_find = time.perf_counter()
        if not finds:
            return (), StageTimes((after_find - start) * 1000, 0.0, 0.0)
        lines = rays(np.array([f.center for f in finds]), (image.shape[1], image.shape[0]))
        crops = [cut(image, f) for f in finds]
        pictures = to_tensors(crops)
        if normal is None:
            trust = np.array([f.d10 for f in finds])
            tilt = search_tilt(self._pose, pictures, lines, trust, self._search)
            views, placement = view_vectors(tilt.normal, lines), tilt.placement
            contested = tilt.contested
        else:
            views = view_vectors(normal, lines)
            placement = self._pose.place(pictures, views)
            contested = np.zeros(len(finds), bool)
        after_pose = time.perf_counter()
        looks = self._look(crops, placement, views)
        evidence = [_evidence(f, [look]) for f, look in zip(finds, looks, strict=True)]
        doubts = [doubts_of(e, self._thresholds) for e in evidence]
        self._look_again(crops, pictures, views, finds, looks, evidence, doubts)
        doubts = [d | Doubt.UNSURE if c else d for d, c in zip(doubts, contested, strict=True)]
        readings = tuple(
            DieReading(
                _sighting(find, crop, look.pose),
                e.probabilities.astype(np.float32),
                doubt,
            )
            for find, crop, look, e, doubt in zip(
                finds, crops, looks, evidence, doubts, strict=True
            )
            if e.d10 >= self._thresholds.certainly_other
        )
        end = time.perf_counter()
        times = StageTimes(
            (after_find - start) * 1000, (after_pose - after_find) * 1000, (end - after_pose) * 1000
        )
        return readings, times

    def _look(self, crops: list[Crop], placement: Placement, views: Array) -> list[_Look]:
        """Read the up face and both long-edge neighbours of every die in one batch."""
        poses = [
            fit_kite(placement.corners[k] * crop.image.shape[0], views[k], placement.peaks[k])
            for k, crop in enumerate(crops)
        ]
        patches = [unwrap(c.image, p.affine) for c, p in zip(crops, poses, strict=True)]
        sides: list[tuple[int, int]] = []
        if self._layout:
            for k, (crop, pose) in enumerate(zip(crops, poses, strict=True)):
                own = abs(np.linalg.det(pose.affine[:, :2]))
                for side, plane in enumerate((d10.LEFT, d10.RIGHT)):
                    beside = neighbour_affine(pose.affine, views[k], plane)
                    # A face that looks away shows mirrored: its area changes sign.
                    if -np.linalg.det(beside[:, :2]) > NEIGHBOUR_AREA * own:
                        sides.append((k, side))
                        patches.append(unwrap(crop.image, beside))
        read = self._faces.read(patches)
        unread = np.zeros(CLASSES)
        unread[JUNK] = 1.0
        besides = [[unread, unread] for _ in crops]
        for (k, side), probabilities in zip(sides, read[len(crops) :], strict=True):
            besides[k][side] = probabilities
        return [
            _Look(
                pose,
                float(placement.d10[k]),
                float(placement.cocked[k]),
                float(placement.covered[k]),
                float(placement.peaks[k].mean()),
                read[k],
                neighbour_support(*besides[k]),
            )
            for k, pose in enumerate(poses)
        ]

    def _look_again(
        self,
        crops: list[Crop],
        pictures: NDArray[np.float32],
        views: Array,
        finds: list[Find],
        looks: list[_Look],
        evidence: list[Evidence],
        doubts: list[Doubt],
    ) -> None:
        """Give doubtful dice three more looks, the picture turned by quarter turns."""
        again = [k for k, d in enumerate(doubts) if d & self._thresholds.worth_another_look]
        if not again:
            return
        some, some_views = [crops[k] for k in again], views[again]
        per_die: list[list[_Look]] = [[looks[k]] for k in again]
        for turns in MORE_LOOKS:
            placement = self._pose.place_turned(pictures[again], some_views, turns)
            for mine, look in zip(per_die, self._look(some, placement, some_views), strict=True):
                mine.append(look)
        for k, mine in zip(again, per_die, strict=True):
            evidence[k] = _evidence(finds[k], mine)
            doubts[k] = doubts_of(evidence[k], self._thresholds)
            looks[k] = min(mine, key=lambda look: look.pose.error)


def _evidence(find: Find, looks: list[_Look]) -> Evidence:
    """What one or several looks at a die say together: products of evidence, worst of faults."""
    alone = np.array([combine(look.up, np.ones(10)) for look in looks])
    joint = np.array([combine(look.up, look.support) for look in looks])
    logs = np.log(np.maximum(joint, 1e-6)).mean(axis=0)
    together = np.exp(logs - logs.max())
    support = np.exp(np.log([look.support for look in looks]).mean(axis=0))
    return Evidence(
        probabilities=together / together.sum(),
        looks=joint,
        alone=alone.mean(axis=0),
        support=support,
        junk=float(np.median([look.up[JUNK] for look in looks])),
        ten=float(np.max([look.up[10] for look in looks])),
        d10=float(np.mean([look.d10 for look in looks])),
        found=find.d10,
        cocked=float(np.mean([look.cocked for look in looks])),
        covered=float(np.mean([look.covered for look in looks])),
        misfit=float(np.median([look.pose.error for look in looks])),
        sharpness=float(np.mean([look.sharpness for look in looks])),
        size_px=max(find.size),
    )


def _sighting(find: Find, crop: Crop, pose: Pose) -> Sighting:
    corners = crop.to_picture(pose.corners)
    return Sighting(find.center, find.box, find.d10, corners.astype(np.float32), pose.error)
