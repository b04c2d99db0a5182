"""The HTTP routes of the workbench, and the server that opens the browser."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..decisions import parse, to_toml
from ..errors import InputError, OutgroupError, required
from ..report.html import bundle, shell, style
from ..session import Version
from .answers import ModelAnswers
from .controller import Desk, DeskEvent
from .guards import Guards, Hosts, Keys, check_password
from .views import View

# --- Routes: plain data out, decisions in; no state of their own

Answer = Callable[[Any], Any]
"""The answer to a request: a function of its query, or of its JSON body."""

Export = Callable[[Version, Mapping[str, Any]], Path]
"""Writes the result folder of a version, with the values of `View.measured`, and returns its path."""


_PROPOSALS = 12  # questions at a time
_SILENCE = 15.0  # seconds between keep-alive comments
_FAREWELL = 1  # second for open pages when the workbench ends
_PATIENCE = 10.0  # seconds until the next request of a connection must be complete
_BLOCK = 1 << 14  # bytes parsed at once; the headers of a request have at most twice as many
_CONNECTIONS = 200  # at a time; beyond, the longest idle one is closed


class Routes:
    """HTTP routes of the page.

    Parameters
    ----------
    desk : Desk
    view : View
    export : callable
        Writes a version as a result folder.
    model : ModelAnswers, default None
        A chat model that can answer the questions.
    """

    def __init__(self, desk: Desk, view: View, export: Export, model: ModelAnswers | None = None) -> None:
        self._desk, self._view, self._export, self.model = desk, view, export, model
        self._run = secrets.token_hex(8)  # by which a page notices another process

    def app(self) -> Any:
        """Return the ASGI application; raise MissingExtraError without the extra `workbench`."""
        starlette = required("starlette.applications", "workbench", "the workbench needs starlette")
        from starlette.routing import Route

        routes = [Route("/", self.page), Route("/workbench.js", self.script), Route("/workbench.css", self.style)]
        routes += [Route("/api/part/{name}", self.part), Route("/api/events", self.events)]
        routes += [Route("/api/steering.toml", self.steering)]
        routes += [Route(f"/api/{name}", _json_route(answer)) for name, answer in self.reading().items()]
        posted = self.asking() | {name: self._then_state(action) for name, action in self.writing().items()}
        routes += [Route(f"/api/{name}", _json_route(answer), methods=["POST"]) for name, answer in posted.items()]
        return starlette.Starlette(routes=routes)

    def reading(self) -> dict[str, Answer]:
        """Return the answers to GET requests, functions of the query."""
        view, model = self._view, self.model
        found: dict[str, Answer] = {
            "state": lambda _: self.state(),
            "next": lambda _: view.proposals(_PROPOSALS),
        }
        return found if model is None else found | {"checks": lambda _: model.checks()}

    def asking(self) -> dict[str, Answer]:
        """Return the answers to POST requests that change no decision, functions of the body."""
        view = self._view
        return {
            "rows": self.rows,
            "document": lambda body: view.pages().document(_number(_fields(body).get("row"))),
            "receipt": lambda body: view.receipt(_number(_fields(body).get("decision"))),
            "several": lambda body: view.several(_number(_fields(body).get("row"))),
            "left_out": lambda body: view.left_out(_fields(body).get("id")),
            "find": self.find,
            "alike": lambda body: view.alike(_fields(body).get("text")),
            "preview": lambda body: view.preview(parse(_fields(body))),
            "put_off": lambda body: view.put_off(_fields(body).get("name")),
            "export": lambda _: self.export(),
        }

    def writing(self) -> dict[str, Answer]:
        """Return the changes by POST requests, functions of the body; each is answered with the new state."""
        desk, view, model = self._desk, self._view, self.model
        found: dict[str, Answer] = {
            "decide": lambda body: desk.decide([*map(parse, body if isinstance(body, list) else [body])]),
            "undo": self.undo,
            "redo": lambda _: desk.redo(),
            "go": lambda body: desk.go_to(_number(_fields(body).get("version"))),
            "tidy": lambda _: view.tidy(),
            "name": lambda body: desk.name(_number(_fields(body).get("version")), body.get("name")),
        }
        if model is None:
            return found
        return found | {
            "ask_model": lambda _: model.ask(),
            "stop_model": lambda _: model.stop(),
            "use_answers": lambda body: model.use(_fields(body).get("answers")),
        }

    def _then_state(self, action: Answer) -> Answer:
        def answer(body: Any) -> Any:
            action(body)
            return self.state()

        return answer

    async def page(self, request: Any) -> Any:
        return _response(shell(self._view.title), "text/html")

    async def script(self, request: Any) -> Any:
        return _response(bundle("workbench"), "text/javascript")

    async def style(self, request: Any) -> Any:
        return _response(style(), "text/css")

    async def part(self, request: Any) -> Any:
        parts = await asyncio.to_thread(self._view.parts)
        name = request.path_params["name"]
        if name not in parts:
            return _response("There is no such part.", "text/plain", 404)
        return _response(parts[name], "application/octet-stream")

    async def steering(self, request: Any) -> Any:
        return _response(to_toml(self._desk.log), "application/toml")

    def state(self) -> dict[str, Any]:
        """Return versions, decisions, progress, and the hashes of the parts (None before the first version)."""
        parts = self._view.hashes()  # first, so that later changes show in the rest of the answer
        desk, shown = self._desk, self._view.number
        return {
            "run": self._run,
            "version": shown,
            "versions": [self._view.line(number) for number in range(1, (shown or 0) + 1)],
            "decisions": [decision.to_dict() for decision in desk.log],
            "can_redo": desk.can_redo,
            "first_look": self._view.first_look,
            "trust_follows": self._view.trust_follows,
            "busy": desk.busy or self._view.behind,
            "error": desk.error,
            "progress": desk.progress,
            "parts": parts,
            "model": None if self.model is None else self.model.state(),
        }

    def rows(self, body: Any) -> Any:
        """Return entries of a document list: `rows` by index, `ids` by id."""
        fields = _fields(body)
        return {
            "rows": self._view.pages().rows([_number(row) for row in fields.get("rows", ())], fields.get("ids", ()))
        }

    def find(self, body: Any) -> Any:
        """Return search hits from document `start` on, within a time limit."""
        fields = _fields(body)
        more, start = (_number(fields.get(name, default)) for name, default in (("more", -1), ("start", 0)))
        return self._view.pages().find(fields.get("text"), more, start)

    def undo(self, body: Any) -> None:
        """Undo the last decision, the `decision` at the place `number` of the log, or all of a `source`."""
        fields = _fields(body)
        expected = parse(fields["decision"]) if "decision" in fields else None
        self._desk.undo(_number(fields.get("number", -1)), expected, source=fields.get("source"))

    def export(self) -> Any:
        """Write the current version as a result folder, when all decisions are applied."""
        self._desk.wait()
        if (version := self._desk.version) is None or self._desk.sketch is not None:
            raise InputError(self._desk.error or "the first groups are not ready yet; try again in a moment")
        return {"folder": str(self._export(version, self._view.measured(version)))}

    def end(self) -> None:
        """End the event streams, for which the server would otherwise wait."""
        self._desk.end()

    async def events(self, request: Any) -> Any:
        from starlette.responses import StreamingResponse

        return StreamingResponse(self._stream(), media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[str]:
        """Yield server-sent events, and comments that keep the connection open."""
        loop, events = asyncio.get_running_loop(), asyncio.Queue[DeskEvent](maxsize=1000)

        def enqueue(event: DeskEvent) -> None:
            loop.call_soon_threadsafe(lambda: None if events.full() else events.put_nowait(event))

        end = self._desk.listen(enqueue)
        try:
            yield _as_event({"kind": "hello"})
            while not events.full():  # else events were lost: the browser connects again and asks for the state
                try:
                    event = await asyncio.wait_for(events.get(), _SILENCE)
                except TimeoutError:
                    yield ": alive\n\n"
                    continue
                if event["kind"] == "end":
                    return
                yield _as_event(event)
        finally:
            end()


def _json_route(answer: Answer) -> Any:
    """Return a route that answers with JSON; errors are 400 (invalid) or 409 (not possible now) with a sentence."""

    async def route(request: Any) -> Any:
        try:
            posted = request.method == "POST"
            content = await asyncio.to_thread(
                answer, json.loads(await request.body() or b"null") if posted else request.query_params
            )
            status = 200
        except (OutgroupError, OSError) as error:
            content, status = {"error": str(error)}, 409
        except (ValueError, RecursionError) as error:
            content, status = {"error": f"the request is not valid: {error}"}, 400
        return _response(json.dumps(content), "application/json", status)

    return route


def _response(content: Any, kind: str, status: int = 200) -> Any:
    from starlette.responses import Response

    return Response(content, status, media_type=kind)


def _as_event(event: DeskEvent) -> str:
    return f"data: {json.dumps(event)}\n\n"


def _fields(body: Any) -> dict[str, Any]:
    """Parse the JSON object in a request."""
    if not isinstance(body, dict) or not all(isinstance(body.get(name, []), list) for name in ("rows", "ids")):
        raise ValueError("the request must be a JSON object; `rows` and `ids` must be lists")
    return body


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


# --- Server

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")


def serve(
    routes: Routes,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    preferred: int = 0,
    password: str | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the workbench until Ctrl-C.

    Parameters
    ----------
    routes : Routes
    host : str, default "127.0.0.1"
        The address to listen at. A non-loopback address needs a password.
    port : int, default 0
        0 takes `preferred` if it is free, else any free port.
    preferred : int, default 0
        0 is none.
    password : str, default None
        Asked for by the browser, in place of the token in the address.
    browser : bool, default True
        Whether to open the page.
    say : callable, default print
        Receives the address.

    Raises
    ------
    InputError
        The address is taken, or it is open to others without a password.
    MissingExtraError
        The extra `workbench` is not installed.
    """
    if host not in LOOPBACK and not password:
        raise InputError(f"{host} is open to other machines: set a password, or omit --host")
    if password is not None:
        check_password(password)
    uvicorn, keys = required("uvicorn", "workbench", "the workbench needs uvicorn"), Keys(password=password)
    listening = _listen(host, port) if port else _listen_free(host, preferred)
    own_port = listening.getsockname()[1]
    names = {host, *(LOOPBACK if host in (*LOOPBACK, *EVERYWHERE) else ())}
    if host in EVERYWHERE:
        names |= {socket.gethostname(), socket.getfqdn()}
    hosts = Hosts(frozenset(map(_in_address, names)), own_port, any_address=host in EVERYWHERE)
    shown_host = socket.gethostname() if host in EVERYWHERE else _in_address(host)
    address = f"http://{shown_host}:{own_port}/" + ("" if password else f"?token={keys.token}")
    say(f"The workbench is at {address}")
    local = host in LOOPBACK and routes.model is None
    say("Everything stays on this machine. Ctrl-C ends it." if local else "Ctrl-C ends it.")
    with _open_browser(address) if browser else nullcontext():
        _run(_server(uvicorn, Guards(routes.app(), keys, hosts)), listening, routes.end)


