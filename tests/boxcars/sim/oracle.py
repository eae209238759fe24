"""A reader that knows the truth of a simulated table, but sees no more than a camera would.

It stands in for the nets where a test is about settling and refereeing, a hundred times faster.
"""

from __future__ import annotations

import numpy as np

from boxcars.sim import shape
from boxcars.sim.film import Die, Moment
from boxcars.sim.painter import Painter
from boxcars.sim.source import SimSource
from vision.records import DieReading, Doubt, Image, Sighting


class Oracle:
    """Reads the latest frame of a source."""

    def __init__(self, source: SimSource) -> None:
        self._source = source
        self._evening = source.evening
        self._painter = Painter(source.evening.look)
        self._rng = np.random.default_rng(source.evening.seed)

    def read(self, image: Image) -> tuple[DieReading, ...]:
        """What can be seen: nothing under hands, and what is half hidden not for certain."""
        t = self._source.exposed
        moment = self._evening.film.at(t)
        bare = self._painter.paint(Moment(t, moment.lying, (), ()))
        seen = self._painter.paint(moment)
        readings = []
        for die in moment.lying:
            reading = self._reading(die, Doubt.NONE if die.flat else Doubt.COCKED)
            x0, y0, x1, y1 = (max(0, int(v)) for v in reading.sighting.box)
            window = (slice(y0, y1), slice(x0, x1))
            hidden = float((bare[window] != seen[window]).any(axis=2).mean())
            if hidden > 0.15:
                reading = self._reading(die, reading.doubts | Doubt.COVERED)
            if hidden < 0.6:
                readings.append(reading)
        for flight in moment.flying:
            if flight.die is not None:
                x, y, _ = flight.place(t)
                there = Die(int(self._rng.integers(10)), x, y, float(self._rng.uniform(-3, 3)))
                readings.append(self._reading(there, Doubt.UNSURE))
        return tuple(readings)

    def _reading(self, die: Die, doubts: Doubt) -> DieReading:
        look = self._evening.look
        center = die.center(look.die_mm)
        points = np.vstack(
            [
                center,
                center + look.die_mm * shape.KITES[die.face] @ die.turn.T,
                center + look.die_mm * shape.VERTICES @ die.turn.T,
            ]
        )
        pixels = look.camera.project(points)
        motion = self._evening.weather.motion(self._source.exposed)
        if motion is not None:
            pixels = pixels @ motion[:, :2].T + motion[:, 2]
        x, y = pixels[0] + self._rng.normal(0, 0.4, 2)
        low, high = pixels[5:].min(axis=0), pixels[5:].max(axis=0)
        box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        sighting = Sighting((float(x), float(y)), box, 0.9, pixels[1:5].astype(np.float32), 0.0)
        probabilities = np.full(10, 0.001, np.float32)
        probabilities[die.face] = 0.991
        return DieReading(sighting, probabilities, doubts)
