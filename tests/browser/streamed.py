"""A camera on loopback, as a phone's, over the tray of the sample game; and a table at it."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from boxcars.calibrating import Misfit, ProfiledReader, find_with
from boxcars.choosing import open_watched
from boxcars.journal import FILE_NAME, Journal
from boxcars.page.serving import Page
from boxcars.session import Session
from boxcars.snapshot import Offer
from boxcars.steadying import Steadied
from boxcars.table import Crew, Table, Watched
from calibration import board
from calibration.store import ProfileStore
from calibration.tray import tray_from_clicks
from samples import GAME
from tests.boxcars.table import STARTED
from tests.browser.stage import PATIENCE_S, running
from tests.running import command, environment
from tests.vision.streaming import MjpegServer, jpeg
from vision.pictures import load_picture
from vision.records import Image
from vision.remembering import RememberingReader
from vision.settle import settler_for
from vision.sources import Source

TRAY_MM = (240.0, 156.0)
CORNERS = ((176.0, 112.0), (1058.0, 49.0), (1137.0, 632.0), (185.0, 707.0))
"""The inner corners of the sample game's tray in its pictures, seen by eye; it is tilted by 8°."""

EMPTY = "008z-t1-cleared.jpg"
ROLL = "000-t1-roll10-roll.jpg"

FPS = 8.0
VARIANTS = 4
"""So many pictures with other noise each are sent in turn."""


class Camera:
    """What a camera sends: the same scene with its noise, until it is another scene."""

    def __init__(self, scene: Image) -> None:
        self._pictures: list[bytes] = []
        self.show(scene)

    def show(self, scene: Image) -> None:
        """This is seen from now on."""
        rng = np.random.default_rng(5)
        noises = [rng.normal(0, 1.5, scene.shape) for _ in range(VARIANTS)]
        seen = [np.clip(scene + noise, 0, 255).astype(np.uint8) for noise in noises]
        self._pictures = [jpeg(image, 92) for image in seen]

    def __call__(self) -> Iterator[bytes]:
        count = 0
        while True:
            yield self._pictures[count % VARIANTS]
            count += 1


def sample(name: str) -> Image:
    """A picture of the sample game."""
    return load_picture(GAME / name)


def with_board(scene: Image) -> Image:
    """The printed board lying in the middle of the tray."""
    cells = np.repeat(np.repeat(~board.cells(), 8, axis=0), 8, axis=1)
    sheet = np.pad(np.where(cells, 235, 25).astype(np.uint8), 16, constant_values=235)
    wide, deep = board.WIDTH_MM / 2 + 5, board.DEPTH_MM / 2 + 5
    places = np.array([[-wide, deep], [wide, deep], [wide, -deep], [-wide, -deep]])
    size = (scene.shape[1], scene.shape[0])
    seen = tray_from_clicks(np.array(CORNERS), TRAY_MM, size).standpoint.to_picture(places)
    height, width = sheet.shape
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    move = cv2.getPerspectiveTransform(edges, seen.astype(np.float32))
    laid = cv2.warpPerspective(sheet, move, size, flags=cv2.INTER_AREA)
    there = cv2.warpPerspective(np.full_like(sheet, 255), move, size)[..., None] > 128
    return np.where(there, laid[..., None], scene).astype(np.uint8)


@contextmanager
def camera(scene: Image) -> Iterator[tuple[Camera, str]]:
    """A camera and its address."""
    seen = Camera(scene)
    with MjpegServer(seen, fps=FPS) as server:
        yield seen, server.url


@contextmanager
def table_at(addresses: list[str], folder: Path) -> Iterator[tuple[Table, Page]]:
    """A real table that watches the first of these addresses and offers them all, with its page."""
    offers = tuple(Offer(f"s{n}", f"Phone {n}", it) for n, it in enumerate(addresses))
    profiles = ProfileStore(folder / "cameras")
    reader = RememberingReader()

    def settler(source: Source) -> Steadied:
        find = find_with("auto", source.spec, profiles)
        profiled = ProfiledReader(reader, find, misfit=Misfit.SAID)
        return Steadied(settler_for(source, profiled), profiled)

    def open_offer(offer: Offer) -> Watched:
        return replace(open_watched([offer.spec]), title=offer.title, offer=offer.id)

    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder / FILE_NAME))
        watched = open_offer(offers[0])
        stack.callback(watched.source.close)
        session = Session.begin(journal, ["Ann"], started=STARTED, source=watched.text)
        crew = Crew(open_offer, settler, lambda: STARTED, profiles=profiles)
        table = Table(journal, session, watched, crew, offers)
        stack.enter_context(running(table))
        yield table, stack.enter_context(Page(table))


@contextmanager
def served(*arguments: str | Path) -> Iterator[str]:
    """`boxcars play` in a process of its own; the address that it prints."""
    process = subprocess.Popen(
        command("play", "--page", "--no-browser", *arguments),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(PATIENCE_S, process.kill)
    late.start()
    assert process.stderr is not None
    rest = threading.Thread(target=process.stderr.read)
    try:
        found = next(filter(None, map(_address, process.stderr)), None)
        assert found is not None, "It printed no address."
        late.cancel()
        rest.start()
        yield found
    finally:
        late.cancel()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
        rest.join(PATIENCE_S)
        process.stderr.close()


def _address(line: str) -> str | None:
    found = re.search(r"http://\S+/#token=\S+", line)
    return found[0] if found else None
