"""The model files are those the manifest names, and say what their outputs mean."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import onnxruntime as ort
import pytest

import models
from tests.running import ROOT, TIMEOUT_S

NETS = ("finder", "pose", "reader")


@pytest.mark.parametrize("name", NETS)
def test_the_file_is_the_one_the_manifest_names(name: str) -> None:
    item = models.entry(name)
    data = (Path(models.__file__).parent / item.file).read_bytes()
    assert hashlib.sha256(data).hexdigest() == item.sha256


@pytest.mark.parametrize("name", NETS)
def test_classes_travel_inside_the_model(name: str) -> None:
    session: ort.InferenceSession = models.open_model(name)
    inside = session.get_modelmeta().custom_metadata_map
    assert tuple(json.loads(inside["classes"])) == models.entry(name).classes
    assert "no photographs" in inside["training_data"]


def test_all_weights_together_stay_small() -> None:
    folder = Path(models.__file__).parent
    total = sum((folder / models.entry(name).file).stat().st_size for name in NETS)
    assert total < 8_000_000


def test_an_unknown_net_is_named() -> None:
    with pytest.raises(models.ModelError, match="no model called 'oracle'"):
        models.entry("oracle")


def test_a_damaged_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = replace(models.entry("reader"), sha256="0" * 64)
    monkeypatch.setattr(models, "entry", lambda name: damaged)
    with pytest.raises(models.ModelError, match="damaged"):
        models.open_model("reader")


def test_the_runtime_keeps_no_number_of_this_computer(tmp_path: Path) -> None:
    """Newer ones would, in the home folder, and tell their makers: nothing leaves this computer."""
    untouched = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in untouched}
    subprocess.run(
        [sys.executable, "-c", "import models; models.open_model('reader')"],
        cwd=ROOT,
        env=environment | {"HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        timeout=TIMEOUT_S,
    )
    assert list(tmp_path.rglob("*")) == []
