"""Playing many simulated games, several at a time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

import cv2

from boxcars.sim.evening import troubled_evening
from boxcars.sim.trial import GameReport, play
from vision.remembering import RememberingReader


def play_seed(seed: int) -> GameReport:
    """Play the troubled evening of this seed, watched as `boxcars play` watches a camera."""
    # Each game has one core for itself.
    cv2.setNumThreads(1)
    # Another evening has another camera: nothing is remembered from one to the next.
    return play(troubled_evening(seed), RememberingReader())


def play_seeds(seeds: Iterable[int], jobs: int) -> Iterator[GameReport]:
    """Play these evenings, `jobs` at a time; reports come in the order of the seeds."""
    if jobs == 1:
        yield from map(play_seed, seeds)
        return
    # Forking a process in which threads run is asking for trouble.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(play_seed, seeds)
