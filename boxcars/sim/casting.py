"""Pictures of single dice: a ray caster for one convex solid, whole arrays at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boxcars.sim import glyphs, shape
from boxcars.sim.camera import Camera
from boxcars.sim.look import DiceLook, Light, Look, Pattern

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

SPAN = 2.7
"""Side of a face's texture in half face-to-face distances."""
TEXTURE = 176
"""Pixels across a face's texture."""
DIGIT = 0.96
"""A digit's height in half face-to-face distances."""
DIGIT_BELOW = 0.06
"""The digit sits so far nearer to the equator than the face's middle."""
_SPHERE = 10
"""The face number of the sphere that tumbling ground the poles to."""


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A picture of one thing, to be laid over another picture with its corner at `(x, y)`.

    What lies below is multiplied by `veil` / 255 and `paint` is added, both `(h, w, 3)`; a
    shadow has no paint.
    """

    x: int
    y: int
    veil: Bytes
    paint: Bytes | None

    def over(self, picture: Bytes, dx: int = 0, dy: int = 0) -> None:
        """Lay it over `picture`, moved by `(dx, dy)` pixels, in place."""
        left, top = self.x + dx, self.y + dy
        height, width = self.veil.shape[:2]
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(picture.shape[1], left + width), min(picture.shape[0], top + height)
        if x0 >= x1 or y0 >= y1:
            return
        inside = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
        under = picture[y0:y1, x0:x1]
        veiled = cv2.multiply(under, self.veil[inside], scale=1 / 255)
        if self.paint is not None:
            veiled = cv2.add(veiled, self.paint[inside])
        picture[y0:y1, x0:x1] = veiled

    def blurred(self, across: int, down: int) -> Sprite:
        """The same as it looks while it moves by so many pixels during one exposure."""
        if across < 2 and down < 2:
            return self
        # Odd sizes only: OpenCV 5.0 blurs some bytes by 1 × 2 pixels to nonsense.
        size = (across | 1, down | 1)
        px, py = size[0] // 2 + 1, size[1] // 2 + 1

        def smear(image: Bytes, edge: int) -> Bytes:
            grown = cv2.copyMakeBorder(
                image, py, py, px, px, cv2.BORDER_CONSTANT, value=(edge, edge, edge)
            )
            return np.asarray(cv2.blur(grown, size), np.uint8)

        paint = None if self.paint is None else smear(self.paint, 0)
        return Sprite(self.x - px, self.y - py, smear(self.veil, 255), paint)


def shown(light: Floats) -> Bytes:
    """Linear light as the camera writes it down: bright parts are rolled off, then gamma."""
    rolled = light / (1 + np.maximum(light - 0.7, 0) * 0.6)
    return np.asarray(np.clip(255 * np.maximum(rolled, 0) ** (1 / 2.2), 0, 255), np.uint8)


class DieCaster:
    """Draws the dice of one look under its lamp, as its camera sees them."""

    def __init__(self, look: Look) -> None:
        self._dice: DiceLook = look.dice
        self._light: Light = look.light
        self._camera: Camera = look.camera
        self._radius = look.die_mm
        self._textures = _textures(look)

    def die(self, center: Array, turn: Array, sharpness: float = 2.0) -> Sprite:
        """The die at `center` (mm), turned by `turn`; `sharpness` rays are cast a pixel's side."""
        corner, size = self._window(center, 0.06)
        cols = max(4, round(size[0] * sharpness))
        rows = max(4, round(size[1] * sharpness))
        xs = corner[0] + (np.arange(cols) + 0.5) * size[0] / cols - 0.5
        ys = corner[1] + (np.arange(rows) + 0.5) * size[1] / rows - 0.5
        light, alpha = self._cast(center, turn, self._camera.rays(xs, ys), (rows, cols))
        layered = np.dstack([shown(light) * alpha[..., None], 255 * alpha]).astype(np.float32)
        small = cv2.resize(layered, size, interpolation=cv2.INTER_AREA)
        veil = np.repeat(np.asarray(255 - small[..., 3:], np.uint8), 3, axis=2)
        return Sprite(corner[0], corner[1], veil, np.asarray(small[..., :3], np.uint8))

    def shadow(self, center: Array, turn: Array, above: float = 0.0) -> Sprite:
        """The shadow it throws on a floor at height `above`, and the dark where it touches."""
        corner, size = self._window(center, 1.6)
        points = shape.VERTICES @ turn.T * self._radius * 0.97 + center
        dark = np.zeros((size[1], size[0]), np.float32)
        blur_px = self._light.softness * _pixels_per_mm(self._camera, center)
        lamp = sum(self._light.lamp) * float(self._light.toward[2])
        share = lamp / (lamp + sum(self._light.room))
        for toward, strength, sigma in (
            (self._light.toward, 0.85 * share, 0.4 * blur_px + 1.0),
            (np.array([0.0, 0.0, 1.0]), 0.55 * (1 - share) + 0.1, blur_px + 4.0),
        ):
            reach = (points[:, 2] - above) / toward[2]
            foot = points - reach[:, None] * toward
            outline = cv2.convexHull(
                (self._camera.project(foot) - np.array(corner)).astype(np.float32)
            )
            mask = np.zeros_like(dark)
            cv2.fillConvexPoly(mask, np.rint(outline * 8).astype(np.int32), 1.0, shift=3)
            # Soft where it falls far, dark near the touching edge.
            dark = 1 - (1 - dark) * (1 - strength * cv2.GaussianBlur(mask, (0, 0), sigma))
        seen = np.asarray(255 * (1 - dark) ** (1 / 2.2), np.uint8)
        return Sprite(corner[0], corner[1], np.repeat(seen[..., None], 3, axis=2), None)

    def _window(self, center: Array, margin: float) -> tuple[tuple[int, int], tuple[int, int]]:
        """Corner and size in pixels of what holds the die and `margin` around it."""
        (x, y) = self._camera.project(center)[0]
        half = self._radius * (1.5 + margin) * _pixels_per_mm(self._camera, center) + 2
        x0, y0 = math.floor(x - half), math.floor(y - half)
        side = math.ceil(2 * half)
        return (x0, y0), (side, side)

    def _cast(
        self, center: Array, turn: Array, rays: Array, size: tuple[int, int]
    ) -> tuple[Floats, Floats]:
        """Light `(h, w, 3)` and coverage `(h, w)` along `rays` `(3, h * w)`."""
        origin = turn.T @ (self._camera.place - center) / self._radius
        lines = (turn.T @ rays / self._radius).astype(np.float32)
        front = np.flatnonzero(shape.NORMALS @ origin > 1.0)
        back = np.setdiff1d(np.arange(10), front)
        falls = shape.NORMALS.astype(np.float32) @ lines
        gaps = (1.0 - shape.NORMALS @ origin).astype(np.float32)[:, None]
        entries = gaps[front] / np.minimum(falls[front], -1e-9)
        exits = np.where(falls[back] > 1e-9, gaps[back] / np.maximum(falls[back], 1e-9), 1e9)
        near, far = self._sphere(origin, lines)
        entries = np.vstack([entries, near[None]])
        order = np.argpartition(-entries, 1, axis=0)[:2]
        pair = np.take_along_axis(entries, order, axis=0)
        swap = pair[1] > pair[0]
        first = np.where(swap, order[1], order[0])
        second = np.where(swap, order[0], order[1])
        t, runner_up = pair.max(axis=0), pair.min(axis=0)
        hit = (t <= np.minimum(exits.min(axis=0), far)) & (near < 1e8)
        alpha = hit.astype(np.float32).reshape(size)
        points = origin.astype(np.float32)[:, None] + lines * t
        ids = np.append(front, _SPHERE)
        faces = ids[first]
        albedo = self._albedo(faces, points, size)
        normals = self._normals(ids, first, second, (t - runner_up), lines, points)
        return self._shade(albedo, normals, turn, rays, size), alpha

    def _sphere(self, origin: Array, lines: Floats) -> tuple[Floats, Floats]:
        """Entry and exit of the sphere that the poles were ground to; 1e9 where it is missed."""
        a = (lines * lines).sum(axis=0)
        b = origin.astype(np.float32) @ lines
        disc = b * b - a * np.float32(origin @ origin - shape.TUMBLED**2)
        root = np.sqrt(np.maximum(disc, 0))
        near = np.where(disc > 0, (-b - root) / a, np.float32(1e9))
        return near, np.where(disc > 0, (-b + root) / a, np.float32(-1e9))

    def _albedo(self, faces: NDArray[np.intp], points: Floats, size: tuple[int, int]) -> Floats:
        """The colour of the material or the ink at each point, `(h, w, 3)`."""
        shown_faces = np.minimum(faces, 9)
        frames = shape.FRAMES.astype(np.float32)[shown_faces]
        u = np.einsum("ni,in->n", frames[:, 0], points)
        v = np.einsum("ni,in->n", frames[:, 1], points)
        scale = TEXTURE / SPAN
        column = np.clip((u / SPAN + 0.5) * TEXTURE - 0.5, 0, TEXTURE - 1)
        row = np.clip((0.5 - v / SPAN) * TEXTURE - 0.5, 0, TEXTURE - 1) + TEXTURE * shown_faces
        # On the ground-off poles there is no digit: a corner of the texture has none either.
        pole = faces == _SPHERE
        column = np.where(pole, np.float32(0.3 * scale), column)
        row = np.where(pole, np.float32(0.3 * scale), row)
        return np.asarray(
            cv2.remap(
                self._textures,
                column.astype(np.float32).reshape(size),
                row.astype(np.float32).reshape(size),
                cv2.INTER_LINEAR,
            ),
            np.float32,
        )

    def _normals(
        self,
        ids: NDArray[np.intp],
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        depth: Floats,
        lines: Floats,
        points: Floats,
    ) -> Floats:
        """Outward normals `(3, n)`, turning smoothly across rounded edges."""
        outward = np.vstack([shape.NORMALS, np.zeros((1, 3))]).astype(np.float32)[ids]
        ball = points / np.float32(shape.TUMBLED)

        def normal_of(which: NDArray[np.intp]) -> Floats:
            flat = outward[which].T
            return np.where(ids[which] == _SPHERE, ball, flat)

        one, other = normal_of(first), normal_of(second)
        length = np.sqrt((lines * lines).sum(axis=0))
        near = np.clip(1 - depth * length / np.float32(self._dice.rounding), 0, 1)
        share = np.float32(0.5) * near * near * (3 - 2 * near)
        mixed = one + (other - one) * share
        return np.asarray(mixed / np.linalg.norm(mixed, axis=0), np.float32)

    def _shade(
        self, albedo: Floats, normals: Floats, turn: Array, rays: Array, size: tuple[int, int]
    ) -> Floats:
        """Light from the lamp and the room, and the lamp's highlight."""
        toward = (turn.T @ self._light.toward).astype(np.float32)
        above = (turn.T @ np.array([0.0, 0.0, 1.0])).astype(np.float32)
        lit = np.maximum(toward @ normals, 0)
        sky = 0.62 + 0.38 * (above @ normals)
        middle = turn.T @ rays[:, rays.shape[1] // 2]
        half = self._light.toward @ turn - middle / np.linalg.norm(middle)
        half = (half / np.linalg.norm(half)).astype(np.float32)
        glint = self._dice.shine * np.maximum(half @ normals, 0) ** np.float32(self._dice.gloss)
        lamp = np.array(self._light.lamp, np.float32)
        room = np.array(self._light.room, np.float32)
        diffuse = lit[:, None] * lamp + sky[:, None] * room
        return np.asarray(
            albedo * diffuse.reshape(*size, 3) + (glint[:, None] * lamp).reshape(*size, 3),
            np.float32,
        )


def _pixels_per_mm(camera: Camera, center: Array) -> float:
    beside = camera.project(np.array([center, center + camera.turn[0]]))
    return float(np.linalg.norm(beside[1] - beside[0]))


def _textures(look: Look) -> Floats:
    """The ten faces one below the other, `(10 * TEXTURE, TEXTURE, 3)` in linear light."""
    dice = look.dice
    rng = np.random.default_rng([look.seed, 2])
    body, second, ink = (
        np.array(colour, np.float32) for colour in (dice.body, dice.second, dice.ink)
    )
    step = SPAN / TEXTURE
    places = (np.arange(TEXTURE) + 0.5) * step - SPAN / 2
    cell_px = DIGIT / glyphs.CAP
    column = np.tile(places / cell_px + glyphs.CELL / 2 - 0.5, (TEXTURE, 1)).astype(np.float32)
    row = np.tile(
        ((places - DIGIT_BELOW) / cell_px + glyphs.CELL / 2 - 0.5)[:, None], (1, TEXTURE)
    ).astype(np.float32)
    faces = []
    for face in range(10):
        material = body + (second - body) * _pattern(dice.pattern, rng)[..., None]
        field = glyphs.field(dice.typeface, face, dice.mark)
        inside = cv2.remap(
            field, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-9
        )
        share = np.clip(0.5 + inside * cell_px / step, 0, 1)[..., None]
        faces.append(material + (ink - material) * share)
    return np.asarray(np.vstack(faces), np.float32)


def _pattern(pattern: Pattern, rng: np.random.Generator) -> Floats:
    """How much of the second colour shows at each place of one face, `(TEXTURE, TEXTURE)`."""
    if pattern is Pattern.PLAIN:
        return np.zeros((TEXTURE, TEXTURE), np.float32)

    def clouds(grain: int) -> Floats:
        seeds = rng.normal(0, 1, (grain, grain)).astype(np.float32)
        return np.asarray(cv2.resize(seeds, (TEXTURE, TEXTURE), interpolation=cv2.INTER_CUBIC))

    if pattern is Pattern.MARBLE:
        waves = np.sin(2.2 * clouds(5) + 1.2 * clouds(10))
        return np.asarray(0.5 + 0.5 * waves, np.float32)
    return np.asarray(np.clip(2 * (clouds(44) - 0.6), 0, 1), np.float32)
