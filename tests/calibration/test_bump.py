"""A bumped camera is noticed, and nothing else is taken for one."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.bump import Bump, BumpKind, BumpWatch, follow
from calibration.evaluate import pose_at
from calibration.lens import Lens
from tests.calibration.scenes import PINHOLE, Seen, standpoint_of, textured, tray

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

STEP_S = 0.2


def turned(image: Image, axis: int, degrees: float) -> tuple[Image, Array]:
    """What the camera sees after it was turned on the spot, and how the pixels moved (3, 3)."""
    vector = np.zeros(3)
    vector[axis] = np.radians(degrees)
    matrix = PINHOLE.matrix
    move = matrix @ cv2.Rodrigues(vector)[0] @ np.linalg.inv(matrix)
    seen = cv2.warpPerspective(image, move, (1280, 720), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, np.uint8), np.asarray(move, np.float64)


def shifted(image: Image, mm: tuple[float, float, float]) -> Image:
    """What the camera sees of the tray's plane after it was moved."""
    standpoint = tray(15.0)
    matrix = PINHOLE.matrix
    plane = np.outer(np.array(mm), -standpoint.normal) / standpoint.height_mm
    move = matrix @ (np.eye(3) + plane) @ np.linalg.inv(matrix)
    seen = cv2.warpPerspective(image, move, (1280, 720), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, np.uint8)


def noisy(image: Image, seed: int, light: float = 1.0) -> Image:
    noise = np.random.default_rng(seed).normal(0, 3, image.shape[:2])[..., None]
    seen: Image = np.clip(image * light + noise, 0, 255).astype(np.uint8)
    return seen


def watch(watcher: BumpWatch, images: list[Image], start: int = 0) -> list[Bump]:
    """What is said while these pictures come."""
    said = (watcher.push(Seen((start + k) * STEP_S, image)) for k, image in enumerate(images))
    return [bump for bump in said if bump is not None]


BUMPS = {
    "pitch": lambda image: turned(image, 0, 1.0)[0],
    "yaw": lambda image: turned(image, 1, -1.0)[0],
    "roll": lambda image: turned(image, 2, 1.0)[0],
    "across": lambda image: shifted(image, (5.0, 0.0, 0.0)),
    "along": lambda image: shifted(image, (0.0, -5.0, 0.0)),
    "nearer": lambda image: shifted(image, (0.0, 0.0, 5.0)),
}


@pytest.mark.parametrize("kind", list(BUMPS))
def test_a_small_bump_is_noticed_within_two_seconds_and_followed(kind: str) -> None:
    watcher = BumpWatch(tray(15.0))
    before, after = textured(), BUMPS[kind](textured())
    assert watch(watcher, [noisy(before, k) for k in range(4)]) == []
    said = watch(watcher, [noisy(after, k, 0.95) for k in range(10)], start=4)
    assert [bump.kind for bump in said] == [BumpKind.FOLLOWED]
    assert said[0].t <= 4 * STEP_S + 2.0
    assert said[0].standpoint == watcher.standpoint
    assert "follows" in said[0].text


def test_following_keeps_millimetres_right() -> None:
    watcher = BumpWatch(tray(15.0))
    after, move = turned(textured(), 2, 1.0)
    watch(watcher, [textured()] * 3)
    (bump,) = watch(watcher, [after] * 5, start=3)
    assert bump.standpoint is not None
    places = np.array([[-120.0, -80.0], [110.0, 70.0]])
    pixels = cv2.perspectiveTransform(tray(15.0).to_picture(places)[None], move)[0]
    assert np.abs(bump.standpoint.to_mm(np.asarray(pixels, np.float64)) - places).max() < 1.0


def test_a_floor_of_which_two_corners_are_seen_is_not_followed() -> None:
    """A wide lens far off the vertical: the upper corners look above the horizon."""
    wide = Lens((1280, 720), (448.0, 448.0), (640.0, 360.0))
    pose = pose_at(wide, 62.0, -90.0, 0.0, 300.0, (640.0, 360.0))
    move = np.array([[1.0, 0.0, 6.0], [0.0, 1.0, 4.0], [0.0, 0.0, 1.0]])
    assert follow(standpoint_of(pose, wide), move, 1.0) is None
    assert follow(standpoint_of(pose, wide).with_outline(260.0, 180.0), move, 1.0) is not None


def test_dice_hands_and_light_are_no_bump() -> None:
    rng = np.random.default_rng(1)
    watcher = BumpWatch(tray(15.0))
    images = []
    for k in range(30):
        image = textured().copy()
        for _ in range(10):
            x, y = rng.integers(420, 860), rng.integers(220, 500)
            cv2.circle(image, (int(x), int(y)), 28, (240, 230, 60), -1)
            cv2.putText(image, "7", (int(x) - 10, int(y) + 10), 0, 1.0, (0, 0, 0), 3)
        if k % 6 > 2:
            cv2.ellipse(
                image, (300 + 40 * k % 700, 500), (160, 300), 30, 0, 360, (90, 130, 190), -1
            )
        images.append(noisy(image, k, 0.6 + 0.7 * (k % 10) / 10))
    assert watch(watcher, images) == []


def test_a_camera_that_looks_elsewhere_is_lost() -> None:
    watcher = BumpWatch(tray(15.0))
    watch(watcher, [textured()] * 3)
    said = watch(watcher, [textured(seed=9)] * 12, start=3)
    assert [bump.kind for bump in said] == [BumpKind.LOST]
    assert watcher.standpoint is None
    assert "calibrate it again" in said[0].text


def test_a_camera_that_does_not_come_to_rest_is_told_once() -> None:
    watcher = BumpWatch(tray(15.0))
    watch(watcher, [textured()] * 3)
    swinging = [turned(textured(), 1, 0.6 + 0.5 * (-1) ** k)[0] for k in range(12)]
    said = watch(watcher, swinging, start=3)
    assert [bump.kind for bump in said] == [BumpKind.MOVING]
    assert watcher.suspicious
    said = watch(watcher, [swinging[0]] * 4, start=15)
    assert [bump.kind for bump in said] == [BumpKind.FOLLOWED]


def test_darkness_says_nothing() -> None:
    watcher = BumpWatch(tray(15.0))
    watch(watcher, [textured()] * 3)
    assert watch(watcher, [np.zeros((720, 1280, 3), np.uint8)] * 20, start=3) == []


def test_without_a_calibration_a_bump_is_told_and_not_followed() -> None:
    watcher = BumpWatch()
    watch(watcher, [textured()] * 3)
    (bump,) = watch(watcher, [turned(textured(), 1, 1.5)[0]] * 5, start=3)
    assert bump.kind is BumpKind.MOVED
    assert bump.standpoint is None


def test_another_size_begins_anew() -> None:
    watcher = BumpWatch(tray(15.0))
    watch(watcher, [textured()] * 3)
    small = np.asarray(cv2.resize(textured(), (640, 360)), np.uint8)
    assert watch(watcher, [small] * 4, start=3) == []
