"""Cameras at this computer: which there are, finding one again, and watching it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.user_files import CONFIG_ENV as CONFIG_ENV
from calibration.user_files import config_folder, write_whole
from vision.captures import Capture, CaptureLink, Wish
from vision.live import DEFAULT_LIVE, LinkFailed, LiveSettings, LiveSource, TroubleKind
from vision.sources import SourceError

WIDTH, HEIGHT, FPS = 1280, 720, 30
"""What a camera is asked for; one that cannot gives what is nearest."""

_SYSTEM = platform.system()
_BUSY_HELP = (
    "close what else uses it, and allow this terminal the camera in System Settings, Privacy"
    if _SYSTEM == "Darwin"
    else "close the other program that uses it"
)
_FILE_NAME = "camera.json"
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")
# Uncompressed pictures of this size fill a USB 2 cable with five to ten frames a second. The
# format first: with it drivers choose which sizes they offer.
_WANTED = (
    Wish(cv2.CAP_PROP_FOURCC, _MJPG),
    Wish(cv2.CAP_PROP_FRAME_WIDTH, WIDTH),
    Wish(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT),
    Wish(cv2.CAP_PROP_FPS, FPS),
)


class NoSuchCamera(SourceError):
    """No camera, or (`several`) more than one, is what was asked for."""

    def __init__(self, message: str, *, several: bool = False) -> None:
        super().__init__(message)
        self.several = several


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera as the system lists it.

    `number` is what OpenCV opens and changes from day to day; `model` (`vendor:product` in
    hexadecimal, or empty) and `place` (where it is plugged in, or empty) tell it from others.
    """

    number: int
    name: str
    model: str = ""
    place: str = ""

    @property
    def kind(self) -> str:
        """What all cameras of this make share: `HD Webcam [046d:0825]`."""
        return f"{self.name} [{self.model}]" if self.model else self.name

    @property
    def identity(self) -> str:
        """What finds this camera again whatever its number: `HD Webcam [046d:0825] @1-2:1.0`."""
        return f"{self.kind} @{self.place}" if self.place else self.kind

    @property
    def usual_name(self) -> str:
        """How to speak of it: `camera HD Webcam`."""
        return self.name if self.name.casefold().startswith("camera") else f"camera {self.name}"


def list_cameras() -> tuple[Camera, ...]:
    """The cameras that are plugged in, by number."""
    return _listed(_backends()[0])


def find_camera(cameras: Sequence[Camera], wanted: str) -> Camera:
    """The camera that `wanted` means: a number, an identity, or a part of a name.

    One that was plugged in elsewhere since is still found while there is no other like it.
    Raises `NoSuchCamera`.
    """
    if wanted.isdecimal():
        numbered = [camera for camera in cameras if camera.number == int(wanted)]
        if numbered:
            return numbered[0]
        raise NoSuchCamera(f"Camera {wanted} is not there: {_there_are(cameras)}.")
    text = wanted.casefold().strip()
    kind = text.rpartition(" @")[0] or text
    for alike in (
        [camera for camera in cameras if camera.identity.casefold() == text],
        [camera for camera in cameras if camera.kind.casefold() == kind],
        [camera for camera in cameras if camera.name.casefold() == text],
        [camera for camera in cameras if text and text in camera.name.casefold()],
    ):
        if len(alike) > 1:
            which = ", ".join(f"{camera.number} ({camera.identity})" for camera in alike)
            raise NoSuchCamera(
                f"“{wanted}” may be any of several cameras: {which}; name one.", several=True
            )
        if alike:
            return alike[0]
    raise NoSuchCamera(f"Camera “{wanted}” is not there: {_there_are(cameras)}.")


def open_camera(
    wanted: str, settings: LiveSettings = DEFAULT_LIVE, cameras: Sequence[Camera] | None = None
) -> LiveSource:
    """Watch the camera that `wanted` means, as `find_camera` says.

    Unplugged and plugged in again it is found by what it is, not by its number. Raises
    `NoSuchCamera`, or `SourceError` if it does not open.
    """
    there = list_cameras() if cameras is None else tuple(cameras)
    camera = find_camera(there, wanted)
    watched = _Watched(camera, frozenset(it.identity for it in there) - {camera.identity})
    # Windows' newer backend takes half a minute to open a camera unless it is told not to.
    os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")
    link = CaptureLink(watched.locate, watched.explain, wanted=_WANTED)
    return LiveSource(link, camera.usual_name, camera.identity, settings)


