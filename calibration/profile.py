"""A camera's profile: its lens and its place over the tray."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import to_gray
from calibration.orientation import Orientation
from calibration.standpoint import Standpoint

Image = NDArray[np.uint8]

REFERENCE_PX: Final = 320
"""Longer side of the reference picture that a profile keeps."""

NOMINAL_DIE_MM: Final = 16.4
"""Face to face of an ordinary die sold as 16 mm; they measure 15.7 to 17.2."""

SAME_SHAPE: Final = 0.01
"""Pictures whose sides' ratio differs by less than this share show the same view."""


class ProfileError(ValueError):
    """A profile cannot be read, kept or used; the message says why and what to do."""


class Origin(Enum):
    """What a profile was made from, the better first."""

    BOARD_VIEWS = "board-views"
    BOARD = "board"
    CORNERS = "corners"
    DICE = "dice"


@dataclass(frozen=True, slots=True)
class Profile:
    """One camera over one tray, for pictures of one size.

    `camera` names the camera, `created` is a date and time in ISO form. `error_px` says how well
    what it was made from fits (root mean square), `focal_spread` how exactly the focal length is
    known (one sigma, as a share). `die_mm` is the dice's size, face to face. `reference` is a
    small gray JPEG of the view, by which a moved camera is noticed; it may be empty.
    """

    camera: str
    standpoint: Standpoint
    origin: Origin
    error_px: float
    focal_spread: float
    created: str
    die_mm: float = NOMINAL_DIE_MM
    reference: bytes = b""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures that it is for."""
        return self.standpoint.lens.size

    def reference_image(self) -> Image | None:
        """The reference picture, gray, `(h, w)`; None where there is none."""
        if not self.reference:
            return None
        image = cv2.imdecode(np.frombuffer(self.reference, np.uint8), cv2.IMREAD_GRAYSCALE)
        return None if image is None else np.asarray(image, np.uint8)

    def with_reference(self, image: Image) -> Profile:
        """The same, with a picture of what the camera sees now."""
        gray = to_gray(image)
        scale = min(1.0, REFERENCE_PX / max(gray.shape))
        size = (max(1, round(gray.shape[1] * scale)), max(1, round(gray.shape[0] * scale)))
        small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])
        if not done:
            raise ProfileError("The reference picture could not be written as JPEG.")
        return replace(self, reference=data.tobytes())


def fitted(profile: Profile, size: tuple[int, int]) -> Profile:
    """The profile for pictures of another size (w, h) of the same camera, if they show the same.

    Raises `ProfileError` where they do not: other proportions show another part of the view.
    """
    if size == profile.size:
        return profile
    if not _same_shape(profile.size, size):
        raise ProfileError(
            f"The calibration was made for pictures of {_times(profile.size)} and these are "
            f"{_times(size)}, which show another part of the view: set the camera to "
            f"{_times(profile.size)}, or calibrate again."
        )
    lens = profile.standpoint.lens.scaled(size)
    return replace(profile, standpoint=replace(profile.standpoint, lens=lens))


def orientations_for(profile: Profile, size: tuple[int, int]) -> tuple[Orientation, ...]:
    """The orientations in which the profile's view has pictures of the shape of `size`."""
    return tuple(turn for turn in Orientation if _same_shape(turn.size(profile.size), size))


def _same_shape(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(math.log((one[0] / one[1]) / (other[0] / other[1]))) <= SAME_SHAPE


def _times(size: tuple[int, int]) -> str:
    return f"{size[0]} × {size[1]}"
