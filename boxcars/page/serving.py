"""Serving the page from this process, in a thread of its own."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from types import TracebackType

import uvicorn

from boxcars.page.app import make_app
from boxcars.page.events import Hub
from boxcars.page.security import Gate, Role
from boxcars.table import Table

LOOPBACK = "127.0.0.1"

STOP_S = 3.0
"""Answers under way are given so long to end."""

START_S = 10.0

BACKLOG = 64

CONNECTIONS_MOST = 256
"""Those beyond are told to try later, so that nobody can take up all of our memory."""


class CannotServe(RuntimeError):
    """The page cannot be served there; the message says why."""


class Page:
    """The page of one table, served from construction until `close`.

    `listener`, which is closed with it, is what `listen` gave for `host` and `port`, if that was
    done before.

    Raises:
        CannotServe: the address is not ours, or the port is taken.
    """

    def __init__(
        self,
        table: Table,
        host: str = LOOPBACK,
        port: int = 0,
        listener: socket.socket | None = None,
    ) -> None:
        self._socket = listener or listen(host, port)
        self._host = host
        self.port = int(self._socket.getsockname()[1])
        self.gate = Gate(self.port, _names_of(host), any_address=_is_wildcard(host))
        self._hub = Hub(table)
        config = uvicorn.Config(
            make_app(table, self.gate, self._hub),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            limit_concurrency=CONNECTIONS_MOST,
            h11_max_incomplete_event_size=16_384,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="boxcars page", daemon=True)
        self._ready = threading.Event()
        self._thread.start()
        self._ready.wait(START_S)

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def origin(self) -> str:
        """`http://host:port` as a browser on this computer reaches it."""
        host = LOOPBACK if _is_wildcard(self._host) else self._host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def address(self) -> str:
        """The address of the table's page, with its token."""
        return f"{self.origin}/#token={self.gate.tokens[Role.TABLE]}"

    @property
    def overlay_address(self) -> str:
        """The address of the overlay, with a token that may only look."""
        return f"{self.origin}/overlay#token={self.gate.tokens[Role.OVERLAY]}"

    @property
    def outside_address(self) -> str | None:
        """The page's address for others in the house; None if they are not let in."""
        if not _is_wildcard(self._host):
            return None
        own = _own_address()
        return own and f"http://{own}:{self.port}/#token={self.gate.tokens[Role.TABLE]}"

    def close(self) -> None:
        """Stop serving; viewers are cut off."""
        self._hub.close()
        self._server.should_exit = True
        self._thread.join(STOP_S)
        self._socket.close()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._hub.open(asyncio.get_running_loop())
        self._ready.set()
        await self._server.serve([self._socket])


def listen(host: str, port: int) -> socket.socket:
    """Take the address at which a page will be served.

    Raises:
        CannotServe: the address is not ours, or the port is taken.
    """
    try:
        (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listener = socket.socket(family, kind, protocol)
        try:
            # Not on Windows, where it would let another program share the port.
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        raise CannotServe(
            f"The page cannot be served at {host}, port {port} "
            f"({getattr(error, 'strerror', None) or error}): choose another --host or --port."
        ) from error
    return listener


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _own_address() -> str | None:
    """The address of this computer in its network, None if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the system only chooses the address it would send from.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _names_of(host: str) -> frozenset[str]:
    """The names that browsers may call this server by."""
    names = {host.lower()}
    own = socket.gethostname().lower()
    if _is_wildcard(host):
        names |= {LOOPBACK, "::1", "localhost", own, f"{own}.local"}
    elif host in (LOOPBACK, "::1", "localhost"):
        names |= {LOOPBACK, "::1", "localhost"}
    return frozenset(names)