def remember_camera(identity: str) -> None:
    """Write down which camera looks at the table; raises `OSError`."""
    text = json.dumps({"camera": identity}, ensure_ascii=False, indent=2)
    write_whole(_config_path(), text + "\n")


def remembered_camera() -> str | None:
    """The identity written down last; None if there is none that can be read."""
    try:
        record = json.loads(_config_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    camera = record.get("camera") if isinstance(record, dict) else None
    return camera if isinstance(camera, str) and camera else None


class _Watched:
    """One camera, whatever its number is at the moment; `others` were there when it was chosen."""

    def __init__(self, camera: Camera, others: frozenset[str]) -> None:
        self._camera = camera
        self._others = others

    def locate(self) -> list[Capture]:
        """The ways to open it."""
        camera = self._found()
        if camera is None:
            return []
        self._camera = camera
        first, *others = _backends()
        # Each way has its own numbers.
        more = [
            Capture(other.number, backend)
            for backend in others
            for other in _listed(backend)
            if other.identity == camera.identity
        ]
        return [Capture(camera.number, first), *more]

    def explain(self, was_open: bool) -> LinkFailed:
        """Why it does not open, or gives no picture."""
        name = self._camera.usual_name
        name = name[:1].upper() + name[1:]
        if self._found() is None:
            if was_open:
                text = f"{name} was unplugged: plug it in again, the game waits."
                return LinkFailed(TroubleKind.UNPLUGGED, text)
            return LinkFailed(TroubleKind.ABSENT, f"{name} is not there: plug it in.")
        device = Path(f"/dev/video{self._camera.number}")
        if device.exists() and not os.access(device, os.R_OK | os.W_OK):
            text = f"{name} may not be used by you: join the group that {device} belongs to."
            return LinkFailed(TroubleKind.DENIED, text)
        if was_open:
            text = f"{name} stopped giving pictures: another program may have taken it."
            return LinkFailed(TroubleKind.LOST, text)
        return LinkFailed(TroubleKind.BUSY, f"{name} is there but does not open: {_BUSY_HELP}.")

    def _found(self) -> Camera | None:
        """It, where it is now; never another one that was there beside it."""
        there = [camera for camera in list_cameras() if camera.identity not in self._others]
        for camera in there:
            if camera.identity == self._camera.identity:
                return camera
        return next((camera for camera in there if camera.kind == self._camera.kind), None)


def _there_are(cameras: Sequence[Camera]) -> str:
    if not cameras:
        return "no camera is plugged in"
    known = ", ".join(f"{camera.number} ({camera.name})" for camera in cameras)
    return f"there is {known}"


def _backends() -> tuple[int, ...]:
    """OpenCV's ways to cameras on this system, best first; Windows' newer one opens slowly."""
    if _SYSTEM == "Windows":
        return cv2.CAP_DSHOW, cv2.CAP_MSMF
    if _SYSTEM == "Darwin":
        return (cv2.CAP_AVFOUNDATION,)
    return (cv2.CAP_V4L2,)


def _listed(backend: int) -> tuple[Camera, ...]:
    """The cameras with the numbers they have for one of OpenCV's backends."""
    from cv2_enumerate_cameras import enumerate_cameras, supported_backends

    if backend not in supported_backends:
        return ()
    found = [
        Camera(
            info.index,
            info.name or f"number {info.index}",
            "" if info.vid is None or info.pid is None else f"{info.vid:04x}:{info.pid:04x}",
            _place(info.index, info.path),
        )
        for info in enumerate_cameras(backend)
    ]
    return tuple(sorted(found, key=lambda camera: camera.number))


def _place(number: int, path: str | None) -> str:
    """Where a camera is plugged in, by what the system tells of it."""
    if _SYSTEM == "Linux":
        device = Path(f"/sys/class/video4linux/video{number}/device")
        return device.resolve().name if device.exists() else ""
    if _SYSTEM == "Windows":
        # \\?\usb#vid_046d&pid_0825&mi_00#7&2b5d9ba&0&0000#{65e8773d-…}\global
        parts = (path or "").split("#")
        return parts[2] if len(parts) > 2 else ""
    return path or ""


def _config_path() -> Path:
    return config_folder() / _FILE_NAME
