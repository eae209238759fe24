"""The sample game that comes with the program, and where it lies."""

from __future__ import annotations

from pathlib import Path

GAME: Path = Path(__file__).parent / "photoreal-game"
"""Folder of one whole five-turn game: a still for each settled view, in name order, and the
`truth.json` that says what each shows."""
