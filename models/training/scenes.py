"""A random table: dice of random looks lying in a tray, lamps, a camera; and its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.training import glyphs, raycast, solids
from models.training.textures import random_colour, random_texture

Rng = np.random.Generator
Array = NDArray[np.float64]

SOLIDS = [solids.d10(), *solids.other_solids().values()]
KIND = {solid.name: i for i, solid in enumerate(SOLIDS)}
LAYOUT = solids.D10_ORDER

LIKE_GROUND = 0.25
"""Share of trays whose dice have nearly the ground's colour: those are the hard ones to find."""


def _padded(rows: list[Array]) -> Array:
    table = np.zeros((len(rows), raycast.MAX_FACES, 3))
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


NORMALS = _padded([s.normals for s in SOLIDS])
CENTERS = _padded([s.centers for s in SOLIDS])
UPS = _padded([s.ups for s in SOLIDS])
OFFSETS = np.ones((len(SOLIDS), raycast.MAX_FACES))
COUNTS = np.array([s.sides for s in SOLIDS])
SIZES = np.array([s.digit_size for s in SOLIDS])


@dataclass(frozen=True)
class Library:
    """What scenes are drawn from: typefaces, grounds and the noise lattice."""

    fields: NDArray[np.uint8]
    grounds: list[NDArray[np.float32]]
    lattice: NDArray[np.float32]


def make_library(fields: NDArray[np.uint8], grounds: int, seed: int) -> Library:
    rng = np.random.default_rng(seed)
    textures = [random_texture(rng) for _ in range(grounds)]
    return Library(fields, textures, raycast.noise_lattice(seed))


@dataclass(frozen=True)
class Look:
    """One set of dice: material row, typeface, digit size and place, marks, layout."""

    material: Array
    typeface: int
    glyph: Array
    symbols: tuple[int, ...]
    values: tuple[int, ...]
    tumbled: float
    other_symbols: str
    name: str
    mark: str


@dataclass
class Die:
    """A die on the table; `pose` is the 3x3 rotation (die to world) and the centre in mm."""

    kind: int
    look: Look
    radius: float
    rotation: Array
    center: Array
    up_face: int
    lean_deg: float
    stacked: bool = False


