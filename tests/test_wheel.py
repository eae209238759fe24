"""The wheel holds all that is needed: installed elsewhere, the demo runs in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from boxcars.sim import DEMO_SEED, Deed
from boxcars.sim.evening import calm_evening
from tests.running import ROOT, TIMEOUT_S

BIN = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True)
class Installed:
    """The wheel as a newcomer meets it."""

    names: list[str]
    """The files it holds."""
    site: str
    """Where it was installed."""
    imported: list[str]
    """The files of some of its packages, as they are imported."""
    demo: subprocess.CompletedProcess[str]
    left: list[Path]
    """What the demo left in the folder that it ran in."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Built, installed in an environment of its own, and its demo run from there."""

    def run(*arguments: str | Path, cwd: Path = ROOT) -> str:
        return subprocess.run(
            arguments,
            cwd=cwd,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        ).stdout

    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, ROOT)
    (wheel,) = folder.glob("boxcars-*.whl")
    # Dependencies come from this environment: installing them again would test the network.
    venv = folder / "venv"
    run(sys.executable, "-m", "venv", venv)
    python = venv / BIN / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # As a .pth file would, but without those of this environment: they lead to the checkout.
    here = sysconfig.get_path("purelib")
    (Path(site) / "dependencies.pth").write_text(f"{here}\n", encoding="utf-8")
    empty = folder / "empty"
    empty.mkdir()
    probe = "import boxcars, vision, scoring; print(boxcars.__file__, vision.__file__)"
    imported = run(python, "-c", probe, cwd=empty).split()
    demo = subprocess.run(
        [venv / BIN / "boxcars", "demo", "--fast", "--json"],
        cwd=empty,
        env=environment | {"BOXCARS_DATA": str(empty / "data")},
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
    )
    names = zipfile.ZipFile(wheel).namelist()
    return Installed(names, site, imported, demo, list(empty.iterdir()))


@pytest.mark.beside
@pytest.mark.slow
def test_the_wheel_holds_models_samples_and_licences(installed: Installed) -> None:
    names = installed.names
    for folder in ("scoring", "vision", "calibration", "models", "boxcars", "samples"):
        assert f"{folder}/__init__.py" in names
    assert [name for name in names if name.startswith("models/") and name.endswith(".onnx")]
    assert "models/manifest.json" in names
    assert "samples/photoreal-game/truth.json" in names
    assert len([name for name in names if name.endswith(".jpg")]) == 50
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert not [name for name in names if name.startswith(("tests/", ".ci/")) or "pycache" in name]


@pytest.mark.beside
@pytest.mark.slow
def test_the_demo_plays_a_game_at_the_simulated_table_to_its_end(installed: Installed) -> None:
    """It runs from the wheel in an empty folder, of which it keeps nothing."""
    assert all(file.startswith(installed.site) for file in installed.imported)
    assert (installed.demo.returncode, installed.demo.stderr) == (0, "")
    assert installed.left == []
    told: list[dict[str, Any]] = [json.loads(line) for line in installed.demo.stdout.splitlines()]
    truth = calm_evening(DEMO_SEED).truth
    throws = [record["faces"] for record in told if record["event"] in ("roll", "reroll")]
    assert throws == [list(t.faces) for t in truth if t.deed in (Deed.ROLL, Deed.REROLL)]
    (illegal,) = [t for t in truth if t.illegal]
    alarms = [r for r in told if r["event"] == "pickup" and r["verdict"] == "illegal"]
    assert alarms[0]["picked_up"] == list(illegal.faces)
    assert alarms[0]["reasons"] == ["breakdown-without-way-car"]
    # Taken back, it is nobody's reroll.
    assert not [r for r in told if r["event"] == "reroll" and r["verdict"] == "illegal"]
    scores = [record["points"] for record in told if record["event"] == "score"]
    assert scores == [t.points for t in truth if t.deed is Deed.SCORE]
    assert told[-1]["totals"] == {"Ann": sum(scores)} == {"Ann": 445}
