"""Render pictures that nothing was trained on, with their truth, for `boxcars evaluate`.

`python -m models.training.heldout --out FOLDER --pictures N --dice D --seed S` writes pictures of
1280 x 720 pixels and `truth.json`: tilts spread evenly over 0-46 degrees, `D` flat dice each. Seeds
under 1000 were trained on; use others.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training import glyphs, photo, scenes
from models.training.render import scene_exposure
from models.training.scenes import Library, Rng, Scene, Setting

SIZE = (1280, 720)
STEEPEST_DEG = 46.0
DIE_PX = (50.0, 110.0)
"""Least and greatest size of dice in a tray of several."""
LONE_PX = (80.0, 260.0)
"""Of a die alone, which people photograph from nearer."""


def render(library: Library, rng: Rng, dice: int) -> tuple[Scene, float]:
    """A random scene with so many flat dice, and its tilt in degrees."""
    tilt = float(rng.uniform(0, STEEPEST_DEG))
    size = float(rng.uniform(*(LONE_PX if dice == 1 else DIE_PX)))
    setting = Setting(tilt_deg=tilt, die_px=size, dice=dice)
    return scenes.random_scene(rng, library, SIZE, setting), tilt


def photographed(scene: Scene, rng: Rng) -> NDArray[np.uint8]:
    """The whole scene as a webcam would take it."""
    light, _ = scenes.render(scene, (0, 0, *scene.size, 1.0))
    return photo.photograph(light, rng, scene_exposure(scene, rng), blur_px=0.8)


def truth_of(scene: Scene) -> list[dict[str, Any]]:
    """The dice that lie wholly in the picture, as `truth.json` tells of them."""
    return [
        {
            "value": int(die.look.values[die.up_face]),
            "box": [float(v) for v in box],
            "look": die.look.name,
        }
        for die, box in scenes.whole_dice(scene)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=70)
    parser.add_argument("--dice", type=int, default=10)
    parser.add_argument("--seed", type=int, default=9102)
    parser.add_argument("--typefaces", type=int, default=400)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    library = scenes.make_library(glyphs.load_typefaces(args.typefaces, 1), 40, args.seed)
    images: list[dict[str, Any]] = []
    while len(images) < args.pictures:
        scene, tilt = render(library, rng, args.dice)
        dice = truth_of(scene)
        # Dice that the edge cuts belong to no one: no picture has them but those with others.
        if not dice or (args.dice == 1 and len(dice) < len(scene.dice)):
            continue
        picture = photographed(scene, rng)
        name = f"held-{args.seed}-{len(images):03d}.png"
        cv2.imwrite(str(args.out / name), picture)
        images.append({"file": name, "tilt_deg": tilt, "dice": dice, "other": []})
    truth = {"licence": "own", "about": "rendered, held out", "images": images}
    (args.out / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()
