"""Takes the page's pictures: `python -m tests.browser.screenshots --out docs/page`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from samples import GAME
from tests.browser.acting import shows
from tests.browser.chromium import launch
from tests.browser.stage import Stage, stage
from tests.browser.streamed import CORNERS, EMPTY, TRAY_MM, sample, with_board
from vision.records import DieReading, Doubt

PLAYERS = ("Ann", "Ben")

SETTLING_MS = 1200
"""Pictures and letters that a click brought are there after this."""

STEP = 8
"""In photographs shades so far apart are kept; raising it saves bytes and makes steps."""

PHOTOS = """() => {
  const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  return [...top.querySelectorAll("img:not([src*='/static/'])")]
    .map((it) => it.getBoundingClientRect())
    .map(({ left, top, right, bottom }) => [left, top, right, bottom]);
}"""
"""Where photographs are in the window, or in the dialog that lies over it."""

Scene = Callable[[Stage], None]


@dataclass(frozen=True)
class Shot:
    """One picture of the page: what lies on the table, and how it is looked at."""

    name: str
    scene: Scene
    width: int = 1440
    height: int = 900
    theme: str = "light"
    size: str = "normal"
    keys: tuple[str, ...] = ()
    overlay: bool = False
    players: Sequence[str] = PLAYERS
    waits: str = "html"
    """What has to be there before the picture is taken."""
    acts: Callable[[Any, Stage], None] = lambda page, set_up: None
    """What is done on the page first."""


def pictures(first: int, last: int) -> list[str]:
    """The names of the sample game's pictures from one number to another."""
    return sorted(path.name for path in GAME.glob("*.jpg"))[first : last + 1]


def play(set_up: Stage, first: int, last: int) -> None:
    """Show pictures of the sample game one after another; every alarm is allowed."""
    for name in pictures(first, last):
        if set_up.now.history.alarm is not None:
            set_up.allow()
        set_up.show(name)


def rolled(set_up: Stage) -> None:
    """Everybody has scored once; now a turn is half through."""
    play(set_up, 0, 24)


def picked_up(set_up: Stage) -> None:
    """Dice in the hand, by the rules."""
    play(set_up, 0, 25)


def alarmed(set_up: Stage) -> None:
    """A Breakdown was picked up without a Way Car in play."""
    play(set_up, 0, 1)


def asking(set_up: Stage) -> None:
    """One die of a throw may be a 6 or a 9, one leans."""
    play(set_up, 0, 19)
    set_up.show(pictures(20, 20)[0], doubts)


