"""The recipe runs: render, train, export, and the nets it makes open in onnxruntime."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from boxcars.truth import load_truth

for needed in ("torch", "numba", "onnx", "PIL"):
    pytest.importorskip(needed, reason="needs the training extra")

ROOT = Path(__file__).parents[2]


def _run(module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"models.training.{module}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_render_train_and_export_from_nothing(tmp_path: Path) -> None:
    data, checkpoints, out = tmp_path / "data", tmp_path / "checkpoints", tmp_path / "models"
    small = ("--typefaces", "3", "--grounds", "4", "--seed", "5")
    _run("render", "--out", str(data), "--dice", "40", "--per-shard", "20", "--trays", "2", *small)
    truth = np.load(data / "dice-5-0000.npz")
    crops = np.load(data / "dice-5-0000.npy")
    assert crops.shape[1:] == (112, 112, 3)
    assert len(truth["value"]) == len(crops)
    assert crops.std() > 10, "the crops are blank"
    for net in ("pose", "reader", "level", "lean", "finder"):
        said = _run(
            "train", net, "--data", str(data), "--out", str(checkpoints), "--minutes", "0.02"
        )
        assert "end step" in said
    _run("export", "--checkpoints", str(checkpoints), "--data", str(data), "--out", str(out))
    manifest = json.loads((out / "manifest.json").read_text())
    assert set(manifest["models"]) == {"finder", "pose", "level", "lean", "reader"}
    session = ort.InferenceSession(str(out / "finder.onnx"))
    (maps,) = session.run(None, {"picture": np.zeros((1, 96, 128, 3), np.uint8)})
    assert maps.shape == (1, 6, 24, 32)
    session = ort.InferenceSession(str(out / "reader.onnx"))
    (logits,) = session.run(None, {"patches": np.zeros((3, 40, 40, 3), np.uint8)})
    assert logits.shape == (3, 12)
    session = ort.InferenceSession(str(out / "level.onnx"))
    (logits,) = session.run(
        None,
        {"pictures": np.zeros((5, 48, 48, 3), np.uint8), "supposed": np.zeros((5, 3), np.float32)},
    )
    assert logits.shape == (5,)


@pytest.mark.slow
def test_the_signs_of_a_lean_are_weighed() -> None:
    said = _run("standing", "--pictures", "2", "--typefaces", "2")
    assert said.startswith("{'all_flat': ")
    assert "said to lean: " in said


def test_same_seed_same_pictures(tmp_path: Path) -> None:
    small = ("--typefaces", "2", "--grounds", "2", "--seed", "9", "--dice", "4", "--per-shard", "4")
    for name in ("a", "b"):
        _run("render", "--out", str(tmp_path / name), *small)
    first, second = (np.load(tmp_path / name / "dice-9-0000.npy") for name in ("a", "b"))
    assert np.array_equal(first, second)


def test_held_out_pictures_come_with_their_truth(tmp_path: Path) -> None:
    few = ("--pictures", "1", "--typefaces", "2", "--dice", "3", "--seed", "9009")
    _run("heldout", "--out", str(tmp_path), *few)
    (image,) = load_truth(tmp_path)
    assert image.path.is_file()
    assert 1 <= len(image.dice) <= 3
