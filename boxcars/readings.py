"""Readings of dice as JSON for other programs."""

from __future__ import annotations

from vision.records import DieReading


def reading_to_dict(reading: DieReading) -> dict[str, object]:
    """One die as `boxcars read --json` prints it; places are pixels, `face` is null in doubt."""
    return {
        "face": reading.face,
        "confidence": round(reading.confidence, 6),
        "probabilities": [round(float(p), 6) for p in reading.probabilities],
        "center": [round(float(at), 2) for at in reading.sighting.center],
        "box": [round(float(side), 2) for side in reading.sighting.box],
        "doubts": list(reading.doubts.names),
    }
