"""Figures as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from boxcars.source_names import source_title
from boxcars.terms import phase_text
from scoring.phases import TURNS, Phase

if TYPE_CHECKING:
    # Whoever lists games needs no computer vision.
    from boxcars.bench import Case
    from boxcars.evaluate import Evaluation, Tally
    from calibration.quality import QualityReport

BAND_TITLES = {"tilt": "tilt °", "size": "size px", "look": "look"}


def evaluation_tables(evaluation: Evaluation) -> list[Table]:
    """Everything an evaluation counted: in all, by band, and what was read that is no d10."""
    tables = [_tally_table("all", {"all": evaluation.total})]
    tables += [
        _tally_table(BAND_TITLES[name], bands) for name, bands in evaluation.by.items() if bands
    ]
    if evaluation.other:
        table = _table("other things", "in the pictures", "read as a d10")
        for kind, count in evaluation.other.items():
            table.add_row(kind, str(count), str(evaluation.other_read[kind]))
        tables.append(table)
    return tables


def mistakes_table(evaluation: Evaluation) -> Table:
    """Each die that was not read rightly and each false die."""
    table = _table("picture", "mistake", "is", "read", "doubts")
    for it in evaluation.mistakes:
        doubts = it.get("doubts", ())
        table.add_row(
            str(it["image"]),
            str(it["mistake"]),
            str(it.get("value", it.get("other") or "")),
            _read_text(it),
            ", ".join(doubts) if isinstance(doubts, Sequence) else "",
        )
    return table


def quality_table(report: QualityReport) -> Table:
    """What was found about a view, and what to do."""
    table = _table("what", "value", "verdict")
    table.add_column("")
    for finding in report.findings:
        value = "–" if finding.value is None else f"{finding.value:.3g} {finding.unit}".strip()
        table.add_row(finding.name, value, finding.verdict.value, finding.text)
    return table


def bench_table(cases: Sequence[Case]) -> Table:
    """Each picture's times by stage, in milliseconds, with the stage's share."""
    table = _table("picture", "dice", "runs", "stage", "median ms", "95 % ms", "share")
    for case in cases:
        first = (f"{case.width} × {case.height}", str(case.dice), str(case.runs))
        total = (f"{case.total.median_ms:.1f}", f"{case.total.p95_ms:.1f}")
        table.add_row(*first, "all", *total, "")
        for name, spread in case.stages.items():
            times = (f"{spread.median_ms:.1f}", f"{spread.p95_ms:.1f}", f"{case.share(name):.0%}")
            table.add_row("", "", "", name, *times)
    return table


def games_table(summaries: Sequence[Mapping[str, Any]]) -> Table:
    """The games on record, one row each."""
    table = Table("game", "started", "source", "stands", "points", box=None, pad_edge=False)
    for it in summaries:
        points = ", ".join(f"{player} {total}" for player, total in it["totals"].items())
        table.add_row(
            str(it["game"]), it["started"], source_title(it["source"]), _stands(it), points
        )
    return table


def scoreboard_table(board: Mapping[str, Any]) -> Table:
    """A game's scores by turn, one row for each player."""
    table = _table("player", *(f"turn {number}" for number in range(1, TURNS + 1)), "total")
    table.title = f"Game {board['game']}, {board['started']}, {_stands(board)}"
    table.title_justify = "left"
    for row in board["rows"]:
        scores = [str(points) for points in row["scores"]]
        scores += ["–"] * (TURNS - len(scores))
        table.add_row(row["player"], *scores, str(board["totals"][row["player"]]))
    return table


def _stands(game: Mapping[str, Any]) -> str:
    """How far a game is, from its summary or its scoreboard."""
    if game["over"]:
        return "over"
    return f"turn {game['turn']}, {phase_text(Phase(game['phase']))}"


def _read_text(mistake: dict[str, object]) -> str:
    if "face" not in mistake:
        return ""
    likely = f"{mistake['likeliest']} ({float(str(mistake['confidence'])):.0%})"
    return likely if mistake["face"] is not None else f"perhaps {likely}"


def _tally_table(title: str, bands: dict[str, Tally]) -> Table:
    table = _table(
        title, "images", "dice", "correct", "in doubt", "misread", "missed", "false", "exact"
    )
    for band, tally in bands.items():
        table.add_row(
            band,
            str(tally.images),
            str(tally.dice),
            _share(tally.correct, tally.dice),
            _share(tally.abstained, tally.dice),
            _share(tally.silent_misreads, tally.dice),
            _share(tally.missed, tally.dice),
            str(tally.false_dice),
            _share(tally.rolls_exact, tally.rolls),
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(first, box=None, pad_edge=False, collapse_padding=True)
    for other in others:
        table.add_column(other, justify="right")
    return table


def _share(part: int, whole: int) -> str:
    return f"{part} {part / whole:.1%}" if whole else "–"
