"""Train the five nets on rendered pictures.

`python -m models.training.train NET --data FOLDER --out FOLDER --minutes M` (pose, reader,
finder, level or lean) trains for a fixed time and keeps a checkpoint of averaged weights. The
first shard of dice is held out and measured every minute; shards rendered meanwhile join in.
"""

from __future__ import annotations

import argparse
import copy
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.training.leaning import FLAT_DEG, LeanSet, lean_batch
from models.training.nets import POSE_MAP, Finder, Lean, Level, Pose, Reader
from models.training.patches import (
    JUNK,
    DiceSet,
    contested,
    level_batch,
    pose_batch,
    reader_batch,
)
from models.training.trays import TraySet, finder_batch, finder_loss

AVERAGE = 0.998
"""Share of the old weights in the running average at each step."""

LEAN_COCKED_DEG = 11.0
LEAN_FLAT_DEG = 6.0
SIGN_WEIGHT = 3.0
"""Weight of each sign's loss against the corners'."""

WHITHER_WEIGHT = 3.0
"""Weight of where a die leans to against whether it leans."""

HIDDEN, SHOWN = 0.72, 0.88
"""Visible share of the up face under which a die counts as covered, over which as not."""


class Shards:
    """The rendered dice in a folder: the first shard is held out, new ones are picked up."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        paths = self._paths()
        if len(paths) < 2:
            raise SystemExit("Render at least two shards of dice first: one is held out.")
        self.held = DiceSet(paths[:1], limit=1500)
        self.data = DiceSet(paths[1:])

    def refresh(self) -> None:
        self.data.add(self._paths()[1:])

    def _paths(self) -> list[Path]:
        # A shard's pictures are written after its truth: only whole shards count.
        paths = sorted(self._folder.glob("dice-*.npz"))
        return [p for p in paths if p.with_suffix(".npy").exists()]


def train(
    net: nn.Module,
    step_loss: Callable[[], Tensor],
    minutes: float,
    rate: float,
    report: Callable[[nn.Module], str],
    path: Path,
) -> None:
    """Optimise `net` for `minutes` with a one-cycle rate; save the averaged weights."""
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01)
    average = copy.deepcopy(net)
    started = last = time.time()
    step, losses = 0, []
    net.train()
    while (done := (time.time() - started) / 60 / minutes) < 1:
        warm = min(1.0, step / 100)
        factor = warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate * factor
        loss = step_loss()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        keep = min(AVERAGE, (step + 1) / (step + 10))
        with torch.no_grad():
            for a, b in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.lerp_(b, 1 - keep)
                else:
                    a.copy_(b)
        losses.append(loss.item())
        step += 1
        if time.time() - last > 60:
            last = time.time()
            average.eval()
            print(
                f"{done:.0%} step {step} loss {np.mean(losses):.4f} {report(average)}", flush=True
            )
            torch.save(average.state_dict(), path)
            losses = []
    average.eval()
    print(f"end step {step} {report(average)}", flush=True)
    torch.save(average.state_dict(), path)


def corner_targets(corners: Tensor) -> Tensor:
    """Soft targets over the corner maps, `(n, 4, POSE_MAP * POSE_MAP)`, Gaussians of 0.7 cells."""
    cells = torch.arange(POSE_MAP) + 0.5
    places = corners.clamp(0.01, 0.99) * POSE_MAP
    x = torch.exp(-((cells - places[:, :, 0:1]) ** 2) / (2 * 0.7**2))
    y = torch.exp(-((cells - places[:, :, 1:2]) ** 2) / (2 * 0.7**2))
    maps = (y[:, :, :, None] * x[:, :, None, :]).flatten(2)
    return maps / maps.sum(dim=2, keepdim=True)


def decode_corners(logits: Tensor) -> Tensor:
    """Corner places 0-1, `(n, 4, 2)`: centre of mass of the 5x5 cells around each maximum."""
    n = len(logits)
    flat = logits.flatten(2)
    best = flat.argmax(dim=2)
    by, bx = best // POSE_MAP, best % POSE_MAP
    cells = torch.arange(POSE_MAP)
    near = ((cells[None, None, :, None] - by[:, :, None, None]).abs() <= 2) & (
        (cells[None, None, None, :] - bx[:, :, None, None]).abs() <= 2
    )
    share = torch.softmax(flat.masked_fill(~near.flatten(2), -1e9), dim=2).view(
        n, 4, POSE_MAP, POSE_MAP
    )
    centers = cells + 0.5
    x = (share.sum(dim=2) * centers).sum(dim=2)
    y = (share.sum(dim=3) * centers).sum(dim=2)
    return torch.stack([x, y], dim=2) / POSE_MAP


def sign_weights(data: DiceSet) -> Tensor:
    """How often each crop is drawn for the pose net: dice that lean and other dice are rare."""
    askew = data.is_d10 & ((data.lean > LEAN_FLAT_DEG) | data.stacked)
    return 1.0 + 0.5 * ~data.is_d10 + 0.5 * askew


def train_pose(shards: Shards, minutes: float, path: Path, start: Path | None, rate: float) -> None:
    rng = torch.Generator().manual_seed(7)
    data, held = shards.data, shards.held
    net = Pose()
    if start:
        net.load_state_dict(torch.load(start))

    def loss() -> Tensor:
        index = torch.multinomial(sign_weights(data), 96, replacement=True, generator=rng)
        x, hint, corners = pose_batch(data, index, rng)
        logits, signs = net(x.to(memory_format=torch.channels_last), hint)
        is_d10, visible = data.is_d10[index], data.visible[index]
        use = (is_d10 & (visible > 0.35)).float()
        maps = F.log_softmax(logits.flatten(2), dim=2)
        corner = -(corner_targets(corners) * maps).sum(dim=2).mean(dim=1)
        total = (corner * use).sum() / use.sum().clamp(min=1)
        # The signs learn slower than the corners: they weigh more.
        total = total + SIGN_WEIGHT * F.binary_cross_entropy_with_logits(
            signs[:, 0], is_d10.float()
        )
        lean, stacked = data.lean[index], data.stacked[index]
        cocked = (lean > LEAN_COCKED_DEG) | stacked
        sure = is_d10 & (cocked | (lean < LEAN_FLAT_DEG))
        bce = F.binary_cross_entropy_with_logits(signs[:, 1], cocked.float(), reduction="none")
        total = total + SIGN_WEIGHT * (bce * sure).mean()
        hidden = visible < HIDDEN
        sure = is_d10 & (hidden | (visible > SHOWN))
        bce = F.binary_cross_entropy_with_logits(signs[:, 2], hidden.float(), reduction="none")
        return total + SIGN_WEIGHT * (bce * sure).mean()

    def report(model: nn.Module) -> str:
        shards.refresh()
        fixed = torch.Generator().manual_seed(1)
        index = torch.arange(len(held))
        with torch.no_grad():
            x, hint, corners = pose_batch(held, index, fixed)
            logits, signs = model(x, hint)
        good = held.is_d10 & (held.visible > 0.7) & (held.lean < 6) & ~held.stacked
        error = (decode_corners(logits) - corners).norm(dim=2).amax(dim=1)[good]
        d10 = ((signs[:, 0] > 0) == held.is_d10).float().mean()
        cocked = ((held.lean > LEAN_COCKED_DEG) | held.stacked)[held.is_d10]
        flagged = (signs[:, 1] > 0)[held.is_d10]
        return (
            f"{len(data)} dice, corners within 6%: {(error < 0.06).float().mean():.3f} "
            f"within 3%: {(error < 0.03).float().mean():.3f} d10 {d10:.3f} "
            f"cocked found {flagged[cocked].float().mean():.3f} "
            f"false {flagged[~cocked].float().mean():.3f}"
        )

    train(net, loss, minutes, rate, report, path)


def train_reader(
    shards: Shards, minutes: float, path: Path, start: Path | None, rate: float
) -> None:
    rng = torch.Generator().manual_seed(7)
    data, held = shards.data, shards.held
    net = Reader()
    if start:
        net.load_state_dict(torch.load(start))

    def loss() -> Tensor:
        index = torch.randint(len(data), (192,), generator=rng)
        x, label = reader_batch(data, index, rng)
        return F.cross_entropy(net(x.to(memory_format=torch.channels_last)), label)

    def report(model: nn.Module) -> str:
        shards.refresh()
        fixed = torch.Generator().manual_seed(1)
        index = torch.arange(len(held))
        with torch.no_grad():
            x, label = reader_batch(held, index, fixed, augment=False)
            share = torch.softmax(model(x), dim=1)
        good = label != JUNK
        top, guess = share[good].max(dim=1)
        right = guess == label[good]
        sure = top > 0.98
        return (
            f"{len(data)} dice, right {right.float().mean():.4f} sure {sure.float().mean():.3f} "
            f"wrong of sure {(~right[sure]).float().mean():.4f}"
        )

    train(net, loss, minutes, rate, report, path)


def train_level(
    shards: Shards, minutes: float, path: Path, start: Path | None, rate: float
) -> None:
    """Which of a die's faces is up: cross-entropy among the up face and its neighbours."""
    rng = torch.Generator().manual_seed(7)
    data, held = shards.data, shards.held
    net = Level()
    if start:
        net.load_state_dict(torch.load(start))

    def hard(dice: DiceSet) -> Tensor:
        lying = dice.is_d10 & (dice.visible > 0.7) & (dice.lean < 2) & ~dice.stacked
        return (lying & contested(dice)).nonzero()[:, 0]

    usable = hard(data)

    def logits(
        model: nn.Module, dice: DiceSet, index: Tensor, rng: torch.Generator, augment: bool
    ) -> Tensor:
        pictures, supposed, possible = level_batch(dice, index, rng, augment)
        asked = pictures[possible].to(memory_format=torch.channels_last)
        told = torch.full(possible.shape, -1e9)
        told[possible] = model(asked, supposed[possible])
        return told

    def loss() -> Tensor:
        index = usable[torch.randint(len(usable), (64,), generator=rng)]
        told = logits(net, data, index, rng, augment=True)
        return F.cross_entropy(told, torch.zeros(len(index), dtype=torch.long))

    def report(model: nn.Module) -> str:
        nonlocal usable
        before = len(data)
        shards.refresh()
        if len(data) > before:
            usable = hard(data)
        index = hard(held)
        with torch.no_grad():
            told = logits(model, held, index, rng, augment=False)
        share = torch.softmax(told, dim=1)
        right = share.argmax(dim=1) == 0
        sure = share.amax(dim=1) > 0.95
        steep = held.view[index].norm(dim=1) > 0.42
        return (
            f"{len(usable)} dice, {len(index)} held: right {right.float().mean():.3f} "
            f"sure {sure.float().mean():.3f} "
            f"wrong of sure {(~right[sure]).float().mean():.3f} "
            f"steep right {right[steep].float().mean():.3f} "
            f"loss {F.cross_entropy(told, torch.zeros(len(index), dtype=torch.long)):.4f}"
        )

    train(net, loss, minutes, rate, report, path)


