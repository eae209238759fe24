"""What pages are told of a calibration: its figures, and where the tray lies in the picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibration.profile import Profile

Json = dict[str, Any]


def profile_json(profile: Profile) -> Json:
    """A calibration's figures; which camera it is for stays with us."""
    standpoint = profile.standpoint
    mm_per_px = float(standpoint.mm_per_px(standpoint.middle_px())[0])
    return {
        "made_from": profile.origin.value,
        "created": profile.created,
        "tilt_deg": round(standpoint.tilt_deg, 1),
        "mm_per_px": round(mm_per_px, 3) if math.isfinite(mm_per_px) else None,
        "error_px": round(profile.error_px, 2),
        "die_mm": profile.die_mm,
    }


def outline_json(profile: Profile) -> list[list[float]]:
    """The tray's outline as shares of the picture's width and height; empty where unknown."""
    outline = profile.standpoint.outline_px() / np.array(profile.size)
    return [
        [round(float(x), 4), round(float(y), 4)] for x, y in outline if np.isfinite([x, y]).all()
    ]
