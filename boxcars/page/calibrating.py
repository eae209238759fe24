"""Calibrating the camera at the page: looking, proposing, keeping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from boxcars.page.bodies import asked_for, json_body, nothing_left
from boxcars.page.profiles import outline_json, profile_json
from boxcars.page.security import Refused
from boxcars.setting_up import SetUp
from boxcars.table import Table
from calibration.collecting import Shown
from calibration.limits import DIE_MM, TRAY_MM
from calibration.profile import NOMINAL_DIE_MM, ProfileError
from calibration.store import ProfileStore
from calibration.tray import TrayUnclear
from vision.records import DieReading, Frame, Image
from vision.settle import Scene

Json = dict[str, Any]

NO_CAMERA = "What is watched now is no camera: choose your camera in the set-up to calibrate it."
OTHER_CALIBRATION = (
    "This game reads with what --calibration named: start boxcars play without it to calibrate."
)


class Calibrating:
    """The set-up of the camera that is watched, one for all who are at the page."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lock = Lock()
        self._setup: SetUp | None = None
        self._seen: Frame | None = None

    def look(self) -> Json:
        """Look for the board in the newest picture; how far the set-up is."""
        with self._lock:
            return self._told(self._looked())

    def corners(
        self, shares: Sequence[tuple[float, float]], tray_mm: tuple[float, float], die_mm: float
    ) -> Json:
        """Propose what four corners tell, given as shares of the picture's width and height."""

        def use(setup: SetUp, now: str) -> tuple[str, ...]:
            width, height = setup.size
            pixels = [(x * width, y * height) for x, y in shares]
            setup.use_corners(pixels, tray_mm, now, die_mm)
            return ()

        return self._propose(use)

    def board(self, tray_mm: tuple[float, float] | None, die_mm: float) -> Json:
        """Propose what the board tells."""
        return self._propose(lambda setup, now: setup.use_views(now, tray_mm, die_mm))

    def dice(self, die_mm: float) -> Json:
        """Propose what the dice tell that lie in the tray."""

        def use(setup: SetUp, now: str) -> tuple[str, ...]:
            setup.use_dice(*self._read(), now, die_mm)
            return ()

        return self._propose(use)

    def again(self) -> Json:
        """Forget the views and the proposal."""
        with self._lock:
            self._setup = self._seen = None
            return self._told(self._looked())

    def keep(self) -> Json:
        """Keep the proposal, and read with it from now on."""
        with self._lock:
            setup = self._looked()
            setup.accept()
            setup.start_again()
            self._table.look_anew()
            return self._told(setup)

    def forget(self) -> Json:
        """Forget what is kept for this camera, and read without it from now on."""
        with self._lock:
            setup = self._looked()
            self._profiles().forget(setup.camera)
            self._table.look_anew()
            return self._told(setup)

    def _propose(self, use: Callable[[SetUp, str], tuple[str, ...]]) -> Json:
        """Let `use` propose what it tells at a time of day, with notes for the players."""
        with self._lock:
            setup = self._looked()
            notes = use(setup, self._table.time_of_day())
            return self._told(setup, notes)

    def _looked(self) -> SetUp:
        """The set-up of the camera that is watched now, which has seen its newest picture."""
        camera, latest = self._table.camera, self._table.latest
        if self._table.profiles is None:
            raise Refused(409, OTHER_CALIBRATION)
        if camera is None:
            raise Refused(409, NO_CAMERA)
        if self._setup is None or self._setup.camera != camera:
            self._setup = SetUp(camera, self._profiles(), Shown.AS_FILM)
            self._seen = None
        if latest is not None and latest.frame is not self._seen:
            self._seen = latest.frame
            self._setup.push(latest.frame)
        return self._setup

    def _profiles(self) -> ProfileStore:
        profiles = self._table.profiles
        assert profiles is not None
        return profiles

    def _read(self) -> tuple[Image, tuple[DieReading, ...]]:
        now = self._table.snapshot
        if now.view is None or now.scene is not Scene.SETTLED:
            raise TrayUnclear("Lay all dice flat into the tray and take your hands away.")
        view = now.view.view
        return view.picture.image, view.readings

    def _told(self, setup: SetUp, notes: Sequence[str] = ()) -> Json:
        proposal = setup.proposal
        return {
            "step": setup.step.value,
            "views": setup.views,
            "proposal": None
            if proposal is None
            else profile_json(proposal) | {"outline": outline_json(proposal)},
            "notes": list(notes),
        }


