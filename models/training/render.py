"""Render training pictures: whole trays for the finder, single dice for pose and reading.

`python -m models.training.render --out FOLDER --trays N --dice N --seed S` writes shards of
arrays that `models.training.train` reads. Same seed, same pictures.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training import glyphs, photo, scenes
from models.training.scenes import KIND, SOLIDS, Die, Library, Scene, Setting

TRAY_SIZE = (640, 360)
CROP = 112
"""Pixels across a stored crop of one die."""
MAX_DIE_PX = 400
CROP_SPAN = 1.75
"""Side of a crop as a multiple of the die's larger box side."""
TRAYS_PER_SHARD = 200
DICE_PER_SHARD = 2000

Rng = np.random.Generator


def scene_exposure(scene: Scene, rng: Rng) -> float:
    """One exposure for all windows of a scene, as one camera would choose it."""
    width, height = scene.size
    small, _ = scenes.render(scene, (0, 0, width // 20, height // 20, 20.0))
    return photo.random_exposure(small, rng)


def cover_with_hand(
    light: NDArray[np.float32], rng: Rng, at: NDArray[np.float64], reach: float
) -> NDArray[np.bool_]:
    """Draw fingers into the picture near `at`; returns where they cover it."""
    height, width = light.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    angle = rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])
    for k in range(int(rng.integers(1, 4))):
        tip = at + across * reach * (0.5 * k - 0.3) + along * reach * rng.uniform(-0.3, 0.5)
        root = tip + along * max(width, height) * 2
        cv2.line(
            mask, (int(tip[0]), int(tip[1])), (int(root[0]), int(root[1])), 255,
            max(3, int(reach * rng.uniform(0.35, 0.6))), cv2.LINE_AA,
        )  # fmt: skip
    skin = np.array([0.25, 0.38, 0.62]) * rng.uniform(0.15, 1.1) * (float(light.mean()) * 2 + 0.1)
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    shade = np.clip(0.5 + depth / (reach * 0.35 + 1), 0, 1.0)[..., None]
    alpha = (mask / 255.0)[..., None]
    light[:] = light * (1 - alpha) + skin * shade * alpha
    return mask > 127


