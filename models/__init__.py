"""The trained nets: files, manifest, and how to open them."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

# Newer runtimes number this computer and tell their makers what it does, from their import on.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as ort


class ModelError(RuntimeError):
    """A model file is missing or is not the one the manifest names."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One line of the manifest: a file, its fingerprint, and what goes in."""

    name: str
    file: str
    sha256: str
    input_size: tuple[int, ...]
    classes: tuple[str, ...]


@cache
def manifest() -> dict[str, Any]:
    """The whole of `manifest.json`."""
    text = (resources.files(__name__) / "manifest.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def entry(name: str) -> ModelEntry:
    """The manifest's entry for net `name` ("finder", "pose", "level", "lean", "reader").

    Raises `ModelError` where there is none.
    """
    found = manifest()["models"].get(name)
    if found is None:
        raise ModelError(f"There is no model called {name!r} in the manifest.")
    return ModelEntry(
        name, found["file"], found["sha256"], tuple(found["input_size"]), tuple(found["classes"])
    )


def open_model(name: str, threads: int = 1) -> ort.InferenceSession:
    """Open net `name` for the CPU on `threads` threads that sleep between pictures.

    Raises `ModelError` when the file is missing or its SHA-256 is not the manifest's.
    """
    item = entry(name)
    path = resources.files(__name__) / item.file
    if not path.is_file():
        raise ModelError(f"The model file {item.file} is missing; install boxcars again.")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != item.sha256:
        raise ModelError(f"The model file {item.file} is damaged; install boxcars again.")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would keep a laptop's fan running between two looks.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
