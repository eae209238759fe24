"""Checkpoints to ONNX files with their class names inside, and the manifest that pins them.

`python -m models.training.export --checkpoints FOLDER --data FOLDER --out models` writes
the five `.onnx` files and `manifest.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from models.training.nets import (
    LEAN_SIZE,
    LEVEL_SIZE,
    POSE_SIZE,
    READER_CLASSES,
    READER_SIZE,
    Finder,
    Lean,
    Level,
    Pose,
    Reader,
)
from models.training.quantise import quantise

OPSET = 17

ABOUT: dict[str, dict[str, Any]] = {
    "finder": {"input_size": [0, 0, 3], "classes": ["die", "d10"]},
    "pose": {
        "input_size": [POSE_SIZE, POSE_SIZE, 3],
        "classes": ["pole", "right", "blunt", "left"],
    },
    "level": {"input_size": [LEVEL_SIZE, LEVEL_SIZE, 3], "classes": ["level"]},
    "lean": {"input_size": [LEAN_SIZE, LEAN_SIZE, 3], "classes": ["leans", "right", "up"]},
    "reader": {"input_size": [READER_SIZE, READER_SIZE, 3], "classes": READER_CLASSES},
}

DATA = "rendered by models/training/render.py only; no photographs"


class FromPicture(nn.Module):
    """A net that takes pictures as OpenCV has them: `(n, h, w, 3)` BGR, 0-255, uint8."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net
        first = next(m for m in net.modules() if isinstance(m, nn.Conv2d))
        with torch.no_grad():
            # The nets were trained on RGB; turning the first weights costs nothing later.
            first.weight.copy_(first.weight.flip(1))

    def forward(self, pictures: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.net(pictures.permute(0, 3, 1, 2).float() / 255, *rest)
        return result


def export(net: nn.Module, name: str, path: Path, data: Path) -> None:
    """Write one net as 8-bit ONNX with a free batch size (finder: free height and width).

    `data` is a folder of rendered shards.
    """
    net = FromPicture(net).eval()
    batch = {0: "n"}
    if name == "finder":
        inputs: tuple[torch.Tensor, ...] = (torch.zeros((1, 384, 640, 3), dtype=torch.uint8),)
        names, outputs = ["picture"], ["maps"]
        axes = {"picture": {1: "h", 2: "w"}, "maps": {2: "h4", 3: "w4"}}
    elif name == "pose":
        inputs = (
            torch.zeros((2, POSE_SIZE, POSE_SIZE, 3), dtype=torch.uint8),
            torch.zeros(2, 2),
        )
        names, outputs = ["crops", "views"], ["corners", "signs"]
        axes = dict.fromkeys((*names, *outputs), batch)
    elif name in ("level", "lean"):
        side, told = (LEVEL_SIZE, 3) if name == "level" else (LEAN_SIZE, 2)
        inputs = (torch.zeros((2, side, side, 3), dtype=torch.uint8), torch.zeros(2, told))
        names, outputs = ["pictures", "supposed" if name == "level" else "views"], ["logits"]
        axes = dict.fromkeys((*names, *outputs), batch)
    else:
        inputs = (torch.zeros((2, READER_SIZE, READER_SIZE, 3), dtype=torch.uint8),)
        names, outputs = ["patches"], ["logits"]
        axes = dict.fromkeys((*names, *outputs), batch)
    torch.onnx.export(
        net, inputs, str(path), input_names=names, output_names=outputs, dynamic_axes=axes,
        opset_version=OPSET, dynamo=False,
    )  # fmt: skip
    quantise(path, name, data)
    model = onnx.load(str(path))
    for key, value in (("classes", json.dumps(ABOUT[name]["classes"])), ("training_data", DATA)):
        prop = model.metadata_props.add()
        prop.key, prop.value = key, value
    onnx.save(model, str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    models: dict[str, Any] = {}
    nets: dict[str, nn.Module] = {
        "finder": Finder(),
        "pose": Pose(),
        "level": Level(),
        "lean": Lean(),
        "reader": Reader(),
    }
    for name, net in nets.items():
        net.load_state_dict(torch.load(args.checkpoints / f"{name}.pt"))
        path = args.out / f"{name}.onnx"
        export(net, name, path, args.data)
        models[name] = {
            "file": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
            "parameters": sum(p.numel() for p in net.parameters()),
            **ABOUT[name],
            "training_data": DATA,
        }
        print(f"{name}: {path.stat().st_size} bytes")
    text = json.dumps({"version": 1, "models": models}, indent=2) + "\n"
    (args.out / "manifest.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
