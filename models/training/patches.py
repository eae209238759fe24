"""Crops to training samples: turned, shifted, recoloured for pose; unwrapped for reading."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from models.training.nets import LEVEL_SIZE, POSE_SIZE, READER_CLASSES, READER_SIZE
from vision import d10
from vision.level import LEVEL_REACH, STEEPEST
from vision.unwrap import PATCH_CENTER, PATCH_SPAN

TEN = READER_CLASSES.index("ten")
JUNK = READER_CLASSES.index("junk")
KITE = torch.tensor(d10.KITE, dtype=torch.float32)


class DiceSet:
    """Rendered crops of dice: pictures `(n, s, s, 3)` BGR uint8 and their truth."""

    def __init__(self, paths: list[Path], limit: int | None = None) -> None:
        self.paths: list[Path] = []
        self._truth: dict[str, NDArray[np.generic]] = {}
        self.crops = torch.zeros((0, 1, 1, 3), dtype=torch.uint8)
        self.add(paths, limit)

    def add(self, paths: list[Path], limit: int | None = None) -> None:
        """Load the shards among `paths` that are not here yet (truth files, `.npz`)."""
        fresh = [p for p in paths if p not in self.paths]
        if not fresh:
            return
        truths = [dict(np.load(p)) for p in fresh]
        if self._truth:
            truths.insert(0, self._truth)
        truth = {k: np.concatenate([t[k] for t in truths])[:limit] for k in truths[0]}
        crops = [torch.from_numpy(np.load(p.with_suffix(".npy"))) for p in fresh]
        if len(self.crops):
            crops.insert(0, self.crops)
        self.crops = torch.cat(crops)[:limit]
        self.paths += fresh
        self._truth = truth
        self.is_d10 = torch.from_numpy(truth["is_d10"])
        self.corners = torch.from_numpy(truth["corners"]).float()
        self.view = torch.from_numpy(truth["view"]).float()
        self.lean = torch.from_numpy(truth["lean"]).float()
        self.stacked = torch.from_numpy(truth["stacked"])
        self.visible = torch.from_numpy(truth["visible"]).float()
        self.value = torch.from_numpy(truth["value"]).long()
        self.values = torch.from_numpy(truth["values"]).long()
        self.up_face = torch.from_numpy(truth["up_face"]).long()
        self.size = torch.from_numpy(truth["size"]).float()
        self.look: NDArray[np.str_] = truth["look"]
        self.marked = torch.from_numpy(truth["mark"] != "")
        self.ten = torch.from_numpy(np.char.endswith(self.look, "-ten"))
        self.percentile = torch.from_numpy(np.char.endswith(self.look, "-percentile"))

    def __len__(self) -> int:
        return len(self.crops)


def symbol_class(value: Tensor, ten: Tensor, percentile: Tensor) -> Tensor:
    """Reader class of a face: its value, or "ten" where the die shows the symbol 10."""
    shows_ten = (ten & (value == 0)) | (percentile & (value == 1))
    return torch.where(shows_ten, TEN, value)


def recolour(x: Tensor, rng: torch.Generator) -> Tensor:
    """Change exposure, contrast, colour cast, noise and sharpness of `(n, 3, h, w)`."""
    n = len(x)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(n, *shape, generator=rng) * (high - low) + low

    gamma = torch.exp(uniform(-0.35, 0.35, 1, 1, 1))
    x = x.clamp(1e-4, 1) ** gamma
    mean = x.mean(dim=(2, 3), keepdim=True)
    x = mean + (x - mean) * uniform(0.6, 1.35, 1, 1, 1)
    x = x * uniform(0.75, 1.25, 3, 1, 1) * uniform(0.7, 1.25, 1, 1, 1)
    swap = torch.rand(n, generator=rng) < 0.25
    order = torch.randperm(3, generator=rng)
    x = torch.where(swap[:, None, None, None], x[:, order], x)
    grey = torch.rand(n, 1, 1, 1, generator=rng) < 0.12
    x = torch.where(grey, x.mean(dim=1, keepdim=True).expand_as(x), x)
    soft = F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    amount = uniform(-0.5, 1.0, 1, 1, 1) * (torch.rand(n, 1, 1, 1, generator=rng) < 0.5)
    x = x + (soft - x) * amount
    noise = torch.randn(x.shape, generator=rng) * (uniform(0, 0.22, 1, 1, 1) ** 2)
    return (x + noise).clamp(0, 1)


def pose_batch(
    data: DiceSet, index: Tensor, rng: torch.Generator, augment: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures `(n, 3, 64, 64)`, view hints `(n, 2)` and corners `(n, 4, 2)` 0-1.

    A turned picture turns its corners and the tray's normal with it.
    """
    n = len(index)
    crops = data.crops[index].permute(0, 3, 1, 2).flip(1).float() / 255
    angle = torch.rand(n, generator=rng) * 2 * math.pi
    span = torch.rand(n, generator=rng) * 0.3 + 0.78
    shift = torch.randn(n, 2, generator=rng) * 0.035
    if not augment:
        angle, span, shift = torch.zeros(n), torch.full((n,), 1.6 / 1.75), torch.zeros(n, 2)
    c, s = torch.cos(angle) * span, torch.sin(angle) * span
    # Output place (in -1..1) to input place (in -1..1).
    theta = torch.stack(
        [torch.stack([c, -s, 2 * shift[:, 0]], 1), torch.stack([s, c, 2 * shift[:, 1]], 1)], 1
    )
    grid = F.affine_grid(theta, [n, 3, POSE_SIZE, POSE_SIZE], align_corners=False)
    x = F.grid_sample(crops, grid, padding_mode="reflection", align_corners=False)
    linear = theta[:, :, :2]
    places = data.corners[index] * 2 - 1 - theta[:, None, :, 2]
    corners = torch.einsum("nij,nkj->nki", torch.linalg.inv(linear), places) * 0.5 + 0.5
    turn = torch.stack(
        [
            torch.stack([torch.cos(angle), torch.sin(angle)], 1),
            torch.stack([-torch.sin(angle), torch.cos(angle)], 1),
        ],
        1,
    )
    view = torch.einsum("nij,nj->ni", turn, data.view[index])
    # A hint is as good as a calibration, or now and then as a rough guess.
    rough = torch.rand(n, 1, generator=rng) < 0.2
    hint = view + torch.randn(n, 2, generator=rng) * torch.where(rough, 0.13, 0.05)
    if augment:
        x = recolour(x, rng)
    return x, hint, corners


