"""How the signs of a lean are weighed where a calibration knows how the tray lies.

`python -m models.training.standing` renders trays of ten dice that no net was trained on, usual
ones and such where half of the dice lean, reads them with the tray's normal told, and prints the
`vision.lean.LeanWeights` that tell flat dice best from those that lean by 12° and more: logistic
regression. With them it prints which share of both is said to lean, on dice not used for it.
"""

from __future__ import annotations

import argparse
from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.training import glyphs, scenes
from models.training.cocked import ASKEW, lens_of, normal_of, random_trays
from models.training.scenes import Scene
from vision.doubts import DoubtThresholds
from vision.evidence import DieLook
from vision.lean import LeanWeights, lean_signs
from vision.reader import DiceReader, Placed, signs_of

Array = NDArray[np.float64]

LEANS_DEG = 12.0

FOLDS = 5
"""Weights are tried on a share of the trays that they were not fitted to, each in turn."""

HELD = 1e-3
"""How firmly weights are held near nothing."""


class SignReader(DiceReader):
    """Remembers the signs `(n, 4)` and the places `(n, 2)` of the dice it placed last."""

    signs: Array = np.zeros((0, 4))
    places: Array = np.zeros((0, 2))

    def _leans(self, dice: Placed, looks: list[DieLook], kin: Array) -> Array:
        if dice.stance is not None:
            self.signs = lean_signs(dice.stance, *signs_of(looks))
            self.places = np.array([find.center for find in dice.finds])
        return super()._leans(dice, looks, kin)


def signs_in(reader: SignReader, scene: Scene, picture: NDArray[np.uint8]) -> tuple[Array, Array]:
    """The signs `(n, 4)` of a scene's dice that lie flat or lean plainly, and which lean `(n,)`."""
    reader.places = np.zeros((0, 2))
    reader.read(picture, normal_of(scene), lens_of(scene))
    signs, leaning = [], []
    for die, (x0, y0, x1, y1) in scenes.whole_dice(scene):
        x, y = reader.places.T
        found = np.nonzero((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1))[0]
        if len(found) and not die.stacked and not 1 <= die.lean_deg < LEANS_DEG:
            signs.append(reader.signs[found[0]])
            leaning.append(die.lean_deg >= LEANS_DEG)
    return np.array(signs).reshape(-1, 4), np.array(leaning, np.float64)


def fitted(signs: Array, leaning: Array) -> Array:
    """The weights `(5,)` that tell best which dice are `leaning`, that of all dice first."""
    spread = signs.std(axis=0) + 1e-6
    x = torch.from_numpy((signs - signs.mean(axis=0)) / spread)
    y = torch.from_numpy(leaning)
    weights = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    search = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        odds = weights[0] + x @ weights[1:]
        wrong = torch.nn.functional.binary_cross_entropy_with_logits(odds, y)
        total = wrong + 0.5 * HELD * (weights[1:] ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    search.step(loss)  # type: ignore[no-untyped-call]
    found = weights.detach().numpy()
    by_sign = found[1:] / spread
    return np.append(found[0] - by_sign @ signs.mean(axis=0), by_sign)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=150)
    parser.add_argument("--seed", type=int, default=77001)
    parser.add_argument("--typefaces", type=int, default=400)
    args = parser.parse_args()
    reader = SignReader()
    signs, leaning, folds = [], [], []
    for number, askew in enumerate((2.0, ASKEW)):
        rng = np.random.default_rng(args.seed + number)
        typefaces = glyphs.load_typefaces(args.typefaces, 1)
        library = scenes.make_library(typefaces, 40, args.seed + number)
        for index, tray in enumerate(random_trays(rng, library, args.pictures, askew)):
            some, lean = signs_in(reader, *tray)
            signs.append(some)
            leaning.append(lean)
            folds.append(np.full(len(lean), index % FOLDS))
    x, y, fold = np.concatenate(signs), np.concatenate(leaning), np.concatenate(folds)
    odds = np.zeros(len(y))
    for k in range(FOLDS):
        weights = fitted(x[fold != k], y[fold != k])
        odds[fold == k] = weights[0] + x[fold == k] @ weights[1:]
    said = 1 / (1 + np.exp(-odds)) > DoubtThresholds().leans
    names = [weight.name for weight in fields(LeanWeights)]
    print({name: round(float(w), 3) for name, w in zip(names, fitted(x, y), strict=True)})
    print(
        f"said to lean: {said[y == 1].mean():.1%} of {int(y.sum())} that do, "
        f"{said[y == 0].mean():.2%} of {int((1 - y).sum())} flat ones"
    )


if __name__ == "__main__":
    main()