def _in_address(host: str) -> str:
    """Return a host in the form of addresses: in lower case, IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host.lower()


@contextmanager
def _open_browser(address: str) -> Iterator[None]:
    """Open an address in the browser during the block, by a file that only this user can read.

    Every user of the machine can read the arguments of the browser's process, which must not contain the token.
    """
    with TemporaryDirectory(prefix="outgroup-", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "workbench.html"
        page.touch(mode=0o600)
        page.write_text(f'<meta http-equiv="refresh" content="0; url={escape(address)}">', encoding="utf-8")
        webbrowser.open(page.as_uri())
        yield


def _server(uvicorn: Any, app: Any) -> Any:
    settings = {
        "http": _protocol(),
        "ws": "none",
        "lifespan": "off",
        "h11_max_incomplete_event_size": _BLOCK,
        "log_level": "error",
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": _FAREWELL,
        "proxy_headers": False,  # a client could forge its address
    }
    return uvicorn.Server(uvicorn.Config(app, **settings))


def _run(server: Any, listening: socket.socket, end: Callable[[], None]) -> None:
    """Serve on a socket until Ctrl-C; call `end` before open pages are closed."""
    uvicorn_exit = server.handle_exit

    def handle_exit(*signal: Any) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a connection cut at the end is not an error
        end()
        uvicorn_exit(*signal)

    server.handle_exit = handle_exit
    with suppress(KeyboardInterrupt):  # how a workbench ends
        server.run(sockets=[listening])


def _protocol() -> Any:
    """Return uvicorn's HTTP protocol, extended by limits for idle clients."""
    from h11 import LocalProtocolError
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):
        """Closes connections without a complete request in time, and the longest idle one above the limit."""

        deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.expect()
            if len(self.connections) > _CONNECTIONS:
                bounded = (connection for connection in self.connections if isinstance(connection, Bounded))
                by_deadline = {connection.deadline.when(): connection for connection in bounded if connection.deadline}
                longest = by_deadline[min(by_deadline)]
                self.connections.discard(longest)
                longest.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self.expect_no_more()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            """Feed data in chunks, so that the header limits apply."""
            for at in range(0, len(data), _BLOCK):
                if not self.transport.is_closing():
                    super().data_received(data[at : at + _BLOCK])

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
                self.cycle.disconnected = True  # the answer is no longer needed
            with suppress(LocalProtocolError):  # it was answered already
                return super().send_400_response(msg)
            self.transport.close()

        def expect(self) -> None:
            self.expect_no_more()
            self.deadline = self.loop.call_later(_PATIENCE, self.transport.abort)

        def expect_no_more(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

    return Bounded


def _listen_free(host: str, preferred: int) -> socket.socket:
    with suppress(InputError):
        return _listen(host, preferred)
    return _listen(host, 0)


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
