"""Checkpoints to ONNX files with their class names inside, and the manifest that pins them.

`python -m models.training.export --checkpoints FOLDER --out models` writes `finder.onnx`,
`pose.onnx`, `reader.onnx` and `manifest.json`.
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

from models.training.nets import POSE_SIZE, READER_CLASSES, READER_SIZE, Finder, Pose, Reader

OPSET = 17

ABOUT: dict[str, dict[str, Any]] = {
    "finder": {"input_size": [3, 0, 0], "classes": ["d10", "other"]},
    "pose": {
        "input_size": [3, POSE_SIZE, POSE_SIZE],
        "classes": ["pole", "right", "blunt", "left"],
    },
    "reader": {"input_size": [3, READER_SIZE, READER_SIZE], "classes": READER_CLASSES},
}

DATA = "rendered by models/training/render.py only; no photographs"


def export(net: nn.Module, name: str, path: Path) -> None:
    """Write one net as ONNX with a free batch size (finder: free height and width)."""
    net.eval()
    batch = {0: "n"}
    if name == "finder":
        inputs: tuple[torch.Tensor, ...] = (torch.zeros(1, 3, 384, 640),)
        names, outputs = ["picture"], ["maps"]
        axes = {"picture": {2: "h", 3: "w"}, "maps": {2: "h4", 3: "w4"}}
    elif name == "pose":
        inputs = (torch.zeros(2, 3, POSE_SIZE, POSE_SIZE), torch.zeros(2, 2))
        names, outputs = ["crops", "views"], ["corners", "signs"]
        axes = dict.fromkeys((*names, *outputs), batch)
    else:
        inputs = (torch.zeros(2, 3, READER_SIZE, READER_SIZE),)
        names, outputs = ["patches"], ["logits"]
        axes = dict.fromkeys((*names, *outputs), batch)
    torch.onnx.export(
        net, inputs, str(path), input_names=names, output_names=outputs, dynamic_axes=axes,
        opset_version=OPSET, dynamo=False,
    )  # fmt: skip
    model = onnx.load(str(path))
    for key, value in (("classes", json.dumps(ABOUT[name]["classes"])), ("training_data", DATA)):
        prop = model.metadata_props.add()
        prop.key, prop.value = key, value
    onnx.save(model, str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    models: dict[str, Any] = {}
    for name, net in (("finder", Finder()), ("pose", Pose()), ("reader", Reader())):
        net.load_state_dict(torch.load(args.checkpoints / f"{name}.pt"))
        path = args.out / f"{name}.onnx"
        export(net, name, path)
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
