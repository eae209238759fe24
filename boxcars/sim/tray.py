"""The empty table as the simulated camera sees it: a tray with a rim on a table top."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from boxcars.sim.camera import HEIGHT, WIDTH, Camera
from boxcars.sim.casting import Bytes, Floats, shown
from boxcars.sim.look import Colour, Ground, Light, Look

Array = NDArray[np.float64]

_TILE = 700
"""Pixels across a ground's texture, two a millimetre."""


def draw_tray(look: Look) -> Bytes:
    """The tray without dice, `(HEIGHT, WIDTH, 3)`."""
    tray, camera, light = look.tray, look.camera, look.light
    rng = np.random.default_rng([look.seed, 3])
    half_w, half_d = tray.width / 2, tray.depth / 2
    picture = np.empty((HEIGHT, WIDTH, 3), np.float32)
    flat = _lit(light, np.array([0.0, 0.0, 1.0]))
    picture[:] = np.array(tray.table, np.float32) * flat
    _lay(picture, camera, _texture(rng, tray.table, Ground.WOOD) * flat, -0.5, (900.0, 700.0))
    _shadow_of_tray(picture, look)
    inner = np.array([[-half_w, -half_d], [half_w, -half_d], [half_w, half_d], [-half_w, half_d]])
    outer = inner + np.sign(inner) * tray.rim
    rim = np.array(tray.rim_colour, np.float32)
    for k in range(4):
        _side(picture, camera, rim * _lit(light, _outward(k)), outer, k, (0.0, tray.wall))
    _lay(
        picture,
        camera,
        _texture(rng, tray.floor, tray.ground) * flat,
        0.0,
        (tray.width, tray.depth),
    )
    _shade_floor(picture, look, inner)
    for k in range(4):
        _side(picture, camera, rim * _lit(light, -_outward(k)) * 0.8, inner, k, (0.0, tray.wall))
    for k in range(4):
        ring = np.array([inner[k], inner[(k + 1) % 4], outer[(k + 1) % 4], outer[k]])
        grain = 1 + 0.05 * float(rng.normal())
        _fill(picture, camera, rim * flat * grain, np.column_stack([ring, np.full(4, tray.wall)]))
    away = np.hypot(*np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT)))
    picture *= (1 - 0.09 * away**2)[..., None].astype(np.float32)
    return np.asarray(cv2.GaussianBlur(shown(picture), (0, 0), 0.7), np.uint8)


def _lit(light: Light, normal: Array) -> Floats:
    """Light on a plain surface, per colour channel, shape (3,)."""
    lamp = max(0.0, float(light.toward @ normal))
    sky = 0.62 + 0.38 * float(normal[2])
    return np.asarray(lamp * np.array(light.lamp) + sky * np.array(light.room), np.float32)


def _outward(k: int) -> Array:
    """Where the tray's side from corner `k` to the next faces."""
    return np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]][k])


def _lay(
    picture: Floats, camera: Camera, texture: Floats, z: float, size: tuple[float, float]
) -> None:
    """Lay a texture on the rectangle of `size` (mm) around the origin at height `z`."""
    w, d = size[0] / 2, size[1] / 2
    corners = np.array([[-w, d, z], [w, d, z], [w, -d, z], [-w, -d, z]])
    seen = camera.project(corners).astype(np.float32)
    # Two texture pixels a millimetre; tiles are mirrored where more is needed.
    across, down = int(2 * size[0]), int(2 * size[1])
    tiled = cv2.copyMakeBorder(
        texture,
        0,
        max(0, down - _TILE),
        0,
        max(0, across - _TILE),
        cv2.BORDER_REFLECT,
    )[:down, :across]
    flat = np.array([[0, 0], [across, 0], [across, down], [0, down]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, seen)
    laid = cv2.warpPerspective(tiled, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_AREA)
    mask = np.zeros((HEIGHT, WIDTH), np.float32)
    cv2.fillConvexPoly(mask, np.rint(seen * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    picture += (laid - picture) * mask[..., None]


def _fill(picture: Floats, camera: Camera, colour: Floats, corners: Array) -> None:
    seen = np.rint(camera.project(corners) * 16).astype(np.int32)
    fill = tuple(float(channel) for channel in colour)
    cv2.fillConvexPoly(picture, seen, fill, cv2.LINE_AA, 4)


def _side(
    picture: Floats,
    camera: Camera,
    colour: Floats,
    ring: Array,
    k: int,
    heights: tuple[float, float],
) -> None:
    """One wall over the side from corner `k`; those that look away are hidden by the others."""
    low, high = heights
    a, b = ring[k], ring[(k + 1) % 4]
    corners = np.array([[*a, low], [*b, low], [*b, high], [*a, high]])
    _fill(picture, camera, colour, corners)


def _shadow_of_tray(picture: Floats, look: Look) -> None:
    """The tray darkens the table beside it."""
    tray, toward = look.tray, look.light.toward
    w, d = tray.width / 2 + tray.rim, tray.depth / 2 + tray.rim
    shift = -toward[:2] / toward[2] * tray.wall
    corners = np.array([[-w, d], [w, d], [w, -d], [-w, -d]])
    hull = np.vstack([corners, corners + shift])
    seen = look.camera.project(np.column_stack([hull, np.zeros(8)])).astype(np.float32)
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(seen)).astype(np.int32), 1.0)
    picture *= (1 - 0.5 * cv2.GaussianBlur(mask, (0, 0), 9))[..., None]


def _shade_floor(picture: Floats, look: Look, inner: Array) -> None:
    """The walls keep light from the floor: the lamp's shadow and the dark along the edges."""
    tray, toward = look.tray, look.light.toward
    floor = np.column_stack([inner, np.zeros(4)])
    seen = look.camera.project(floor)
    inside = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(inside, np.rint(seen).astype(np.int32), 1.0)
    shift = -toward[:2] / toward[2] * tray.wall
    lit_px = look.camera.project(np.column_stack([inner + shift, np.zeros(4)]))
    lit = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(lit, np.rint(lit_px).astype(np.int32), 1.0)
    lit = np.asarray(cv2.GaussianBlur(lit, (0, 0), 2 + look.light.softness), np.float32)
    edge = cv2.GaussianBlur(inside, (0, 0), 14)
    shade = (0.55 + 0.45 * lit) * (0.72 + 0.28 * np.clip(2 * edge - 1, 0, 1))
    picture *= np.where(inside > 0, shade, 1.0)[..., None].astype(np.float32)


def _texture(rng: np.random.Generator, colour: Colour, ground: Ground) -> Floats:
    """A ground in linear light, `(_TILE, _TILE, 3)`."""

    def clouds(rows: int, cols: int) -> Floats:
        seeds = rng.normal(0, 1, (rows, cols)).astype(np.float32)
        return np.asarray(cv2.resize(seeds, (_TILE, _TILE), interpolation=cv2.INTER_CUBIC))

    if ground is Ground.FELT:
        value = 1 + 0.16 * clouds(350, 350) + 0.05 * clouds(9, 9)
    elif ground is Ground.LEATHER:
        value = 1 + 0.14 * np.tanh(clouds(120, 120) * clouds(100, 100)) + 0.05 * clouds(7, 7)
    else:
        rings = np.sin(3 * clouds(12, 3) + 9 * np.linspace(0, 6, _TILE, dtype=np.float32)[:, None])
        value = 1 + 0.1 * rings + 0.07 * clouds(220, 8)
    return np.clip(value, 0.2, 2)[..., None] * np.array(colour, np.float32)
