"""No view counts while the camera is not where it was."""

from __future__ import annotations

import cv2
import numpy as np

from boxcars.calibrating import ProfiledReader
from boxcars.steadying import Steadied
from calibration.profile import Origin, Profile
from tests.calibration.scenes import PINHOLE, textured, tray
from vision.reader import DiceReader
from vision.records import Frame, Image, TrayView
from vision.settle import Scene

PROFILE = Profile("cam", tray(15.0), Origin.CORNERS, 0.3, 0.02, "").with_reference(textured())


class EveryFrame:
    """A settler that finds every frame settled."""

    scene = Scene.LOOKING

    def push(self, frame: Frame) -> TrayView:
        return TrayView(frame.t, (), settled=True, hand=False, picture=frame)


def rolled(degrees: float) -> Image:
    spin = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(degrees)]))[0]
    move = PINHOLE.matrix @ spin @ np.linalg.inv(PINHOLE.matrix)
    seen = cv2.warpPerspective(textured(), move, (1280, 720), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, np.uint8)


def opened(profile: Profile | None) -> tuple[Steadied, ProfiledReader]:
    reader = ProfiledReader(DiceReader(), lambda _: profile)
    reader.read(textured())
    return Steadied(EveryFrame(), reader), reader


def test_views_wait_until_the_bump_is_followed() -> None:
    steadied, reader = opened(PROFILE)
    assert steadied.scene is Scene.LOOKING
    before = [steadied.push(Frame(k * 0.2, textured())) for k in range(3)]
    assert all(before)
    after = [steadied.push(Frame(0.6 + k * 0.2, rolled(1.5))) for k in range(6)]
    assert after[0] is None
    assert after[1] is None
    assert after[-1] is not None
    (told,) = steadied.take_alerts()
    assert "the calibration follows" in told
    assert steadied.take_alerts() == []
    assert reader.profile is not None
    assert reader.profile.standpoint != PROFILE.standpoint


def test_a_camera_that_looks_elsewhere_is_read_without_its_profile() -> None:
    steadied, reader = opened(PROFILE)
    for k in range(3):
        steadied.push(Frame(k * 0.2, textured()))
    elsewhere = textured(seed=9)
    views = [steadied.push(Frame(0.6 + k * 0.2, elsewhere)) for k in range(12)]
    (told,) = steadied.take_alerts()
    assert "calibrate it again" in told
    assert reader.profile is None
    assert views[1] is None
    assert views[-1] is not None


def test_without_a_profile_nothing_is_watched() -> None:
    steadied, _ = opened(None)
    assert steadied.push(Frame(0.0, textured()))
    assert steadied.push(Frame(0.2, rolled(3.0)))
    assert steadied.take_alerts() == []
