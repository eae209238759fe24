"""A hostile page in the same browser as the table's: what it sends changes and shows nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser.acting import laid, shows
from tests.browser.stage import Stage

Visit = Callable[..., Any]

ATTACKS = """async ([table, rev]) => {
  const stand = `${table}/api/actions/stand`;
  const body = JSON.stringify({ rev });
  const got = {};
  const attempt = async (name, act) => {
    try { got[name] = await act(); } catch { got[name] = "refused"; }
  };
  const all = { credentials: "include" };
  const post = { ...all, method: "POST", body };
  const told = (path, how) => attempt(path, async () => (await fetch(table + path, how)).text());
  const blind = (path, how) => attempt(`${path} blindly`, async () => {
    await fetch(table + path, { mode: "no-cors", ...how });
    return "sent";
  });
  await told("/api/state", all);
  await told("/api/actions/stand", { ...post, headers: { "Content-Type": "application/json" } });
  await blind("/api/actions/stand", post);
  await blind("/api/calibration/forget", { ...post, body: "{}" });
  await blind("/api/enter", { ...post, body: '{"token": "x"}' });
  await attempt("beacon", () => navigator.sendBeacon(stand, new Blob([body])) && "sent");
  const load = (tag, values) => attempt(values.src ?? values.href, () => new Promise((done) => {
    const it = Object.assign(document.createElement(tag), values);
    it.onload = () => done("shown");
    it.onerror = () => done("refused");
    document.body.append(it);
  }));
  await load("img", { src: `${table}/picture.jpg` });
  await load("img", { src: `${table}/sources/s1.jpg` });
  await load("script", { src: `${table}/api/state` });
  await load("script", { src: `${table}/static/js/main.js`, type: "module" });
  await load("link", { href: `${table}/static/style/base.css`, rel: "stylesheet" });
  await attempt("events", () => new Promise((done) => {
    const events = new EventSource(`${table}/api/events`, { withCredentials: true });
    events.onopen = events.onmessage = () => done("shown");
    events.onerror = () => { events.close(); done("refused"); };
  }));
  await attempt("socket", () => new Promise((done) => {
    const socket = new WebSocket(`${table.replace("http", "ws")}/api/events`);
    socket.onopen = () => done("shown");
    socket.onerror = () => done("refused");
  }));
  return got;
}"""
"""All that a page can send elsewhere by itself; what came of each."""

FORM = """([table, rev]) => {
  const make = (tag, values) => Object.assign(document.createElement(tag), values);
  const action = `${table}/api/actions/stand`;
  const form = make("form", { method: "post", enctype: "text/plain", action, target: "hidden" });
  form.append(make("input", { name: `{"rev": ${rev}, "x`, value: '": 1}' }));
  const frame = make("iframe", { name: "hidden" });
  document.body.append(frame, form);
  return new Promise((done) => { frame.onload = () => done(true); form.submit(); });
}"""
"""Sends a form whose text is JSON."""

FRAME = """([address]) => new Promise((done) => {
  const frame = Object.assign(document.createElement("iframe"), { src: address });
  frame.onload = () => done(frame.contentDocument === null);
  document.body.append(frame);
})"""
"""Puts the table's page into a frame, to have it clicked."""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Another site on this computer: to browsers it is the same one, cookies and all."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!doctype html><title>Free dice!</title>")
    handler = partial(_Quiet, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_it_can_neither_act_nor_look(table: Stage, visit: Visit, elsewhere: str, name: str) -> None:
    """From the same site by another port, which has the cookie sent along, and from another."""
    page = visit(table.page.address)
    table.lay(laid("1123447779"))
    shows(page, table)
    before = table.now.rev
    hostile = page.context.new_page()
    asked: list[str] = []
    hostile.on("request", lambda request: asked.append(request.url))
    hostile.goto(f"http://{elsewhere.replace('127.0.0.1', name)}/")
    came = hostile.evaluate(ATTACKS, [table.page.origin, before])
    # Of what is sent blindly no page learns what came of it.
    assert {got for what, got in came.items() if "blindly" not in what and what != "beacon"} == {
        "refused"
    }
    hostile.evaluate(FORM, [table.page.origin, before])
    hostile.evaluate(FRAME, [table.page.origin])
    assert hostile.frames[-1].locator("#turn-who").count() == 0
    assert sum(url.startswith(table.page.origin) for url in asked) >= len(came)
    assert table.now.rev == before
    # The table's own page goes on.
    page.keyboard.press(" ")
    table.wait(lambda now: now.game.player == "Bob")


def test_a_hostile_name_for_this_computer_reaches_nothing(chromium: Any, table: Stage) -> None:
    """DNS rebinding: the name of another site that leads here."""
    context = chromium.new_context()
    page = context.new_page()
    # Chromium itself resolves every name below localhost to this computer.
    address = table.page.address.replace("127.0.0.1", "evil.localhost")
    answer = page.goto(address)
    assert answer.status == 421
    assert "not the address of the table" in page.inner_text("body")
    context.close()