@dataclass
class Scene:
    """Everything the ray caster needs, and the truth."""

    dice: list[Die]
    floor: NDArray[np.float32]
    table: NDArray[np.float32]
    floor_scale: Array
    tray: Array
    wall_colour: Array
    lamps: Array
    sky: Array
    camera: Array
    size: tuple[int, int]
    lattice: NDArray[np.float32]
    fields: NDArray[np.uint8]
    seed: int = 0
    tables: dict[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """What a random scene may be held to; None leaves it to chance."""

    tilt_deg: float | None = None
    die_px: float | None = None
    """The die's larger side in a picture 1280 pixels wide."""
    dice: int | None = None
    """Exactly so many d10, lying flat, and nothing else."""
    askew: float | None = None
    """How many times more dice lean or lie on others than at a usual table."""


ANY = Setting()


def _luminance(colour: Array) -> float:
    return float(colour @ np.array([0.3, 0.59, 0.11]))


def random_look(rng: Rng, library: Library, ground: Array | None = None) -> Look:
    """A set of dice as shops sell them, now and then one with hardly any contrast.

    With `ground` the dice have nearly that colour (3,), linear: white dice on a white cloth.
    """
    m = np.zeros(raycast.MATERIAL_COLUMNS)
    kinds = ["opaque", "marble", "speckle", "pearl", "metal", "gem", "layers"]
    name = str(rng.choice(kinds, p=[0.27, 0.16, 0.16, 0.13, 0.1, 0.1, 0.08]))
    base = random_colour(rng)
    if rng.random() < 0.22:
        base = np.array([1.0, 0.98, 0.93]) * rng.uniform(0.55, 0.95)
    elif rng.random() < 0.12:
        base = np.array([1.0, 1.0, 1.05]) * rng.uniform(0.01, 0.06)
    if ground is not None:
        base = np.clip(ground * rng.uniform(0.8, 1.5) * rng.uniform(0.93, 1.07, 3), 0.005, 0.98)
    second = random_colour(rng)
    if name in ("marble", "pearl") and rng.random() < 0.6:
        second = np.clip(base + rng.uniform(0.15, 0.6), 0, 1)
    wanted = rng.choice([0.25, 0.5], p=[0.25, 0.75])
    ink = random_colour(rng)
    mean = 0.5 * (base + second) if name not in ("opaque", "gem", "metal") else base
    for _ in range(12):
        ratio = abs(math.log((_luminance(ink) + 0.03) / (_luminance(mean) + 0.03)))
        if ratio > wanted + (0.3 if name in ("speckle", "marble", "layers") else 0.0):
            break
        ink = random_colour(rng)
        if rng.random() < 0.5:
            ink = np.array([1.0, 1.0, 1.0]) * (
                0.9 if _luminance(mean) < 0.35 else rng.uniform(0.005, 0.04)
            )
    if rng.random() < 0.08:
        ink = np.array([0.75, 0.6, 0.25]) if rng.random() < 0.6 else np.array([0.7, 0.7, 0.72])
    m[raycast.M_R : raycast.M_R + 3] = base
    m[raycast.M_R2 : raycast.M_R2 + 3] = second
    m[raycast.M_INK_R : raycast.M_INK_R + 3] = ink
    pattern = {"marble": 1, "speckle": 2, "pearl": 3, "layers": 4}.get(name, 0)
    m[raycast.M_PATTERN] = pattern
    m[raycast.M_SCALE] = rng.uniform(0.5, 2.2) * (2.2 if name == "speckle" else 1.0)
    m[raycast.M_CONTRAST] = rng.uniform(0.25, 1.0) if pattern else 0.0
    m[raycast.M_SPEC] = rng.uniform(0.0, 0.8) ** 1.5
    m[raycast.M_SHINE] = math.exp(rng.uniform(math.log(8), math.log(400)))
    m[raycast.M_METAL] = rng.uniform(0.6, 1.0) if name == "metal" else 0.0
    m[raycast.M_CLEAR] = rng.uniform(0.35, 0.95) if name == "gem" else 0.0
    if name in ("pearl", "marble") and rng.random() < 0.2:
        m[raycast.M_CLEAR] = rng.uniform(0.1, 0.4)
    m[raycast.M_ROUND] = math.exp(rng.uniform(math.log(0.012), math.log(0.06)))
    m[raycast.M_WEIGHT] = rng.uniform(-0.9, 1.3)
    m[raycast.M_ENGRAVE] = rng.choice([0.0, rng.uniform(0.05, 0.5)])
    m[raycast.M_REFLECT] = rng.uniform(0, 1.0)
    m[raycast.M_SEED] = rng.uniform(0, 40)
    m[raycast.M_INK_SPEC] = rng.uniform(0, 1.0)
    typeface = int(rng.integers(len(library.fields)))
    glyph = np.array(
        [
            rng.uniform(0.72, 1.12),
            rng.uniform(-0.36, 0.08),
            rng.normal(0, 0.03),
            rng.uniform(0.8, 1.25),
        ]
    )
    values: tuple[int, ...] = LAYOUT
    if rng.random() < 0.12:
        values = tuple(int(v) for v in rng.permutation(10))
    elif rng.random() < 0.06:
        values = tuple(LAYOUT[(-i) % 10] for i in range(10))
    mark = str(rng.choice(["_", ".", ""], p=[0.48, 0.36, 0.16]))
    upside_down = rng.random() < 0.07
    if upside_down:
        # Some makers turn the digits' feet to the pole; only the mark tells 6 from 9 there.
        mark = mark or "_"
        glyph[2] += math.pi
    zero = "10" if rng.random() < 0.03 else "0"
    percentile = rng.random() < 0.05
    symbols = []
    for value in values:
        text = str(value)
        if percentile:
            text = f"{value}0"
        elif value in (6, 9):
            text += mark
        elif value == 0:
            text = zero
        symbols.append(glyphs.INDEX[text])
    if percentile:
        glyph[0] *= 0.85
        if rng.random() < 0.4:
            glyph[2] += rng.choice([-1, 1]) * math.pi / 2
        name += "-percentile"
    elif zero == "10":
        name += "-ten"
    others = str(rng.choice(["digits", "pips", "ornaments"], p=[0.5, 0.3, 0.2]))
    tumbled = rng.uniform(1.36, 1.52)
    return Look(m, typeface, glyph, tuple(symbols), tuple(values), tumbled, others, name, mark)


def _rotation(axis: Array, angle: float) -> Array:
    x, y, z = axis / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) * c + s * skew + (1 - c) * np.outer([x, y, z], [x, y, z])


