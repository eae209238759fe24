"""Several looks at dice that lie still, fused die by die: votes, never averages.

A face is certain when enough looks were certain of it, more looks than not saw it, and not
one look was ever certain of another. Where a look found the die leaning it takes more of them: a
die that seems to lean now and then does. Any other doubtful look says nothing for or against a
face; so what was certain of a die stays so while nobody touches it.
Two faces that were each certain once stay a doubt as long as the dice lie still: later
agreement could be the same mistake made often.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.records import LEANING, DieReading, Doubt

SAME_PLACE = 0.35
"""Two sightings are of one die if their centres are closer than this share of its size."""

UNMOVED = 0.15
"""A die that still lies where it lay is found again within this share of its size."""

PUSHED = 2.0
"""A die that shows the same face so many sizes away was perhaps pushed or knocked there. Raising it
takes dice that were thrown for such."""

TURNED = 0.5
"""A die turned by so many radians lies differently."""


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """How many looks it takes."""

    votes: int = 3
    """So many certain looks make a face certain; more is safer and slower."""
    looks: int = 2
    """So many looks are taken even where all that lies there was known before."""
    window: int = 7
    """Doubtful looks older than this many are forgotten; certain ones never are."""


DEFAULT_FUSION = FusionSettings()


def pair(
    first: Sequence[DieReading], second: Sequence[DieReading], within: float = SAME_PLACE
) -> list[tuple[int, int]]:
    """Which die of `first` is which of `second`, by place alone: index pairs, nearest first.

    Each die is used once; `within` is the largest distance of centres, in die sizes.
    """
    if not first or not second:
        return []
    distances = np.array([[_apart(a, b) for b in second] for a in first])
    pairs: list[tuple[int, int]] = []
    for flat in np.argsort(distances, axis=None):
        row, column = divmod(int(flat), len(second))
        if distances[row, column] > within:
            break
        if all(row != a and column != b for a, b in pairs):
            pairs.append((row, column))
    return pairs


def moved_and_new(
    before: Sequence[DieReading], now: Sequence[DieReading]
) -> tuple[list[DieReading], list[DieReading]] | None:
    """The dice of those `before` that do not lie where they lay, and those `now` where none did;
    None if one that lies where it lay reads otherwise."""
    pairs = pair(before, now, UNMOVED)
    if any(before[a].face != now[b].face for a, b in pairs):
        return None
    stayed, there = {a for a, _ in pairs}, {b for _, b in pairs}
    moved = [die for index, die in enumerate(before) if index not in stayed]
    return moved, [die for index, die in enumerate(now) if index not in there]


def added(before: Sequence[DieReading], now: Sequence[DieReading]) -> list[DieReading] | None:
    """The dice that came to those `before`; None unless each of those lies where it lay and reads
    as it did."""
    changed = moved_and_new(before, now)
    if changed is None:
        return None
    moved, new = changed
    return None if moved else new


def turned(first: DieReading, second: DieReading) -> float:
    """By how much one is turned against the other: radians, 0 to pi."""
    angle = first.sighting.angle - second.sighting.angle
    return abs(math.remainder(angle, math.tau))


class Looks:
    """The looks since the dice came to rest.

    `untouched` are the readings of dice that still lie, to the pixel, where earlier looks saw
    them: what those were certain of counts.
    """

    def __init__(
        self, untouched: Sequence[DieReading] = (), settings: FusionSettings = DEFAULT_FUSION
    ) -> None:
        self._settings = settings
        self._untouched = [reading for reading in untouched if reading.face is not None]
        self._tracks: list[_Track] = []
        self.count = 0
        self.agree = False
        """Another look could hardly change anything."""

    def add(self, readings: Sequence[DieReading]) -> None:
        """Take one more look; looks at dice that turn out to have moved are forgotten.

        Not that a die leaned: one that leans is now found here, now there, and did not move.
        """
        leant: list[DieReading] = []
        if self._has_moved(readings):
            leant = [reading for track in self._tracks for reading in track.leaning]
            self._tracks, self.count = [], 0
        pairs = dict(pair([track.last for track in self._tracks], readings))
        for index, track in enumerate(self._tracks):
            track.add(readings[pairs[index]] if index in pairs else None)
        for index in set(range(len(readings))) - set(pairs.values()):
            self._tracks.append(self._new_track(readings[index], leant))
        self._tracks = [t for t in self._tracks if t.missed < self._settings.window]
        self.count += 1
        self.agree = self._agreeing()

    def goes_on(self, readings: Sequence[DieReading]) -> bool:
        """Whether these are the same dice still, each where it lay and as it lay."""
        last = [track.last for track in self._tracks if track.is_there]
        pairs = pair(last, readings, UNMOVED)
        return len(last) == len(readings) == len(pairs) > 0 and all(
            None in (last[a].face, readings[b].face)
            or (last[a].face == readings[b].face and turned(last[a], readings[b]) < TURNED)
            for a, b in pairs
        )

    @property
    def readings(self) -> tuple[DieReading, ...]:
        """One fused reading for each die that at least half of the recent looks saw."""
        return tuple(self._fused(track) for track in self._tracks if track.is_there)

    def _agreeing(self) -> bool:
        if not self._tracks:
            return self.count >= self._settings.votes
        return self.count >= self._settings.looks and all(
            track.missed >= self._settings.votes
            or (track.is_steady and self._fused(track).face is not None)
            for track in self._tracks
        )

    def _new_track(self, reading: DieReading, leant: Sequence[DieReading]) -> _Track:
        before: list[DieReading | None] = [die for die in leant if _jumped(die, reading)]
        before += [None] * min(self.count, self._settings.window - 1)
        return _Track(reading, before, self._settings.window)

    def _has_moved(self, readings: Sequence[DieReading]) -> bool:
        last = [track.last for track in self._tracks]
        return any(_apart(last[a], readings[b]) > UNMOVED for a, b in pair(last, readings))

    def _fused(self, track: _Track) -> DieReading:
        known = pair(self._untouched, [track.last], UNMOVED)
        return track.fused(self._settings.votes, self._untouched[known[0][0]] if known else None)


class _Track:
    """One die through the looks; `before` are those that missed it, or found it leaning."""

    def __init__(
        self, reading: DieReading, before: Iterable[DieReading | None], window: int
    ) -> None:
        self.last = reading
        self._best: dict[int, DieReading] = {}
        """For every face that a look was ever certain of, the surest such look."""
        self._recent: deque[DieReading | None] = deque(before, maxlen=window)
        self.add(reading)

    def add(self, reading: DieReading | None) -> None:
        self._recent.append(reading)
        if reading is None:
            return
        self.last = reading
        if reading.face is None:
            return
        best = self._best.get(reading.face)
        if best is None or reading.confidence > best.confidence:
            self._best[reading.face] = reading

    @property
    def is_there(self) -> bool:
        return 2 * len(self._seen) >= len(self._recent)

    @property
    def missed(self) -> int:
        """So many of the latest looks in a row did not see it."""
        backwards = enumerate(reversed(self._recent))
        return next((n for n, seen in backwards if seen is not None), len(self._recent))

    @property
    def is_steady(self) -> bool:
        """Seen by all recent looks."""
        return None not in self._recent

    @property
    def leaning(self) -> list[DieReading]:
        """The recent looks that found it leaning."""
        return [reading for reading in self._seen if reading.doubts & LEANING]

    @property
    def _seen(self) -> list[DieReading]:
        return [reading for reading in self._recent if reading is not None]

    def fused(self, votes_needed: int, known: DieReading | None) -> DieReading:
        """All looks as one reading; `known` is what was certain before, of a die untouched."""
        best = dict(self._best)
        if known is not None:
            best.setdefault(known.likeliest, known)
        if len(best) > 1:
            return _disputed(list(best.values()))
        if known is not None:
            return best[known.likeliest]
        votes = [reading for reading in self._seen if reading.face is not None]
        votes_needed *= 1 + len(self.leaning)
        if len(votes) >= votes_needed and 2 * len(votes) > len(self._recent):
            return max(votes, key=lambda reading: reading.confidence)
        doubtful = [reading for reading in self._seen if reading.face is None] or self._seen
        doubts = _all_doubts(doubtful) or Doubt.UNSURE
        return replace(max(doubtful, key=lambda reading: reading.confidence), doubts=doubts)


def _disputed(best: Sequence[DieReading]) -> DieReading:
    """The dispute as one reading: unsure, with all the faces that were certain once likely."""
    probabilities = np.maximum.reduce([reading.probabilities for reading in best])
    return replace(
        max(best, key=lambda reading: reading.confidence),
        probabilities=(probabilities / probabilities.sum()).astype(np.float32),
        doubts=Doubt.UNSURE,
    )


def _all_doubts(readings: Iterable[DieReading]) -> Doubt:
    doubts = Doubt.NONE
    for reading in readings:
        doubts |= reading.doubts
    return doubts


def _jumped(first: DieReading, second: DieReading) -> bool:
    """Whether one die was found here and there."""
    return UNMOVED < _apart(first, second) <= SAME_PLACE


def _apart(first: DieReading, second: DieReading) -> float:
    """Distance of the centres in die sizes."""
    apart = math.dist(first.sighting.center, second.sighting.center)
    return apart / max(1.0, min(first.sighting.size, second.sighting.size))
