"""Starts the workbench on a port of this machine, and opens the browser once."""

from __future__ import annotations

import asyncio
import logging
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..errors import InputError, MissingExtraError
from .guards import Keys, check_password
from .server import Routes, guarded

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LAST_WORDS = 1  # seconds that open pages get when the workbench ends
_TO_ASK = 10.0  # seconds that a connection gets until its next request has come
_AT_ONCE = 1 << 14  # bytes that are parsed at once; a request's headers have twice as many at most
_CONNECTIONS = 200  # at a time; beyond, one that has not asked yet makes room


def serve(
    routes: Routes,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    password: str | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the workbench until Ctrl-C.

    Parameters
    ----------
    routes : Routes
    host : str, default "127.0.0.1"
        The address to listen at. Elsewhere than on this machine a password is needed.
    port : int, default 0
        0 takes one that is free.
    password : str, default None
        Asked for by the browser, in place of the token in the address.
    browser : bool, default True
        Whether to open the page.
    say : callable, default print
        Told the address.

    Raises
    ------
    InputError
        The address cannot be had, or it is open to others and there is no password.
    MissingExtraError
        The extra `workbench` is not installed.
    """
    if host not in LOOPBACK and not password:
        raise InputError(f"{host} is open to other machines; give a password, or leave --host out")
    if password is not None:
        check_password(password)
    uvicorn, keys = _uvicorn(), Keys(password=password)
    listening = _listen(host, port)
    taken = listening.getsockname()[1]
    names = {*LOOPBACK[:2], "[::1]"} if host in LOOPBACK else {host}
    app = guarded(routes, keys, {f"{name}:{taken}" for name in names})
    address = f"http://{'[::1]' if host == '::1' else host}:{taken}/" + ("" if password else f"?token={keys.token}")
    say(f"The workbench is at {address}")
    say("Everything stays on this machine. Ctrl-C ends it." if host in LOOPBACK else "Ctrl-C ends it.")
    if browser:
        webbrowser.open(address)
    _run(_server(uvicorn, app), listening, routes.end)


def _server(uvicorn: Any, app: Any) -> Any:
    settings = {
        "http": _protocol(), "ws": "none", "lifespan": "off", "h11_max_incomplete_event_size": _AT_ONCE,
        "log_level": "error", "access_log": False, "server_header": False, "timeout_graceful_shutdown": _LAST_WORDS,
        "proxy_headers": False,  # or a client could say that it has another address
    }  # fmt: skip
    return uvicorn.Server(uvicorn.Config(app, **settings))


def _run(running: Any, listening: socket.socket, end: Callable[[], None]) -> None:
    """Answer at a socket until Ctrl-C, which calls `end` before open pages are let go."""
    stop = running.handle_exit

    def ended(*signal: Any) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is cut off at the end is no error
        end()
        stop(*signal)

    running.handle_exit = ended
    with suppress(KeyboardInterrupt):  # how a workbench ends
        running.run(sockets=[listening])


def _protocol() -> Any:
    """Return uvicorn's protocol of HTTP, with bounds for clients that do not ask."""
    from h11 import LocalProtocolError
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):
        """Closes a connection that brings no whole request in time, or in whose place another one asks."""

        deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.expect()
            if len(self.connections) > _CONNECTIONS:
                bounded = (each for each in self.connections if isinstance(each, Bounded))
                silent = {each.deadline.when(): each for each in bounded if each.deadline}
                longest = silent[min(silent)]
                self.connections.discard(longest)
                longest.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self.expect_no_more()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            """Take a part at a time: what comes at once is not measured."""
            for at in range(0, len(data), _AT_ONCE):
                if not self.transport.is_closing():
                    super().data_received(data[at : at + _AT_ONCE])

        def handle_events(self) -> None:
            before = self.cycle
            super().handle_events()
            if self.cycle is not before:
                self.expect_no_more()

        def on_response_complete(self) -> None:
            self.expect()
            super().on_response_complete()

        def send_400_response(self, msg: str) -> None:
            if self.cycle is not None:
                self.cycle.disconnected = True  # nobody waits for its answer
            with suppress(LocalProtocolError):  # it was answered already
                return super().send_400_response(msg)
            self.transport.close()

        def expect(self) -> None:
            self.expect_no_more()
            self.deadline = self.loop.call_later(_TO_ASK, self.transport.abort)

        def expect_no_more(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

    return Bounded


def _uvicorn() -> Any:
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the workbench needs uvicorn: pip install 'outgroup[workbench]'") from error
    return uvicorn


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sends at once over these alone
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # a browser that is quicker than the server waits
    except OSError as error:
        listening.close()
        raise InputError(f"cannot listen at {host}, port {port}: {error.strerror}; choose another --port") from error
    return listening
