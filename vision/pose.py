"""Place each die's up face: four corners from the pose net, one flat kite fitted to them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models import open_model
from vision import d10
from vision.finder import Find
from vision.records import Image
from vision.resized import resized
from vision.unwrap import scale_of

CROP_SPAN = 1.78
"""Side of the crop around a die as a multiple of its larger box side."""

CROP_SIZE = 64
MAP_SIZE = 32
ROI_LIMIT = 144
"""Crops larger than this many pixels are shrunk first: a digit needs no more."""

DIE_ACROSS = 2.82
"""A die's larger outline in half face-to-face distances."""

FOUND_ACROSS = 2.6
"""The same as the finder measures it: its training boxes are those of tumbled dice."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """A square cut around a die: `scale` crop pixels per picture pixel, `corner` its top left
    corner in the picture, pixels."""

    image: Image
    corner: tuple[float, float]
    scale: float

    def to_picture(self, points: Array) -> Array:
        """Crop pixels `(n, 2)` to picture pixels."""
        return np.asarray(points / self.scale + np.array(self.corner))


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """What the pose net says of `n` dice.

    `corners` (n, 4, 2): pole, right, blunt and left corner as shares of the crop's side;
    `peaks` (n, 4): how much probability sits at each; `d10`, `cocked`, `covered` (n,):
    probabilities.
    """

    corners: Array
    peaks: Array
    d10: Array
    cocked: Array
    covered: Array


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """One die's up face: a flat kite fitted to its corners, in its crop's pixels.

    `affine` (2, 3) maps the face's plane to the crop; `error` is how badly the fitted kite
    misses the net's corners, as a share of the die's size.
    """

    affine: Array
    error: float

    @property
    def corners(self) -> Array:
        """Pole, right, blunt and left corner of the fitted kite, shape (4, 2)."""
        return np.asarray(d10.KITE @ self.affine[:, :2].T + self.affine[:, 2])

    @property
    def scale(self) -> float:
        """Half the die's face-to-face distance: lengths across the tilt are not shortened."""
        return scale_of(self.affine)

    def middle(self, view: Array) -> Array:
        """The die's middle (2,): half a face distance below its up face, against the tray's
        normal, which the line of sight sees as `view` (2,)."""
        return np.asarray(self.affine[:, 2] - view * self.scale)


def cut(image: Image, find: Find) -> Crop:
    """The square around a find; beyond the picture's edge it is black."""
    side = max(8, round(CROP_SPAN * max(find.size)))
    x0, y0 = round(find.center[0] - side / 2), round(find.center[1] - side / 2)
    height, width = image.shape[:2]
    left, top = max(0, -x0), max(0, -y0)
    right, below = max(0, x0 + side - width), max(0, y0 + side - height)
    part = image[max(0, y0) : max(0, y0 + side), max(0, x0) : max(0, x0 + side)]
    if left or top or right or below:
        part = np.asarray(
            cv2.copyMakeBorder(part, top, below, left, right, cv2.BORDER_CONSTANT), np.uint8
        )
    scale = 1.0
    if side > ROI_LIMIT:
        scale = ROI_LIMIT / side
        part = resized(part, ROI_LIMIT, ROI_LIMIT)
    return Crop(part, (float(x0), float(y0)), scale)


class PoseNet:
    """The pose net on `threads` threads."""

    def __init__(self, threads: int = 1) -> None:
        self._session = open_model("pose", threads)

    def place(self, pictures: NDArray[np.uint8], views: Array) -> Placement:
        """Corners and signs of the dice in `pictures` `(n, 64, 64, 3)` (see `to_pictures`),
        given or supposing the tray normals `(n, 2)` that their lines of sight see."""
        maps, signs = self._session.run(
            None, {"crops": pictures, "views": views.astype(np.float32)}
        )
        corners, peaks = decode(np.asarray(maps))
        chance = 1 / (1 + np.exp(-np.asarray(signs, np.float64)))
        return Placement(corners, peaks, chance[:, 0], chance[:, 1], chance[:, 2])

    def place_turned(self, pictures: NDArray[np.uint8], views: Array, turns: int) -> Placement:
        """A second, independent look: the pictures turned by quarter turns
        (counter-clockwise) before the net looks, the answer turned back after."""
        turned = np.ascontiguousarray(np.rot90(pictures, turns, axes=(1, 2)))
        seen_along = views
        for _ in range(turns % 4):
            seen_along = np.column_stack([seen_along[:, 1], -seen_along[:, 0]])
        seen = self.place(turned, seen_along)
        corners = seen.corners
        for _ in range(turns % 4):
            corners = np.stack([1 - corners[:, :, 1], corners[:, :, 0]], axis=2)
        return Placement(corners, seen.peaks, seen.d10, seen.cocked, seen.covered)


def to_pictures(crops: list[Crop]) -> NDArray[np.uint8]:
    """The crops as the net wants them, `(n, 64, 64, 3)`."""
    return np.stack([_shrunk(crop.image) for crop in crops])


def _shrunk(image: Image) -> Image:
    method = cv2.INTER_AREA if image.shape[0] > CROP_SIZE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (CROP_SIZE, CROP_SIZE), interpolation=method), np.uint8)


