"""The committed figures, measured again with the committed models."""

from pathlib import Path

import pytest

from boxcars.metrics import README, SETS, committed, measure, with_table, worse
from samples import GAME

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_no_figure_is_worse_than_committed(name: str) -> None:
    folder = GAME if name == "photoreal-game" else SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the pictures of {name} are not here")
    assert worse(name, measure(folder), committed()[name]) == []


def test_a_worse_figure_is_named() -> None:
    then = dict.fromkeys(("silent_misreads", "missed", "false_dice", "correct", "rolls_exact"), 5)
    assert worse("x", then, then) == []
    assert worse("x", then | {"silent_misreads": 6}, then) == [
        "x: silent_misreads rose from 5 to 6."
    ]
    assert worse("x", then | {"correct": 4}, then) == ["x: correct fell from 5 to 4."]


def test_the_readme_says_what_was_measured() -> None:
    readme = README.read_text(encoding="utf-8")
    assert with_table(readme, committed()) == readme
