"""Who may ask what: tokens, and whether a request really comes from our own page."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_BYTES = 32

OPEN_PATHS = ("/", "/overlay")
"""Pages that hold no data; anybody may open them, also by a link from elsewhere."""

OPEN_PREFIXES = ("/static/",)

ENTER = "/api/enter"

TABLE_PREFIXES = ("/api/calibration", "/sources/")
"""What only the table may ask, besides all that acts."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""Sent with every answer."""


class Role(StrEnum):
    """What somebody who has a token may do."""

    TABLE = "table"
    """Look and act."""
    OVERLAY = "overlay"
    """Only look."""


def _new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Gate:
    """The addresses this server answers to and the tokens it knows.

    `hosts` are the names and IP addresses, without port, that a `Host` header may have; with
    `any_address` also the very IP address that the request came in by. An address cannot be
    rebound as a name can.
    """

    port: int
    hosts: frozenset[str]
    any_address: bool = False
    tokens: Mapping[Role, str] = field(
        default_factory=lambda: {role: _new_token() for role in Role}
    )

    def role_of(self, token: str) -> Role | None:
        """Whose token this is."""
        found = None
        # JSON can hold half a surrogate pair, which is no text that UTF-8 could write.
        given = token.encode(errors="surrogatepass")
        for role, known in self.tokens.items():
            if hmac.compare_digest(given, known.encode()):
                found = role
        return found

    def cookie(self, role: Role) -> str:
        """The name of a role's cookie: browsers keep those of all ports of a host together."""
        return f"boxcars-{role}-{self.port}"

    def knows_host(self, host: str, reached: str) -> bool:
        """Whether a `Host` header names this server; `reached` is the address asked at."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or parts.username is not None or parts.path or (port or 80) != self.port:
            return False
        return name in self.hosts or (self.any_address and _same_address(name, reached))


def _same_address(name: str, reached: str) -> bool:
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(reached)
    except ValueError:
        return False


class Refused(Exception):
    """A request that is not answered, with the status code and the sentence that say why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """Lets only requests of our own pages and of holders of a token through."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # No web sockets here, and no lifespan either.
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.lower().encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.lower().encode() not in given
                    ),
                ]
                if b"cache-control" not in given:
                    # Our own files may be kept, but are asked for anew after an update.
                    keep = b"no-cache" if scope["path"].startswith(OPEN_PREFIXES) else b"no-store"
                    message["headers"].append((b"cache-control", keep))
            await send(message)

        try:
            self._admit(scope)
        except Refused as refused:
            answer = JSONResponse({"error": str(refused)}, refused.status)
            await answer(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)

    def _admit(self, scope: Scope) -> None:
        """Raise `Refused` unless this may be asked."""
        headers = Headers(scope=scope)
        reached = (scope.get("server") or ("", 0))[0]
        method, path = scope["method"], scope["path"]
        self._check_host(headers, reached)
        if method not in ("GET", "HEAD", "POST"):
            raise Refused(405, "Only GET, HEAD and POST are understood.")
        is_open = method != "POST" and (path in OPEN_PATHS or path.startswith(OPEN_PREFIXES))
        self._check_origin(headers, reached, may_be_linked=is_open and path in OPEN_PATHS)
        if is_open:
            return
        by_header = self._bearer(headers)
        role = by_header or self._by_cookie(headers)
        if method == "POST":
            # A browser says where a post comes from; what is no browser shows its token.
            if "origin" not in headers and by_header is None:
                raise Refused(403, "A post needs an Origin, or the token as Authorization: Bearer.")
            if path == ENTER:
                return
        if role is None:
            raise Refused(401, "Open the address that boxcars play printed: it holds the token.")
        if role is not Role.TABLE and (method == "POST" or path.startswith(TABLE_PREFIXES)):
            raise Refused(403, "This token may only look at the table.")

    def _check_host(self, headers: Headers, reached: str) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._gate.knows_host(hosts[0], reached):
            raise Refused(421, "This is not the address of the table.")

    def _check_origin(self, headers: Headers, reached: str, *, may_be_linked: bool) -> None:
        for origin in headers.getlist("origin"):
            scheme, _, host = origin.partition("://")
            if scheme != "http" or not self._gate.knows_host(host, reached):
                raise Refused(403, "Only the table's own page may ask this.")
        site = headers.get("sec-fetch-site", "none")
        opened = may_be_linked and headers.get("sec-fetch-dest", "document") == "document"
        if site not in ("same-origin", "none") and not opened:
            raise Refused(403, "Only the table's own page may ask this.")

    def _bearer(self, headers: Headers) -> Role | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        return self._gate.role_of(token.strip()) if kind.lower() == "bearer" else None

    def _by_cookie(self, headers: Headers) -> Role | None:
        """The role that a cookie gives, the table's before the overlay's."""
        try:
            jar = SimpleCookie("; ".join(headers.getlist("cookie")))
        except CookieError:
            return None
        for role in (Role.TABLE, Role.OVERLAY):
            morsel = jar.get(self._gate.cookie(role))
            if morsel is not None and self._gate.role_of(morsel.value) is role:
                return role
        return None
