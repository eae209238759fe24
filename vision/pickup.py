"""Pick-ups seen as they happen: which dice of a view still lie there, which are plainly gone.

Dice may be back in the air before the picture was ever still. But a die that nobody touched
looks as it did, and where a die is gone the bare tray shows; so long as every die is the one
or the other, what was picked up is known, even while the hand is still in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.compare import Mask, difference
from vision.cover import Background, box_mask
from vision.fuse import PUSHED, moved_and_new, pair
from vision.records import DieReading, Frame, Image


@dataclass(frozen=True, slots=True)
class PickUpSettings:
    """When a die is still there, gone, or neither for certain."""

    min_change: float = 20.0
    """Grey levels from which on a place looks different; see `CoverSettings.min_change`."""
    noise_factor: float = 5.0
    """A difference is at least this many times the picture's own noise."""
    altered_share: float = 0.1
    """A die is untouched if no more than this share of its place looks different …"""
    bare_share: float = 0.25
    """… and a place bare if no more than this: a neighbour's shadow may fall on it; …"""
    bare_level: float = 12.0
    """… and if it differs by no more than so many grey levels on the average, under a hand of the
    floor's colour by more."""
    known_share: float = 0.7
    """A place can be called bare if so much of its background was seen before."""
    hand_dice: float = 0.2
    """The tray is clear if nothing is left that covers so many dice's area."""
    frames: int = 2
    """So many frames must show the pick-up, and the tray clear."""
    clear_s: float = 0.04
    """The tray must be clear for so many seconds."""
    clear_empty_s: float = 0.4
    """The same when no die is left: an emptied tray ends a turn."""


DEFAULT_PICK_UP = PickUpSettings()


@dataclass(frozen=True, slots=True, eq=False)
class PickUp:
    """Some dice of a view are gone: `kept` are those left, `first` the frame that showed it.

    `frames` have shown it so far, under a hand or not; the latest `clear_frames` of them, from
    the time `clear_since`, showed nothing else in the tray: no hand, and no die pushed elsewhere.
    `was_clear` if any did. `hurried` if more may have been picked up unseen before the next throw.
    """

    first: Frame
    kept: tuple[DieReading, ...]
    frames: int = 1
    clear_frames: int = 0
    clear_since: float = 0.0
    was_clear: bool = False
    hurried: bool = False