def doubts(readings: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
    """The same readings, but for one that may be a 6 or a 9 and one that leans."""
    first = next(n for n, reading in enumerate(readings) if reading.likeliest in (6, 9))
    other = next(n for n in range(len(readings)) if n != first)
    changed = {first: Doubt.SIX_OR_NINE, other: Doubt.COCKED}
    return tuple(
        replace(reading, doubts=changed[n]) if n in changed else reading
        for n, reading in enumerate(readings)
    )


def over(set_up: Stage) -> None:
    """The game is won: all have thrown the same five turns, but one stood earlier."""
    for _ in set_up.now.game.players[1:]:
        play(set_up, 0, 49)
    play(set_up, 0, 42)
    play(set_up, 49, 49)


def lose_line(page: Any, set_up: Stage) -> None:
    """The table answers no more."""
    set_up.cut_line()
    page.locator("#line", has_text="does not answer").wait_for()


def come_second(page: Any, set_up: Stage) -> None:
    """Two pages correct the same die, and this one is the later."""
    other = page.context.new_page()
    other.goto(set_up.page.origin)
    shows(other, set_up)
    for each in (page, other):
        each.keyboard.press("5")
        each.locator("#die-dialog[open]").wait_for()
    other.keyboard.press("6")
    set_up.wait(lambda now: 6 in now.game.faces)
    page.keyboard.press("3")
    page.locator("#toast").wait_for()


def undo_end(page: Any, _: Stage) -> None:
    """The end of the game is taken back, and the record says so."""
    page.locator("#undo-end").click()
    page.locator("#winner").wait_for(state="hidden")
    page.keyboard.press("h")


def mark_corners(page: Any, _: Stage) -> None:
    """Open the calibration and mark the tray."""
    page.locator("#calibrate-button").click()
    page.wait_for_function("document.getElementById('calibrate-frame').naturalWidth > 0")
    page.locator("#tray-width").fill(str(TRAY_MM[0]))
    page.locator("#tray-depth").fill(str(TRAY_MM[1]))
    box = page.locator("#calibrate-picture").bounding_box()
    for x, y in CORNERS:
        page.mouse.click(box["x"] + x / 1280 * box["width"], box["y"] + y / 720 * box["height"])


def work_out(page: Any, set_up: Stage) -> None:
    """Mark the tray, and see what comes of it."""
    mark_corners(page, set_up)
    page.locator("#calibrate-try").click()


def board_seen(set_up: Stage) -> None:
    """The printed board lies in the tray."""
    set_up.put(with_board(sample(EMPTY)))


def choose_board(page: Any, _: Stage) -> None:
    """Calibrate by the board, once it has been seen to lie still."""
    page.locator("#calibrate-button").click()
    page.get_by_label("Lay the printed board into the tray").click()


SHOTS = (
    Shot("table", rolled),
    Shot("table-night", picked_up, theme="dark"),
    Shot("hall", rolled, 1920, 1080),
    Shot("room", rolled, 1920, 1080, size="room", theme="dark"),
    Shot("phone", picked_up, 390, 844),
    Shot("alarm", alarmed),
    Shot("question", asking),
    Shot("correction", rolled, keys=("5",)),
    Shot("history", rolled, keys=("h",)),
    Shot("coach", rolled, keys=("k",), waits="#coach:not([hidden])"),
    Shot("setup", rolled, keys=("s",), waits="#quality"),
    Shot("calibrate", rolled, keys=("s",), acts=work_out, waits="#calibrate-keep:not([hidden])"),
    Shot("calibrate-phone", rolled, 390, 844, keys=("s",), acts=mark_corners, theme="dark"),
    Shot("calibrate-board", board_seen, keys=("s",), acts=choose_board, theme="dark"),
    Shot("options", rolled, keys=("o",)),
    Shot("help", rolled, keys=("?",), theme="dark"),
    Shot("start", lambda _: None),
    Shot("lost", picked_up, acts=lose_line),
    Shot("second", rolled, acts=come_second, theme="dark"),
    Shot("winner", over),
    Shot("undone", over, acts=undo_end),
    Shot("overlay", picked_up, 1920, 1080, overlay=True),
)


@contextmanager
def look(browser: Any, shot: Shot, set_up: Stage) -> Iterator[Any]:
    """A window that shows the table as the shot wants it."""
    context = browser.new_context(viewport={"width": shot.width, "height": shot.height})
    page = context.new_page()
    page.add_init_script(
        f"localStorage.setItem('boxcars', "
        f'\'{{"theme": "{shot.theme}", "size": "{shot.size}", "motion": "none"}}\')'
    )
    page.goto(set_up.page.overlay_address if shot.overlay else set_up.page.address)
    shows(page, set_up)
    for key in shot.keys:
        page.keyboard.press(key)
    shot.acts(page, set_up)
    page.locator(shot.waits).wait_for(state="attached")
    page.wait_for_timeout(SETTLING_MS)
    yield page
    context.close()


def slimmed(png: bytes, photos: Sequence[Sequence[float]]) -> bytes:
    """The same picture, its photographs in fewer colours: nobody sees it, and half the bytes do."""
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    assert image is not None
    for left, top, right, bottom in np.maximum(np.array(photos).reshape(-1, 4), 0).astype(int):
        photo = image[top:bottom, left:right].astype(np.int32)
        image[top:bottom, left:right] = np.minimum(255, (photo + STEP // 2) // STEP * STEP)
    done, data = cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    assert done
    return data.tobytes()


def take(browser: Any, shot: Shot, folder: Path) -> Path:
    """Take one picture."""
    path = folder / f"{shot.name}.png"
    with (
        tempfile.TemporaryDirectory() as record,
        stage(Path(record), shot.players) as set_up,
    ):
        shot.scene(set_up)
        with look(browser, shot, set_up) as page:
            seen = page.screenshot(omit_background=shot.overlay)
            path.write_bytes(slimmed(seen, page.evaluate(PHOTOS)))
    return path


def main() -> None:
    """Take all pictures, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder for the pictures")
    parser.add_argument("names", nargs="*", help="only these: " + ", ".join(s.name for s in SHOTS))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, launch(playwright) as browser:
        for shot in SHOTS:
            if not arguments.names or shot.name in arguments.names:
                print(take(browser, shot, arguments.out))


if __name__ == "__main__":
    main()