def crop_of(
    scene: Scene, index: int, rng: Rng, exposure: float
) -> tuple[NDArray[np.uint8], dict[str, Any]] | None:
    """A photographed crop around die `index` and its truth, or None if it is out of view."""
    die: Die = scene.dice[index]
    box = scenes.die_box(scene, die)
    size = float(max(box[2] - box[0], box[3] - box[1]))
    middle = (box[:2] + box[2:]) / 2
    width, height = scene.size
    # Right under the lens, or behind it, a die fills the picture or none of it.
    if size > MAX_DIE_PX:
        return None
    if not (-0.1 * size < middle[0] < width + 0.1 * size) or not (
        -0.1 * size < middle[1] < height + 0.1 * size
    ):
        return None
    side = CROP_SPAN * size
    corner = np.floor(middle - side / 2)
    pixels = int(np.ceil(side)) + 1
    light, ids = scenes.render(scene, (corner[0], corner[1], pixels, pixels, 1.0))
    covered = np.zeros(ids.shape, bool)
    if rng.random() < 0.06:
        covered = cover_with_hand(light, rng, middle - corner + rng.normal(0, 0.3, 2) * size, size)
    picture = photo.photograph(light, rng, exposure, blur_px=max(0.6, size / 70))
    # Beyond the picture's edge a real camera sees nothing.
    xs = np.arange(pixels) + corner[0]
    ys = np.arange(pixels) + corner[1]
    outside = ((ys < 0) | (ys >= height))[:, None] | ((xs < 0) | (xs >= width))[None, :]
    picture[outside] = 0
    ids = np.where(covered | outside, -9, ids)
    scale = CROP / side
    offset = (corner - (middle - side / 2)) * scale
    matrix = np.array([[scale, 0, offset[0]], [0, scale, offset[1]]])
    if scale < 1:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.35 / scale), np.uint8)
    crop = np.asarray(
        cv2.warpAffine(picture, matrix, (CROP, CROP), flags=cv2.INTER_LINEAR), np.uint8
    )
    record: dict[str, Any] = {
        "is_d10": die.kind == 0,
        "size": size,
        "lean": die.lean_deg,
        "stacked": die.stacked,
        "view": scenes.view_vector(scene, die),
        "corners": np.zeros((4, 2)),
        "value": -1,
        "values": np.full(10, -1),
        "up_face": -1,
        "visible": 1.0,
        "look": die.look.name,
        "mark": die.look.mark,
        "center": (scenes.project(scene, die.center[None])[0] - middle) * scale / CROP + 0.5,
    }
    own = (ids >= 0) & (ids // 32 == index)
    hull = cv2.convexHull(
        scenes.project(
            scene,
            SOLIDS[die.kind].vertices * die.radius @ die.rotation.T + die.center,
        ).astype(np.float32)
        - corner.astype(np.float32)
    )
    record["visible"] = float(own.sum()) / max(1.0, float(cv2.contourArea(hull)))
    if die.kind == KIND["d10"]:
        corners = scenes.face_corners(scene, die)
        face = (own & (ids % 32 == die.up_face)).sum()
        area = cv2.contourArea((corners - corner).astype(np.float32))
        record["corners"] = (corners - (middle - side / 2)) / side
        record["value"] = die.look.values[die.up_face]
        record["values"] = np.array(die.look.values)
        record["up_face"] = die.up_face
        record["visible"] = float(face) / max(1.0, float(area))
    return crop, record


def render_dice(
    out: Path, library: Library, count: int, seed: int, per_shard: int, setting: Setting
) -> None:
    """Write `count` crops of single dice with their truth, in shards."""
    rng = np.random.default_rng(seed)
    shard, started = 0, time.time()
    crops: list[NDArray[np.uint8]] = []
    records: list[dict[str, Any]] = []
    made = 0
    while made < count:
        scene = scenes.random_scene(rng, library, setting=setting)
        if not scene.dice:
            continue
        exposure = scene_exposure(scene, rng)
        for index in rng.permutation(len(scene.dice))[:6]:
            got = crop_of(scene, int(index), rng, exposure)
            if got is None:
                continue
            crops.append(got[0])
            records.append(got[1])
            made += 1
        if len(crops) >= per_shard or made >= count:
            save_dice(out / f"dice-{seed}-{shard:04d}", crops, records)
            shard += 1
            crops, records = [], []
            print(f"{made} dice, {made / (time.time() - started):.1f} a second", flush=True)


def save_dice(path: Path, crops: list[NDArray[np.uint8]], records: list[dict[str, Any]]) -> None:
    """One shard: `.npy` with crops `(n, CROP, CROP, 3)` BGR and `.npz` with the truth."""
    truth: dict[str, Any] = {key: np.array([r[key] for r in records]) for key in records[0]}
    np.savez(path.with_suffix(".npz"), **truth)
    np.save(path.with_suffix(".npy"), np.array(crops))


def render_trays(out: Path, library: Library, count: int, seed: int) -> None:
    """Write `count` whole-tray pictures of `TRAY_SIZE` with each die's box and kind, in shards.

    The truth is an array `(n, 40, 7)`: box (4), kind (1 d10, 2 other die, 0 none), view (2).
    """
    rng = np.random.default_rng(seed)
    started = time.time()
    for shard in range((count + TRAYS_PER_SHARD - 1) // TRAYS_PER_SHARD):
        pictures, truths = [], []
        for _ in range(min(TRAYS_PER_SHARD, count - shard * TRAYS_PER_SHARD)):
            scene = scenes.random_scene(rng, library)
            width, height = TRAY_SIZE
            light, ids = scenes.render(scene, (0, 0, width, height, scene.size[0] / width))
            covered = np.zeros(ids.shape, bool)
            if rng.random() < 0.1:
                at = np.array([rng.uniform(0, width), rng.uniform(0, height)])
                covered = cover_with_hand(light, rng, at, rng.uniform(25, 60))
            truth = np.zeros((40, 7), np.float32)
            seen = np.where(covered, -9, ids)
            row = 0
            for index, die in enumerate(scene.dice):
                box = scenes.die_box(scene, die) * width / scene.size[0]
                middle = (box[:2] + box[2:]) / 2
                if not (0 <= middle[0] < width and 0 <= middle[1] < height):
                    continue
                area = float(((seen >= 0) & (seen // 32 == index)).sum())
                if area < 0.3 * (box[2] - box[0]) * (box[3] - box[1]):
                    continue
                truth[row, :4] = box
                truth[row, 4] = 1 if die.kind == 0 else 2
                truth[row, 5:7] = scenes.view_vector(scene, die)
                row += 1
            pictures.append(photo.photograph(light, rng, None, blur_px=0.6))
            truths.append(truth)
        np.save(out / f"trays-{seed}-{shard:04d}.truth.npy", np.array(truths))
        np.save(out / f"trays-{seed}-{shard:04d}.npy", np.array(pictures))
        done = shard * TRAYS_PER_SHARD + len(pictures)
        print(f"{done} trays, {done / (time.time() - started):.1f} a second", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trays", type=int, default=0)
    parser.add_argument("--dice", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--typefaces", type=int, default=400)
    parser.add_argument("--grounds", type=int, default=150)
    parser.add_argument("--per-shard", type=int, default=DICE_PER_SHARD)
    parser.add_argument("--askew", type=float, help="times 7 %% of the single dice lean")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    fields = glyphs.load_typefaces(args.typefaces, 1)
    library = scenes.make_library(fields, args.grounds, args.seed)
    if args.trays:
        render_trays(args.out, library, args.trays, args.seed)
    if args.dice:
        setting = Setting(askew=args.askew)
        render_dice(args.out, library, args.dice, args.seed, args.per_shard, setting)


if __name__ == "__main__":
    main()
