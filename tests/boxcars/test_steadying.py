"""No view counts while the camera is not where it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import cv2
import numpy as np
import pytest

from boxcars.calibrating import ProfiledReader
from boxcars.steadying import Steadied
from calibration.evaluate import pose_at
from calibration.profile import Origin, Profile
from calibration.rendering import Looks, render
from tests.calibration.scenes import PINHOLE, textured, tray
from tests.vision import films
from tests.vision.films import OUTSIDE, TEN, Die, Film, draw
from tests.vision.films import bumped as bumped_film
from vision.reader import DiceReader
from vision.records import Frame, Image, TrayView
from vision.settle import Scene, Settler

PROFILE = Profile("cam", tray(15.0), Origin.CORNERS, 0.3, 0.02, "").with_reference(textured())


class EveryFrame:
    """A settler that finds every frame settled."""

    scene = Scene.LOOKING

    def push(self, frame: Frame) -> TrayView:
        return TrayView(frame.t, (), settled=True, hand=False, picture=frame)

    def look_anew(self) -> None:
        """The next one is given anyway."""

    def camera_moved(self) -> None:
        """It knows nothing of the frames before."""


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


class Table:
    """A film of dice through a settler that is steadied, and what the film lets through."""

    def __init__(self, fps: float = 15) -> None:
        self.film = Film(fps=fps)
        reader = ProfiledReader(cast("DiceReader", self.film.reader), lambda _: None)
        self.settler = Settler(reader)
        self.film.settler = cast("Settler", Steadied(self.settler, reader))
        self.shift = 0

    def show(self, dice: Sequence[Die], smear: int = 1) -> None:
        self.film.show(bumped_film(draw(dice, smear=smear), self.shift, self.shift / 2, 0.0))

    def throw_and_bump(self, shift: int) -> None:
        """The dice knock the camera while they roll to a rest."""
        for step in range(1, 8):
            left = (1 - step / 8) ** 2
            self.shift = shift if step > 5 else 0
            flying = [Die(d.x + 30 * left, d.y + 150 * left, (d.face + step) % 10) for d in TEN]
            self.show(flying, round(6 * left) + 1)

    def rest(self, seconds: float, dice: Sequence[Die] = TEN) -> None:
        for _ in range(round(seconds * self.film.fps)):
            self.show(dice)


@pytest.mark.parametrize("shift", [1, 3, 8])
def test_a_roll_that_knocked_the_camera_is_told_once_it_stands_still(shift: int) -> None:
    table = Table()
    table.film.rest(1.0)
    table.throw_and_bump(shift)
    table.rest(4.0)
    assert [len(view.readings) for view in table.film.views] == [0, 10]


def test_after_a_far_move_the_tray_is_seen_where_it_is() -> None:
    table = Table()
    table.film.dice = TEN
    table.film.rest(1.5)
    table.shift = 20
    table.rest(4.0)
    assert [len(view.readings) for view in table.film.views][-1] == 10
    taken = TEN[3:]
    for dice in (TEN[1:], TEN[2:], taken):
        table.rest(0.2, dice)
    table.rest(2.0, taken)
    assert [len(view.readings) for view in table.film.views][-1] == 7
    assert table.settler.scene is Scene.SETTLED


def test_on_a_plain_table_dice_that_go_are_no_moved_camera(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing but the tray's edge and the dice can be landmarks there."""
    plain = np.full_like(films.TRAY, 215)
    plain[10:170, 20:300] = (70, 90, 80)
    plain[15:165, 30:290] = (60, 75, 50)
    monkeypatch.setattr(films, "TRAY", plain)
    table = Table()
    film = table.film
    film.rest(1.2)
    film.throw(TEN)
    film.rest(3.0)
    film.pick_up(8, 3, 9)
    film.rest(1.5)
    film.throw([Die(77, 60, 3), Die(122, 120, 4), Die(260, 140, 6)])
    film.rest(3.0)
    film.dice = ()
    film.move_hand(OUTSIDE, (150.0, 90.0))
    film.move_hand((150.0, 90.0), OUTSIDE)
    film.rest(2.0)
    assert [len(view.readings) for view in film.views] == [0, 10, 7, 10, 0]
    assert cast("Steadied", film.settler).take_alerts() == []
