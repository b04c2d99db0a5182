"""The server at a real socket: what a request costs, clients that do not ask, and requests that cannot be read."""

import html
import logging
import os
import re
import socket
import stat
import time
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("uvicorn", reason="needs the extra workbench")
import uvicorn
from starlette.testclient import TestClient

from outgroup.errors import InputError
from outgroup.workbench import server
from outgroup.workbench.guards import Guards, Hosts, Keys
from outgroup.workbench.server import Routes

MOST_MS = 500  # a cost that grows with the square of the headers takes seconds


async def _ok(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


class Served:
    """A server in a thread, and bytes that are sent to it."""

    def __init__(self, app=None):
        listening = server._listen("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.server = server._server(uvicorn, app or Guards(_ok, Keys(), Hosts(frozenset({"127.0.0.1"}), self.port)))
        self.thread = Thread(target=self.server.run, kwargs={"sockets": [listening]})
        self.thread.start()

    def get(self, path="/api/state", headers=""):
        return f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n{headers}\r\n".encode("latin-1")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def ask(self, sent):
        with self.connect() as connection:
            connection.sendall(sent)
            return connection.recv(1 << 16)

    def took(self, sent):
        """The processor milliseconds of the cheapest of five answers."""
        times = []
        for _ in range(5):
            begun = time.process_time()
            assert self.ask(sent)
            times.append(1000 * (time.process_time() - begun))
        return min(times)

    def close(self):
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture(scope="module")
def served():
    served = Served()
    yield served
    served.close()


N = 30_000  # bytes of headers that pass


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", 'Cookie: a="' + "\\" * N + '"\r\n'),
        ("/", "Cookie: " + ";" * N + "\r\n"),
        ("/", "Cookie: " + "a=b;" * (N // 4) + "\r\n"),
        ("/?" + "a=b&" * (N // 4), ""),
        ("/" + "%2e" * (N // 3), ""),
        ("/", "a:\r\n" * (N // 4)),
        ("/", "Authorization: Basic " + "A" * N + "\r\n"),
        ("/", "Connection: upgrade" + "," * N + "\r\nUpgrade: websocket\r\n"),
        ("/", "Cookie: " + "a" * 10 * N + "\r\n"),
    ],
)
def test_a_request_before_login_costs_a_moment(served, path, headers):
    assert served.took(served.get(path, headers)) < MOST_MS


def test_a_client_that_asks_half_is_let_go(served, monkeypatch):
    monkeypatch.setattr(server, "_PATIENCE", 0.3)
    half = served.get()[:-2]
    for first in (b"", half, served.get() + half):
        with served.connect() as connection:
            connection.sendall(first)
            begun = time.perf_counter()
            for _ in range(20):  # a byte now and then does not keep it open
                time.sleep(0.1)
                try:
                    connection.sendall(b"x")
                except OSError:
                    break
            assert 0.2 < time.perf_counter() - begun < 1.5


def test_connections_that_do_not_ask_make_room(served, monkeypatch):
    monkeypatch.setattr(server, "_CONNECTIONS", 5)
    silent = [served.connect() for _ in range(20)]
    try:
        time.sleep(0.2)
        assert len(served.server.server_state.connections) <= 5
        assert served.ask(served.get()).startswith(b"HTTP/1.1 403")
    finally:
        for each in silent:
            each.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"x" * 100_000,
    ],
)
def test_a_request_that_cannot_be_read_writes_no_log_line(served, caplog, sent):
    caplog.set_level(logging.WARNING)
    assert served.ask(sent).startswith(b"HTTP/1.1 4")
    time.sleep(0.05)
    with served.connect() as connection:
        connection.sendall(sent[: len(sent) // 2])
        time.sleep(0.02)
        connection.sendall(sent[len(sent) // 2 :])
    assert served.ask(served.get()).startswith(b"HTTP/1.1 403")
    assert caplog.records == []


def test_a_short_password_is_refused_before_anything_is_served():
    with pytest.raises(InputError, match="characters"):
        server.serve(None, host="0.0.0.0", password="tea", browser=False)


@pytest.fixture
def begun(monkeypatch):
    """Begin a server at real addresses; return its application, which is not run, what it printed, and its browser."""
    opened = []

    def open_page(address):
        page = Path(unquote(urlsplit(address).path))
        opened.append((address, page, page.read_text(encoding="utf-8"), stat.S_IMODE(page.stat().st_mode)))

    def run(running, listening, _):
        ran.append(running.config.app)
        listening.close()

    ran = []
    monkeypatch.setattr("webbrowser.open", open_page)
    monkeypatch.setattr(server, "_run", run)

    def begin(**given):
        said = []
        server.serve(Routes(None, None, None), say=said.append, **given)
        return ran[-1], said[0].removeprefix("The workbench is at "), opened

    return begin


def status(app, host, port):
    client = TestClient(app, base_url=f"http://{host}:{port}")
    return client.get("/", headers={"host": f"{host}:{port}"}).status_code


@pytest.mark.skipif(os.name != "posix", reason="needs modes of files as POSIX has them")
def test_the_token_stands_in_a_file_of_this_user_and_not_in_the_arguments_of_the_browser(begun):
    app, address, [(given, page, content, mode)] = begun()
    token = address.partition("token=")[2]
    assert token in content
    assert token not in given
    assert given.startswith("file://")
    assert mode == 0o600
    assert not page.exists()  # it ends with the server
    link = re.search('url=(.*)"', content)[1]
    assert html.unescape(link) == address
    browser = TestClient(app, base_url=address.partition("?")[0], follow_redirects=False)
    assert browser.get(address).status_code == 303
