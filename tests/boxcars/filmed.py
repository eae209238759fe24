"""A filmed beginning of a game, of coloured squares as dice, and playing films as a game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from boxcars.journal import FILE_NAME, Journal
from boxcars.recorder import Recorder
from boxcars.session import Session
from scoring.events import Event
from tests.vision.films import OUTSIDE, TEN, Die, Film, SquareReader
from vision.records import Frame, Image
from vision.settle import Settler

FPS = 20.0


@dataclass
class _Camera(Film):
    """Keeps the frames instead of settling them."""

    frames: list[Frame] = field(default_factory=list)

    def push(self, image: Image) -> None:
        self.frames.append(Frame(self.clock, image))
        self.clock += 1 / self.fps


@cache
def filmed_turn() -> tuple[Frame, ...]:
    """A turn with a pick-up, a quick pick-up and a stand, and the next roll."""
    film = _Camera(fps=FPS)
    film.rest(1.0)
    film.throw(TEN)
    film.rest(1.5)
    film.pick_up(5, 8, 3)
    film.rest(1.0)
    film.throw([Die(60, 150, 2), Die(110, 150, 4), Die(160, 150, 6)])
    film.rest(6.0)
    film.pick_up(2, 4)
    film.throw([Die(60, 150, 9), Die(110, 150, 1)])  # at once: a quick pick-up
    film.rest(1.5)
    film.move_hand(OUTSIDE, (150, 100), 0.6)
    film.dice = ()
    film.move_hand((150, 100), OUTSIDE, 0.6)
    film.rest(1.0)
    film.throw(TEN)
    film.rest(1.5)
    return tuple(film.frames)


def play(frames: Iterable[Frame], data: Path, recorder: Recorder | None = None) -> list[Event]:
    """Referee these frames as a game; each frame and event is recorded as it is told."""
    data.mkdir(exist_ok=True)
    with Journal(data / FILE_NAME) as journal:
        session = Session.begin(journal, ["Ann"], started="", source="film")
        settler = Settler(SquareReader())
        events: list[Event] = []
        for frame in frames:
            if recorder:
                recorder.frame(frame)
            view = settler.push(frame)
            for event in session.see(view) if view else ():
                events.append(event)
                if recorder:
                    recorder.event(event)
    return events
