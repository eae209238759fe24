"""Whole-tray pictures as training samples for the finder, and the finder's loss."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

STRIDE = 4
WINDOW = (256, 288)
"""Height and width of the window cut from a tray picture for one sample."""

KIND_WEIGHT = 0.7
"""Weight of telling a d10 from another die."""


class TraySet:
    """Rendered trays in a folder; shards stay on disk and are mapped into memory."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self._folder, self._limit = folder, limit
        self.refresh()

    def refresh(self) -> None:
        """Open all whole shards there are now (a shard's truth is written first)."""
        paths = sorted(p for p in self._folder.glob("trays-*.npy") if ".truth" not in p.name)
        paths = paths[: self._limit]
        self.shards = [np.load(p, mmap_mode="r") for p in paths]
        self.truths = [np.load(p.with_suffix("").with_suffix(".truth.npy")) for p in paths]


def _turned(
    picture: np.ndarray, truth: np.ndarray, turns: int, mirror: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Picture and truth turned by quarter turns (counter-clockwise) and perhaps mirrored."""
    truth = truth.copy()
    for _ in range(turns):
        width = picture.shape[1]
        picture = np.rot90(picture)
        x0, y0, x1, y1 = (
            truth[:, 0].copy(),
            truth[:, 1].copy(),
            truth[:, 2].copy(),
            truth[:, 3].copy(),
        )
        truth[:, 0], truth[:, 1], truth[:, 2], truth[:, 3] = y0, width - x1, y1, width - x0
        vx, vy = truth[:, 5].copy(), truth[:, 6].copy()
        truth[:, 5], truth[:, 6] = vy, -vx
    if mirror:
        width = picture.shape[1]
        picture = picture[:, ::-1]
        x0, x1 = truth[:, 0].copy(), truth[:, 2].copy()
        truth[:, 0], truth[:, 2] = width - x1, width - x0
        truth[:, 5] *= -1
    return picture, truth


def finder_batch(data: TraySet, count: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Windows `(count, 3, h, w)` RGB 0-1 and truth `(count, 40, 7)` in window pixels."""
    height, width = WINDOW
    pictures, truths = [], []
    for _ in range(count):
        shard = int(torch.randint(len(data.shards), (1,), generator=rng))
        item = int(torch.randint(len(data.shards[shard]), (1,), generator=rng))
        draws = torch.rand(6, generator=rng).tolist()
        picture, truth = _turned(
            np.asarray(data.shards[shard][item]),
            data.truths[shard][item],
            int(draws[0] * 4),
            draws[1] < 0.5,
        )
        scale = 0.6 * 4.7 ** draws[2]
        h, w = picture.shape[:2]
        span = (min(h, int(height / scale)), min(w, int(width / scale)))
        y, x = int(draws[3] * (h - span[0] + 1)), int(draws[4] * (w - span[1] + 1))
        # Prefer windows with dice in them.
        real = truth[truth[:, 4] > 0]
        if len(real) and draws[5] < 0.7:
            pick = real[int(torch.randint(len(real), (1,), generator=rng))]
            y = int(np.clip((pick[1] + pick[3]) / 2 - span[0] * draws[3], 0, h - span[0]))
            x = int(np.clip((pick[0] + pick[2]) / 2 - span[1] * draws[4], 0, w - span[1]))
        size = (min(width, round(span[1] * scale)), min(height, round(span[0] * scale)))
        window = cv2.resize(
            np.ascontiguousarray(picture[y : y + span[0], x : x + span[1]]),
            size,
            interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR,
        )
        window = recoloured(
            np.asarray(window, np.uint8), np.random.default_rng(int(draws[5] * 1e9))
        )
        window = cv2.copyMakeBorder(
            window, 0, height - size[1], 0, width - size[0], cv2.BORDER_CONSTANT
        )
        truth = truth.copy()
        truth[:, :4] = (truth[:, :4] - np.array([x, y, x, y])) * scale
        pictures.append(window[:, :, ::-1])
        truths.append(torch.from_numpy(truth).float())
    stack = torch.from_numpy(np.ascontiguousarray(np.stack(pictures).transpose(0, 3, 1, 2)))
    return stack.float() / 255, torch.stack(truths)


def recoloured(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """The picture with another exposure, contrast, colour cast, sharpness and noise."""
    ramp = np.arange(256) / 255.0
    gamma, contrast = np.exp(rng.uniform(-0.35, 0.35)), rng.uniform(0.45, 1.3)
    gains = rng.uniform(0.75, 1.25, 3) * rng.uniform(0.7, 1.25)
    middle = float(picture.mean()) / 255
    tables = [
        np.clip((middle + (ramp**gamma - middle) * contrast) * gain * 255, 0, 255) for gain in gains
    ]
    table = np.stack(tables, axis=1).astype(np.uint8).reshape(1, 256, 3)
    picture = np.asarray(cv2.LUT(picture, table), np.uint8)
    if rng.random() < 0.25:
        picture = picture[:, :, rng.permutation(3)]
    if rng.random() < 0.3:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 1.3)), np.uint8)
    if rng.random() < 0.5:
        noise = rng.integers(0, 256, picture.shape, dtype=np.uint8)
        level = rng.uniform(0, 0.22) ** 2
        mixed = cv2.addWeighted(picture, 1.0, noise, level, -127 * level)
        picture = np.asarray(mixed, np.uint8)
    if rng.random() < 0.3:
        quality = int(rng.integers(25, 90))
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(picture, np.uint8)


