"""Which calibration a command reads with: a file, the camera's own, the truth's, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum, StrEnum, auto
from pathlib import Path

import numpy as np

from boxcars.truth import TruePicture
from calibration.orientation import Orientation, recognise
from calibration.profile import Origin, Profile, ProfileError, fitted, orientations_for
from calibration.profile_file import load
from calibration.standpoint import Standpoint
from calibration.store import ProfileStore
from calibration.tray import TrayUnclear, tray_from_corners
from vision.calibrated import CalibratedReader
from vision.reader import DiceReader
from vision.records import DieReading, Image


class Calibration(StrEnum):
    """What `--calibration` may name besides a file."""

    AUTO = "auto"
    """The profile kept for this camera, if there is one."""
    NONE = "none"
    TRUTH = "truth"
    """For `evaluate`: the tray's corners in truth.json."""


Notice = Callable[[str], None]
"""Told one sentence for the people at the table."""


class Misfit(Enum):
    """What becomes of a profile that does not fit a picture."""

    REFUSED = auto()
    """It is an error: somebody named it for these pictures."""
    REFUSED_AT_FIRST = auto()
    """So it is for the first picture; a phone that is turned later on must not end the game."""
    SAID = auto()
    """That is told, and the picture is read without."""


class ProfiledReader:
    """Reads with the profile that fits the pictures, found when the first of them comes.

    `find` gives the profile for pictures of a size (w, h), or None; what becomes of one that does
    not fit, `misfit` says. What is noticed, a turned picture say, is told to `notice`, once.
    """

    def __init__(
        self,
        reader: DiceReader,
        find: Callable[[tuple[int, int]], Profile | None],
        notice: Notice = lambda _: None,
        misfit: Misfit = Misfit.REFUSED,
    ) -> None:
        self._reader = reader
        self._find = find
        self._notice = notice
        self._misfit = misfit
        self._size: tuple[int, int] | None = None
        self._calibrated: CalibratedReader | None = None

    @property
    def profile(self) -> Profile | None:
        """The profile that is read with, as far as the pictures have told."""
        return None if self._calibrated is None else self._calibrated.profile

    @property
    def seen_as(self) -> Orientation:
        """How the pictures are oriented to the profile's."""
        return Orientation.UPRIGHT if self._calibrated is None else self._calibrated.seen_as

    def follow(self, standpoint: Standpoint) -> None:
        """Read from this standpoint from now on: the camera was moved a little."""
        if self._calibrated is not None:
            profile = replace(self._calibrated.profile, standpoint=standpoint)
            self._calibrated = CalibratedReader(self._reader, profile, self._calibrated.seen_as)

    def forget(self) -> None:
        """Read without a profile from now on: the camera was moved too far."""
        self._calibrated = None

    def read(self, image: Image) -> tuple[DieReading, ...]:
        """Every die in the tray; raises `ProfileError` where a misfit is refused."""
        size = (image.shape[1], image.shape[0])
        if size != self._size:
            self._calibrated = self._begin(image, size)
            self._size = size
        if self._calibrated is None:
            return self._reader.read(image)
        return self._calibrated.read(image)

    def _begin(self, image: Image, size: tuple[int, int]) -> CalibratedReader | None:
        try:
            return self._fitting(image, size)
        except ProfileError as error:
            at_first = self._misfit is Misfit.REFUSED_AT_FIRST and self._size is None
            if self._misfit is Misfit.REFUSED or at_first:
                raise
            self._notice(str(error))
            return None

    def _fitting(self, image: Image, size: tuple[int, int]) -> CalibratedReader | None:
        profile = self._find(size)
        if profile is None:
            return None
        seen_as = orientation_of(profile, image)
        if seen_as is not Orientation.UPRIGHT:
            self._notice(
                f"The picture is {seen_as.words} since the calibration; it is read as it was then."
            )
        return CalibratedReader(self._reader, fitted(profile, seen_as.size(size)), seen_as)


def orientation_of(profile: Profile, image: Image) -> Orientation:
    """How a picture is oriented to those that the profile was made from.

    Raises `ProfileError` where its shape fits none, or another than upright but the scene is not
    recognised.
    """
    size = (image.shape[1], image.shape[0])
    possible = orientations_for(profile, size)
    reference = profile.reference_image()
    seen_as = None if reference is None else recognise(reference, image)
    if seen_as is not None and seen_as in possible:
        return seen_as
    if Orientation.UPRIGHT not in possible:
        # Says what fits and what does not.
        fitted(profile, size)
    return Orientation.UPRIGHT


def find_with(
    option: str, camera: str | None, store: ProfileStore | None = None, notice: Notice | None = None
) -> Callable[[tuple[int, int]], Profile | None]:
    """How `--calibration` finds a profile: `auto`, `none` or a file.

    Raises `ProfileError` at once for a file that cannot be read. A kept profile that does not
    fit is said to `notice` and left aside; a file that does not fit raises when it is used.
    """
    if option == Calibration.NONE:
        return lambda _: None
    if option == Calibration.AUTO:
        if camera is None:
            return lambda _: None
        kept = store or ProfileStore()
        name = camera

        def find_kept(size: tuple[int, int]) -> Profile | None:
            try:
                return kept.find(name, size)
            except ProfileError as error:
                if notice is not None:
                    notice(str(error))
                return None

        return find_kept
    profile = _from_file(option, "FILE, auto or none")
    return lambda _: profile


def reading_calibrated(
    option: str,
) -> Callable[[DiceReader, TruePicture, Image], Sequence[DieReading]]:
    """How `evaluate` reads a picture: with its own tray's truth, with a file, or with neither.

    Raises `ProfileError` for a file that cannot be read, and for `auto`: pictures with a truth do
    not say which camera took them.
    """
    if option == Calibration.TRUTH:
        return _read_with_truth
    if option == Calibration.NONE:
        return lambda reader, _, image: reader.read(image)
    takes = "FILE, truth or none"
    if option == Calibration.AUTO:
        raise ProfileError(f"For evaluate --calibration takes {takes}, not auto.")
    profile = _from_file(option, takes)
    return lambda reader, _, image: CalibratedReader(
        reader, profile, orientation_of(profile, image)
    ).read(image)


def _from_file(option: str, takes: str) -> Profile:
    if not option.strip():
        raise ProfileError(f"--calibration is empty; it takes {takes}.")
    return load(Path(option))


def _read_with_truth(
    reader: DiceReader, picture: TruePicture, image: Image
) -> Sequence[DieReading]:
    profile = true_profile(picture, (image.shape[1], image.shape[0]))
    return (reader if profile is None else CalibratedReader(reader, profile)).read(image)


def true_profile(picture: TruePicture, size: tuple[int, int]) -> Profile | None:
    """The profile that a picture's true tray corners give; None where they are not told.

    Raises `ProfileError` where they make no tray.
    """
    if picture.tray is None:
        return None
    try:
        fit = tray_from_corners(np.array(picture.tray.corners), picture.tray.size_mm, size)
    except TrayUnclear as error:
        raise ProfileError(f"{picture.path.name}: {error}") from error
    return Profile(
        camera=picture.path.name,
        standpoint=fit.standpoint,
        origin=Origin.CORNERS,
        error_px=fit.error_px,
        focal_spread=fit.focal_spread,
        created="",
    )