def decode(maps: NDArray[np.float32]) -> tuple[Array, Array]:
    """Corner places 0-1 `(n, 4, 2)` and peak probabilities `(n, 4)` from logits.

    A place is the centre of mass of the 5x5 cells around the maximum.
    """
    n = maps.shape[0]
    flat = maps.reshape(n, 4, -1).astype(np.float64)
    flat = np.exp(flat - flat.max(axis=2, keepdims=True))
    flat /= flat.sum(axis=2, keepdims=True)
    padded = np.pad(flat.reshape(n, 4, MAP_SIZE, MAP_SIZE), ((0, 0), (0, 0), (2, 2), (2, 2)))
    rows, cols = np.divmod(flat.argmax(axis=2), MAP_SIZE)
    offsets = np.arange(5)
    window = padded[
        np.arange(n)[:, None, None, None],
        np.arange(4)[None, :, None, None],
        (rows[:, :, None] + offsets)[:, :, :, None],
        (cols[:, :, None] + offsets)[:, :, None, :],
    ]
    mass = window.sum(axis=(2, 3))
    x = (window.sum(axis=2) * (offsets - 2)).sum(axis=2) / mass + cols + 0.5
    y = (window.sum(axis=3) * (offsets - 2)).sum(axis=2) / mass + rows + 0.5
    return np.stack([x, y], axis=2) / MAP_SIZE, mass


def picked(placement: Placement, index: list[int] | NDArray[np.intp]) -> Placement:
    """Only the dice at `index`."""
    values = {f.name: getattr(placement, f.name)[index] for f in fields(placement)}
    return Placement(**values)


def replaced(
    placement: Placement, index: list[int] | NDArray[np.intp], part: Placement
) -> Placement:
    """`placement` with the dice at `index` as `part` has them."""
    values = {}
    for f in fields(placement):
        values[f.name] = getattr(placement, f.name).copy()
        values[f.name][index] = getattr(part, f.name)
    return Placement(**values)


def framed(find: Find, crop: Crop, pose: Pose, view: Array) -> Find:
    """The find with its middle and size as the fitted kite tells them."""
    middle = crop.to_picture(pose.middle(view)[None])[0]
    side = FOUND_ACROSS * pose.scale / crop.scale
    return replace(find, center=(float(middle[0]), float(middle[1])), size=(side, side))


def shrinkage(views: Array) -> Array:
    """How weak perspective shrinks a level plane seen along `views` (..., 2): (..., 2, 2).

    Lengths along the view vector shrink by the cosine of the viewing angle, others stay.
    """
    squared = (views**2).sum(axis=-1)
    cosine = np.sqrt(1 - np.clip(squared, 0, 0.9))
    share = (1 - cosine) / np.maximum(squared, 1e-12)
    return np.asarray(
        np.eye(2) - share[..., None, None] * views[..., :, None] * views[..., None, :]
    )


def misfits(corners: Array, views: Array, weights: Array) -> Array:
    """How badly level kites fit `corners` (n, 4, 2) seen along `views` (..., n, 2): (..., n).

    Root mean square miss over the four corners as a share of the die's size; the same fit as
    `fit_kites`, for many supposed views at once. `weights` is (n, 4).
    """
    return _similarity(corners, views, weights)[2]


def fit_kites(corners: Array, views: Array, weights: Array) -> list[Pose]:
    """The level kites, seen along `views` (n, 2), that fit corners (n, 4, 2) best."""
    turn, at, misfit = _similarity(corners, views, weights)
    # Complex turn times (x - iy): first column for x, second for y.
    linear = np.stack(
        [np.stack([turn.real, turn.imag], -1), np.stack([turn.imag, -turn.real], -1)], -2
    )
    full = np.concatenate([linear, np.stack([at.real, at.imag], -1)[..., None]], axis=-1)
    affines = shrinkage(views) @ full
    return [Pose(affine, float(error)) for affine, error in zip(affines, misfit, strict=True)]


def poses_in(crops: list[Crop], placement: Placement, views: Array) -> list[Pose]:
    """The kites of all dice, each in its own crop's pixels."""
    sides = np.array([crop.image.shape[0] for crop in crops], float)
    return fit_kites(placement.corners * sides[:, None, None], views, placement.peaks)


def _similarity(
    corners: Array, views: Array, weights: Array
) -> tuple[NDArray[np.complex128], NDArray[np.complex128], Array]:
    """Turn-and-scale, shift and misfit of the kite in the level plane.

    The shrinkage undone, what is left is a similarity, found in closed form by complex least
    squares.
    """
    shrink = shrinkage(views)
    level = np.einsum("...nij,nkj->...nki", np.linalg.inv(shrink), corners)
    w = weights + 0.02
    w = w / w.sum(axis=-1, keepdims=True)
    seen = level[..., 0] + 1j * level[..., 1]
    kite = d10.KITE[:, 0] - 1j * d10.KITE[:, 1]
    seen_mean = (w * seen).sum(axis=-1, keepdims=True)
    kite_mean = (w * kite).sum(axis=-1, keepdims=True)
    dk, ds = kite - kite_mean, seen - seen_mean
    a = (w * ds * dk.conj()).sum(axis=-1) / (w * np.abs(dk) ** 2).sum(axis=-1)
    miss = ds - a[..., None] * dk
    flat = np.stack([miss.real, miss.imag], axis=-1)
    off = np.einsum("...nij,...nkj->...nki", shrink, flat)
    rms = np.sqrt((off**2).sum(axis=-1).mean(axis=-1))
    shift = seen_mean[..., 0] - a * kite_mean[..., 0]
    return a, shift, rms / np.maximum(np.abs(a) * DIE_ACROSS, 1e-9)