def _lying(rng: Rng, kind: int) -> tuple[Array, int]:
    """Rotation that lays a die on the floor with a random face up, turned at random."""
    solid = SOLIDS[kind]
    face = int(rng.integers(solid.sides))
    normal = solid.normals[face]
    up = np.array([0.0, 0.0, 1.0 if solid.name != "d4" else -1.0])
    axis = np.cross(normal, up)
    if np.linalg.norm(axis) < 1e-8:
        axis = np.array([1.0, 0, 0])
    angle = math.acos(float(np.clip(normal @ up, -1, 1)))
    turned = _rotation(np.array([0.0, 0, 1]), rng.uniform(0, 2 * math.pi)) @ _rotation(axis, angle)
    return turned, face


def random_die(
    rng: Rng, kind: int, look: Look, radius: float, at: Array, askew: float = 1.0
) -> Die:
    """A die at rest at `at` (x, y in mm); `askew` times 7 % lean and 2 % lie on others."""
    rotation, face = _lying(rng, kind)
    lean, stacked, height = 0.0, False, radius
    solid = SOLIDS[kind]
    draw = rng.random()
    if draw < 0.07 * askew:
        lean = rng.uniform(4, 40)
        direction = rng.uniform(0, 2 * math.pi)
        rotation = (
            _rotation(np.array([math.cos(direction), math.sin(direction), 0]), math.radians(lean))
            @ rotation
        )
        height = -float((solid.vertices @ rotation.T)[:, 2].min()) * radius
        heights = (solid.normals @ rotation.T)[:, 2]
        face = int(heights.argmax())
        lean = math.degrees(math.acos(min(1.0, float(heights[face]))))
    elif draw < 0.09 * askew:
        stacked = True
        height = radius * rng.uniform(1.8, 3.0)
    return Die(kind, look, radius, rotation, np.array([at[0], at[1], height]), face, lean, stacked)


def whole_dice(scene: Scene) -> list[tuple[Die, Array]]:
    """The dice that lie wholly in the picture, each with its box (4,) in pixels."""
    width, height = scene.size
    boxes = [(die, die_box(scene, die)) for die in scene.dice]
    return [
        (die, box)
        for die, box in boxes
        if box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
    ]


def random_scene(
    rng: Rng,
    library: Library,
    size: tuple[int, int] = (1280, 720),
    setting: Setting = ANY,
) -> Scene:
    """A table with a tray and dice, seen by a webcam of `size` (width, height) pixels."""
    face_mm = float(rng.choice([16.0, rng.uniform(11, 21)], p=[0.6, 0.4]))
    half = np.array([rng.uniform(85, 150), rng.uniform(60, 105)])
    wall_mm = rng.uniform(8, 45) if rng.random() < 0.72 else 0.0
    floor = library.grounds[int(rng.integers(len(library.grounds)))]
    return Scene(
        dice=_throw(rng, library, face_mm, half, setting, floor),
        floor=floor,
        table=library.grounds[int(rng.integers(len(library.grounds)))],
        floor_scale=np.array([rng.uniform(1.2, 5), rng.uniform(1.2, 4), rng.uniform(0, 0.25) ** 2]),
        tray=np.array([half[0], half[1], wall_mm, rng.uniform(3, 14)]),
        wall_colour=random_colour(rng),
        lamps=_lamps(rng),
        sky=_sky(rng),
        camera=_camera(rng, face_mm, half, size, setting),
        size=size,
        lattice=library.lattice,
        fields=library.fields,
        seed=int(rng.integers(1 << 30)),
    )


