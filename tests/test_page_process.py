"""`boxcars play` with its page, as a process of its own, from its start to Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from tests.running import TIMEOUT_S, boxcars, command, environment

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)(/[a-z]*)#token=([\w-]{43,})")


@contextmanager
def playing(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The process, and the lines it wrote to standard error until it said how to stop it."""
    process = subprocess.Popen(
        command("play", "--page", "--no-browser", *arguments),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith("Stop with"):
                break
        yield process, lines
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=TIMEOUT_S)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
def test_from_the_address_printed_to_ctrl_c(tmp_path: Path) -> None:
    with playing(
        "--source", "sim:7", "--players", "Ann,Ben", "--json", "--overlay", "--data", tmp_path
    ) as (process, lines):
        assert len(lines) == 3
        table, overlay = (match for line in lines if (match := ADDRESS.search(line)))
        assert (table[2], overlay[2]) == ("/", "/overlay")
        with httpx.Client(base_url=table[1], trust_env=False, timeout=TIMEOUT_S) as client:
            assert client.get("/").status_code == 200
            assert client.get("/api/state").status_code == 401
            origin = {"Origin": table[1]}
            entered = client.post("/api/enter", json={"token": table[3]}, headers=origin)
            assert entered.json() == {"role": "table"}
            state = wait_for_roll(client)
            assert [it["name"] for it in state["players"]] == ["Ann", "Ben"]
            assert state["source"]["title"] == "the simulated table"
            assert client.get("/picture.jpg").headers["content-type"] == "image/jpeg"
            stood = client.post("/api/actions/stand", json={"rev": state["rev"]}, headers=origin)
            assert stood.status_code in (200, 409)
            shown = client.get("/api/state").json()["history"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert err == "The game is on record: go on with boxcars play --resume\n"
    replayed = boxcars("games", "replay", "--json", "--data", tmp_path)
    assert replayed.out == out
    assert [it["event"] for it in shown] == [it["event"] for it in replayed.records][: len(shown)]


def wait_for_roll(client: httpx.Client) -> dict[str, Any]:
    until = monotonic() + TIMEOUT_S
    while monotonic() < until:
        state: dict[str, Any] = client.get("/api/state").json()
        if state["roll"]:
            return state
        sleep(0.1)
    raise AssertionError("Nobody rolled.")
