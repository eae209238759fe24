"""A test that runs beside ends here as it ended there, whatever became of it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.running import python_process

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
    arguments = ("-m", "pytest", "-rA", "-p", "no:cacheprovider", "test_these.py")
    ran = python_process(*arguments, cwd=tmp_path)
    assert ran.code == 1, ran.out + ran.err
    ended = re.findall(r"^(PASSED|FAILED) test_these\.py::(\S+)", ran.out, re.MULTILINE)
    assert {name: how for how, name in ended} == {
        "test_here": "PASSED",
        "test_passes": "PASSED",
        "test_fails_for_two[1]": "PASSED",
        "test_fails_for_two[2]": "FAILED",
        "test_breaks": "FAILED",
        "test_crashes": "FAILED",
        "test_is_never_reached": "FAILED",
    }
    assert "for a reason" in ran.out
    assert "broken afterwards" in ran.out
