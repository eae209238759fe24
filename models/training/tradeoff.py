"""Asked or misread: what each certainty threshold costs, on rendered trays never trained on.

`python -m models.training.tradeoff --out models` photographs trays of random looks, lights and
tilts with seeds never trained on, reads them under several thresholds and writes
`tradeoff.json` and `tradeoff.png`. They show what `vision.doubts.DoubtThresholds.face` is worth.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from models.training import glyphs, photo, scenes
from models.training.robustness import SEED, SIZE, Counts, Picture, add, count
from models.training.scenes import Library, Scene, Setting
from vision.doubts import DoubtThresholds
from vision.reader import DiceReader

THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.985, 0.995, 0.999)


def pictures(library: Library, trays: int) -> list[tuple[Scene, Picture]]:
    """Photographs of trays of ten flat dice, as a webcam would take them."""
    made = []
    for k in range(trays):
        rng = np.random.default_rng(SEED + 500 + k)
        scene = scenes.random_scene(rng, library, SIZE, Setting(dice=10))
        light, _ = scenes.render(scene, (0, 0, *SIZE, 1.0))
        made.append((scene, photo.photograph(light, rng)))
    return made


def measure(trays: list[tuple[Scene, Picture]]) -> dict[str, Counts]:
    """Counts for each threshold."""
    results: dict[str, Counts] = {}
    for face in THRESHOLDS:
        reader = DiceReader(thresholds=replace(DoubtThresholds(), face=face))
        total: Counts = {}
        for scene, picture in trays:
            total = add(total, count(reader, scene, picture))
        results[f"{face:g}"] = total
        print(face, total, flush=True)
    return results


def draw(results: dict[str, Counts], path: Path) -> None:
    """Misread against asked, one point a threshold."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    asked = [100 * c["abstained"] / c["dice"] for c in results.values()]
    wrong = [100 * c["silent_misreads"] / c["dice"] for c in results.values()]
    axes.plot(asked, wrong, "o-", color="#0072B2")
    for name, x, y in zip(results, asked, wrong, strict=True):
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points")
    chosen = f"{DoubtThresholds().face:g}"
    at = list(results).index(chosen)
    axes.plot(asked[at], wrong[at], "s", color="#D55E00", markersize=10, label=f"chosen: {chosen}")
    axes.set_xlabel("% of dice asked about")
    axes.set_ylabel("% of dice silently misread")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trays", type=int, default=40)
    parser.add_argument("--typefaces", type=int, default=400)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    library = scenes.make_library(glyphs.load_typefaces(args.typefaces, 1), 30, SEED)
    results = measure(pictures(library, args.trays))
    (args.out / "tradeoff.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    draw(results, args.out / "tradeoff.png")


if __name__ == "__main__":
    main()
