"""The web application: which request goes where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from boxcars.page import actions, calibrating, events, pictures
from boxcars.page.bodies import json_body
from boxcars.page.calibrating import Calibrating
from boxcars.page.events import Hub
from boxcars.page.pictures import Pictures
from boxcars.page.security import ENTER, Gate, Guard, Refused
from boxcars.page.state import state_bytes
from boxcars.table import Table

STATIC = Path(__file__).parent / "static"


def make_app(table: Table, gate: Gate, hub: Hub) -> Starlette:
    """The application that shows this table to whoever the gate lets in."""
    app = Starlette(
        routes=[
            Route("/", _page("index.html")),
            Route("/overlay", _page("overlay.html")),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route(ENTER, _enter, methods=["POST"]),
            Route("/api/state", _state),
            Route("/api/events", events.events),
            Route("/api/actions/{action}", actions.act, methods=["POST"]),
            Route("/api/calibration", calibrating.look),
            Route("/api/calibration/{action}", calibrating.act, methods=["POST"]),
            Route("/board/{paper}.pdf", calibrating.board_sheet),
            Route("/sources/{source}.jpg", pictures.preview),
            Route("/picture.jpg", pictures.newest),
            Route("/picture.mjpg", pictures.film),
            Route("/views/{view:int}.jpg", pictures.view),
            Route("/views/{view:int}/{die:int}.jpg", pictures.die),
            Route("/pictures/{game:int}/{seq:int}.jpg", pictures.recorded),
        ],
        middleware=[Middleware(Guard, gate=gate)],
        exception_handlers={Refused: _refused, HTTPException: _http_error, Exception: _fault},
    )
    app.state.table = table
    app.state.gate = gate
    app.state.hub = hub
    app.state.pictures = Pictures(table)
    app.state.calibrating = Calibrating(table)
    return app


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        return FileResponse(STATIC / name, headers={"Cache-Control": "no-cache"})

    return page


async def _enter(request: Request) -> Response:
    """`POST /api/enter`: the token for a cookie."""
    gate: Gate = request.app.state.gate
    values = await json_body(request)
    token = values.get("token")
    role = gate.role_of(token) if isinstance(token, str) else None
    if role is None:
        raise Refused(401, "This token is not, or no longer, good: open the address printed last.")
    answer = JSONResponse({"role": role.value})
    answer.set_cookie(
        gate.cookie(role), gate.tokens[role], path="/", httponly=True, samesite="strict"
    )
    return answer


async def _state(request: Request) -> Response:
    table: Table = request.app.state.table
    return Response(state_bytes(table.snapshot), media_type="application/json")


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)
    return JSONResponse({"error": str(refused)}, refused.status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "There is nothing here.", 405: "This cannot be done here."}
    text = said.get(error.status_code, "That did not work.")
    return JSONResponse({"error": text}, error.status_code, headers=error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    text = f"Unexpected {type(error).__name__}: this is a fault of ours."
    return JSONResponse({"error": text}, 500)
