"""The committed figures, measured again with the committed models."""

from pathlib import Path

import pytest

from boxcars import metrics
from boxcars.console import Refusal
from boxcars.metrics import README, SETS, committed, folder_of, measure, with_table, worse
from samples import GAME
from tests.running import assert_refused, python_process

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_no_figure_is_worse_than_committed(name: str) -> None:
    data = GAME.parent if name == GAME.name else SHARED
    if not folder_of(name, data).is_dir():
        pytest.skip(f"the pictures of {name} are not here")
    assert worse(name, measure(name, data), committed()[name]) == []


def test_a_calibration_halves_what_is_not_read_from_the_side_and_worsens_nothing() -> None:
    alone, told = (
        committed()[name]["by"]["tilt"]
        for name in ("photoreal-trays", "photoreal-trays-calibrated")
    )
    for band, tally in alone.items():
        not_read = tally["dice"] - tally["correct"]
        share = 0.5 if band == "over-25" else 1.0
        assert told[band]["dice"] - told[band]["correct"] <= share * not_read
        assert told[band]["silent_misreads"] == 0


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


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The figures and the README, copied to where a test may write."""
    figures, readme = tmp_path / "metrics.json", tmp_path / "README.md"
    figures.write_bytes(metrics.METRICS.read_bytes())
    readme.write_bytes(README.read_bytes())
    monkeypatch.setattr(metrics, "METRICS", figures)
    monkeypatch.setattr(metrics, "README", readme)
    return figures, readme


def one_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the close-ups alone, of which one more die is read by now."""
    data = folder / "data"
    (data / "close-ups").mkdir(parents=True)
    (data / "close-ups" / "truth.json").touch()
    now = committed()["close-ups"]
    monkeypatch.setattr(metrics, "measure", lambda *_: now | {"correct": now["correct"] + 1})
    return data


def test_a_set_measured_anew_leaves_the_others(
    copies: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = committed()
    metrics.main(one_set(tmp_path, monkeypatch))
    after = committed()
    assert after["close-ups"]["correct"] == before["close-ups"]["correct"] + 1
    assert after == before | {"close-ups": after["close-ups"]}
    readme = copies[1].read_text(encoding="utf-8")
    assert with_table(readme, after) == readme


def test_without_a_place_for_the_table_nothing_is_written(
    copies: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures, readme = copies
    readme.write_text("no marks here", encoding="utf-8")
    before = figures.read_bytes()
    with pytest.raises(ValueError, match="unpack"):
        metrics.main(one_set(tmp_path, monkeypatch))
    assert figures.read_bytes() == before


def test_a_folder_without_any_set_is_refused(copies: tuple[Path, Path], tmp_path: Path) -> None:
    before = [path.read_bytes() for path in copies]
    with pytest.raises(Refusal, match="holds none of the sets photoreal-game, "):
        metrics.main(tmp_path / "nosuch")
    assert [path.read_bytes() for path in copies] == before


def test_the_program_refuses_in_one_sentence(tmp_path: Path) -> None:
    ran = python_process("-m", "boxcars.metrics", str(tmp_path / "nosuch"), "--check")
    assert_refused(ran, "nosuch", "photoreal-trays")