class PickUpWatch:
    """Follows the dice of one view from frame to frame, by small pictures alone.

    `readings` are the view's dice and `small` its small picture; `scale` is the small
    picture's width over the frame's, `die_px` a die's size in the small picture.
    """

    def __init__(
        self,
        readings: Sequence[DieReading],
        small: Image,
        scale: float,
        die_px: float,
        settings: PickUpSettings = DEFAULT_PICK_UP,
    ) -> None:
        self._readings = tuple(readings)
        self._small = small
        self._scale = scale
        self._die_px = die_px
        self._settings = settings
        self._places = [self._mask([reading], 0.0) > 0 for reading in self._readings]
        self._latest: PickUp | None = None
        self._clear: PickUp | None = None
        """The latest that was seen for certain, if dice kept then have left their places since."""

    def of_kept(self, kept: Sequence[DieReading]) -> PickUpWatch:
        """The same watch over those dice that were kept."""
        return PickUpWatch(kept, self._small, self._scale, self._die_px, self._settings)

    def push(self, frame: Frame, small: Image, background: Background, noise: float) -> None:
        """Take the next frame and its small picture."""
        if small.shape != self._small.shape:
            self._interrupt()
            return
        untouched = self.untouched(small, noise)
        bare = self._bare(small, background, noise)
        kept = self._kept(untouched, bare)
        if kept is None:
            self._see_hidden(bare)
            return
        if len(kept) == len(self._readings):
            self._latest = self._clear = None
            return
        latest = self._latest
        if latest is None or latest.kept != kept:
            self._leave_latest(kept)
            latest = PickUp(frame, kept, frames=0)
        self._latest = replace(latest, frames=latest.frames + 1)
        if self._has_more(kept, small, background, noise):
            self._interrupt()
        else:
            since = latest.clear_since if latest.clear_frames else frame.t
            self._latest = replace(
                self._latest,
                clear_frames=latest.clear_frames + 1,
                clear_since=since,
                was_clear=True,
            )

    def untouched(self, small: Image, noise: float) -> tuple[DieReading, ...]:
        """The dice whose places look as they did when the view was given."""
        if small.shape != self._small.shape:
            return ()
        altered = self._altered(small, noise)
        return tuple(
            reading
            for reading, place in zip(self._readings, self._places, strict=True)
            if np.count_nonzero(altered & place)
            <= self._settings.altered_share * np.count_nonzero(place)
        )

    def finished(self, t: float) -> PickUp | None:
        """The pick-up, if by the frame of time `t` the hand has left with the dice."""
        latest, settings = self._latest, self._settings
        if latest is None or latest.clear_frames < settings.frames:
            return None
        clear_s = settings.clear_s if latest.kept else settings.clear_empty_s
        return latest if t - latest.clear_since >= clear_s else None

    def before_throw(self, thrown: Sequence[DieReading]) -> PickUp | None:
        """The pick-up that came before the `thrown` dice came to lie among those kept.

        None if none was seen for certain: a die that left its place in sight may have been
        pushed aside. Where dice kept lie elsewhere now, but not far away and with their faces,
        the thrown ones have knocked against them; but more may have been picked up unseen.
        """
        for seen in (self._latest, self._clear):
            if seen is None or not self._is_certain(seen):
                continue
            changed = moved_and_new(seen.kept, thrown)
            if changed is None:
                continue
            moved, new = changed
            if len(new) > len(moved) and _are_pushed(moved, new):
                return replace(seen, hurried=bool(moved))
        return None

    def _is_certain(self, seen: PickUp) -> bool:
        return seen.was_clear and seen.frames >= self._settings.frames

    def _see_hidden(self, bare: Sequence[DieReading]) -> None:
        """A frame in which dice are out of sight may still show that those picked up are gone."""
        latest = self._latest
        if latest is not None and all(
            (die in bare) != (die in latest.kept) for die in self._readings
        ):
            self._latest = replace(latest, frames=latest.frames + 1)
        self._interrupt()

    def _leave_latest(self, kept: tuple[DieReading, ...]) -> None:
        """Dice that are not those kept until now are: thrown ones may have knocked some away."""
        latest = self._latest
        if latest is not None and self._is_certain(latest):
            self._clear = latest
        if self._clear is not None and not all(die in self._clear.kept for die in kept):
            self._clear = None

    def _bare(self, small: Image, background: Background, noise: float) -> tuple[DieReading, ...]:
        """The dice at whose places the tray shows."""
        differs, known = background.compare(small, noise)
        levels = background.change(small)
        settings = self._settings

        def is_bare(place: NDArray[np.bool_]) -> bool:
            area = np.count_nonzero(place)
            return bool(
                np.count_nonzero(known & place) >= settings.known_share * area
                and np.count_nonzero(differs & place) <= settings.bare_share * area
                and levels[place].sum() <= settings.bare_level * area
            )

        return tuple(
            reading
            for reading, place in zip(self._readings, self._places, strict=True)
            if is_bare(place)
        )

    def _kept(
        self, untouched: tuple[DieReading, ...], bare: tuple[DieReading, ...]
    ) -> tuple[DieReading, ...] | None:
        """The dice still there, if each is certainly there or certainly gone."""
        if any((reading in untouched) == (reading in bare) for reading in self._readings):
            return None
        return untouched

    def _has_more(
        self, kept: Sequence[DieReading], small: Image, background: Background, noise: float
    ) -> bool:
        """Whether there is something else, that was not there when the view was given."""
        # A die pushed aside may lie in the shadow of another; what looks as it did is none.
        cover = background.cover(small, self._mask(kept, 0.0), self._die_px, noise)
        more = np.count_nonzero((cover.objects > 0) & self._altered(small, noise))
        return bool(more > self._settings.hand_dice * self._die_px**2)

    def _altered(self, small: Image, noise: float) -> NDArray[np.bool_]:
        """Where the picture looks different from when the view was given."""
        threshold = max(self._settings.min_change, self._settings.noise_factor * noise)
        return np.asarray(difference(self._small, small) > threshold, np.bool_)

    def _interrupt(self) -> None:
        """The hand is back, or dice are out of sight."""
        if self._latest is not None:
            self._latest = replace(self._latest, clear_frames=0)

    def _mask(self, readings: Sequence[DieReading], margin: float) -> Mask:
        boxes = [reading.sighting.box for reading in readings]
        return box_mask(boxes, self._small.shape, self._scale, margin)


def _are_pushed(moved: Sequence[DieReading], new: Sequence[DieReading]) -> bool:
    """Whether each of the dice that moved shows its face, not far away, among the new ones."""
    found = 0
    for face in {die.face for die in moved if die.face is not None}:
        before, after = ([die for die in dice if die.face == face] for dice in (moved, new))
        found += len(pair(before, after, PUSHED))
    return found == len(moved)