def train_lean(folder: Path, minutes: float, path: Path, start: Path | None, rate: float) -> None:
    """Whether a die leans, in dice placed by the committed pose net."""
    rng = torch.Generator().manual_seed(7)
    paths = sorted(folder.glob("dice-*.npz"))
    held, data = LeanSet(paths[:1], looks=1), LeanSet(paths[1:])
    net = Lean()
    if start:
        net.load_state_dict(torch.load(start))
    # As many level dice as leaning ones.
    leaning = (data.lean > FLAT_DEG).double()
    weights = leaning / leaning.sum().clamp(min=1) + (1 - leaning) / (1 - leaning).sum().clamp(1)

    def loss() -> Tensor:
        index = torch.multinomial(weights, 128, replacement=True, generator=rng)
        x, seen, share, beside = lean_batch(data, index, rng)
        told = net(x.to(memory_format=torch.channels_last), seen)
        off = F.smooth_l1_loss(told[:, 1:], beside, beta=0.1, reduction="none").sum(dim=1)
        total = F.binary_cross_entropy_with_logits(told[:, 0], share)
        return total + WHITHER_WEIGHT * (off * data.level[index]).mean()

    def report(model: nn.Module) -> str:
        fixed = torch.Generator().manual_seed(1)
        with torch.no_grad():
            told = model(*lean_batch(held, torch.arange(len(held)), fixed, augment=False)[:2])
        leans, lean = torch.sigmoid(told[:, 0]), held.lean
        parts = []
        for low, high in ((0, 4), (8, 12), (12, 16), (16, 24), (24, 45)):
            found = leans[(lean >= low) & (lean < high)] > 0.9
            parts.append(f"{low}-{high}: {found.float().mean():.3f}")
        off = (told[:, 1:] - held.beside).norm(dim=1)[held.level & (lean < 20)]
        return f"{len(data)} looks; said to lean {', '.join(parts)}; off by {off.median():.3f}"

    train(net, loss, minutes, rate, report, path)


def train_finder(folder: Path, minutes: float, path: Path, start: Path | None, rate: float) -> None:
    rng = torch.Generator().manual_seed(7)
    data = TraySet(folder)
    net = Finder()
    if start:
        net.load_state_dict(torch.load(start))

    def loss() -> Tensor:
        x, truth = finder_batch(data, 12, rng)
        return finder_loss(net(x.to(memory_format=torch.channels_last)), truth)

    def report(model: nn.Module) -> str:
        data.refresh()
        return f"{len(data.shards)} shards"

    train(net, loss, minutes, rate, report, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", choices=["pose", "reader", "finder", "level", "lean"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--start", type=Path, default=None)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(3)
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"{args.net}.pt"
    if args.net == "finder":
        train_finder(args.data, args.minutes, path, args.start, args.rate)
        return
    if args.net == "lean":
        train_lean(args.data, args.minutes, path, args.start, args.rate)
        return
    runs = {"pose": train_pose, "reader": train_reader, "level": train_level}
    runs[args.net](Shards(args.data), args.minutes, path, args.start, args.rate)


if __name__ == "__main__":
    main()
