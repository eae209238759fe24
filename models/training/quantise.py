"""ONNX files from floats to 8-bit integers: less than half the time and a quarter of the size.

Ranges of the activations come from rendered pictures. Weights keep 7 bits: processors without
VNNI add pairs of products in 16 bits, which 8-bit weights would overflow.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor

from models.training.leaning import LeanSet, lean_batch
from models.training.patches import DiceSet, level_batch, pose_batch, reader_batch
from models.training.trays import TraySet
from vision.finder import LONG_SIDE

Feed = dict[str, NDArray[Any]]

OPERATORS = ["Conv", "Gemm", "Add", "Resize", "DepthToSpace", "MaxPool", "Relu"]
EXACT = {"lean": ["Gemm"]}
"""What stays in floats: a lean of few degrees is less than a step of 8 bits."""

DICE, TRAYS, BATCH = 240, 60, 20
"""Rendered dice and trays that set the ranges, dice at a time."""


class _Feeds(CalibrationDataReader):
    def __init__(self, feeds: Iterable[Feed]) -> None:
        self._feeds = iter(feeds)

    def get_next(self) -> Feed | None:
        return next(self._feeds, None)


def quantise(path: Path, name: str, data: Path) -> None:
    """Replace the ONNX file of net `name` by its 8-bit form; `data` holds rendered shards."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
        quantize_static(
            str(prepared),
            str(path),
            _Feeds(feeds(name, data)),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=[o for o in OPERATORS if o not in EXACT.get(name, [])],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
        )


def feeds(name: str, data: Path) -> Iterator[Feed]:
    """What net `name` is fed to learn its ranges, as its ONNX file takes it."""
    if name == "finder":
        trays = TraySet(data)
        for k in range(TRAYS):
            shard = trays.shards[k % len(trays.shards)]
            picture = np.asarray(shard[k % len(shard)])
            height = round(LONG_SIDE * picture.shape[0] / picture.shape[1] / 32) * 32
            yield {"picture": np.asarray(cv2.resize(picture, (LONG_SIDE, height)))[None]}
        return
    first = sorted(data.glob("dice-*.npz"))[:1]
    if name == "lean":
        stood = LeanSet(first, looks=1)
        rng = torch.Generator().manual_seed(1)
        for index in torch.split(torch.arange(min(DICE, len(stood))), BATCH):  # type: ignore[no-untyped-call]
            x, seen, _, _ = lean_batch(stood, index, rng)
            yield {"pictures": _bytes(x), "views": seen.numpy()}
        return
    dice = DiceSet(first, limit=DICE)
    rng = torch.Generator().manual_seed(1)
    for index in torch.split(torch.arange(len(dice)), BATCH):  # type: ignore[no-untyped-call]
        if name == "pose":
            x, hint, _ = pose_batch(dice, index, rng)
            yield {"crops": _bytes(x), "views": hint.numpy().astype(np.float32)}
        elif name == "level":
            index = index[dice.is_d10[index]]
            if len(index):
                pictures, supposed, _ = level_batch(dice, index, rng)
                yield {
                    "pictures": _bytes(pictures.flatten(0, 1)),
                    "supposed": supposed.flatten(0, 1).numpy().astype(np.float32),
                }
        else:
            x, _ = reader_batch(dice, index, rng)
            yield {"patches": _bytes(x)}


def _bytes(x: Tensor) -> NDArray[np.uint8]:
    """RGB 0-1 `(n, 3, h, w)` to the BGR bytes `(n, h, w, 3)` that the files take."""
    return np.asarray((x.flip(1).permute(0, 2, 3, 1) * 255).round().to(torch.uint8).numpy())
