"""Paints what is to be seen on a simulated table, with as little work a picture as possible."""

from __future__ import annotations

import math

import numpy as np

from boxcars.sim import shape
from boxcars.sim.casting import Bytes, DieCaster, Sprite
from boxcars.sim.film import Die, Flight, HandPath, Moment, Motion
from boxcars.sim.hand import draw_hand
from boxcars.sim.look import Look
from boxcars.sim.tray import draw_tray

_TUMBLING = 24
"""So many pictures of a die turned anyhow serve for all rolling dice."""
_LAST_ROLL = 0.86
"""From this share of its way on a die slides on its last face."""
_EXPOSURE = 1 / 45
"""Seconds for which the shutter is open: what moves is smeared."""
_SHARPNESS = 1.6
_HEADINGS_DEG = 15
"""Hands are drawn in directions so far apart."""
_DICE_KEPT, _HANDS_KEPT = 32, 4
"""Pictures of so many dice and hands are kept; a die takes 0.2 MB, a hand 8 MB."""


class Painter:
    """Pictures of one table, without the camera's own faults."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.empty = draw_tray(look)
        """The tray without dice."""
        self._caster = DieCaster(look)
        self._sprites: dict[Die, tuple[Sprite, Sprite]] = {}
        self._hands: dict[tuple[int, int], Sprite] = {}
        self._laid: tuple[tuple[Die, ...], Bytes] = ((), self.empty)
        self._tumbling = self._tumble()

    def paint(self, moment: Moment) -> Bytes:
        """The picture `(HEIGHT, WIDTH, 3)` of this moment; it must not be written to."""
        picture = self._lay(moment.lying)
        if not moment.flying and not moment.hands:
            return picture
        picture = picture.copy()
        for flight in moment.flying:
            self._draw_flying(picture, flight, moment.t)
        for hand in moment.hands:
            self._draw_hand(picture, hand, moment.t)
        return picture

    def _lay(self, dice: tuple[Die, ...]) -> Bytes:
        if not dice:
            return self.empty
        if self._laid[0] != dice:
            picture = self.empty.copy()
            # What lies higher, on other dice, comes last.
            sprites = [self._sprite(die) for die in sorted(dice, key=lambda die: die.on)]
            for shadow, _ in sprites:
                shadow.over(picture)
            for _, body in sprites:
                body.over(picture)
            self._laid = (dice, picture)
            if len(self._sprites) > _DICE_KEPT:
                self._sprites = {die: self._sprites[die] for die in dice}
        return self._laid[1]

    def _sprite(self, die: Die) -> tuple[Sprite, Sprite]:
        if die not in self._sprites:
            center, turn = die.center(self.look.die_mm), die.turn
            shadow = self._caster.shadow(center, turn, die.on)
            self._sprites[die] = shadow, self._caster.die(center, turn, _SHARPNESS)
        return self._sprites[die]

    def _tumble(self) -> list[tuple[Sprite, Sprite]]:
        """Shadow and body of dice turned anyhow, in the middle of the tray."""
        rng = np.random.default_rng([self.look.seed, 4])
        center = np.array([0.0, 0.0, self.look.die_mm])
        sprites = []
        for _ in range(_TUMBLING):
            turn = shape.lying(int(rng.integers(10)), rng.uniform(-math.pi, math.pi))
            turn = shape.lean(turn, rng.uniform(-math.pi, math.pi), rng.uniform(0.3, 1.2))
            sprites.append((self._caster.shadow(center, turn), self._caster.die(center, turn, 1.0)))
        return sprites

    def _draw_flying(self, picture: Bytes, flight: Flight, t: float) -> None:
        x, y, high = flight.place(t)
        before = flight.place(t - _EXPOSURE)
        radius = self.look.die_mm
        here, floor, then = self.look.camera.project(
            np.array([[x, y, radius + high], [x, y, radius], [before[0], before[1], radius]])
        )
        smear = np.abs(here - then) if high else np.abs(floor - then)
        across, down = min(40, round(float(smear[0]))), min(40, round(float(smear[1])))
        sliding = flight.motion is Motion.SLIDE or flight.rolled(t) > _LAST_ROLL
        if sliding and flight.die is not None:
            shadow, body = self._sprite(flight.die)
            home = self.look.camera.project(flight.die.center(radius))[0]
        else:
            # Another side shows about every 18 mm of the way.
            way = math.hypot(flight.to[0] - flight.x, flight.to[1] - flight.y)
            step = int(way * flight.rolled(t) / 18)
            shadow, body = self._tumbling[(step * 7 + flight.seed) % _TUMBLING]
            home = self.look.camera.project(np.array([0.0, 0.0, radius]))[0]
        sx, sy = (round(float(v)) for v in floor - home)
        bx, by = (round(float(v)) for v in here - home)
        shadow.over(picture, sx, sy)
        body.blurred(across, down).over(picture, bx, by)

    def _draw_hand(self, picture: Bytes, path: HandPath, t: float) -> None:
        place = path.place(t)
        if place is None:
            return
        key = (path.player, round(math.degrees(path.heading) / _HEADINGS_DEG))
        if key not in self._hands:
            mid = np.array([[0.0, 0.0, 40.0], [1.0, 0.0, 40.0]])
            scale = float(np.linalg.norm(np.subtract(*self.look.camera.project(mid))))
            hand = self.look.hands[path.player % len(self.look.hands)]
            while len(self._hands) >= _HANDS_KEPT:
                del self._hands[next(iter(self._hands))]
            self._hands[key] = draw_hand(
                hand, self.look.light, scale, math.radians(_HEADINGS_DEG * key[1])
            )
        x, y = self.look.camera.project(np.array([[*place, 15.0]]))[0]
        self._hands[key].over(picture, round(float(x)), round(float(y)))
