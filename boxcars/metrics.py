"""The measured figures that the project holds itself to: `models/metrics.json`.

`python -m boxcars.metrics FOLDER` measures every set of pictures found in FOLDER with the
committed models, writes the file and the README's table; `--check` measures and compares. The
figures of sets that are not in FOLDER stay as they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import typer

import models
from boxcars.calibrating import Calibration, reading_calibrated
from boxcars.console import Refusal, refusals_said, refusing
from boxcars.evaluate import evaluate
from boxcars.truth import TruthUnreadable, load_truth
from calibration.profile import ProfileError
from vision.pictures import UnreadablePicture
from vision.reader import DiceReader

CALIBRATED = {"photoreal-trays-calibrated": "photoreal-trays"}
"""Sets that are read again with each picture's tray corners known, and the folders they lie in."""

SETS = (
    "photoreal-game",
    "photoreal-trays",
    *CALIBRATED,
    "single-dice",
    "wild-tables",
    "close-ups",
    "other-dice",
)
METRICS = Path(models.__file__).parent / "metrics.json"
README = METRICS.parents[1] / "README.md"

NEVER_MORE = ("silent_misreads", "missed", "false_dice")
NEVER_LESS = ("correct", "rolls_exact")


def measure(name: str, data: Path) -> dict[str, Any]:
    """The figures of the set of this name in `data`, as `boxcars evaluate --json` prints them."""
    read = reading_calibrated(Calibration.TRUTH if name in CALIBRATED else Calibration.NONE)
    pictures = load_truth(folder_of(name, data))
    return evaluate(pictures, lambda: DiceReader(threads=1), read=read, jobs=2).to_dict()


def folder_of(name: str, data: Path) -> Path:
    """Where in `data` a set lies."""
    return data / CALIBRATED.get(name, name)


def present(data: Path) -> list[str]:
    """The known sets that lie in `data`."""
    return [name for name in SETS if (folder_of(name, data) / "truth.json").is_file()]


def worse(name: str, now: dict[str, Any], then: dict[str, Any]) -> list[str]:
    """One sentence for each figure of set `name` that is worse than it was committed."""
    found = [
        f"{name}: {key} rose from {then[key]} to {now[key]}."
        for key in NEVER_MORE
        if now[key] > then[key]
    ]
    found += [
        f"{name}: {key} fell from {then[key]} to {now[key]}."
        for key in NEVER_LESS
        if now[key] < then[key]
    ]
    return found


def committed() -> dict[str, Any]:
    """What `models/metrics.json` says."""
    loaded: dict[str, Any] = json.loads(METRICS.read_text(encoding="utf-8"))
    return loaded


ABOUT = {
    "photoreal-game": "a rendered game, the sample that comes along",
    "photoreal-trays": "rendered trays: many materials, lights, tilts 0–45°",
    "photoreal-trays-calibrated": "the same, the tray's corners known",
    "single-dice": "photos of one die: orange speckle, teal pearl",
    "wild-tables": "phone photos of mixed dice on cloths, maps, wood",
    "close-ups": "photos of one white die on cloth",
    "other-dice": "photos of d4, d6, d8 and d20: nothing to read",
}

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def table(figures: dict[str, Any]) -> str:
    """The README's table of all sets, trays also by tilt, in Markdown."""
    rows = [
        "| pictures | d10 | correct | in doubt | misread | missed | false dice | rolls exact |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, about in ABOUT.items():
        if name not in figures:
            continue
        counts = figures[name]
        rows.append(_row(f"`{name}`: {about}", counts))
        if CALIBRATED.get(name, name) == "photoreal-trays":
            for band, tally in counts["by"]["tilt"].items():
                rows.append(_row(f"– of these, tilt {band.replace('over-', 'over ')}°", tally))
    return "\n".join(rows)


def _row(name: str, counts: dict[str, Any]) -> str:
    dice = counts["dice"]

    def share(key: str) -> str:
        return f"{counts[key]} ({100 * counts[key] / dice:.1f} %)" if dice else "–"

    exact = f"{counts['rolls_exact']} of {counts['rolls']}" if counts["rolls"] else "–"
    cells = [name, str(dice), share("correct"), share("abstained"), share("silent_misreads")]
    cells += [share("missed"), str(counts["false_dice"]), exact]
    return "| " + " | ".join(cells) + " |"


def with_table(readme: str, figures: dict[str, Any]) -> str:
    """The README with the measured table between its marks."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table(figures)}\n{END}{after}"


def main(data: Path, check: bool = False) -> None:
    """Measure all sets in DATA; write the figures, or with --check compare them."""
    found = present(data)
    if not found:
        raise Refusal(
            f"{data} holds none of the sets {', '.join(SETS)}; name the folder they lie in."
        )
    measured = {}
    for name in found:
        with refusing(TruthUnreadable, UnreadablePicture, ProfileError):
            measured[name] = measure(name, data)
        print(name, {k: v for k, v in measured[name].items() if isinstance(v, int)})
    if not check:
        _write(measured)
        return
    old = committed()
    complaints = [c for name, now in measured.items() for c in worse(name, now, old[name])]
    print("\n".join(complaints) or "Nothing is worse than committed.")
    if complaints:
        sys.exit(1)


def _write(measured: dict[str, Any]) -> None:
    """Put what was measured in place of what was committed of the same sets."""
    figures = committed() | measured
    # Both texts first: where one cannot be made, neither file changes.
    readme = with_table(README.read_text(encoding="utf-8"), figures)
    METRICS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    README.write_text(readme, encoding="utf-8")


if __name__ == "__main__":
    with refusals_said():
        typer.run(main)
