"""Samples for the lean net: dice placed by the committed pose net as the product places them.

A die that lies flat, seen by somebody who is mistaken about the tray, leans: most samples are
made so, for few rendered dice do lean.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.training.patches import DiceSet, face_frame, fit_affine, recolour
from vision import d10
from vision.lean import as_standing, upright_axes
from vision.pose import Crop, PoseNet, poses_in, to_pictures

Array = NDArray[np.float64]

HINT_DEG = 2.0
"""How far the tray's normal that is told is off as a rule."""

MISTAKEN, FAR_DEG = 0.5, 42.0
"""Dice in this share are seen with a normal that is off by up to so much."""

FLAT_DEG, LEANS_DEG = 5.0, 11.0
"""A die that leans less is level, one that leans more is cocked; between them it is a matter of
degree."""

LEAST_TOWARDS = 0.6
"""Cosine of the steepest view of a tray that is told."""

BATCH = 200

NORMALS = np.array([[0.0, 0.0, 1.0], d10.LEFT[0], d10.RIGHT[0]])
"""Normals of the up face and its long-edge neighbours in the up face's frame."""


class LeanSet:
    """Pictures `(n, 40, 40, 3)` BGR uint8 of dice as `vision.lean` turns them, the tray's normal
    in each `(n, 2)`, where the normal of the face nearest to level is beside that `(n, 2)`, and
    how far it is from it in degrees `(n,)`. `level` `(n,)` tells dice that truly lie flat."""

    def __init__(self, paths: list[Path], looks: int = 2, seed: int = 5) -> None:
        net, rng = PoseNet(), np.random.default_rng(seed)
        pictures, seen, beside, lean, level = [], [], [], [], []
        for path in paths:
            dice = DiceSet([path])
            usable = dice.is_d10 & (dice.visible > 0.7) & ~dice.stacked
            index = np.repeat(usable.nonzero()[:, 0].numpy(), looks)
            for k in range(0, len(index), BATCH):
                some = index[k : k + BATCH]
                leaning = dice.lean[some].numpy().astype(float)
                crops = [_framed(dice.crops[i].numpy(), rng) for i in some]
                hints = _mistaken(_upright(dice.view[some].numpy().astype(float)), leaning, rng)
                placed = net.place(to_pictures(crops), hints[:, :2])
                nearest, angle = _nearest(dice, some, hints)
                poses = poses_in(crops, placed, hints[:, :2])
                turns = upright_axes(poses, hints[:, :2])
                standing, normals = as_standing(crops, poses, hints[:, :2], turns)
                pictures.append(standing)
                seen.append(normals)
                beside.append(np.einsum("ni,nij->nj", nearest[:, :2] - hints[:, :2], turns))
                # How a leaning die leans is not recorded, only how far.
                lean.append(np.where(leaning > 0, leaning, angle))
                level.append(leaning == 0)
        self.pictures = torch.from_numpy(np.concatenate(pictures))
        self.seen = torch.from_numpy(np.concatenate(seen).astype(np.float32))
        self.beside = torch.from_numpy(np.concatenate(beside).astype(np.float32))
        self.lean = torch.from_numpy(np.concatenate(lean).astype(np.float32))
        self.level = torch.from_numpy(np.concatenate(level))

    def __len__(self) -> int:
        return len(self.pictures)


def _framed(crop: NDArray[np.uint8], rng: np.random.Generator) -> Crop:
    """The rendered crop cut a little closer and aside, as finds are."""
    side = crop.shape[0]
    size = int(side * rng.uniform(0.86, 1.0))
    x, y = rng.integers(0, side - size + 1, 2)
    return Crop(np.ascontiguousarray(crop[y : y + size, x : x + size]), (0.0, 0.0), 1.0)


def _upright(views: Array) -> Array:
    """Unit normals `(n, 3)`, the third towards the camera, from views `(n, 2)`."""
    towards = np.sqrt(np.maximum(1 - (views**2).sum(axis=1), 0.0))
    return np.column_stack([views, towards])


def _mistaken(normals: Array, leaning: Array, rng: np.random.Generator) -> Array:
    """The normals `(n, 3)` as told to somebody: nearly right, or for flat dice far off."""
    n = len(normals)
    far = (rng.random(n) < MISTAKEN) & (leaning == 0)
    angle = np.radians(
        np.where(far, rng.uniform(0, FAR_DEG, n), np.abs(rng.normal(0, HINT_DEG, n)))
    )
    across = np.cross(normals, rng.normal(0, 1, (n, 3)))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    told = np.cos(angle)[:, None] * normals + np.sin(angle)[:, None] * across
    return np.where(told[:, 2:] > LEAST_TOWARDS, told, normals)


def _nearest(dice: DiceSet, some: NDArray[np.intp], hints: Array) -> tuple[Array, Array]:
    """The normal `(n, 3)` of each flat die's face that is nearest to the one told, and the angle
    between them in degrees."""
    frame, scale = face_frame(fit_affine(dice.corners[some]), dice.view[some])
    flat = (frame / scale[:, None, None]).numpy().astype(float)
    # The rotation's third row, towards the camera, follows from the two that are seen.
    towards = np.cross(flat[:, 0], flat[:, 1])
    towards *= np.sign(towards[:, 2:])
    rotation = np.concatenate([flat, towards[:, None]], axis=1)
    full = np.einsum("nij,kj->nki", rotation, NORMALS)
    full /= np.linalg.norm(full, axis=2, keepdims=True)
    cosine = np.einsum("nki,ni->nk", full, hints)
    best = cosine.argmax(axis=1)
    rows = np.arange(len(some))
    angle = np.degrees(np.arccos(np.clip(cosine[rows, best], -1, 1)))
    return full[rows, best], angle


def lean_batch(
    data: LeanSet, index: Tensor, rng: torch.Generator, augment: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pictures `(n, 3, 40, 40)`, normals `(n, 2)`, how much each die leans, 0-1, `(n,)`, and
    whither `(n, 2)`."""
    x = data.pictures[index].permute(0, 3, 1, 2).flip(1).float() / 255
    seen, beside = data.seen[index], data.beside[index]
    if augment:
        # A d10 is its own mirror image, but for the digits.
        flip = torch.rand(len(index), generator=rng) < 0.5
        mirror = torch.tensor([-1.0, 1.0])
        x = torch.where(flip[:, None, None, None], x.flip(3), x)
        seen = torch.where(flip[:, None], seen * mirror, seen)
        beside = torch.where(flip[:, None], beside * mirror, beside)
        x = recolour(x, rng)
    share = ((data.lean[index] - FLAT_DEG) / (LEANS_DEG - FLAT_DEG)).clamp(0, 1)
    return x, seen, share, beside
