"""Collecting views of the board: each different one, once it is seen to lie still."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardView, detect
from calibration.lens import Lens
from calibration.lens_fit import LensFit, LensUnclear, fit_lens
from calibration.tray import TrayFit, TrayUnclear, tray_from_board

Image = NDArray[np.uint8]

STILL_S = 0.5
"""The board must lie still for so long."""

STILL_PX = 0.004
"""Its corners may move this share of the picture's width meanwhile: noise."""

DIFFERENT = 0.04
"""A view is another one when its corners moved by this share of the picture's width."""

ENOUGH_VIEWS = 12
"""With so many views more are not worth the while."""


class Step(StrEnum):
    """What a picture brought."""

    NO_BOARD = "no-board"
    HOLD_STILL = "hold-still"
    KNOWN = "known"
    """This view is already there: show it from another side."""
    TAKEN = "taken"


class Shown(StrEnum):
    """How pictures come."""

    AS_STILLS = "stills"
    """Each one taken on purpose."""
    AS_FILM = "film"
    """One after the other: the board must be seen to lie still."""


@dataclass(frozen=True, slots=True)
class BoardResult:
    """The tray as the last view shows it, and the lens if the views tell it.

    `notes` are sentences for the user: which views were left out, why the lens is unknown.
    """

    tray: TrayFit
    lens: LensFit | None
    notes: tuple[str, ...]


class BoardCollector:
    """Takes the views of the board that differ, from pictures pushed in order of time."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self.views: list[BoardView] = []
        self._held: tuple[float, BoardView] | None = None

    @property
    def enough(self) -> bool:
        """Whether there are as many views as are worth the while."""
        return len(self.views) >= ENOUGH_VIEWS

    @property
    def last_is_due(self) -> bool:
        """Whether the next view makes enough of them, and so must be the board in the tray."""
        return len(self.views) == ENOUGH_VIEWS - 1

    def push(self, t: float, image: Image) -> Step:
        """Look at a picture, seen at `t` seconds."""
        view = detect(image)
        if view is None or not view.enough:
            self._held = None
            return Step.NO_BOARD
        if self._shown is Shown.AS_FILM:
            if self._held is None or _apart(self._held[1], view) > STILL_PX:
                self._held = (t, view)
                return Step.HOLD_STILL
            if t - self._held[0] < STILL_S:
                return Step.HOLD_STILL
        if any(_apart(known, view) < DIFFERENT for known in self.views):
            return Step.KNOWN
        self.views.append(view)
        return Step.TAKEN

    def result(self) -> BoardResult:
        """What the views tell; the last one is the board as it lies in the tray.

        Raises `TrayUnclear` if that one does not tell the tray's plane, or is a picture of another
        size than those that tell the lens.
        """
        notes: list[str] = []
        lens_fit: LensFit | None = None
        if len(self.views) > 1:
            try:
                lens_fit = fit_lens(self.views)
            except LensUnclear as error:
                notes.append(f"The lens stays unmeasured: {error}")
        if lens_fit is not None:
            notes += [
                f"View {k + 1} was left out: {why.value}." for k, why in lens_fit.dropped.items()
            ]
        lens: Lens | None = None if lens_fit is None else lens_fit.lens
        last = self.views[-1] if self.views else _no_view()
        if lens is not None and last.size != lens.size:
            raise TrayUnclear(
                f"The last view of the board is {last.size[0]} × {last.size[1]} pixels and those "
                f"that tell the lens are {lens.size[0]} × {lens.size[1]}; show it in the tray "
                "again in a picture of their size."
            )
        return BoardResult(tray_from_board(last, lens), lens_fit, tuple(notes))


def _no_view() -> BoardView:
    return BoardView((1, 1), np.empty(0, np.int32), np.empty((0, 2)), np.empty((0, 2)))


def _apart(one: BoardView, other: BoardView) -> float:
    """How far the corners that both views show moved at most, as a share of the picture's width.

    1 where they share too few.
    """
    both, mine, theirs = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(both) < 4 or one.size != other.size:
        return 1.0
    moved = np.linalg.norm(one.pixels[mine] - other.pixels[theirs], axis=1)
    return float(moved.max() / one.size[0])
