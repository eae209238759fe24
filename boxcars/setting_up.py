"""Setting the camera up, step by step: what the command line and the page share.

`SetUp` is what the page does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.collecting import BoardCollector, BoardResult, Shown, Step
from calibration.dice import tray_from_dice
from calibration.lens import Lens
from calibration.profile import NOMINAL_DIE_MM, Origin, Profile
from calibration.quality import QualityReport, assess
from calibration.standpoint import Standpoint
from calibration.store import ProfileStore
from calibration.tray import TrayFit, TrayUnclear, tray_from_clicks
from vision import d10
from vision.kites import KiteMeasure
from vision.records import DieReading, Doubt, Frame, Image

NOT_FLAT = Doubt.COCKED | Doubt.STACKED | Doubt.COVERED | Doubt.NOT_A_D10 | Doubt.TOO_SMALL
"""Dice in such doubt say nothing about the tray."""

MEASURINGS = 2
"""Dice are measured supposing a tilt: once more with the one they told, and it changes no more."""


def tray_from_readings(
    readings: Sequence[DieReading],
    size: tuple[int, int],
    die_mm: float = NOMINAL_DIE_MM,
    lens: Lens | None = None,
) -> TrayFit:
    """How the camera stands to the tray, told by the dice read in it; raises `TrayUnclear`."""
    kites = np.array([reading.sighting.corners for reading in _flat(readings)], np.float64)
    return tray_from_dice(kites.reshape(-1, 4, 2), d10.KITE, size, die_mm, lens)


def tray_from_picture(
    image: Image,
    readings: Sequence[DieReading],
    die_mm: float = NOMINAL_DIE_MM,
    lens: Lens | None = None,
) -> TrayFit:
    """The same, more exactly, by measuring the dice in the picture they were read in."""
    size = (image.shape[1], image.shape[0])
    fit = tray_from_readings(readings, size, die_mm, lens)
    measure, flat = KiteMeasure(), _flat(readings)
    for _ in range(MEASURINGS):
        kites = measure.corners(image, flat, fit.standpoint)
        fit = tray_from_dice(kites, d10.KITE, size, die_mm, lens)
    return fit


def _flat(readings: Sequence[DieReading]) -> list[DieReading]:
    return [reading for reading in readings if not reading.doubts & NOT_FLAT]


def fit_of_views(
    result: BoardResult, tray_mm: tuple[float, float] | None = None
) -> tuple[TrayFit, Origin]:
    """The tray that the board's views tell, with the lens's figures where they tell it too.

    `tray_mm` is the tray's inner width and depth.
    """
    fit, lens = result.tray, result.lens
    if tray_mm is not None:
        fit = replace(fit, standpoint=fit.standpoint.with_outline(*tray_mm))
    if lens is None:
        return fit, Origin.BOARD
    measured = replace(fit, error_px=lens.error_px, focal_spread=lens.focal_spread)
    return measured, Origin.BOARD_VIEWS


def report_on(
    frames: Sequence[Frame], readings: Sequence[DieReading], profile: Profile | None, *, film: bool
) -> QualityReport:
    """How good the view is that these frames show; `film`: they came one after the other."""
    spans = [float(np.linalg.norm(r.sighting.corners[0] - r.sighting.corners[2])) for r in readings]
    # The kite's length in face-to-face distances turns its pixels into the die's.
    long = float(np.linalg.norm(d10.KITE[0] - d10.KITE[2])) / 2
    return assess(
        [frame.image for frame in (frames[-2:] if film else frames[-1:])],
        [frame.t for frame in frames] if film else [],
        [span / long for span in spans],
        None if profile is None else profile.standpoint,
        NOMINAL_DIE_MM if profile is None else profile.die_mm,
        [reading.sighting.box for reading in readings],
    )


def profile_to_dict(profile: Profile) -> dict[str, object]:
    """A profile as JSON shows it: what people and pages want to know of it."""
    standpoint = profile.standpoint
    return {
        "camera": profile.camera,
        "size": list(profile.size),
        "made_from": profile.origin.value,
        "created": profile.created,
        "error_px": round(profile.error_px, 3),
        "focal_px": round(standpoint.lens.focal[0], 1),
        "focal_spread": round(profile.focal_spread, 4),
        "tilt_deg": round(standpoint.tilt_deg, 2),
        "height_mm": round(standpoint.height_mm, 1),
        "die_mm": profile.die_mm,
        "outline_px": [[round(float(x), 1), round(float(y), 1)] for x, y in _corners(standpoint)],
    }


def _corners(standpoint: Standpoint) -> list[list[float]]:
    if not standpoint.outline:
        return []
    corners: list[list[float]] = standpoint.to_picture(np.array(standpoint.outline)).tolist()
    return corners


class SetUp:
    """One set-up of one camera, from "no profile" to a profile that is kept.

    Push frames while the page is open; then one of `use_views`, `use_corners` and `use_dice`
    makes a proposal, which `accept` keeps. `now` tells the time of day as ISO text.
    """

    def __init__(self, camera: str, store: ProfileStore, shown: Shown) -> None:
        self.camera = camera
        self.proposal: Profile | None = None
        self._store = store
        self._shown = shown
        self._collector = BoardCollector(shown)
        self.step = Step.NO_BOARD
        """What the latest frame brought."""
        self._frame: Frame | None = None

    @property
    def views(self) -> int:
        """How many views of the board there are."""
        return len(self._collector.views)

    @property
    def size(self) -> tuple[int, int]:
        """The pictures' width and height; raises `TrayUnclear` before the first."""
        height, width = self._latest().image.shape[:2]
        return (width, height)

    def push(self, frame: Frame) -> None:
        """Take the next frame, and a view of the board if one is seen to lie still."""
        self._frame = frame
        self.step = self._collector.push(frame.t, frame.image)

    def start_again(self) -> None:
        """Forget the views and the proposal."""
        self._collector = BoardCollector(self._shown)
        self.step, self.proposal = Step.NO_BOARD, None

    def use_views(
        self, now: str, tray_mm: tuple[float, float] | None = None, die_mm: float = NOMINAL_DIE_MM
    ) -> tuple[str, ...]:
        """Propose what the board's views tell; notes for the user. Raises `TrayUnclear`."""
        result = self._collector.result()
        self._propose(*fit_of_views(result, tray_mm), now, die_mm)
        return result.notes

    def use_corners(
        self,
        corners_px: Sequence[tuple[float, float]],
        tray_mm: tuple[float, float],
        now: str,
        die_mm: float = NOMINAL_DIE_MM,
    ) -> None:
        """Propose what four clicked corners and the tray's size tell. Raises `TrayUnclear`."""
        fit = tray_from_clicks(np.array(corners_px).reshape(-1, 2), tray_mm, self.size)
        self._propose(fit, Origin.CORNERS, now, die_mm)

    def use_dice(
        self,
        image: Image,
        readings: Sequence[DieReading],
        now: str,
        die_mm: float = NOMINAL_DIE_MM,
    ) -> None:
        """Propose what the dice tell that lie in the tray, as they were read in this picture.

        Raises `TrayUnclear`.
        """
        fit = tray_from_picture(image, readings, die_mm)
        self._propose(fit, Origin.DICE, now, die_mm)

    def accept(self) -> Profile:
        """Keep the proposal; raises `TrayUnclear` if there is none, `ProfileError` if it cannot."""
        if self.proposal is None:
            raise TrayUnclear("There is no calibration to keep yet.")
        self._store.save(self.proposal)
        return self.proposal

    def _propose(self, fit: TrayFit, origin: Origin, now: str, die_mm: float) -> None:
        self.proposal = Profile(
            self.camera, fit.standpoint, origin, fit.error_px, fit.focal_spread, now, die_mm
        ).with_reference(self._latest().image)

    def _latest(self) -> Frame:
        """The latest frame; raises `TrayUnclear` before the first."""
        if self._frame is None:
            raise TrayUnclear("No picture has come yet.")
        return self._frame