def fit_affine(corners: Tensor) -> Tensor:
    """Least-squares map from face plane to picture, `(n, 2, 3)`, from corners `(n, 4, 2)`."""
    design = torch.cat([KITE, torch.ones(4, 1)], 1)
    return torch.einsum("ij,njk->nki", torch.linalg.pinv(design), corners)


def unwrap_faces(crops: Tensor, affine: Tensor) -> Tensor:
    """Upright patches `(n, 3, 40, 40)` of faces given as plane-to-crop maps (crop 0-1)."""
    half = PATCH_SPAN / 2
    # Patch place (-1..1, y down) to face plane (y up) to crop place (-1..1).
    to_plane = torch.tensor(
        [[half, 0.0, PATCH_CENTER[0]], [0.0, -half, PATCH_CENTER[1]], [0.0, 0.0, 1.0]]
    )
    theta = affine @ to_plane * 2
    theta[:, :, 2] -= 1
    n = len(crops)
    grid = F.affine_grid(theta, [n, 3, READER_SIZE, READER_SIZE], align_corners=False)
    return F.grid_sample(crops, grid, padding_mode="border", align_corners=False)


def jitter_affine(affine: Tensor, rng: torch.Generator, strength: float) -> Tensor:
    """Disturb face maps the way an imperfect pose does: turn, scale, shear and shift."""
    n = len(affine)
    turn = torch.randn(n, generator=rng) * 0.09 * strength
    noise = torch.randn(n, 2, 2, generator=rng) * 0.06 * strength
    c, s = torch.cos(turn), torch.sin(turn)
    spin = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
    linear = affine[:, :, :2] @ (spin + noise)
    shift = torch.randn(n, 2, 1, generator=rng) * 0.06 * strength
    return torch.cat([linear, affine[:, :, 2:] + affine[:, :, :2] @ shift], 2)


def vary_type(affine: Tensor, rng: torch.Generator) -> Tensor:
    """Slant and stretch the type on the faces: no set of typefaces has all cuts."""
    n = len(affine)
    some = (torch.rand(n, generator=rng) < 0.35).float()
    slant = (torch.rand(n, generator=rng) - 0.5) * 0.7 * some
    wide = torch.exp((torch.rand(n, generator=rng) - 0.5) * 0.5 * some)
    zero = torch.zeros(n)
    change = torch.stack([torch.stack([wide, slant], 1), torch.stack([zero, torch.ones(n)], 1)], 1)
    return torch.cat([affine[:, :, :2] @ change, affine[:, :, 2:]], 2)