def _throw(
    rng: Rng,
    library: Library,
    face_mm: float,
    half: Array,
    setting: Setting,
    floor: NDArray[np.float32],
) -> list[Die]:
    """Dice of one set or of many, spread over the tray or crowded, with or without others."""
    radius = face_mm / 2
    like = floor.mean(axis=(0, 1)).astype(float) if rng.random() < LIKE_GROUND else None
    look = random_look(rng, library, like)
    mixed = rng.random() < 0.35
    others = rng.random() < 0.55
    count = int(rng.choice([10, int(rng.integers(1, 14)), 0], p=[0.5, 0.4, 0.1]))
    extra = int(rng.integers(1, 8)) if others else 0
    if setting.dice is not None:
        count, extra = setting.dice, 0
    askew = 1.0 if setting.dice is None else 0.0
    if setting.askew is not None:
        askew = setting.askew
    crowded = rng.random() < 0.35
    focus = rng.uniform(-0.5, 0.5, 2) * half
    dice: list[Die] = []
    for k in range(count + extra):
        kind = 0 if k < count else int(rng.integers(1, len(SOLIDS)))
        own = random_look(rng, library, like) if mixed or kind else look
        r = radius * (rng.uniform(0.8, 1.2) if mixed and kind == 0 else 1.0)
        if kind == KIND["d6"]:
            r *= rng.uniform(0.85, 1.1)
        elif kind == KIND["d4"]:
            r *= rng.uniform(0.4, 0.55)
        for _ in range(40):
            if crowded:
                at = focus + rng.normal(0, 1, 2) * face_mm * 2.2
                at = np.clip(at, -half + r, half - r)
            else:
                at = rng.uniform(-1, 1, 2) * (half - 1.1 * r)
            if all(math.dist(at, d.center[:2]) > 1.32 * (r + d.radius) for d in dice):
                dice.append(random_die(rng, kind, own, r, at, askew))
                break
    return dice


def _camera(
    rng: Rng, face_mm: float, half: Array, size: tuple[int, int], setting: Setting
) -> Array:
    """A camera that looks at the tray from a random side, near enough for the dice's size.

    Rows of the world-to-camera rotation (9), position in mm (3), focal length and centre (3).
    """
    width, height = size
    focal = width / 2 / math.tan(math.radians(rng.uniform(42, 80)) / 2)
    tilts = [rng.uniform(0, 12), rng.uniform(0, 30), rng.uniform(20, 48)]
    tilt_deg = float(rng.choice(tilts, p=[0.4, 0.35, 0.25]))
    tilt = math.radians(tilt_deg if setting.tilt_deg is None else setting.tilt_deg)
    azimuth = rng.uniform(0, 2 * math.pi)
    die_px = math.exp(rng.uniform(math.log(34), math.log(130 if rng.random() < 0.85 else 290)))
    distance = focal * face_mm * 1.38 / ((setting.die_px or die_px) * width / 1280)
    target = np.array([*(rng.normal(0, 0.2, 2) * half), 0.0])
    back = np.array(
        [math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)]
    )
    upright = rng.random() > 0.4
    # A camera that stands on the table shows the horizon level.
    reference = np.array([0.0, 0.0, 1.0]) if upright and tilt > 0.12 else np.array([0.0, 1.0, 0.0])
    right = np.cross(-back, reference)
    right /= np.linalg.norm(right)
    down = np.cross(-back, right)
    if not upright:
        spin = _rotation(-back, rng.uniform(0, 2 * math.pi))
        right, down = spin @ right, spin @ down
    position = target + back * distance
    return np.array([*right, *down, *(-back), *position, focal, width / 2, height / 2])


def _lamps(rng: Rng) -> Array:
    """One to three lamps: position and radius in mm, colour; shape `(n, 7)`."""
    lamps = []
    for _ in range(int(rng.integers(1, 4))):
        angle, out, high = rng.uniform(0, 2 * math.pi), rng.uniform(0, 900), rng.uniform(150, 900)
        radius = rng.choice([rng.uniform(2, 25), rng.uniform(40, 160)])
        warm = rng.uniform(0.75, 1.25)
        colour = np.array([warm, 1.0, 1 / warm]) * rng.uniform(0.2, 1.0)
        lamps.append([out * math.cos(angle), out * math.sin(angle), high, radius, *colour])
    return np.array(lamps)


def _sky(rng: Rng) -> Array:
    """What shiny dice mirror: light from below and above, two soft boxes, a tint."""
    sky = np.zeros(15)
    sky[0], sky[1] = rng.uniform(0.05, 0.35), rng.uniform(0.15, 0.7)
    for base in (2, 7):
        towards = rng.normal(size=3)
        towards[2] = abs(towards[2]) + 0.2
        sky[base : base + 3] = towards / np.linalg.norm(towards)
        sky[base + 3] = math.cos(math.radians(rng.uniform(8, 38)))
        sky[base + 4] = rng.uniform(0, 2.5)
    tint = rng.uniform(0.8, 1.2)
    sky[12:15] = [tint, 1.0, 1 / tint]
    return sky


