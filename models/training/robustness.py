"""How reading holds up: accuracy against die size, tilt, blur, noise, darkness and JPEG quality.

`python -m models.training.robustness --out models` renders trays with looks and grounds of
seeds never trained on, spoils them step by step, reads them with the committed models and
writes `robustness.json` and `robustness.png`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training import glyphs, scenes
from models.training.scenes import Library, Scene, Setting
from vision.reader import DiceReader

SEED = 9001
"""Training used seeds under 1000."""

DIE_PX, TILT_DEG = 70.0, 10.0
SIZE = (1280, 720)

Light = NDArray[np.float32]
Picture = NDArray[np.uint8]
Counts = dict[str, int]


def develop(light: Light, gain: float = 1.0) -> Picture:
    """Linear light to a picture: the brightest tenth near white, times `gain`."""
    bright = float(np.percentile(light, 95)) + 1e-4
    image = np.clip(light * (0.75 * gain / bright), 0, 1) ** (1 / 2.2)
    return np.asarray(image * 255 + 0.5, np.uint8)


def blurred(picture: Picture, sigma_px: float) -> Picture:
    if sigma_px <= 0:
        return picture
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.uint8)


def noisy(picture: Picture, sigma: float, rng: np.random.Generator) -> Picture:
    """Sensor noise of `sigma` grey levels."""
    grain = rng.normal(0, sigma, picture.shape) if sigma else 0.0
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


def squeezed(picture: Picture, quality: float) -> Picture:
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def count(reader: DiceReader, scene: Scene, picture: Picture) -> Counts:
    """Correct, abstained, silently wrong and missed dice that lie wholly in the picture."""
    readings = list(reader.read(picture))
    counts = dict.fromkeys(("dice", "correct", "abstained", "silent_misreads", "missed"), 0)
    for die, (x0, y0, x1, y1) in scenes.whole_dice(scene):
        counts["dice"] += 1
        inside = [
            r for r in readings if x0 < r.sighting.center[0] < x1 and y0 < r.sighting.center[1] < y1
        ]
        if not inside:
            counts["missed"] += 1
        elif inside[0].face is None:
            counts["abstained"] += 1
        elif inside[0].face == die.look.values[die.up_face]:
            counts["correct"] += 1
        else:
            counts["silent_misreads"] += 1
    return counts


def add(a: Counts, b: Counts) -> Counts:
    return {key: a[key] + b[key] for key in a} if a else b


def measure(library: Library, trays: int) -> dict[str, dict[str, Counts]]:
    """Counts for each step of each trouble."""
    reader = DiceReader()
    curves: dict[str, dict[str, Counts]] = {}

    def note(name: str, step: float, counts: Counts) -> None:
        steps = curves.setdefault(name, {})
        steps[f"{step:g}"] = add(steps.get(f"{step:g}", {}), counts)

    spoil: dict[str, tuple[list[float], Callable[[Light, float], Picture]]] = {
        "blur, px": ([0, 1, 2, 3, 4, 6], lambda lit, s: blurred(develop(lit), s)),
        "noise, grey levels": (
            [0, 5, 10, 20, 30, 45],
            lambda lit, s: noisy(develop(lit), s, np.random.default_rng(1)),
        ),
        "light, share": (
            [1, 0.5, 0.25, 0.12, 0.06, 0.03],
            lambda lit, s: noisy(develop(lit, s), 3, np.random.default_rng(2)),
        ),
        "JPEG quality": ([95, 75, 50, 30, 20, 10], lambda lit, s: squeezed(develop(lit), s)),
    }
    for k in range(trays):
        scene = _scene(library, k, TILT_DEG, DIE_PX)
        light, _ = scenes.render(scene, (0, 0, *SIZE, 1.0))
        for name, (steps, change) in spoil.items():
            for step in steps:
                note(name, step, count(reader, scene, change(light, step)))
        for size in (24, 30, 36, 45, 60, 90, 130):
            scene = _scene(library, k, TILT_DEG, size)
            light, _ = scenes.render(scene, (0, 0, *SIZE, 1.0))
            note("die size, px", size, count(reader, scene, develop(light)))
        for tilt in (0, 10, 20, 30, 40, 45):
            scene = _scene(library, k, tilt, DIE_PX)
            light, _ = scenes.render(scene, (0, 0, *SIZE, 1.0))
            note("tilt, degrees", tilt, count(reader, scene, develop(light)))
        print(f"{k + 1} of {trays} trays", flush=True)
    return curves


def _scene(library: Library, number: int, tilt_deg: float, die_px: float) -> Scene:
    rng = np.random.default_rng(SEED + number)
    setting = Setting(tilt_deg=tilt_deg, die_px=die_px, dice=10)
    return scenes.random_scene(rng, library, SIZE, setting)


def draw(curves: dict[str, dict[str, Counts]], path: Path) -> None:
    """One panel for each trouble: shares of dice read right, asked about, wrong, missed."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(12, 6.5), layout="constrained")
    styles = {
        "correct": ("#0072B2", "o-"),
        "abstained": ("#E69F00", "s--"),
        "silent_misreads": ("#D55E00", "^-"),
        "missed": ("#666666", "x:"),
    }
    for panel, (name, steps) in zip(panels.flat, curves.items(), strict=True):
        places = range(len(steps))
        for key, (colour, style) in styles.items():
            shares = [100 * c[key] / max(1, c["dice"]) for c in steps.values()]
            panel.plot(places, shares, style, color=colour, label=key.replace("_", " "))
        panel.set_xticks(places, list(steps))
        panel.set_xlabel(name)
        panel.set_ylim(-3, 103)
        panel.grid(alpha=0.3)
    panels[0, 0].set_ylabel("% of dice")
    panels[1, 0].set_ylabel("% of dice")
    panels[0, 0].legend(loc="center left")
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trays", type=int, default=12)
    parser.add_argument("--typefaces", type=int, default=400)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    library = scenes.make_library(glyphs.load_typefaces(args.typefaces, 1), 30, SEED)
    curves = measure(library, args.trays)
    text = json.dumps(curves, indent=1) + "\n"
    (args.out / "robustness.json").write_text(text, encoding="utf-8")
    draw(curves, args.out / "robustness.png")


if __name__ == "__main__":
    main()