def reader_batch(
    data: DiceSet, index: Tensor, rng: torch.Generator, augment: bool = True
) -> tuple[Tensor, Tensor]:
    """Patches `(n, 3, 40, 40)` and classes `(n,)`: up faces, neighbours, and junk.

    Junk is what a wrong pose or a wrong find would unwrap: faces on their side or shifted,
    other dice, faces that are hidden. Upside-down faces keep their value.
    """
    n = len(index)
    crops = data.crops[index].permute(0, 3, 1, 2).flip(1).float() / 255
    corners = data.corners[index]
    d10_die = data.is_d10[index]
    value = symbol_class(data.value[index], data.ten[index], data.percentile[index])
    label = value.clone()
    affine = fit_affine(corners)
    draw = torch.rand(n, generator=rng)
    if augment:
        # Neighbours on the long edges: through the solid, seen along the tray's normal.
        side = (draw < 0.22) & d10_die
        right = torch.rand(n, generator=rng) < 0.5
        neighbour = neighbour_affine(affine, data.view[index], right)
        # Foreshortened to a sliver, a neighbour cannot be read.
        area = torch.linalg.det(neighbour[:, :, :2]) / torch.linalg.det(affine[:, :, :2])
        side &= area > 0.22
        affine = torch.where(side[:, None, None], neighbour, affine)
        up = data.up_face[index].clamp(min=0)
        step = torch.where(up % 2 == 0, 2, -2) * torch.where(right, 1, -1)
        beside = data.values[index].gather(1, ((up + step) % 10)[:, None])[:, 0]
        beside = symbol_class(beside, data.ten[index], data.percentile[index])
        label = torch.where(side, beside, label)
        affine = vary_type(jitter_affine(affine, rng, 1.0), rng)
        # Wrong poses.
        wrong = (draw > 0.9) & d10_die
        quarter = torch.rand(n, generator=rng) < 0.4
        angle = torch.where(
            quarter,
            (torch.rand(n, generator=rng) * 0.9 + 1.1) * torch.sign(torch.randn(n, generator=rng)),
            math.pi + torch.randn(n, generator=rng) * 0.25,
        )
        c, s = torch.cos(angle), torch.sin(angle)
        spin = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
        spun = torch.cat([affine[:, :, :2] @ spin, affine[:, :, 2:]], 2)
        affine = torch.where(wrong[:, None, None], spun, affine)
        away = (draw > 0.87) & (draw <= 0.9) & d10_die
        heading = torch.rand(n, generator=rng) * 2 * math.pi
        far = torch.stack([torch.cos(heading), torch.sin(heading)], 1)[:, :, None]
        moved = torch.cat([affine[:, :, :2], affine[:, :, 2:] + affine[:, :, :2] @ (far * 0.85)], 2)
        affine = torch.where(away[:, None, None], moved, affine)
        # Upside down, a digit is still that digit; an unmarked 6 or 9 is anybody's guess.
        unknown = ~data.marked[index] & ((value == 6) | (value == 9))
        label = torch.where((wrong & (quarter | unknown)) | away, JUNK, label)
    # Other dice: a face-sized patch from their middle.
    angle = torch.rand(n, generator=rng) * 2 * math.pi
    unit = (torch.rand(n, generator=rng) * 0.1 + 0.16)[:, None, None]
    c, s = torch.cos(angle), torch.sin(angle)
    spin = torch.stack([torch.stack([c, s], 1), torch.stack([s, -c], 1)], 1) * unit
    middle = 0.5 + torch.randn(n, 2, 1, generator=rng) * 0.04
    affine = torch.where(d10_die[:, None, None], affine, torch.cat([spin, middle], 2))
    label = torch.where(~d10_die | (data.visible[index] < 0.35), JUNK, label)
    x = unwrap_faces(crops, affine)
    if augment:
        x = recolour(x, rng)
    return x, label


