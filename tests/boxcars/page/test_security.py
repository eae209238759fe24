"""What a hostile page, a stranger and a mere viewer may not do."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection

import httpx
import pytest

from boxcars.page.security import HEADERS, Gate, Role
from boxcars.page.serving import CannotServe, Page
from tests.boxcars.page.conftest import OFFERS
from tests.boxcars.page.laid import PATIENCE_S, LaidTable, laid_table
from tests.boxcars.table import row

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
GUARDED = [
    "/api/state",
    "/api/events",
    "/picture.jpg",
    "/picture.mjpg",
    "/views/1.jpg",
    "/views/1/1.jpg",
    "/pictures/1/2.jpg",
]


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaidTable]:
    """One table for all of them: none of what they send may leave a trace."""
    with laid_table(tmp_path_factory.mktemp("table"), offers=OFFERS) as laid:
        yield laid


def roll(laid: LaidTable) -> int:
    """Ten dice are thrown in a new game; the snapshot after it."""
    assert laid.act("new-game", players=["Ann", "Bob"]).status_code == 200
    laid.lay([])
    return laid.lay(ROLL).rev


@pytest.fixture
def stranger(laid: LaidTable) -> Iterator[httpx.Client]:
    """Somebody who can reach the port and has no token."""
    with laid.client(None) as client:
        yield client


@pytest.fixture
def browser(laid: LaidTable) -> Iterator[httpx.Client]:
    """A browser that has opened the address printed: it has the cookie, and says its origin."""
    with laid.client(None) as client:
        entered = client.post(
            "/api/enter",
            json={"token": laid.page.gate.tokens[Role.TABLE]},
            headers={"Origin": laid.page.origin},
        )
        assert entered.json() == {"role": "table"}
        yield client


def stand(client: httpx.Client, rev: int, **headers: str) -> httpx.Response:
    return client.post("/api/actions/stand", json={"rev": rev}, headers=headers)


# Where it listens.


def test_only_this_computer_can_reach_it(laid: LaidTable) -> None:
    assert laid.page.origin.startswith("http://127.0.0.1:")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # No packet is sent; the system only says which address of ours would be used.
        probe.connect(("192.0.2.1", 9))
        own = probe.getsockname()[0]
    if own.startswith("127."):
        pytest.skip("this computer has no other address")
    with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
        socket.create_connection((own, laid.page.port), timeout=5)


def test_a_port_that_is_taken_is_one_sentence(laid: LaidTable) -> None:
    with pytest.raises(CannotServe, match="choose another --host or --port"):
        Page(laid.table, port=laid.page.port)


def test_an_address_that_is_not_ours_is_one_sentence(laid: LaidTable) -> None:
    with pytest.raises(CannotServe, match=r"192\.0\.2\.1"):
        Page(laid.table, host="192.0.2.1")


def test_others_in_the_house_may_be_let_in(laid: LaidTable) -> None:
    assert laid.page.outside_address is None
    with Page(laid.table, host="0.0.0.0") as page:
        address = page.outside_address
        if address is None:
            pytest.skip("this computer is in no network")
        where, token = address.split("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=where, headers=headers, trust_env=False) as client:
            assert client.get("/api/state").status_code == 200
            assert client.get("/api/state", headers={"Host": "evil.example"}).status_code == 421


# Tokens.


@pytest.mark.parametrize("path", GUARDED)
def test_nothing_is_told_without_a_token(stranger: httpx.Client, path: str) -> None:
    assert stranger.get(path).status_code == 401


@pytest.mark.parametrize("path", GUARDED)
def test_nothing_is_told_for_a_wrong_token(stranger: httpx.Client, path: str) -> None:
    wrong = {"Authorization": "Bearer " + "A" * 43}
    assert stranger.get(path, headers=wrong).status_code == 401


def test_nothing_can_be_done_without_a_token(laid: LaidTable, stranger: httpx.Client) -> None:
    rev = roll(laid)
    assert stand(stranger, rev, Origin=laid.page.origin).status_code == 401
    assert laid.snapshot.rev == rev


def test_a_token_in_the_query_is_no_token(laid: LaidTable, stranger: httpx.Client) -> None:
    token = laid.page.gate.tokens[Role.TABLE]
    assert stranger.get("/api/state", params={"token": token}).status_code == 401


def test_a_wrong_token_gets_no_cookie(laid: LaidTable, stranger: httpx.Client) -> None:
    for token in ("", "wrong", None, 7, ["x"], "ü"):
        answer = stranger.post(
            "/api/enter", json={"token": token}, headers={"Origin": laid.page.origin}
        )
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


def test_half_a_character_is_no_token(laid: LaidTable, stranger: httpx.Client) -> None:
    """JSON can hold it, UTF-8 cannot."""
    headers = {"Origin": laid.page.origin, "Content-Type": "application/json"}
    answer = stranger.post("/api/enter", content=rb'{"token": "\ud800"}', headers=headers)
    assert answer.status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(
    laid: LaidTable, stranger: httpx.Client
) -> None:
    answer = stranger.post(
        "/api/enter",
        json={"token": laid.page.gate.tokens[Role.TABLE]},
        headers={"Origin": laid.page.origin},
    )
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "domain" not in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie


def test_tokens_are_long_and_new_at_every_start(laid: LaidTable) -> None:
    with Page(laid.table) as again:
        tokens = [*laid.page.gate.tokens.values(), *again.gate.tokens.values()]
    assert len(set(tokens)) == 4
    assert min(map(len, tokens)) >= 43


def test_the_token_is_where_no_server_or_referrer_sees_it(laid: LaidTable) -> None:
    for role, address in (
        (Role.TABLE, laid.page.address),
        (Role.OVERLAY, laid.page.overlay_address),
    ):
        before, fragment = address.split("#")
        assert fragment == f"token={laid.page.gate.tokens[role]}"
        assert laid.page.gate.tokens[role] not in before


def test_the_cookie_of_another_table_is_not_good_here(laid: LaidTable) -> None:
    with Page(laid.table) as other, laid.client(None) as client:
        name = laid.page.gate.cookie(Role.TABLE)
        client.cookies.set(name, other.gate.tokens[Role.TABLE])
        assert client.get("/api/state").status_code == 401


# The overlay.


def test_the_overlay_may_look(laid: LaidTable) -> None:
    roll(laid)
    with laid.client(Role.OVERLAY) as overlay:
        assert overlay.get("/api/state").json()["roll"]["faces"][0] == 0
        assert overlay.get("/picture.jpg").status_code == 200


def test_the_overlay_may_not_act(laid: LaidTable) -> None:
    rev = roll(laid)
    with laid.client(Role.OVERLAY) as overlay:
        assert stand(overlay, rev).status_code == 403
        overlay.headers.pop("Authorization")
        overlay.post(
            "/api/enter",
            json={"token": laid.page.gate.tokens[Role.OVERLAY]},
            headers={"Origin": laid.page.origin},
        )
        assert stand(overlay, rev, Origin=laid.page.origin).status_code == 403
        # Nor by calling its cookie another name.
        overlay.cookies.set(laid.page.gate.cookie(Role.TABLE), laid.page.gate.tokens[Role.OVERLAY])
        assert stand(overlay, rev, Origin=laid.page.origin).status_code == 403
    assert laid.snapshot.rev == rev


# Rebound names.


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.2:{port}",
        "192.168.1.7:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port}/x",
        "2130706433:{port}",
        "localhost.:{port}",
        "",
        ":{port}",
        "[::1",
    ],
)
def test_other_names_for_this_server_are_refused(laid: LaidTable, host: str) -> None:
    with laid.client() as client:
        for path in ("/", "/overlay", "/static/index.html", *GUARDED):
            answer = client.get(path, headers={"Host": host.format(port=laid.page.port)})
            assert answer.status_code in (400, 421), path


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}"])
def test_its_own_names_are_good(laid: LaidTable, host: str) -> None:
    with laid.client() as client:
        answer = client.get("/api/state", headers={"Host": host.format(port=laid.page.port)})
    assert answer.status_code == 200


def test_no_host_or_two_are_refused(laid: LaidTable) -> None:
    token = laid.page.gate.tokens[Role.TABLE]
    good = f"Host: 127.0.0.1:{laid.page.port}\r\n"
    for hosts in ("", good + "Host: evil.example\r\n", good + good):
        with socket.create_connection(("127.0.0.1", laid.page.port), PATIENCE_S) as raw:
            raw.sendall(
                f"GET /api/state HTTP/1.1\r\n{hosts}Authorization: Bearer {token}\r\n"
                "Connection: close\r\n\r\n".encode()
            )
            answer = b""
            while part := raw.recv(65536):
                answer += part
        assert answer.split(b" ")[1] in (b"400", b"421")


@pytest.mark.parametrize(
    ("host", "reached", "known"),
    [
        ("192.168.1.7:8000", "192.168.1.7", True),
        ("192.168.1.8:8000", "192.168.1.7", False),
        ("evil.example:8000", "192.168.1.7", False),
        ("[fe80::1]:8000", "fe80::1", True),
        ("192.168.1.7:8001", "192.168.1.7", False),
        ("192.168.1.7", "192.168.1.7", False),
    ],
)
def test_with_every_address_only_the_one_reached_is_good(
    host: str, reached: str, known: bool
) -> None:
    gate = Gate(8000, frozenset({"localhost"}), any_address=True)
    assert gate.knows_host(host, reached) is known


# Other sites' pages.


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.example",
        "http://evil.example:{port}",
        "file://",
        "chrome-extension://abcdef",
        "",
    ],
)
def test_another_sites_page_may_neither_act_nor_look(
    laid: LaidTable, browser: httpx.Client, origin: str
) -> None:
    rev = roll(laid)
    said = origin.format(port=laid.page.port)
    assert stand(browser, rev, Origin=said).status_code == 403
    assert browser.get("/api/state", headers={"Origin": said}).status_code == 403
    token = laid.page.gate.tokens[Role.TABLE]
    entering = browser.post("/api/enter", json={"token": token}, headers={"Origin": said})
    assert entering.status_code == 403
    assert laid.snapshot.rev == rev


def test_its_own_page_may(laid: LaidTable, browser: httpx.Client) -> None:
    rev = roll(laid)
    assert stand(browser, rev, Origin=laid.page.origin).status_code == 200


def test_a_post_with_the_cookie_alone_is_refused(laid: LaidTable, browser: httpx.Client) -> None:
    rev = roll(laid)
    assert stand(browser, rev).status_code == 403
    assert laid.snapshot.rev == rev


def test_a_form_cannot_post(laid: LaidTable, browser: httpx.Client) -> None:
    """What a page elsewhere can send without asking first: forms and plain text."""
    rev = roll(laid)
    body = json.dumps({"rev": rev})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        headers = {"Content-Type": kind, "Origin": laid.page.origin}
        answer = browser.post("/api/actions/stand", content=body, headers=headers)
        assert answer.status_code == 415
    assert laid.snapshot.rev == rev


@pytest.mark.parametrize("site", ["cross-site", "same-site", "strange"])
def test_what_other_sites_embed_is_refused(
    laid: LaidTable, browser: httpx.Client, site: str
) -> None:
    roll(laid)
    for path in ("/api/state", "/picture.jpg", "/static/index.html"):
        assert browser.get(path, headers={"Sec-Fetch-Site": site}).status_code == 403
    framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "iframe"}
    assert browser.get("/", headers=framed).status_code == 403


def test_a_link_from_elsewhere_opens_the_page(laid: LaidTable, browser: httpx.Client) -> None:
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    assert browser.get("/", headers=linked).status_code == 200


def test_no_other_site_is_ever_let_in(laid: LaidTable, browser: httpx.Client) -> None:
    asking = {
        "Origin": "http://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    for method, path in (("OPTIONS", "/api/actions/stand"), ("GET", "/api/state"), ("GET", "/")):
        answer = browser.request(method, path, headers=asking)
        assert answer.status_code in (403, 405)
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
def test_other_methods_do_nothing(laid: LaidTable, method: str) -> None:
    with laid.client() as client:
        assert client.request(method, "/api/actions/stand").status_code == 405


# What is sent with every answer.


@pytest.mark.parametrize(
    "path", ["/", "/static/index.html", "/api/state", "/picture.jpg", "/nothing", "/static/nothing"]
)
def test_every_answer_is_fenced_in(laid: LaidTable, path: str) -> None:
    roll(laid)
    with laid.client() as client, laid.client(None) as stranger:
        for answer in (client.get(path), stranger.get(path)):
            for name, value in HEADERS.items():
                assert answer.headers[name] == value
            assert "server" not in answer.headers


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert {value for name, value in policy.items() if name.endswith("-src")} == {
        "'none'",
        "'self'",
    }


def test_what_the_table_says_is_never_stored(laid: LaidTable) -> None:
    with laid.client() as client:
        assert client.get("/api/state").headers["cache-control"] == "no-store"


# Bodies and values.


def post_raw(laid: LaidTable, body: bytes, **headers: str) -> httpx.Response:
    with laid.client() as client:
        return client.post(
            "/api/actions/stand",
            content=body,
            headers={"Content-Type": "application/json", **headers},
        )


def test_long_bodies_are_refused(laid: LaidTable) -> None:
    assert post_raw(laid, b" " * 8193).status_code == 413
    assert post_raw(laid, b"{}" + b" " * 8000).status_code == 400


def test_a_body_of_untold_length_is_refused_when_it_gets_long(laid: LaidTable) -> None:
    connection = HTTPConnection("127.0.0.1", laid.page.port, timeout=PATIENCE_S)
    parts = (b" " * 1000 for _ in range(10))
    connection.request(
        "POST",
        "/api/actions/stand",
        body=parts,
        headers={
            "Authorization": f"Bearer {laid.page.gate.tokens[Role.TABLE]}",
            "Content-Type": "application/json",
        },
        encode_chunked=True,
    )
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b'"x"',
        b"null",
        b"{",
        b'{"rev": NaN}',
        b'{"rev": 1e999}',
        b'{"rev": "1"}',
        b'{"rev": true}',
        b'{"rev": -1}',
        b'{"rev": 1.0}',
        b'{"rev": 99999999999999999999999999}',
        b'{"rev": ' + b"9" * 5000 + b"}",
        b'{"rev": 1, "more": 2}',
        b"[" * 4000,
        b'{"a":' * 1300,
        b"\xff\xfe",
        b"{}",
    ],
)
def test_bodies_that_are_none(laid: LaidTable, body: bytes) -> None:
    before = laid.snapshot.rev
    answer = post_raw(laid, body)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    assert laid.snapshot.rev == before


@pytest.mark.parametrize(
    "players",
    [
        [],
        "Ann",
        [""],
        ["  "],
        ["x" * 41],
        ["Ann", "ann"],
        ["Ann", 7],
        [None],
        [["Ann"]],
        ["A\u0000nn"],
        ["A\u202enn"],
        ["A\u200bnn"],
        ["\ud800"],
        [f"P{n}" for n in range(13)],
    ],
)
def test_names_that_are_none(laid: LaidTable, players: object) -> None:
    before = laid.snapshot.rev
    with laid.client() as client:
        answer = client.post(
            "/api/actions/new-game",
            content=json.dumps({"rev": before, "players": players}),
            headers={"Content-Type": "application/json"},
        )
    assert answer.status_code == 400
    assert laid.snapshot.rev == before


def test_a_name_is_text_whatever_it_holds(laid: LaidTable) -> None:
    name = "<img src=x onerror=alert(1)>"
    answer = laid.act("new-game", players=[name, "Ünï 🎲"])
    assert answer.headers["content-type"] == "application/json"
    assert [it["name"] for it in answer.json()["state"]["players"]] == [name, "Ünï 🎲"]


def test_a_source_that_is_not_on_offer_cannot_be_chosen(laid: LaidTable) -> None:
    for wanted in ("s9", "/etc/passwd", "0", "http://169.254.169.254/", "other", "../s1"):
        assert laid.act("source", id=wanted).status_code == 409
    assert laid.act("source", id=["s1"]).status_code == 400
    assert laid.act("source", id="x" * 41).status_code == 400
    assert laid.opened == {}


def test_what_is_on_offer_is_told_without_its_address(laid: LaidTable) -> None:
    with laid.client() as client:
        text = client.get("/api/state").text
    assert '"sources":[{"id":"s0","title":"laid dice"},{"id":"s1","title":"Other"}' in text
    assert '"spec"' not in text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..\\app.py",
        "/static/%00",
        "/app.py",
        "/pictures/1/%2e%2e.jpg",
        "/pictures/99999999999999999999/1.jpg",
        "/pictures/1/99999999999999999999.jpg",
        "/views/99999999999999999999.jpg",
    ],
)
def test_no_other_file_can_be_had(laid: LaidTable, path: str) -> None:
    connection = HTTPConnection("127.0.0.1", laid.page.port, timeout=PATIENCE_S)
    token = laid.page.gate.tokens[Role.TABLE]
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 404
    assert b"starlette" not in body
    assert b"root:" not in body
