"""The simulated table: a game of Box Cars as a webcam would see it, with no camera at all.

What truly happens there is known to tests only; the reader sees pictures.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from boxcars.sim.evening import Evening, calm_evening
from boxcars.sim.film import Deed, Trouble, Truth
from boxcars.sim.source import SimSource
from boxcars.source_names import SIMULATED
from vision.sources import SourceError

__all__ = ["DEMO_SEED", "Deed", "Evening", "SimSource", "Trouble", "Truth", "open_sim"]

DEMO_SEED = 13
"""The evening that `sim` alone names."""


def open_sim(
    spec: str = SIMULATED,
    *,
    fast: bool = False,
    players: int = 1,
    since: float = 0.0,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> SimSource:
    """Open the simulated table: `sim` for the game of the demo, `sim:SEED` for another one.

    With `fast`, frames come as fast as they are taken. `players` take turns. The evening is
    joined `since` seconds after its beginning.

    Raises:
        SourceError: `spec` names no simulated table.
    """
    name, _, seed = spec.partition(":")
    if name != SIMULATED or (seed and not seed.isdecimal()) or spec == f"{SIMULATED}:":
        raise SourceError(f"{spec} is no simulated table: write sim, or sim:7 for another one.")
    evening = calm_evening(int(seed) if seed else DEMO_SEED, players)
    return SimSource(evening, fast=fast, since=since, clock=clock, sleep=sleep)
