"""Hands over simulated tables are told from light and shadow, whatever skin lies on whatever floor.

Each table here once hid a hand: dark skin on a dark floor, an arm that covers more edges of rim
and table than it has itself, or a hand of which its own shadow is most that is seen.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxcars.sim.film import HandPath, Moment
from boxcars.sim.look import draw_look
from boxcars.sim.painter import Painter
from vision.compare import SMALL_WIDTH, shrink
from vision.cover import Background, box_mask

DIE = 24.0
"""A die's size in the small picture."""
AT_REST = ((-80.0, 0.0), (0.0, -40.0), (0.0, 35.0), (80.0, 35.0))
"""Where the palm lies, millimetres from the tray's middle."""


@pytest.mark.parametrize("seed", [1000, 1005, 1011, 3016, 3019])
def test_a_resting_hand_is_found_hides_what_is_under_it_and_is_not_learned(seed: int) -> None:
    look = draw_look(seed)
    painter = Painter(look)
    empty = shrink(painter.empty)
    nothing = np.zeros(empty.shape[:2], np.uint8)
    for palm in AT_REST:
        hand = HandPath(0, -math.pi / 2, ((0.0, *palm), (1.0, *palm)))
        small = shrink(painter.paint(Moment(0.5, (), (), (hand,))))
        background = Background()
        background.learn(empty, nothing, 0.0)
        cover = background.cover(small, nothing, DIE, 1.0)
        assert cover.has_hand
        x, y = look.camera.project(np.array([[*palm, 15.0]]))[0] * SMALL_WIDTH / 1280
        box = (x - DIE / 2, y - DIE / 2, x + DIE / 2, y + DIE / 2)
        under = box_mask([box], empty.shape, 1.0, 0.6)
        assert cover.hand_hides(under)
        background.learn(small, cover.around(DIE / 2), 1.0)
        again = background.cover(small, nothing, DIE, 1.0)
        assert again.hand_hides(under), "no part of the hand passes for the table"
