"""A running table with its page, for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from boxcars.snapshot import Offer
from tests.boxcars.page.laid import LaidTable, laid_table

OFFERS = (Offer("s0", "laid dice", "laid dice"), Offer("s1", "Other", "other"))


@pytest.fixture
def laid(tmp_path: Path) -> Iterator[LaidTable]:
    with laid_table(tmp_path, offers=(*OFFERS, Offer("s2", "Broken", "broken"))) as laid:
        yield laid