def _tables(scene: Scene) -> dict[str, NDArray[Any]]:
    if not scene.tables:
        dice = scene.dice
        symbols = np.zeros((len(dice), raycast.MAX_FACES), np.int64)
        for k, die in enumerate(dice):
            symbols[k] = _symbols(die)
        scene.tables.update(
            poses=np.array([[*d.rotation.ravel(), *d.center] for d in dice]).reshape(-1, 12),
            radii=np.array([d.radius for d in dice]),
            kinds=np.array([d.kind for d in dice], np.int64),
            tumbled=np.array(
                [d.look.tumbled if d.kind == 0 else _reach(d.kind) * 0.96 for d in dice]
            ),
            materials=np.array([d.look.material for d in dice]).reshape(
                -1, raycast.MATERIAL_COLUMNS
            ),
            symbols=symbols,
            typefaces=np.array([d.look.typeface for d in dice], np.int64),
            glyph=np.array([d.look.glyph for d in dice]).reshape(-1, 4),
        )
    return scene.tables


def _reach(kind: int) -> float:
    return float(np.linalg.norm(SOLIDS[kind].vertices, axis=1).max())


def _symbols(die: Die) -> NDArray[np.int64]:
    row = np.full(raycast.MAX_FACES, glyphs.BLANK, np.int64)
    sides = SOLIDS[die.kind].sides
    if die.kind == 0:
        row[:10] = die.look.symbols
    elif die.look.other_symbols == "pips" and sides == 6:
        row[:6] = [glyphs.INDEX[f"pip{k + 1}"] for k in range(6)]
    elif die.look.other_symbols == "ornaments":
        first = glyphs.INDEX[glyphs.ORNAMENTS[0]]
        for i in range(sides):
            row[i] = first + (i * 7 + die.look.typeface) % len(glyphs.ORNAMENTS)
    else:
        for i in range(sides):
            number = i + 1
            row[i] = glyphs.INDEX["20"] if number == 20 else glyphs.INDEX[str(number)]
    return row


def render(
    scene: Scene, window: tuple[float, float, int, int, float]
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Linear-light BGR picture and ids of a window `(x0, y0, width, height, step)`."""
    x0, y0, width, height, step = window
    out = np.zeros((height, width, 3), np.float32)
    ids = np.zeros((height, width), np.int32)
    t = _tables(scene)
    raycast.render(
        scene.camera, np.array([x0, y0, step]), out, ids,
        t["poses"], t["radii"], t["kinds"], t["tumbled"], t["materials"], t["symbols"],
        t["typefaces"], t["glyph"], NORMALS, OFFSETS, CENTERS, UPS, COUNTS, SIZES,
        scene.fields, scene.lattice, scene.floor, scene.floor_scale, scene.table, scene.tray,
        scene.wall_colour, scene.lamps, scene.sky, scene.seed,
    )  # fmt: skip
    return out, ids


def project(scene: Scene, points: Array) -> Array:
    """World points `(n, 3)` in mm to pixels `(n, 2)`."""
    rotation = scene.camera[:9].reshape(3, 3)
    seen = (points - scene.camera[9:12]) @ rotation.T
    return np.asarray(seen[:, :2] / seen[:, 2:] * scene.camera[12] + scene.camera[13:15])


def face_corners(scene: Scene, die: Die) -> Array:
    """The up face's pole, right, blunt and left corner in pixels, shape `(4, 2)` (d10 only)."""
    corners = solids.kite_corners(die.up_face) * die.radius
    return project(scene, corners @ die.rotation.T + die.center)


def die_box(scene: Scene, die: Die) -> Array:
    """Pixels `[x0, y0, x1, y1]` of the whole die."""
    vertices = SOLIDS[die.kind].vertices.copy()
    reach = die.look.tumbled if die.kind == 0 else _reach(die.kind)
    length = np.linalg.norm(vertices, axis=1, keepdims=True)
    vertices *= np.minimum(1.0, reach / length)
    seen = project(scene, vertices * die.radius @ die.rotation.T + die.center)
    return np.concatenate([seen.min(axis=0), seen.max(axis=0)])


def view_vector(scene: Scene, die: Die) -> Array:
    """The tray's normal in the die's own line of sight: its x and y in the picture, shape (2,).

    (0, 0) is seen from straight above; the length is the sine of the angle.
    """
    rotation = scene.camera[:9].reshape(3, 3)
    normal = rotation @ np.array([0.0, 0.0, 1.0])
    ray = rotation @ (die.center - scene.camera[9:12])
    ray /= np.linalg.norm(ray)
    across = np.array([1.0, 0, 0]) - ray[0] * ray
    across /= np.linalg.norm(across)
    down = np.cross(ray, across)
    return np.array([normal @ across, normal @ down])
