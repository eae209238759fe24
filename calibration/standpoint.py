"""Where the camera stands over the tray: pixels to millimetres on its floor, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

HORIZON = 0.05
"""Lines of sight flatter than this (sine of the angle to the floor) meet it nowhere useful."""

EDGE_POINTS = 16
"""Points along each side of the tray's outline, which a lens may bend."""


def triple(values: Array) -> tuple[float, float, float]:
    """Three numbers (3,) as records keep them."""
    return float(values[0]), float(values[1]), float(values[2])


def rotation_vector(matrix: Array) -> tuple[float, float, float]:
    """The rotation vector, radians, of a rotation matrix (3, 3)."""
    return triple(np.asarray(cv2.Rodrigues(matrix)[0], np.float64).ravel())


@dataclass(frozen=True, slots=True)
class Standpoint:
    """The lens, and how the camera stands to the tray's floor.

    Tray coordinates are millimetres: x to the picture's right, y away from the picture's lower
    edge, z up from the floor. `rotation` (a rotation vector, radians) and `translation` (mm) lead
    from them to camera coordinates. `outline` are the floor's corners in mm, clockwise as seen;
    empty where nobody has told.
    """

    lens: Lens
    rotation: tuple[float, float, float]
    translation: tuple[float, float, float]
    outline: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if self.outline and len(self.outline) < 3:
            raise ValueError(f"An outline needs three corners or more, not {len(self.outline)}.")
        if self.height_mm <= 0:
            raise ValueError("The camera must stand above the tray's floor.")

    @property
    def matrix(self) -> Array:
        """Rotation matrix (3, 3) from tray to camera coordinates."""
        return np.asarray(cv2.Rodrigues(np.array(self.rotation))[0], np.float64)

    @property
    def normal(self) -> Array:
        """The tray's unit normal (3,) in camera coordinates, towards the camera."""
        return self.matrix[:, 2]

    @property
    def height_mm(self) -> float:
        """How far the camera is above the floor's plane."""
        return float(-self.matrix[:, 2] @ np.array(self.translation))

    @property
    def tilt_deg(self) -> float:
        """Angle between the camera's direction and straight down."""
        return float(np.degrees(np.arccos(np.clip(-self.normal[2], -1, 1))))

    def to_picture(self, places_mm: Array, height_mm: float = 0.0) -> Array:
        """Pixels `(n, 2)` of places `(n, 2)` at a height above the floor."""
        places = np.asarray(places_mm, np.float64).reshape(-1, 2)
        high = np.column_stack([places, np.full(len(places), height_mm)])
        return self.lens.project(high @ self.matrix.T + np.array(self.translation))

    def to_mm(self, pixels: Array, height_mm: float = 0.0) -> Array:
        """Places `(n, 2)` at a height above the floor that pixels `(n, 2)` show.

        NaN where a line of sight meets no floor.
        """
        lines = self.lens.rays(pixels) @ self.matrix
        eye = -self.matrix.T @ np.array(self.translation)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (height_mm - eye[2]) / lines[:, 2]
            places = eye[:2] + lines[:, :2] * reach[:, None]
        places[lines[:, 2] > -HORIZON] = np.nan
        return np.asarray(places)

    def mm_per_px(self, pixels: Array, height_mm: float = 0.0) -> Array:
        """Millimetres a pixel at pixels `(n, 2)`, across the line of sight, `(n,)`."""
        places = self.to_mm(pixels, height_mm)
        high = np.column_stack([places, np.full(len(places), height_mm)])
        away = np.linalg.norm(high @ self.matrix.T + np.array(self.translation), axis=1)
        # A pixel off the middle covers a smaller angle: by the cosine of its own.
        cosine = self.lens.rays(pixels)[:, 2]
        return np.asarray(away * cosine / self.lens.focal[0])

    def outline_px(self) -> Array:
        """The tray's outline in the picture, `(n, 2)`, with points along its sides."""
        corners = np.array(self.outline).reshape(-1, 2)
        if not len(corners):
            return corners
        steps = np.linspace(0, 1, EDGE_POINTS, endpoint=False)[None, :, None]
        sides = corners[:, None] * (1 - steps) + np.roll(corners, -1, axis=0)[:, None] * steps
        return self.to_picture(sides.reshape(-1, 2))

    def inside(self, places_mm: Array, margin_mm: float = 0.0) -> NDArray[np.bool_]:
        """Which places `(n, 2)` lie in the tray or at most `margin_mm` beside it, `(n,)`.

        All of them where the outline is unknown.
        """
        if not self.outline:
            return np.ones(len(places_mm), bool)
        polygon = np.array(self.outline, np.float32)
        return np.array(
            [
                bool(np.isfinite(place).all())
                and cv2.pointPolygonTest(polygon, (float(place[0]), float(place[1])), True)
                >= -margin_mm
                for place in places_mm
            ],
            bool,
        )

    def middle_px(self) -> Array:
        """The tray's middle in the picture (1, 2); the picture's, where no outline is known."""
        if not self.outline:
            return np.array([[self.lens.size[0] / 2, self.lens.size[1] / 2]])
        return self.to_picture(np.array(self.outline).mean(axis=0)[None])

    def with_outline(self, width_mm: float, depth_mm: float) -> Standpoint:
        """The same over a rectangular tray around the origin."""
        x, y = width_mm / 2, depth_mm / 2
        return replace(self, outline=((-x, y), (x, y), (x, -y), (-x, -y)))


LONGEST_SIDE = 3000
"""Pixels across a view from above at most."""


@dataclass(frozen=True, slots=True, eq=False)
class TopDown:
    """The tray seen from straight above: `image` has `px_per_mm` pixels a millimetre, and its
    top left corner is the place `corner_mm`."""

    image: Image
    px_per_mm: float
    corner_mm: tuple[float, float]


def top_down(standpoint: Standpoint, image: Image, px_per_mm: float = 2.0) -> TopDown:
    """The tray's floor in `image` as seen from straight above; without an outline, all of the
    floor that the picture shows.

    A floor that would fill more than `LONGEST_SIDE` is shown smaller. Raises `ValueError` where
    there is no outline and the picture's corners do not all show floor.
    """
    places = np.array(standpoint.outline).reshape(-1, 2)
    if not len(places):
        width, height = standpoint.lens.size
        edge = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        places = standpoint.to_mm(edge)
        if not np.isfinite(places).all():
            raise ValueError(
                "The camera sees beyond the floor: calibrate with the tray's corners or size."
            )
    left, right = float(places[:, 0].min()), float(places[:, 0].max())
    low, high = float(places[:, 1].min()), float(places[:, 1].max())
    px_per_mm = min(px_per_mm, LONGEST_SIDE / max(right - left, high - low))
    wide, deep = max(1, round((right - left) * px_per_mm)), max(1, round((high - low) * px_per_mm))
    columns = left + (np.arange(wide) + 0.5) / px_per_mm
    rows = high - (np.arange(deep) + 0.5) / px_per_mm
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    pixels = standpoint.to_picture(grid).astype(np.float32).reshape(deep, wide, 2)
    seen = cv2.remap(
        image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
    )
    return TopDown(np.asarray(seen, np.uint8), px_per_mm, (left, high))
