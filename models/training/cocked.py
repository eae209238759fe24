"""How many leaning dice are told to be cocked, and how many flat ones are wrongly.

`python -m models.training.cocked --out models` renders trays of ten dice that nothing was trained
on, about half of them leaning, reads them with and without the tray's normal told, and writes
`cocked.json`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens
from models.training import glyphs, scenes
from models.training.heldout import SIZE, photographed
from models.training.scenes import Die, Library, Scene, Setting
from vision.reader import DiceReader
from vision.records import DieReading, Doubt, Image

DIE_PX = (60.0, 110.0)
TILT_DEG = (0.0, 40.0)
ASKEW = 8.0
"""So much more often than usual do dice lean: 56 of a hundred."""

BANDS_DEG = ((0, 1), (4, 8), (8, 12), (12, 16), (16, 24), (24, 45))


def lens_of(scene: Scene) -> Lens:
    """The scene's camera."""
    focal, x, y = (float(v) for v in scene.camera[12:15])
    return Lens(scene.size, (focal, focal), (x, y))


def normal_of(scene: Scene) -> NDArray[np.float64]:
    """The tray's normal in camera coordinates, towards the camera."""
    return np.asarray(scene.camera[:9].reshape(3, 3) @ np.array([0.0, 0.0, 1.0]))


def random_trays(
    rng: np.random.Generator, library: Library, pictures: int, askew: float
) -> Iterator[tuple[Scene, Image]]:
    """So many trays of ten dice, which lean `askew` times as often as usual, photographed."""
    for _ in range(pictures):
        setting = Setting(
            tilt_deg=float(rng.uniform(*TILT_DEG)),
            die_px=float(rng.uniform(*DIE_PX)),
            dice=10,
            askew=askew,
        )
        scene = scenes.random_scene(rng, library, SIZE, setting)
        yield scene, photographed(scene, rng)


def outcome(box: NDArray[np.float64], readings: tuple[DieReading, ...]) -> str:
    """What became of the die in this box: missed, cocked, doubted or read."""
    for reading in readings:
        x, y = reading.sighting.center
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            if Doubt.COCKED in reading.doubts:
                return "cocked"
            return "read" if reading.face is not None else "doubted"
    return "missed"


def band(die: Die) -> str | None:
    """The die's band of lean, None for stacked dice and between bands."""
    if die.stacked:
        return None
    for low, high in BANDS_DEG:
        if low <= die.lean_deg < high:
            return f"{low}-{high}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=80)
    parser.add_argument("--seed", type=int, default=9161)
    parser.add_argument("--typefaces", type=int, default=400)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    library = scenes.make_library(glyphs.load_typefaces(args.typefaces, 1), 40, args.seed)
    reader = DiceReader()
    counts: dict[str, dict[str, Counter[str]]] = {"told": {}, "by-dice": {}}
    for scene, picture in random_trays(rng, library, args.pictures, ASKEW):
        lens = lens_of(scene)
        for how, normal in (("told", normal_of(scene)), ("by-dice", None)):
            readings = reader.read(picture, normal, lens)
            for die, box in scenes.whole_dice(scene):
                name = band(die)
                if name is not None:
                    counts[how].setdefault(name, Counter())[outcome(box, readings)] += 1
    figures: dict[str, Any] = {
        how: {
            f"{low}-{high}": dict(sorted(by[f"{low}-{high}"].items()))
            for low, high in BANDS_DEG
            if f"{low}-{high}" in by
        }
        for how, by in counts.items()
    }
    (args.out / "cocked.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for how, bands in figures.items():
        for name, ends in bands.items():
            whole = sum(ends.values())
            shares = ", ".join(f"{end} {n} ({n / whole:.1%})" for end, n in ends.items())
            print(f"normal {how}, lean {name} degrees: {shares}")


if __name__ == "__main__":
    main()