def finder_loss(out: Tensor, truth: Tensor) -> Tensor:
    """Penalty-reduced focal loss on the dice's heat map; kind, place and size at centres.

    After "Objects as Points" (Zhou et al. 2019).
    """
    h, w = out.shape[2:]
    ys = torch.arange(h) + 0.5
    xs = torch.arange(w) + 0.5
    total = out.new_zeros(())
    kind = truth[:, :, 4]
    center = (truth[:, :, 0:2] + truth[:, :, 2:4]) / 2 / STRIDE
    size = (truth[:, :, 2:4] - truth[:, :, 0:2]).clamp(min=1)
    inside = (
        (center[:, :, 0] >= 0)
        & (center[:, :, 0] < w)
        & (center[:, :, 1] >= 0)
        & (center[:, :, 1] < h)
    )
    sigma = (size.mean(dim=2) / STRIDE / 9).clamp(min=0.6)
    gx = torch.exp(-((xs - center[:, :, 0:1]) ** 2) / (2 * sigma[:, :, None] ** 2))
    gy = torch.exp(-((ys - center[:, :, 1:2]) ** 2) / (2 * sigma[:, :, None] ** 2))
    bumps = gy[:, :, :, None] * gx[:, :, None, :]
    cell_x = center[:, :, 0].long().clamp(0, w - 1)
    cell_y = center[:, :, 1].long().clamp(0, h - 1)
    use = (kind > 0) & inside
    batch, item = use.nonzero(as_tuple=True)
    target = (bumps * use[:, :, None, None]).amax(dim=1)
    target[batch, cell_y[batch, item], cell_x[batch, item]] = 1.0
    logit = out[:, 0]
    p = torch.sigmoid(logit)
    hit = target > 0.999
    gain = F.logsigmoid(logit) * (1 - p) ** 2 * hit
    miss = F.logsigmoid(-logit) * p**2 * (1 - target) ** 4 * ~hit
    total = total - (gain.sum() + miss.sum()) / max(1, len(batch))
    if len(batch) == 0:
        return total
    is_d10 = (kind[batch, item] == 1).float()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            cy = (cell_y[batch, item] + dy).clamp(0, h - 1)
            cx = (cell_x[batch, item] + dx).clamp(0, w - 1)
            got = out[batch, 2:, cy, cx]
            goal = center[batch, item] - torch.stack([cx, cy], 1) - 0.5
            weight = 1.0 if dx == dy == 0 else 0.25
            share = weight / 3
            total = total + share * 0.3 * F.l1_loss(got[:, 0:2], goal)
            total = total + share * KIND_WEIGHT * F.binary_cross_entropy_with_logits(
                out[batch, 1, cy, cx], is_d10
            )
            total = total + share * F.l1_loss(got[:, 2:4], torch.log(size[batch, item] / 32))
    return total
