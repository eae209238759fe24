"""Faces unwrapped upright."""

import cv2
import numpy as np
import pytest

from vision import d10
from vision.unwrap import PATCH_SIZE, neighbour_affine, scale_of, unwrap


def _drawn_face(turn: float) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a kite with a bright dot near its pole, and its face map (2, 3)."""
    c, s = np.cos(turn), np.sin(turn)
    affine = np.array([[40 * c, 40 * s, 100], [40 * s, -40 * c, 100]])
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.fillPoly(image, [np.round(_corners(affine)).astype(np.int32)], (90, 90, 90))
    dot = affine @ [0.0, 0.6, 1.0]
    cv2.circle(image, (round(dot[0]), round(dot[1])), 5, (255, 255, 255), -1)
    return image, affine


def _corners(affine: np.ndarray) -> np.ndarray:
    """Pole, right, blunt and left corner (4, 2) of the face at `affine`."""
    return np.asarray(d10.KITE @ affine[:, :2].T + affine[:, 2])


def _right_of(affine: np.ndarray, view: np.ndarray) -> np.ndarray:
    """The face map (2, 3) of the right neighbour."""
    scales = np.array([scale_of(affine)])
    return np.asarray(neighbour_affine(affine[None], scales, view[None], d10.RIGHT)[0])


@pytest.mark.parametrize("turn", [0.0, 0.7, 1.9, 3.1, -1.2])
def test_the_pole_is_at_the_top_however_the_die_lies(turn: float) -> None:
    image, affine = _drawn_face(turn)
    patch = unwrap(image, affine)
    assert patch.shape == (PATCH_SIZE, PATCH_SIZE, 3)
    row, col = np.unravel_index(int(patch[:, :, 0].argmax()), patch.shape[:2])
    assert row < PATCH_SIZE * 0.3
    assert abs(col - PATCH_SIZE / 2) < 4


def test_a_neighbour_shares_its_long_edge_with_the_up_face() -> None:
    _, affine = _drawn_face(0.5)
    corners = _corners(affine)
    theirs = _corners(_right_of(affine, np.zeros(2)))
    # Their pole is ours, their left corner is our right one.
    assert theirs[0] == pytest.approx(corners[0], abs=0.3)
    assert theirs[3] == pytest.approx(corners[1], abs=0.3)


def test_a_tilted_view_shows_more_of_the_neighbour_it_turns_to() -> None:
    _, affine = _drawn_face(0.0)
    towards = np.array([-0.4, 0.0])
    areas = [
        abs(np.linalg.det(_right_of(affine, view)[:, :2]))
        for view in (towards, np.zeros(2), -towards)
    ]
    assert areas[0] > areas[1] > areas[2]
