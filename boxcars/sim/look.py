"""How one simulated table looks: its dice, tray, lamps, hands and camera, drawn by seed."""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from boxcars.sim.camera import WIDTH, Camera, camera_over
from boxcars.sim.glyphs import Mark, typefaces

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
"""Blue, green, red in linear light, 0-1."""


class Pattern(StrEnum):
    """What runs through a die's material."""

    PLAIN = "plain"
    MARBLE = "marble"
    SPECKLE = "speckle"


class Ground(StrEnum):
    """What the tray's floor is made of."""

    FELT = "felt"
    LEATHER = "leather"
    WOOD = "wood"


@dataclass(frozen=True, slots=True)
class DiceLook:
    """One set of dice. `shine` is the strength and `gloss` the sharpness of highlights."""

    body: Colour
    second: Colour
    ink: Colour
    pattern: Pattern
    typeface: int
    mark: Mark
    shine: float
    gloss: float
    rounding: float
    """How far from an edge its rounding begins, in half face-to-face distances."""


@dataclass(frozen=True, slots=True)
class TrayLook:
    """The tray and the table under it; sizes in millimetres."""

    width: float
    depth: float
    wall: float
    rim: float
    floor: Colour
    ground: Ground
    rim_colour: Colour
    table: Colour


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """One lamp and the room's own light. `toward` (3,) points from the tray to the lamp."""

    toward: Array
    lamp: Colour
    room: Colour
    softness: float
    """How far shadows are blurred, in millimetres."""


@dataclass(frozen=True, slots=True)
class HandLook:
    """A player's hand and sleeve."""

    skin: Colour
    sleeve: Colour
    size: float
    """A hand's breadth in millimetres."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything about a table that stays as it is for the whole game.

    `die_mm` is half the distance between a die's opposite faces.
    """

    seed: int
    dice: DiceLook
    tray: TrayLook
    light: Light
    hands: tuple[HandLook, ...]
    camera: Camera
    tilt: float
    die_mm: float
    noise: float
    """The camera's noise in grey levels."""


HALF_DIE_MM = 8.0
_DARK_INK, _LIGHT_INK = (0.012, 0.012, 0.014), (0.86, 0.9, 0.92)
_GOLD_INK = (0.06, 0.46, 0.78)
_BODIES: tuple[tuple[float, float, float], ...] = (
    # Hue, saturation and value (of the eye's scale) of dice as shops sell them.
    (0.0, 0.0, 0.93), (0.11, 0.18, 0.93), (0.0, 0.0, 0.12), (0.0, 0.85, 0.66), (0.6, 0.8, 0.6),
    (0.38, 0.75, 0.42), (0.78, 0.6, 0.5), (0.08, 0.9, 0.92), (0.15, 0.8, 0.93), (0.5, 0.7, 0.6),
    (0.24, 0.75, 0.8), (0.92, 0.6, 0.8), (0.65, 0.7, 0.32),
)  # fmt: skip
_FLOORS: tuple[tuple[float, float, float], ...] = (
    (0.38, 0.6, 0.3), (0.0, 0.65, 0.32), (0.62, 0.55, 0.35), (0.07, 0.45, 0.2), (0.0, 0.0, 0.16),
    (0.08, 0.5, 0.45), (0.8, 0.4, 0.3), (0.1, 0.2, 0.7),
)  # fmt: skip
_SKINS = ((0.055, 0.65, 0.85), (0.06, 0.5, 0.95), (0.05, 0.6, 0.55), (0.045, 0.6, 0.36))


def linear(hue: float, saturation: float, value: float) -> Colour:
    """A colour of the eye's scale (0-1 each) in linear light."""
    red, green, blue = (channel**2.2 for channel in colorsys.hsv_to_rgb(hue, saturation, value))
    return (blue, green, red)


def luminance(colour: Colour) -> float:
    """How bright a colour is to the eye, in linear light."""
    blue, green, red = colour
    return 0.07 * blue + 0.72 * green + 0.21 * red


