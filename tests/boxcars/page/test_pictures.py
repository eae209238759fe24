"""Pictures of the page: live, of settled views, of single dice, and those on record."""

from __future__ import annotations

import cv2
import httpx
import numpy as np
import pytest

from boxcars.page.pictures import BOUNDARY, CROP_PX, crop
from tests.boxcars.page.laid import LaidTable, picture, seqs
from tests.boxcars.table import row
from vision.pictures import decode_picture

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def get(laid: LaidTable, path: str) -> httpx.Response:
    with laid.client() as client:
        return client.get(path)


def test_before_the_first_frame_there_is_none(laid: LaidTable) -> None:
    assert get(laid, "/picture.jpg").status_code == 404


def test_the_newest_frame(laid: LaidTable) -> None:
    laid.lay(ROLL)
    answer = get(laid, "/picture.jpg")
    assert answer.headers["content-type"] == "image/jpeg"
    image = decode_picture(answer.content)
    assert image.shape == (720, 1280, 3)
    assert np.abs(image.astype(int) - picture(0)).mean() < 2


def test_the_live_picture_shows_each_change(laid: LaidTable) -> None:
    laid.lay(ROLL)
    with laid.client() as client, client.stream("GET", "/picture.mjpg") as answer:
        assert BOUNDARY in answer.headers["content-type"]
        data = b""
        for part in answer.iter_bytes():
            data += part
            # The picture's end is sent with it, not with the next one.
            if data.count(f"--{BOUNDARY}".encode()) == 2:
                break
    head, _, jpeg = data.partition(b"\r\n\r\n")
    length = int(head.partition(b"Content-Length: ")[2])
    assert decode_picture(jpeg[:length]).shape == (720, 1280, 3)


def test_a_settled_view_and_its_dice(laid: LaidTable) -> None:
    laid.lay(ROLL)
    with laid.client() as client:
        state = client.get("/api/state").json()
        assert client.get(state["view"]["picture"]).status_code == 200
        crops = [client.get(die["crop"]) for die in state["dice"]]
    assert len(crops) == 10
    for answer in crops:
        assert decode_picture(answer.content).shape == (CROP_PX, CROP_PX, 3)
        assert "private" in answer.headers["cache-control"]


def test_a_view_of_long_ago_is_gone(laid: LaidTable) -> None:
    for _ in range(10):
        laid.lay(ROLL)
    assert get(laid, "/views/1.jpg").status_code == 404
    assert get(laid, "/views/10/99.jpg").status_code == 404
    assert get(laid, "/views/10.jpg").status_code == 200


def test_pictures_on_record(laid: LaidTable) -> None:
    laid.lay(ROLL)
    (roll,) = seqs(laid.snapshot, "roll")
    with laid.client() as client:
        history = client.get("/api/state").json()["history"]
        assert [it["picture"] for it in history] == [None, None, f"/pictures/1/{roll}.jpg"]
        answer = client.get(history[roll]["picture"])
        tag = {"If-None-Match": answer.headers["etag"]}
        assert client.get(history[roll]["picture"], headers=tag).status_code == 304
    assert answer.content == laid.journal.picture(1, roll)
    for path in ("/pictures/1/0.jpg", "/pictures/2/2.jpg"):
        assert get(laid, path).status_code == 404


@pytest.mark.parametrize("center", [(100.0, 80.0), (0.0, 0.0), (199.0, 159.0)])
def test_a_crop_has_the_die_in_its_middle(center: tuple[float, float]) -> None:
    image = np.zeros((160, 200, 3), np.uint8)
    cv2.circle(image, (round(center[0]), round(center[1])), 6, (255, 255, 255), -1)
    x, y = center
    cut = crop(image, (x - 20, y - 20, x + 20, y + 20))
    assert cut.shape == (CROP_PX, CROP_PX, 3)
    # Not beyond the picture's edge, where nothing is known.
    inside = -4 if x > 100 else 4
    assert cut[CROP_PX // 2 + inside, CROP_PX // 2 + inside].min() > 200
