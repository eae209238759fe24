"""No view counts while the camera is not where it was."""

from __future__ import annotations

import cv2
import numpy as np

from boxcars.calibrating import ProfiledReader
from boxcars.steadying import Steadied
from calibration.evaluate import pose_at
from calibration.profile import Origin, Profile
from calibration.rendering import Looks, render
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


def bumped(steadied: Steadied) -> str:
    """Bump the camera: no view counts until it is seen to stand elsewhere. What is said then."""
    before = [steadied.push(Frame(k * 0.2, textured())) for k in range(3)]
    assert all(before)
    after = [steadied.push(Frame(0.6 + k * 0.2, rolled(1.5))) for k in range(6)]
    assert after[0] is None
    assert after[1] is None
    assert after[-1] is not None
    (told,) = steadied.take_alerts()
    return told


def test_views_wait_until_the_bump_is_followed() -> None:
    steadied, reader = opened(PROFILE)
    assert steadied.scene is Scene.LOOKING
    told = bumped(steadied)
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


def test_without_a_profile_a_moved_camera_is_said_and_read_from_where_it_is() -> None:
    steadied, reader = opened(None)
    told = bumped(steadied)
    assert told.startswith("The camera was moved (")
    assert "alibrat" not in told
    assert reader.profile is None


def test_a_profile_found_later_is_followed() -> None:
    """The reader looks for one when it reads for the first time, some frames into the source."""
    reader = ProfiledReader(DiceReader(), lambda _: PROFILE)
    steadied = Steadied(EveryFrame(), reader)
    assert steadied.push(Frame(0.0, textured()))
    reader.read(textured())
    assert all(steadied.push(Frame(0.2 + k * 0.2, textured())) for k in range(3))
    for k in range(6):
        steadied.push(Frame(0.8 + k * 0.2, rolled(1.5)))
    (told,) = steadied.take_alerts()
    assert "the calibration follows" in told


def test_the_board_held_before_the_camera_is_no_bump() -> None:
    steadied, _ = opened(None)
    assert all(steadied.push(Frame(k * 0.2, textured())) for k in range(3))
    pose = pose_at(PINHOLE, 15.0, -90.0, 0.0, 620.0, (640.0, 360.0))
    held = render(PINHOLE, pose, Looks(), np.random.default_rng(1))
    for k in range(15):
        steadied.push(Frame(0.6 + k * 0.2, held))
    assert steadied.take_alerts() == []
    later = [steadied.push(Frame(3.6 + k * 0.2, textured())) for k in range(15)]
    assert later[-1] is not None
    assert steadied.take_alerts() == []


def test_the_board_for_calibrating_is_no_part_of_the_view() -> None:
    """It was all that was to stay where it is, and gone, the camera seemed to have moved."""
    steadied, _ = opened(PROFILE)
    rng = np.random.default_rng(3)
    pose = pose_at(PINHOLE, 15.0, -90.0, 0.0, 520.0, (640.0, 360.0))
    with_board = render(PINHOLE, pose, Looks(), rng)
    seen = [steadied.push(Frame(n * 0.2, with_board)) for n in range(5)]
    assert seen == [None] * 5
    seen = [steadied.push(Frame(1.0 + n * 0.2, textured())) for n in range(12)]
    assert all(view is not None for view in seen)
    assert steadied.take_alerts() == []
