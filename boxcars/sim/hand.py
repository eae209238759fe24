"""Hands and forearms that reach over the simulated tray."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from boxcars.sim.casting import Sprite, shown
from boxcars.sim.look import HandLook, Light

_ARM = 330.0
"""Length of a forearm in millimetres: longer than it ever reaches into the picture."""
_SHRUNK = 4
"""Hands are drawn so many times smaller than they are seen: they are soft, nobody sees it."""


def draw_hand(hand: HandLook, light: Light, px_per_mm: float, heading: float) -> Sprite:
    """A hand that reaches towards `heading` (radians in the picture, clockwise from +x).

    Its corner is relative to the place under the palm, where it picks dice up.
    """
    scale = px_per_mm * hand.size / 85.0 / _SHRUNK
    reach = int(scale * (_ARM + 90))
    side = 2 * reach
    skin, sleeve = _shapes(side, scale, _rotation(heading, reach))
    depth = cv2.GaussianBlur(
        np.sqrt(cv2.distanceTransform(np.maximum(skin, sleeve), cv2.DIST_L2, 3)), (0, 0), 2 * scale
    )
    slope_x = cv2.Sobel(depth, cv2.CV_32F, 1, 0, scale=1 / 8)
    slope_y = cv2.Sobel(depth, cv2.CV_32F, 0, 1, scale=1 / 8)
    steep = 3.0
    east, north, up = (np.float32(part) for part in light.toward)
    facing = up + steep * (north * slope_y - east * slope_x)
    length = np.sqrt(1 + steep**2 * (slope_x**2 + slope_y**2))
    lit = np.maximum(facing / length, 0)[..., None]
    lamp, room = np.array(light.lamp, np.float32), np.array(light.room, np.float32)
    cover = cv2.GaussianBlur(np.maximum(skin, sleeve), (0, 0), 0.8)[..., None] / np.float32(255)
    share = cv2.GaussianBlur(sleeve, (0, 0), 1.0)[..., None] / np.float32(255)
    colour = np.array(hand.skin, np.float32) * (1 - share) + share * np.array(
        hand.sleeve, np.float32
    )
    paint = shown(np.asarray(colour * (lit * lamp + 0.85 * room), np.float32)) * cover
    toward = light.toward[:2] / light.toward[2] * 14 * scale
    away = np.array([[1, 0, -toward[0]], [0, 1, toward[1]]], np.float32)
    dark = cv2.warpAffine(cover[..., 0], away, (side, side))
    shadow = 0.45 * cv2.GaussianBlur(dark, (0, 0), 5 * scale)[..., None]
    veil = 255 * (1 - cover) * (1 - shadow)
    layers = np.concatenate([veil.repeat(3, axis=2), paint], axis=2).astype(np.uint8)
    rows, cols = np.nonzero(layers[..., 0] < 254)
    top, left = int(rows.min()), int(cols.min())
    layers = layers[top : rows.max() + 1, left : cols.max() + 1]
    big = (layers.shape[1] * _SHRUNK, layers.shape[0] * _SHRUNK)
    veil, paint = (np.asarray(cv2.resize(layers[..., k : k + 3], big), np.uint8) for k in (0, 3))
    return Sprite(_SHRUNK * (left - reach), _SHRUNK * (top - reach), veil, paint)


def _rotation(heading: float, reach: int) -> NDArray[np.float64]:
    """From millimetre-like coordinates pointing up to pixels pointing to `heading`."""
    turn = heading + math.pi / 2
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[c, -s, reach], [s, c, reach]])


def _shapes(
    side: int, scale: float, to_pixels: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Masks of skin and sleeve, `(side, side)`; the palm is at the middle, fingers curled."""
    skin, sleeve = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        px, py = to_pixels @ np.array([x * scale, y * scale, 1.0])
        return round(float(px)), round(float(py))

    def limb(
        mask: NDArray[np.uint8], a: tuple[float, float], b: tuple[float, float], w: float
    ) -> None:
        cv2.line(mask, at(*a), at(*b), 255, max(1, round(w * scale)), cv2.LINE_AA)

    angle = math.degrees(math.atan2(to_pixels[1, 0], to_pixels[0, 0]))
    cv2.ellipse(
        skin, at(0, 6), (round(38 * scale), round(42 * scale)), angle, 0, 360, 255, -1, cv2.LINE_AA
    )
    for x, tip in ((-27, -40), (-9, -50), (9, -48), (26, -38)):
        limb(skin, (x, -15), (x * 0.8, tip), 19)
    limb(skin, (-30, 20), (-40, -16), 20)
    limb(skin, (0, 30), (0, 95), 56)
    limb(sleeve, (0, 95), (0, _ARM + 60), 80)
    return skin, sleeve
