"""From frames to settled views: says when the dice lie still, and what they show then.

A view is given when the picture has been still for a moment, several looks at the dice
agree, no hand hides what is missing, and something differs from the view before. Between
such moments only small pictures are compared; the nets sleep. Where looks do not agree,
the view is given with its doubts after a while, and looked at again, ever more rarely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import numpy as np

from vision.compare import Mask, shrink
from vision.cover import SHADOW, Background, Cover, box_mask
from vision.fuse import (
    DEFAULT_FUSION,
    PUSHED,
    TURNED,
    UNMOVED,
    FusionSettings,
    Looks,
    added,
    pair,
    turned,
)
from vision.light import Light
from vision.motion import Stillness
from vision.pickup import PickUp, PickUpWatch
from vision.records import DieReading, Doubt, Frame, Image, TrayView
from vision.sources import Source


class Reader(Protocol):
    """Whatever finds and reads the dice in a picture."""

    def read(self, image: Image) -> tuple[DieReading, ...]:
        """Every die in `image`, each with its evidence."""
        ...


class Scene(StrEnum):
    """What is going on in the tray."""

    MOVING = "moving"
    LOOKING = "looking"
    """Still, but the looks do not agree yet."""
    HAND = "hand"
    """Still, but something lies over the tray that hides dice or may be at work there."""
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class SettleSettings:
    """How patient the settler is, in seconds of source time."""

    still_s: float = 0.09
    """The first look comes when nothing has moved for so long; less reads rolling dice."""
    look_every_s: float = 0.03
    """Looks are at least so far apart: the noise must have changed."""
    look_again_s: float = 0.1
    """Looks are so far apart once the first ones did not agree."""
    doubt_after_s: float = 0.45
    """Still for so long without agreement, a view is given with its doubts."""
    empty_s: float = 0.4
    """A tray without dice must be still for so long: it ends a turn."""
    reread_after_s: float = 0.25
    """A doubtful view is looked at again after this time, then after twice that, …"""
    reread_at_most_s: float = 4.0
    """… up to this time."""
    hand_s: float = 1.5
    """A hand that hides no die is waited for so long: it may be picking up; and what looks nearly
    like the floor, where a die lay: then it is a shadow over a bare place."""
    covered_s: float = 1.0
    """Something small may lie over a die for so long before the die is said to be covered."""
    overlooked_s: float = 0.3
    """Frames further apart than this, something moving, or a rest as long that nobody read, may
    have hidden a whole throw. Raising it judges a slow computer's games more boldly."""
    thrown_s: float = 0.2
    """The same for a rest in which more dice lay there than before: that was a throw."""
    refresh_s: float = 1.0
    """So often the background is learned anew while the dice rest."""
    faint: float = 0.36
    """A doubtful find with a score below this is no die; raising it overlooks faint dice."""
    faint_alone: float = 0.5
    """The same for a find that is alone in the tray, where shadows and grain look like dice."""
    faint_beside: float = 0.25
    """The same for a find beside a certain die, no further from it than …"""
    near: float = 1.3
    """… so many sizes: it may be half covered by that one."""
    largest_share: float = 0.3
    """No die is larger than this share of the picture's width."""


DEFAULT_SETTLE = SettleSettings()

_MOVED = 0.3
"""A die whose centre moved by this share of its size lies elsewhere."""
_AROUND = 0.6
"""Whether a die is hidden shows within this distance around it, as a share of its size."""
_FRINGE = 0.5
"""So far around what covers the tray nothing is learned, as a share of a die's size."""
_DIE_SHARE = 0.05
"""A die's size as a share of the picture's width, until one has been seen."""


