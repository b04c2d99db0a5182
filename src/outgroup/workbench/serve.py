"""Starts the workbench on a port of this machine, and opens the browser once."""

from __future__ import annotations

import logging
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..errors import InputError, MissingExtraError
from .guards import Keys
from .server import Routes, guarded

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LAST_WORDS = 1  # seconds that open pages get when the workbench ends


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
    server, keys = _uvicorn(), Keys(password=password)
    listening = _listen(host, port)
    taken = listening.getsockname()[1]
    names = {*LOOPBACK[:2], "[::1]"} if host in LOOPBACK else {host}
    app = guarded(routes, keys, {f"{name}:{taken}" for name in names})
    address = f"http://{'[::1]' if host == '::1' else host}:{taken}/" + ("" if password else f"?token={keys.token}")
    say(f"The workbench is at {address}")
    say("Everything stays on this machine. Ctrl-C ends it." if host in LOOPBACK else "Ctrl-C ends it.")
    if browser:
        webbrowser.open(address)
    _run(server, app, listening, routes.end)


def _run(server: Any, app: Any, listening: socket.socket, end: Callable[[], None]) -> None:
    """Answer at a socket until Ctrl-C, which calls `end` before open pages are let go."""
    settings = {"log_level": "warning", "access_log": False, "server_header": False, "lifespan": "off"}
    running = server.Server(server.Config(app, timeout_graceful_shutdown=_LAST_WORDS, **settings))
    stop = running.handle_exit

    def ended(*signal: Any) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is cut off at the end is no error
        end()
        stop(*signal)

    running.handle_exit = ended
    with suppress(KeyboardInterrupt):  # how a workbench ends
        running.run(sockets=[listening])


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
