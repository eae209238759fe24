"""Grounds that dice lie on: cloth, wood, leather, prints and maps, as tileable pictures."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE = 512
"""Pixels across a texture; it repeats."""

Texture = NDArray[np.float32]
Rng = np.random.Generator


def random_colour(rng: Rng) -> NDArray[np.float64]:
    """A colour in linear light, shape `(3,)`: any hue, from nearly grey to vivid."""
    hue, saturation = rng.random(), rng.choice([rng.uniform(0, 0.25), rng.uniform(0, 0.9)])
    value = rng.choice([rng.uniform(0.04, 0.3), rng.uniform(0.2, 0.95)])
    hsv = np.array([[[hue * 360, saturation, value]]], np.float32)
    rgb = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0]
    return np.asarray(rgb.astype(np.float64) ** 1.8)


def _fractal(rng: Rng, stretch_x: int = 1, stretch_y: int = 1) -> NDArray[np.float32]:
    """Tileable noise over many scales, values about 0-1, shape `(SIZE, SIZE)`."""
    total = np.zeros((SIZE, SIZE), np.float32)
    weight, amplitude = 0.0, 1.0
    for level in range(2, 9):
        rows = max(1, min(SIZE, 2**level // stretch_y))
        cols = max(1, min(SIZE, 2**level // stretch_x))
        grid = rng.random((rows, cols), dtype=np.float32)
        grid = np.pad(grid, 2, mode="wrap")
        pad_y, pad_x = 2 * SIZE // rows, 2 * SIZE // cols
        big = cv2.resize(grid, (SIZE + 2 * pad_x, SIZE + 2 * pad_y), interpolation=cv2.INTER_CUBIC)
        total += amplitude * big[pad_y : pad_y + SIZE, pad_x : pad_x + SIZE]
        weight += amplitude
        amplitude *= 0.62
    total = total / weight
    return np.asarray(np.clip(0.5 + (total - total.mean()) * 3.0, 0, 1), dtype=np.float32)


def _mix(a: NDArray[np.float64], b: NDArray[np.float64], share: NDArray[np.float32]) -> Texture:
    return (a + (b - a) * share[..., None]).astype(np.float32)


def _cloth(rng: Rng) -> Texture:
    base = random_colour(rng)
    fibre = rng.normal(1, rng.uniform(0.02, 0.16), (SIZE, SIZE)).astype(np.float32)
    if rng.random() < 0.5:
        fibre = np.asarray(cv2.GaussianBlur(fibre, (0, 0), rng.uniform(0.5, 1.5)), np.float32)
    patches = 1 + (_fractal(rng) - 0.5) * rng.uniform(0, 0.35)
    if rng.random() < 0.3:
        y, x = np.mgrid[0:SIZE, 0:SIZE]
        period = int(rng.choice([4, 8, 16]))
        weave = np.sin(2 * np.pi * x / period) * np.sin(2 * np.pi * y / period)
        patches = patches * (1 + rng.uniform(0.05, 0.25) * weave)
    return (base * (fibre * patches)[..., None]).astype(np.float32)


def _wood(rng: Rng) -> Texture:
    hue = rng.uniform(14, 38)
    colours = []
    for value in (rng.uniform(0.1, 0.75), rng.uniform(0.2, 0.9)):
        hsv = np.array([[[hue, rng.uniform(0.1, 0.65), value]]], np.float32)
        colours.append(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float64) ** 1.8)
    grain = _fractal(rng, stretch_x=int(rng.choice([8, 16, 32])))
    rings = 0.5 + 0.5 * np.sin(grain * rng.uniform(8, 40))
    share = (0.6 * rings + 0.4 * _fractal(rng, stretch_x=32)).astype(np.float32)
    wood = _mix(colours[0], colours[1], share)
    if rng.random() < 0.5:
        for y in range(0, SIZE, int(rng.choice([64, 128, 256]))):
            wood[y : y + 2] *= 0.4
    return wood


def _blotches(rng: Rng) -> Texture:
    share = _fractal(rng)
    if rng.random() < 0.5:
        share = np.abs(2 * share - 1)
    return _mix(random_colour(rng), random_colour(rng), share ** rng.uniform(0.6, 2))


def _stripes(rng: Rng) -> Texture:
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    picture = np.ones((SIZE, SIZE, 3)) * random_colour(rng)
    for _ in range(int(rng.integers(1, 4))):
        period = int(rng.choice([32, 64, 128, 256]))
        width = rng.uniform(0.05, 0.5) * period
        offset = rng.integers(period)
        colour = random_colour(rng)
        alpha = rng.uniform(0.4, 1)
        for axis in (x, y) if rng.random() < 0.6 else (x,):
            band = ((axis + offset) % period < width)[..., None] * alpha
            picture = picture * (1 - band) + colour * band
    fibre = rng.normal(1, 0.06, (SIZE, SIZE, 1))
    return (picture * fibre).astype(np.float32)


def _print(rng: Rng) -> Texture:
    """Printed cloth, paper or a map: regions, lines, motifs and lettering."""
    base = (random_colour(rng) ** (1 / 2.2) * 255).clip(0, 255)
    picture = np.ones((SIZE, SIZE, 3), np.uint8) * base.astype(np.uint8)

    def ink() -> tuple[float, float, float]:
        colour = (random_colour(rng) ** (1 / 2.2) * 255).clip(0, 255)
        return (float(colour[0]), float(colour[1]), float(colour[2]))

    if rng.random() < 0.5:
        for _ in range(int(rng.integers(3, 14))):
            count = int(rng.integers(5, 12))
            angles = np.sort(rng.uniform(0, 2 * np.pi, count))
            radius = rng.uniform(30, 170) * rng.uniform(0.6, 1.2, count)
            points = rng.uniform(0, SIZE, 2) + np.stack(
                [radius * np.cos(angles), radius * np.sin(angles)], 1
            )
            polygon = points.astype(np.int32)
            cv2.fillPoly(picture, [polygon], ink(), cv2.LINE_AA)
            if rng.random() < 0.6:
                cv2.polylines(picture, [polygon], True, ink(), 2, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 8))):
        a, b = rng.integers(-100, SIZE + 100, 2), rng.integers(-100, SIZE + 100, 2)
        cv2.line(
            picture, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), ink(),
            int(rng.integers(1, 6)), cv2.LINE_AA,
        )  # fmt: skip
    if rng.random() < 0.6:
        colour, kind = ink(), int(rng.integers(4))
        step = int(rng.choice([64, 128]))
        for y in range(step // 2, SIZE, step):
            for x in range(step // 2, SIZE, step):
                if kind == 0:
                    cv2.circle(picture, (x, y), int(step * 0.2), colour, -1, cv2.LINE_AA)
                elif kind == 1:
                    for k in range(5):
                        turn = 2 * np.pi * k / 5
                        leaf = (
                            int(x + step * 0.2 * np.cos(turn)),
                            int(y + step * 0.2 * np.sin(turn)),
                        )
                        cv2.circle(picture, leaf, int(step * 0.12), colour, -1, cv2.LINE_AA)
                elif kind == 2:
                    cv2.drawMarker(picture, (x, y), colour, cv2.MARKER_STAR, step // 3, 3)
                else:
                    half = step // 5
                    cv2.rectangle(picture, (x - half, y - half), (x + half, y + half), colour, 3)
    if rng.random() < 0.7:
        letters = "ABCDEFGHIKLMNOPRSTUVWXYZ0123456789abcdefghiklmnoprstuvwxyz"
        for _ in range(int(rng.integers(4, 40))):
            text = "".join(rng.choice(list(letters), int(rng.integers(1, 9))))
            at = rng.integers(-20, SIZE, 2)
            cv2.putText(
                picture, text, (int(at[0]), int(at[1])), int(rng.integers(0, 8)),
                rng.uniform(0.4, 2.2), ink(), int(rng.integers(1, 5)), cv2.LINE_AA,
            )  # fmt: skip
    fine = rng.normal(1, rng.uniform(0, 0.05), (SIZE, SIZE, 1))
    return (((picture / 255.0) ** 2.0) * fine).astype(np.float32)


def _smooth(rng: Rng) -> Texture:
    shade = 1 + (_fractal(rng) - 0.5) * rng.uniform(0, 0.08)
    return (random_colour(rng) * shade[..., None]).astype(np.float32)


def random_texture(rng: Rng) -> Texture:
    """One ground in linear light (RGB), shape `(SIZE, SIZE, 3)`, values 0-1, tileable."""
    makers = [_smooth, _cloth, _wood, _blotches, _stripes, _print]
    maker = makers[int(rng.choice(len(makers), p=[0.2, 0.22, 0.18, 0.12, 0.1, 0.18]))]
    return np.clip(maker(rng), 0.004, 1).astype(np.float32)