def level_batch(
    data: DiceSet, index: Tensor, rng: torch.Generator, augment: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures `(n, 3, 3, 48, 48)`, supposed `(n, 3, 3)` and possible `(n, 3)` for three faces.

    The faces are the up face and its left and right neighbour, each supposed to be the one that
    the tray is parallel to. The first is the truth; a neighbour is possible if it is seen.
    """
    n = len(index)
    crops = F.avg_pool2d(data.crops[index].permute(0, 3, 1, 2).flip(1).float() / 255, 2)
    affine, view = fit_affine(data.corners[index]), data.view[index]
    full, scale = face_frame(affine, view)
    center = affine[:, :, 2] - full[:, :, 2]
    if augment:
        crops = recolour(crops, rng)
    pictures, supposed, possible = [], [], []
    for side in (None, *RIVALS):
        own, seen_along, can = affine, view, torch.ones(n, dtype=torch.bool)
        if side is not None:
            own, seen_along, can = rival(affine, view, side)
        if augment:
            seen_along = seen_along + torch.randn(n, 2, generator=rng) * 0.06
        picture, told = level_pictures(crops, own, seen_along, center, scale)
        pictures.append(picture)
        supposed.append(told)
        possible.append(can)
        if augment:
            # The next face is placed by another look.
            center = center + torch.randn(n, 2, generator=rng) * 0.01
            scale = scale * torch.exp(torch.randn(n, generator=rng) * 0.03)
    x, told = torch.stack(pictures, 1), torch.stack(supposed, 1)
    if augment:
        # A tray and its light may as well be seen in a mirror.
        flip = torch.rand(n, generator=rng) < 0.5
        x = torch.where(flip[:, None, None, None, None], x.flip(4), x)
        told = torch.where(flip[:, None, None], told * torch.tensor([1.0, -1.0, 1.0]), told)
    return x, told, torch.stack(possible, 1)


RIVALS = (d10.LEFT, d10.RIGHT)
"""Faces that can pass for the up face of a die seen from the side."""


def rival(
    affine: Tensor, view: Tensor, plane: NDArray[np.float64]
) -> tuple[Tensor, Tensor, Tensor]:
    """A neighbour supposed to be up: its face maps `(n, 2, 3)`, the view vectors `(n, 2)` that
    follow, and whether it can be supposed, `(n,)`: it is seen, and not too steep."""
    full, scale = face_frame(affine, view)
    own = neighbour_affine(affine, view, torch.full((len(view),), plane is d10.RIGHT))
    normal = torch.tensor(plane[0], dtype=torch.float32)
    seen_along = torch.einsum("nij,j->ni", full, normal) / scale[:, None]
    area = torch.linalg.det(own[:, :, :2]) / torch.linalg.det(affine[:, :, :2])
    return own, seen_along, (area > 0.2) & (seen_along.norm(dim=1) < STEEPEST)


def contested(data: DiceSet) -> Tensor:
    """Which dice have a neighbour that can pass for their up face, `(n,)`."""
    affine = fit_affine(data.corners)
    return torch.stack([rival(affine, data.view, side)[2] for side in RIVALS]).any(dim=0)


def level_pictures(
    crops: Tensor, affine: Tensor, view: Tensor, center: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor]:
    """Dice turned so that the supposed normal points up, `(n, 3, 48, 48)`, and what is supposed.

    `center` (n, 2) is the die's middle and `scale` (n,) half its face-to-face distance, both as
    shares of the crop; the second result is `(n, 3)` as `nets.Level` takes it.
    """
    tilt = view.norm(dim=1, keepdim=True)
    up = torch.where(tilt > 1e-6, view / tilt.clamp(min=1e-6), torch.tensor([0.0, -1.0]))
    right = torch.stack([-up[:, 1], up[:, 0]], 1)
    reach = (LEVEL_REACH * scale)[:, None]
    theta = 2 * torch.stack([reach * right, -reach * up, center], 2)
    theta[:, :, 2] -= 1
    grid = F.affine_grid(theta, [len(crops), 3, LEVEL_SIZE, LEVEL_SIZE], align_corners=False)
    pictures = F.grid_sample(crops, grid, padding_mode="border", align_corners=False)
    pole = affine[:, :, 1] / scale[:, None]
    told = torch.stack([tilt[:, 0], (pole * right).sum(dim=1), -(pole * up).sum(dim=1)], 1)
    return pictures, told


def face_frame(affine: Tensor, view: Tensor) -> tuple[Tensor, Tensor]:
    """How the up face's frame shows, `(n, 2, 3)`: its x, y and normal; and its scale `(n,)`.

    Weak perspective: a step along the face's normal moves by the view vector times the scale,
    taken from the map's larger singular value (directions across the tilt are not shortened).
    """
    scale = torch.linalg.svdvals(affine[:, :, :2])[:, 0]
    return torch.cat([affine[:, :, :2], (view * scale[:, None])[:, :, None]], 2), scale


def neighbour_affine(affine: Tensor, view: Tensor, right: Tensor) -> Tensor:
    """Face maps of a long-edge neighbour, `(n, 2, 3)`, from the up face's maps."""
    full, _ = face_frame(affine, view)
    planes = torch.where(
        right[:, None, None],
        torch.tensor(d10.RIGHT, dtype=torch.float32),
        torch.tensor(d10.LEFT, dtype=torch.float32),
    )
    foot = planes[:, 0] - torch.tensor([0.0, 0.0, 1.0])
    origin = affine[:, :, 2] + torch.einsum("nij,nj->ni", full, foot)
    x_axis = torch.einsum("nij,nj->ni", full, planes[:, 1])
    y_axis = torch.einsum("nij,nj->ni", full, planes[:, 2])
    return torch.stack([x_axis, y_axis, origin], 2)
