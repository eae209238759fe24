"""Watching for a moved camera while a game is watched, and reading on from where it stands."""

from __future__ import annotations

from functools import cached_property

from boxcars.calibrating import ProfiledReader
from boxcars.session import Settles
from calibration.bump import Bump, BumpKind, BumpWatch
from calibration.profile import Profile
from vision.records import Frame, Image, TrayView
from vision.settle import Scene


class Steadied:
    """A settler whose `reader` has a profile: views count only while the camera stands still.

    A camera that moved a little is followed; one that moved far is read without its profile
    from then on. What is to be said waits in `alerts`.
    """

    def __init__(self, settler: Settles, reader: ProfiledReader) -> None:
        self._settler = settler
        self._reader = reader
        self._watch: BumpWatch | None = None
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
        profile = self._reader.profile
        if profile is None:
            return view
        if self._watch is None:
            self._watch = BumpWatch(profile.standpoint)
        bump = self._watch.push(_Upright(frame, self._reader))
        if bump is not None:
            self._take(bump)
        return None if bump is not None or self._watch.suspicious else view

    def take_alerts(self) -> list[str]:
        """What is to be said now, each sentence once."""
        alerts, self.alerts = self.alerts, []
        return alerts

    def _take(self, bump: Bump) -> None:
        self.alerts.append(bump.text)
        if bump.kind is BumpKind.FOLLOWED and bump.standpoint is not None:
            self._reader.follow(bump.standpoint)
        elif bump.kind is not BumpKind.MOVING:
            self._reader.forget()


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
