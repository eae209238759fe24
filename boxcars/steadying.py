"""Watching for a moved camera while a game is watched, and reading on from where it stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property

from boxcars.calibrating import ProfiledReader
from boxcars.watching import SettlesAnew
from calibration.board import detect
from calibration.bump import Bump, BumpKind, BumpWatch
from calibration.profile import Profile
from vision.compare import Mask
from vision.cover import SHADOW, box_mask
from vision.records import Frame, Image, TrayView
from vision.settle import Scene


class Steadied:
    """A settler whose views count only while the camera stands still.

    Where the `reader` has a profile, a camera that moved a little is followed, and one that moved
    far is read without its profile from then on. While the board for calibrating hides what is
    watched, nothing is read. Views withheld meanwhile are looked for anew. What is to be said waits
    in `alerts`.
    """

    def __init__(self, settler: SettlesAnew, reader: ProfiledReader) -> None:
        self._settler = settler
        self._reader = reader
        self._watch: BumpWatch | None = None
        self._withheld: TrayView | None = None
        """The latest view, if it was not given."""
        self._missed = False
        """Whether more was withheld than that."""
        self._unread_dice = 0
        """The most dice that lay unread before any of what was withheld."""
        self._asked = False
        """Whether it was asked for anew."""
        self._dice: Mask | None = None
        """Where dice lie in the picture, set upright."""
        self._moved = False
        """Whether the settler has to hear that the camera stands elsewhere."""
        self.alerts: list[str] = []

    @property
    def scene(self) -> Scene:
        """What is going on in the tray, as the settler says it."""
        scene: Scene = getattr(self._settler, "scene", Scene.SETTLED)
        return scene

    @property
    def profile(self) -> Profile | None:
        """What is known of the camera now."""
        return self._reader.profile

    def push(self, frame: Frame) -> TrayView | None:
        """Take the next frame; a view only if it still fits what is known of the camera."""
        view = self._settler.push(frame)
        if view is not None:
            self._withhold(view)
            self._leave_out(view)
        if not self._is_calm(frame):
            return None
        if self._moved:
            self._settler.camera_moved()
            self._moved, self._asked = False, True
        elif view is not None:
            view = replace(view, overlooked=self._missed, unread_dice=self._unread_dice)
            self._withheld, self._missed, self._unread_dice = None, False, 0
            return view
        elif self._withheld is not None and not self._asked:
            self._settler.look_anew()
            self._asked = True
        return None

    def _withhold(self, view: TrayView) -> None:
        before = self._withheld
        self._missed |= view.overlooked
        self._unread_dice = max(self._unread_dice, view.unread_dice)
        self._missed |= before is not None and Counter(before.faces) != Counter(view.faces)
        self._withheld, self._asked = view, False

    def _leave_out(self, view: TrayView) -> None:
        """Dice are no landmarks; they are remembered for the next watch too."""
        boxes = [reading.sighting.box for reading in view.readings]
        dice = box_mask(boxes, view.picture.image.shape, 1.0, SHADOW)
        self._dice = self._reader.seen_as.undo(dice)
        if self._watch is not None:
            self._watch.leave_out(self._dice)

    def take_alerts(self) -> list[str]:
        """What is to be said now, each sentence once."""
        alerts, self.alerts = self.alerts, []
        return alerts

    def _is_calm(self, frame: Frame) -> bool:
        """Whether the camera stands where it stood, as far as this frame tells."""
        profile = self._reader.profile
        standpoint = None if profile is None else profile.standpoint
        if self._watch is None or self._watch.standpoint != standpoint:
            # The reader finds its profile when it reads for the first time.
            if _shows_board(frame):
                # What is to stay where it is must not be what is taken out of the tray next.
                return False
            self._watch = BumpWatch(standpoint)
            if self._dice is not None:
                self._watch.leave_out(self._dice)
        bump = self._watch.push(_Upright(frame, self._reader))
        if bump is None:
            return not self._watch.suspicious
        if _shows_board(frame):
            # The board held before the camera hides what is watched; the camera stands still.
            self._watch = None
        else:
            self._take(bump)
        return False

    def _take(self, bump: Bump) -> None:
        self.alerts.append(bump.text)
        self._moved |= bump.kind in (BumpKind.MOVED, BumpKind.LOST)
        if bump.kind is BumpKind.FOLLOWED and bump.standpoint is not None:
            self._reader.follow(bump.standpoint)
        elif bump.kind is not BumpKind.MOVING:
            self._reader.forget()


def _shows_board(frame: Frame) -> bool:
    view = detect(frame.image)
    return view is not None and view.enough


class _Upright:
    """A frame set upright, as the profile knows the view."""

    def __init__(self, frame: Frame, reader: ProfiledReader) -> None:
        self.t = frame.t
        self._frame = frame
        self._seen_as = reader.seen_as

    @cached_property
    def image(self) -> Image:
        """The picture; it is turned only if somebody looks, which is now and then."""
        return self._seen_as.undo(self._frame.image)