class StillSettler:
    """Settled views from pictures taken on purpose: each one is a view by itself."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def push(self, frame: Frame) -> TrayView:
        """The view of this picture."""
        readings = self._reader.read(frame.image)
        return TrayView(frame.t, readings, settled=True, hand=False, picture=frame)

    def look_anew(self) -> None:
        """The next picture is a view in any case."""

    def camera_moved(self) -> None:
        """Nothing is known of the pictures before."""


class Settler:
    """Settled views from the frames of a camera or a film; time comes from the frames alone."""

    def __init__(
        self,
        reader: Reader,
        settings: SettleSettings = DEFAULT_SETTLE,
        fusion: FusionSettings = DEFAULT_FUSION,
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._fusion = fusion
        self._light = Light()
        self._stillness = Stillness()
        self._background = Background()
        self._scene = Scene.MOVING
        self._view: TrayView | None = None
        self._looks = Looks()
        self._unfinished: Looks | None = None
        self._watch: PickUpWatch | None = None
        self._veiled: TrayView | None = None
        """The view that was not given since something may have lain over a bare place."""
        self._next_look = 0.0
        self._reread_s = 0.0
        self._refreshed = 0.0
        self._die_share = _DIE_SHARE
        self._seen_to = 0.0
        self._rested_s = 0.0
        self._unread_s = 0.0
        self._overlooked = False
        self._unread_dice = 0
        self._followed = False
        self._owed = False
        self._elsewhere = False

    @property
    def scene(self) -> Scene:
        """What is going on, as of the latest frame."""
        return self._scene

    def push(self, frame: Frame) -> TrayView | None:
        """Take the next frame; the view, if a new one has settled with it."""
        small = shrink(frame.image)
        if not self._light.shows(frame.t, small):
            # Nothing is seen of dice or hands; that is no empty tray.
            self._start_over(frame.t)
            return None
        rested_s, gap_s = self._rested_s, frame.t - self._seen_to
        still_s = self._stillness.push(frame.t, small)
        self._rested_s, self._seen_to = still_s, frame.t
        if still_s == 0.0:
            self._note_unread(rested_s)
            self._overlooked |= gap_s >= self._settings.overlooked_s
        now = _Glance(frame, small, still_s, self._stillness.noise)
        if still_s == 0.0:
            self._start_over(frame.t)
        if self._scene is Scene.SETTLED and (self._looks.agree or frame.t < self._next_look):
            return self._refresh(now)
        if view := self._pick_up(now):
            return view
        if still_s < self._settings.still_s:
            return None
        if self._look(now) and (view := self._pick_up_before_throw()):
            return view
        if self._is_decided(still_s):
            return self._settle(now)
        self._scene = Scene.LOOKING
        return None

    def look_anew(self) -> None:
        """Whoever took the latest view could not use it: the next one is given in any case."""
        self._start_over(self._seen_to)
        self._unfinished = self._veiled = None
        self._owed = True

    def camera_moved(self) -> None:
        """The camera shows the tray elsewhere: what was known of bare places is not true there."""
        self._elsewhere = True
        self._watch = None
        self.look_anew()

    @property
    def _last(self) -> tuple[DieReading, ...]:
        """The readings of the latest view."""
        return self._view.readings if self._view else ()

    def _start_over(self, t: float) -> None:
        if self._looks.count:
            self._unfinished = None if self._scene is Scene.SETTLED else self._looks
        self._scene = Scene.MOVING
        self._looks = Looks()
        self._followed = False
        self._next_look = t
        self._reread_s = self._settings.reread_after_s

    def _note_unread(self, rested_s: float) -> None:
        """Something moves after a rest: whether what lay there was never read for certain.

        Short rests add up if more dice lay there than before: a throw, on a table that shakes.
        """
        if rested_s == 0.0:
            return
        if (self._looks.agree and not self._owed) or self._is_less_of_view():
            self._unread_s = 0.0
            return
        settings = self._settings
        thrown = self._looks.count > 0 and len(self._looks.readings) > len(self._last)
        self._unread_s = rested_s + (self._unread_s if thrown else 0.0)
        long_s = settings.thrown_s if thrown else settings.overlooked_s
        if self._unread_s >= long_s:
            self._overlooked = True
            self._unread_dice = max(self._unread_dice, len(self._looks.readings))

    def _is_less_of_view(self) -> bool:
        """Whether the looks show dice of the latest view and no others, as while they are taken."""
        readings = self._looks.readings if self._looks.count else self._last
        faces = Counter(reading.face for reading in readings if reading.face is not None)
        return len(readings) < len(self._last) and faces <= Counter(die.face for die in self._last)

    def _look(self, now: _Glance) -> bool:
        """Read the dice if it is time to; whether that was done."""
        if self._looks.agree or now.t < self._next_look:
            return False
        if self._looks.count == 0:
            untouched = self._watch.untouched(now.small, now.noise) if self._watch else ()
            self._looks = Looks(untouched, self._fusion)
        readings = self._believed(self._reader.read(now.frame.image), now)
        if self._unfinished is not None and self._unfinished.goes_on(readings):
            # A hand came and went, or the camera shook: the dice lay still all the time.
            self._looks = self._unfinished
        self._unfinished = None
        self._looks.add(readings)
        settings = self._settings
        if self._looks.count < self._fusion.votes:
            self._next_look = now.t + settings.look_every_s
        elif now.still_s < settings.doubt_after_s:
            self._next_look = now.t + settings.look_again_s
        else:
            self._next_look = now.t + self._reread_s
            self._reread_s = min(2 * self._reread_s, settings.reread_at_most_s)
        return True

    def _believed(self, readings: Sequence[DieReading], now: _Glance) -> tuple[DieReading, ...]:
        """The readings without those that are but a pattern of the table.

        A faint find that nobody can read is no die, if it does not lie at a certain one; if it is
        one that lay there before, what lies over it tells.
        """
        settings = self._settings
        largest = settings.largest_share * now.frame.image.shape[1]
        certain = [reading for reading in readings if reading.face is not None]

        def is_die(reading: DieReading) -> bool:
            score = reading.sighting.score
            if reading.face is not None or score >= settings.faint:
                return True
            return score >= settings.faint_beside and bool(pair([reading], certain, settings.near))

        dice = tuple(
            reading for reading in readings if reading.sighting.size <= largest and is_die(reading)
        )
        if not certain and len(dice) == 1 and dice[0].sighting.score < settings.faint_alone:
            return ()
        return dice

    def _is_decided(self, still_s: float) -> bool:
        if self._looks.agree:
            return bool(self._looks.readings) or still_s >= self._settings.empty_s
        return still_s >= self._settings.doubt_after_s and self._looks.count >= self._fusion.votes

    def _pick_up(self, now: _Glance) -> TrayView | None:
        """The view without the dice that a hand has just left with."""
        if self._watch is None:
            return None
        self._watch.push(now.frame, now.small, self._background, now.noise)
        pick_up = self._watch.finished(now.t)
        return self._give_kept(self._watch, pick_up, now.frame) if pick_up else None

    def _pick_up_before_throw(self) -> TrayView | None:
        """The view that was too short to be given before the dice were thrown again."""
        if self._watch is None:
            return None
        pick_up = self._watch.before_throw(self._looks.readings)
        return self._give_kept(self._watch, pick_up, pick_up.first) if pick_up else None

    def _give_kept(self, watch: PickUpWatch, pick_up: PickUp, frame: Frame) -> TrayView:
        self._watch = watch.of_kept(pick_up.kept)
        view = self._give(pick_up.kept, frame, hand=False)
        return replace(view, hurried=pick_up.hurried)

    def _settle(self, now: _Glance) -> TrayView | None:
        """Decide on what the looks say: wait for a hand, give a view, or find nothing new."""
        readings = self._looks.readings
        if readings:
            sizes = [reading.sighting.size for reading in readings]
            self._die_share = float(np.median(sizes)) / now.frame.image.shape[1]
        if self._elsewhere:
            if now.still_s < self._settings.hand_s:
                # A hand at the camera may be over the dice too.
                self._scene = Scene.HAND
                return None
            self._background, self._elsewhere = Background(), False
        self._follow(now, readings)
        cover = self._cover(now, readings)
        hidden = self._hidden(now, readings, cover)
        seen = (*readings, *hidden)
        must_wait = self._must_wait(now, readings, hidden, cover)
        if must_wait or self._is_veiled(now, seen, cover):
            self._scene = Scene.HAND
            if not (must_wait or hidden):
                self._veiled = self._view_of(readings, now.frame, hand=False)
            return None
        if view := self._veiled_before_throw(readings):
            return view
        self._scene = Scene.SETTLED
        readings += tuple(replace(reading, doubts=Doubt.COVERED) for reading in hidden)
        view = None
        # With a hand in it a view may be put off by whoever gets it; so it is given again.
        cleared = self._view is not None and self._view.hand and not cover.has_hand
        if self._view is None or self._owed or cleared or not _same(self._last, readings):
            view = self._give(readings, now.frame, hand=cover.has_hand)
        self._learn(now, cover)
        return view

    def _veiled_before_throw(self, thrown: Sequence[DieReading]) -> TrayView | None:
        """The view that was held back, if the `thrown` dice show that its bare places were bare.

        None if one of the dice that it does not show may have lain there all the time, or was
        perhaps pushed aside only.
        """
        veiled, self._veiled = self._veiled, None
        if veiled is None or not (new := added(veiled.readings, thrown)):
            return None
        within = PUSHED if veiled.readings else UNMOVED
        if any(
            pair([die], [it for it in new if it.face in (None, die.face)], within)
            for die in self._gone(veiled.readings)
        ):
            return None
        self._view, self._watch = veiled, None
        # The throw itself is still to be given, however short it rests.
        self._owed = True
        return veiled

    def _give(self, readings: tuple[DieReading, ...], frame: Frame, *, hand: bool) -> TrayView:
        self._view = self._view_of(readings, frame, hand=hand)
        self._overlooked = self._owed = False
        self._unread_s, self._unread_dice = 0.0, 0
        self._veiled = None
        return self._view

    def _view_of(self, readings: tuple[DieReading, ...], frame: Frame, *, hand: bool) -> TrayView:
        return TrayView(frame.t, readings, True, hand, frame, self._overlooked, self._unread_dice)

    def _follow(self, now: _Glance, readings: Sequence[DieReading]) -> None:
        """Once in each rest, see whether the camera was bumped before it."""
        if not self._followed:
            self._followed = True
            self._background.follow(now.small, now.mask(readings, SHADOW), now.noise)

    def _hidden(
        self, now: _Glance, readings: Sequence[DieReading], cover: Cover
    ) -> tuple[DieReading, ...]:
        """The dice of the latest view that are out of sight but may lie under something."""
        restless = self._stillness.restless

        def may_be_there(die: DieReading) -> bool:
            # Where it never stops moving nobody can say that a die has left.
            stirred = restless is not None and bool((now.mask([die], 0.0) & restless).any())
            return stirred or cover.hides(now.mask([die], _AROUND))

        return tuple(die for die in self._gone(readings) if may_be_there(die))

    def _is_veiled(self, now: _Glance, known: Sequence[DieReading], cover: Cover) -> bool:
        """Whether a die of the latest view that is none of the `known` ones may lie under something
        that looks nearly like the floor."""
        if now.still_s >= self._settings.hand_s:
            return False
        return any(cover.veils(now.mask([die], 0.0)) for die in self._gone(known))

    def _gone(self, readings: Sequence[DieReading]) -> list[DieReading]:
        """The dice of the latest view that are none of these."""
        found = {index for index, _ in pair(self._last, readings)}
        return [die for index, die in enumerate(self._last) if index not in found]

    def _must_wait(
        self,
        now: _Glance,
        readings: Sequence[DieReading],
        hidden: Sequence[DieReading],
        cover: Cover,
    ) -> bool:
        """Whether what lies over the tray leaves open what became of the dice."""
        if not hidden and _same(self._last, readings):
            return False
        obscured = [
            readings[index]
            for before, index in pair(self._last, readings)
            if readings[index].face is None and self._last[before].face is not None
        ]
        if any(cover.hand_hides(now.mask([die], _AROUND)) for die in (*hidden, *obscured)):
            return True
        if hidden and now.still_s < self._settings.covered_s:
            return True
        return cover.has_hand and now.still_s < self._settings.hand_s

    def _refresh(self, now: _Glance) -> TrayView | None:
        """While the dice rest, what is known of the table follows the light.

        A hand that lies there for long belongs to the table; then the view is given without it.
        """
        if 0 <= now.t - self._refreshed < self._settings.refresh_s:
            return None
        cover = self._cover(now, self._last)
        self._learn(now, cover)
        if self._view is not None and self._view.hand and not cover.has_hand:
            return self._give(self._last, now.frame, hand=False)
        return None

    def _learn(self, now: _Glance, cover: Cover) -> None:
        """Take what is bare now as background; also what has lain still there for long."""
        hidden = now.mask(self._last, SHADOW)
        if now.still_s < self._settings.hand_s:
            hidden |= cover.around(_FRINGE * self._die_px(now))
        self._background.learn(now.small, hidden, now.noise)
        self._watch = PickUpWatch(self._last, now.small, now.scale, self._die_px(now))
        self._refreshed = now.t

    def _cover(self, now: _Glance, readings: Sequence[DieReading]) -> Cover:
        dice = now.mask(readings, SHADOW)
        if (restless := self._stillness.restless) is not None:
            dice |= restless
        return self._background.cover(now.small, dice, self._die_px(now), now.noise)

    def _die_px(self, now: _Glance) -> float:
        """A die's size in the small picture."""
        return self._die_share * float(now.small.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Glance:
    """One frame with what its small picture says; nothing has moved for `still_s` seconds."""

    frame: Frame
    small: Image
    still_s: float
    noise: float

    @property
    def t(self) -> float:
        return self.frame.t

    @property
    def scale(self) -> float:
        return float(self.small.shape[1] / self.frame.image.shape[1])

    def mask(self, readings: Sequence[DieReading], margin: float) -> Mask:
        """The dice, each grown by `margin` of its size, in the small picture."""
        boxes = [reading.sighting.box for reading in readings]
        return box_mask(boxes, self.small.shape, self.scale, margin)


def settler_for(source: Source, reader: Reader) -> Settler | StillSettler:
    """The settler that suits the source: pictures are views by themselves, films must settle."""
    return StillSettler(reader) if source.stills else Settler(reader)


def _same(before: Sequence[DieReading], now: Sequence[DieReading]) -> bool:
    """Whether the same faces lie in the same places, turned the same way."""
    pairs = pair(before, now, _MOVED)
    return len(before) == len(now) == len(pairs) and all(
        before[a].face == now[b].face
        and (now[b].face is None or turned(before[a], now[b]) < TURNED)
        for a, b in pairs
    )
