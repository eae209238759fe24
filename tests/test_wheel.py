"""The wheel holds all that is needed: installed elsewhere, the demo runs in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.running import ROOT, TIMEOUT_S

BIN = "Scripts" if sys.platform == "win32" else "bin"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=TIMEOUT_S,
    )
    (path,) = folder.glob("boxcars-*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_holds_models_samples_and_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("scoring", "vision", "calibration", "models", "boxcars", "samples"):
        assert f"{folder}/__init__.py" in names
    assert [name for name in names if name.startswith("models/") and name.endswith(".onnx")]
    assert "models/manifest.json" in names
    assert "samples/photoreal-game/truth.json" in names
    assert len([name for name in names if name.endswith(".jpg")]) == 50
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert not [name for name in names if name.startswith(("tests/", ".ci/")) or "pycache" in name]


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    # Dependencies come from this environment: installing them again would test the network.
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=TIMEOUT_S)
    python = venv / BIN / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        check=True,
        timeout=TIMEOUT_S,
    )
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    (site,) = subprocess.run(
        [python, "-c", where], check=True, capture_output=True, text=True, timeout=TIMEOUT_S
    ).stdout.splitlines()
    here = subprocess.run(
        [sys.executable, "-c", where], check=True, capture_output=True, text=True, timeout=TIMEOUT_S
    ).stdout.strip()
    # As a .pth file would, but without those of this environment: they lead to the checkout.
    (Path(site) / "dependencies.pth").write_text(f"{here}\n", encoding="utf-8")
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    probe = "import boxcars, vision, scoring; print(boxcars.__file__, vision.__file__)"
    files = subprocess.run(
        [python, "-c", probe],
        cwd=empty,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    ).stdout.split()
    assert all(file.startswith(site) for file in files)
    demo = subprocess.run(
        [venv / BIN / "boxcars", "demo", "--fast"],
        cwd=empty,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
    )
    assert demo.returncode == 0, demo.stderr
    assert "Game over: Ann 445." in demo.stdout
    assert list(empty.iterdir()) == []
