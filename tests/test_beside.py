"""A test that runs beside ends here as it ended there, whatever became of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.running import TIMEOUT_S, environment

TESTS = """
import os
import pytest

BESIDE = "BOXCARS_TESTS_BESIDE" in os.environ
beside = pytest.mark.beside

@pytest.fixture
def broken():
    yield
    raise RuntimeError("broken afterwards")

def test_here(): assert not BESIDE

@beside
def test_passes(): assert BESIDE

@beside
@pytest.mark.parametrize("number", [1, 2])
def test_fails_for_two(number): assert number == 1

@beside
def test_skips(): pytest.skip("for a reason")

@beside
def test_breaks(broken): pass

@beside
def test_crashes(): os._exit(0)

@beside
def test_is_never_reached(): pass
"""


def test_each_ends_as_it_did_beside(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = beside: beside\n")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.beside"]\n')
    (tmp_path / "test_these.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "test_these.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    ended = re.findall(r"^(PASSED|FAILED) test_these\.py::(\S+)", done.stdout, re.MULTILINE)
    assert {name: how for how, name in ended} == {
        "test_here": "PASSED",
        "test_passes": "PASSED",
        "test_fails_for_two[1]": "PASSED",
        "test_fails_for_two[2]": "FAILED",
        "test_breaks": "FAILED",
        "test_crashes": "FAILED",
        "test_is_never_reached": "FAILED",
    }
    assert "for a reason" in done.stdout
    assert "broken afterwards" in done.stdout
