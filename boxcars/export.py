"""A recorded game as a table or a document that other programs read."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, TextIO

from boxcars.journal import Recorded
from scoring.game import Game

COLUMNS = (
    "seq",
    "t",
    "event",
    "player",
    "turn",
    "phase",
    "faces",
    "picked_up",
    "kept",
    "verdict",
    "reasons",
    "points",
    "total",
    "details",
)
"""The CSV's columns. Faces are digits in a row; what has no column of its own is in `details`."""


def summary(recorded: Recorded, game: Game) -> dict[str, object]:
    """A game in a few JSON-ready values: who plays, how far it is and how it stands."""
    return {
        "game": recorded.id,
        "started": recorded.started,
        "source": recorded.source,
        "players": list(game.players),
        "events": recorded.events,
        "over": game.over,
        "turn": game.turn,
        "phase": game.phase.value,
        "totals": game.totals,
        "winners": list(game.winners),
    }


def scoreboard(recorded: Recorded, game: Game) -> dict[str, object]:
    """A game's summary with its house rules and every turn's score."""
    rows = [
        {
            "player": row.player,
            "scores": [score.points for score in row.scores],
            "running": list(row.running),
        }
        for row in game.rows
    ]
    return summary(recorded, game) | {"rules": asdict(recorded.rules), "rows": rows}


def document(recorded: Recorded, game: Game, lines: Iterable[str]) -> dict[str, object]:
    """The whole game: its scoreboard, and every event as it was shown."""
    return scoreboard(recorded, game) | {"log": [json.loads(line) for line in lines]}


def write_csv(out: TextIO, lines: Iterable[str]) -> None:
    """Write a game's events as CSV, one row each under a row of the column names."""
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for seq, line in enumerate(lines):
        writer.writerow(_row(seq, json.loads(line)))


def _row(seq: int, event: Mapping[str, Any]) -> dict[str, object]:
    row: dict[str, object] = {"seq": seq}
    details: dict[str, Any] = {}
    for name, value in event.items():
        if name in ("faces", "picked_up", "kept"):
            row[name] = "".join(map(str, value))
        elif name == "reasons":
            row[name] = " ".join(value)
        elif name in COLUMNS:
            row[name] = _no_formula(value) if isinstance(value, str) else value
        else:
            details[name] = value
    row["details"] = json.dumps(details, ensure_ascii=False) if details else ""
    return row


def _no_formula(text: str) -> str:
    """Text that a spreadsheet takes for text, whatever name a player chose."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