def draw_look(seed: int, players: int = 1) -> Look:
    """The table of this seed; the same seed gives the same table."""
    rng = np.random.default_rng([seed, 1])
    dice = _draw_dice(rng)
    tray = _draw_tray(rng, dice)
    tilt = math.radians(float(rng.choice([rng.uniform(0, 12), rng.uniform(0, 25)], p=[0.6, 0.4])))
    # The tray fills the picture; seen from the side it needs a little more room.
    px_per_mm = 0.86 * WIDTH / (tray.width + 2 * tray.rim) * (1 - 0.1 * math.sin(tilt))
    camera = camera_over(
        px_per_mm,
        tilt,
        float(rng.uniform(-math.pi, math.pi)),
        math.radians(float(rng.uniform(-4, 4))),
        (float(rng.uniform(-5, 5)), float(rng.uniform(-5, 5))),
    )
    hands = tuple(
        HandLook(
            linear(*_SKINS[int(rng.integers(len(_SKINS)))]),
            linear(float(rng.random()), float(rng.uniform(0, 0.7)), float(rng.uniform(0.15, 0.8))),
            float(rng.uniform(78, 92)),
        )
        for _ in range(players)
    )
    return Look(
        seed=seed,
        dice=dice,
        tray=tray,
        light=_draw_light(rng),
        hands=hands,
        camera=camera,
        tilt=tilt,
        die_mm=HALF_DIE_MM,
        noise=float(rng.uniform(1.0, 3.5)),
    )


def _draw_dice(rng: np.random.Generator) -> DiceLook:
    hue, saturation, value = _BODIES[int(rng.integers(len(_BODIES)))]
    body = linear((hue + float(rng.uniform(-0.03, 0.03))) % 1, saturation, value)
    bright = luminance(body)
    if bright > 0.28:
        ink = _DARK_INK
    elif bright < 0.1 and rng.random() < 0.3:
        ink = _GOLD_INK
    else:
        ink = _LIGHT_INK
    pattern = Pattern(str(rng.choice(list(Pattern), p=[0.5, 0.3, 0.2])))
    shift = float(rng.uniform(0.55, 0.8) if bright < 0.28 else rng.uniform(1.1, 1.35))
    second = tuple(min(1.0, channel * shift + 0.004) for channel in body)
    return DiceLook(
        body=body,
        second=(second[0], second[1], second[2]),
        ink=ink,
        pattern=pattern,
        typeface=int(rng.integers(typefaces())),
        mark=Mark.BAR if rng.random() < 0.6 else Mark.DOT,
        shine=float(rng.uniform(0.1, 0.45)),
        gloss=float(rng.uniform(20, 90)),
        rounding=float(rng.uniform(0.07, 0.15)),
    )


def _draw_tray(rng: np.random.Generator, dice: DiceLook) -> TrayLook:
    """A tray whose floor is not the colour of the dice."""
    bright = luminance(dice.body)
    while True:
        hue, saturation, value = _FLOORS[int(rng.integers(len(_FLOORS)))]
        floor = linear(hue, saturation, value * float(rng.uniform(0.85, 1.15)))
        ratio = abs(math.log((luminance(floor) + 0.02) / (bright + 0.02)))
        if ratio > 0.9 or rng.random() < 0.02:
            break
    width = float(rng.uniform(225, 285))
    return TrayLook(
        width=width,
        depth=width * float(rng.uniform(0.52, 0.56)),
        wall=float(rng.uniform(18, 28)),
        rim=float(rng.uniform(7, 14)),
        floor=floor,
        ground=Ground(str(rng.choice(list(Ground)))),
        rim_colour=linear(float(rng.uniform(0, 0.14)), 0.55, float(rng.uniform(0.12, 0.6))),
        table=linear(
            float(rng.random()), float(rng.uniform(0, 0.35)), float(rng.uniform(0.2, 0.9))
        ),
    )


def _draw_light(rng: np.random.Generator) -> Light:
    azimuth, height = rng.uniform(-math.pi, math.pi), math.radians(rng.uniform(35, 65))
    toward = np.array(
        [
            math.cos(azimuth) * math.cos(height),
            math.sin(azimuth) * math.cos(height),
            math.sin(height),
        ]
    )
    strength, room = rng.uniform(0.55, 0.85), rng.uniform(0.3, 0.5)
    warm = rng.uniform(-0.12, 0.2)
    return Light(
        toward=toward,
        lamp=(strength * (1 - warm), strength, strength * (1 + 0.6 * warm)),
        room=(room, room, room),
        softness=float(rng.uniform(1.5, 5)),
    )
