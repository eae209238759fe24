"""The tests of the command line read each picture once."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _remembered(request: pytest.FixtureRequest) -> None:
    """Only for the modules that read pictures: the others need no nets."""
    if request.module.__name__.rpartition(".")[2].startswith("test_cli"):
        request.getfixturevalue("remembered")