async def look(request: Request) -> Response:
    """`GET /api/calibration`."""
    return await _answer(_calibrating(request).look)


async def act(request: Request) -> Response:
    """`POST /api/calibration/{action}`."""
    parse = asked_for(request, ACTIONS)
    values = await json_body(request)
    do = parse(_calibrating(request), values)
    nothing_left(values)
    return await _answer(do)


async def board_sheet(request: Request) -> Response:
    """`GET /board/{paper}.pdf`: the board to print."""
    name = request.path_params["paper"].upper()
    data = await run_in_threadpool(_board_pdf, name)
    kept = f'attachment; filename="boxcars-board-{name.lower()}.pdf"'
    return Response(data, media_type="application/pdf", headers={"Content-Disposition": kept})


@cache
def _board_pdf(name: str) -> bytes:
    # Only here: few who open the page print a board.
    from calibration import sheet

    if name not in sheet.Paper.__members__:
        raise Refused(404, "There is no such paper.")
    return sheet.to_pdf(sheet.board_sheet(sheet.Paper[name]))


async def _answer(do: Callable[[], Json]) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(do))
    except TrayUnclear as unclear:
        raise Refused(409, str(unclear)) from None
    except ProfileError as error:
        raise Refused(500, str(error)) from None


def _calibrating(request: Request) -> Calibrating:
    calibrating: Calibrating = request.app.state.calibrating
    return calibrating


# Values; each is taken out of those given, so that what is left is too much.


def _is_number(value: object, low: float, high: float) -> bool:
    # A comparison refuses what is not finite, and takes whole numbers too long for a float.
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _pair(value: object, low: float, high: float) -> tuple[float, float] | None:
    if isinstance(value, list) and len(value) == 2 and all(_is_number(n, low, high) for n in value):
        return float(value[0]), float(value[1])
    return None


def _corners(values: Json) -> list[tuple[float, float]]:
    given = values.pop("corners", None)
    corners = [_pair(corner, 0, 1) for corner in given] if isinstance(given, list) else []
    known = [corner for corner in corners if corner is not None]
    if len(corners) != 4 or len(known) != 4:
        raise Refused(400, "'corners' must be four places as shares of the picture's size, 0-1.")
    return known


def _tray_or_none(values: Json) -> tuple[float, float] | None:
    return _tray(values) if values.get("tray_mm") is not None else values.pop("tray_mm", None)


def _tray(values: Json) -> tuple[float, float]:
    tray = _pair(values.pop("tray_mm", None), *TRAY_MM)
    if tray is None:
        low, high = TRAY_MM
        raise Refused(400, f"'tray_mm' must be two lengths of {low:.0f} to {high:.0f} millimetres.")
    return tray


def _die(values: Json) -> float:
    die = values.pop("die_mm", NOMINAL_DIE_MM)
    if not _is_number(die, *DIE_MM):
        low, high = DIE_MM
        raise Refused(400, f"'die_mm' must be {low:.0f} to {high:.0f} millimetres.")
    return float(die)


def _corners_action(calibrating: Calibrating, values: Json) -> Callable[[], Json]:
    corners, tray, die = _corners(values), _tray(values), _die(values)
    return lambda: calibrating.corners(corners, tray, die)


def _board_action(calibrating: Calibrating, values: Json) -> Callable[[], Json]:
    tray, die = _tray_or_none(values), _die(values)
    return lambda: calibrating.board(tray, die)


def _dice_action(calibrating: Calibrating, values: Json) -> Callable[[], Json]:
    die = _die(values)
    return lambda: calibrating.dice(die)


ACTIONS: dict[str, Callable[[Calibrating, Json], Callable[[], Json]]] = {
    "corners": _corners_action,
    "board": _board_action,
    "dice": _dice_action,
    "again": lambda calibrating, _: calibrating.again,
    "keep": lambda calibrating, _: calibrating.keep,
    "forget": lambda calibrating, _: calibrating.forget,
}
