"""Whether a picture shows anything at all: not a closed shutter, a lamp just put out, or glare."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.records import Image

_SAMPLE = 7
"""Every seventh pixel of every seventh row tells how bright a picture is."""


@dataclass(frozen=True, slots=True)
class LightSettings:
    """When a picture tells nothing. Grey levels are those of small pictures, 0-255."""

    black: float = 12.0
    """What is bright in a picture is brighter than this, or it is black."""
    dimmed: float = 0.25
    """Less than this share of how bright it lately was, the light has gone …"""
    used_to_s: float = 10.0
    """… until, after about so many seconds, it is what a darker room looks like."""
    white: float = 248.0
    blown: float = 0.9
    """More than this share of it brighter than `white`, it is blown out."""


DEFAULT_LIGHT = LightSettings()


class Light:
    """Follows how bright pictures are."""

    def __init__(self, settings: LightSettings = DEFAULT_LIGHT) -> None:
        self._settings = settings
        self._lately = 0.0
        self._t = 0.0

    def shows(self, t: float, small: Image) -> bool:
        """Whether the picture taken at `t` seconds shows enough to say what lies in it."""
        settings = self._settings
        sample = small[::_SAMPLE, ::_SAMPLE]
        bright = float(np.percentile(sample, 90))
        passed, self._t = max(0.0, t - self._t), t
        self._lately = max(bright, self._lately * math.exp(-passed / settings.used_to_s))
        if bright < max(settings.black, settings.dimmed * self._lately):
            return False
        if bright < settings.white:
            return True
        return bool((sample.min(axis=2) >= settings.white).mean() <= settings.blown)
