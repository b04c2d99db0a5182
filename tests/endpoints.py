"""A chat endpoint on loopback, in the form of OpenAI's chat completions."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Body = bytes | Callable[[str], bytes]


class Endpoint(HTTPServer):
    """A chat endpoint on loopback with scripted answers: (code, body) pairs, the last one for ever; a function makes a
    body from the prompt.
    """

    def __init__(self, answers: list[tuple[int, Body]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests = answers, list[tuple[dict[str, str], dict[str, Any]]]()


@contextmanager
def serving(*answers: tuple[int, Body]) -> Iterator[Endpoint]:
    """Run an endpoint with these answers."""
    server = Endpoint(list(answers))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def said(content: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}}]}).encode()


@contextmanager
def answering(raw: bytes, *, pause: float = 0.0) -> Iterator[str]:
    """Run a server on loopback that answers each connection by bytes, one after each pause; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer(connection: socket.socket) -> None:
            with connection:
                try:
                    connection.recv(1 << 16)
                    for part in [raw] if not pause else (raw[i : i + 1] for i in range(len(raw))):
                        connection.sendall(part)
                        time.sleep(pause)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass
                except OSError:
                    pass  # the client has gone

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return  # closed
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def over_http(body: bytes, *headers: str) -> bytes:
    """Return an answer of HTTP with a body."""
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


NOT_ANSWERS = {
    "nothing": b"",
    "another protocol": b"220 mail.example ESMTP ready\r\n",
    "bytes": bytes(range(256)) * 20,
    "half a header": b"HTTP/1.1 200 OK\r\nContent-",
    "a body cut short": over_http(said("Tea"))[:-9],
    "deep JSON": over_http(b'{"a":' * 60_000),
    "a long number": over_http(b'{"choices": [{"message": {"content": ' + b"9" * 9_000 + b"}}]}"),
    "bytes that are not UTF-8": over_http(b'{"choices": "\xff\xfe"}'),
    "long headers": over_http(said("Tea"), f"X-Long: {'a' * 300_000}"),
    "many headers": over_http(said("Tea"), *(f"X-{i}: {i}" for i in range(30_000))),
    "a long answer": over_http(b" " * (3 << 20) + said("Tea")),
    "packed": over_http(b"\x1f\x8b\x08\x00", "Content-Encoding: gzip"),
    "a redirect": b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
    "a status of letters": b"HTTP/1.1 OK fine\r\n\r\n",
}
"""Bytes that are no answer of a chat model."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((dict(self.headers), body))
        answers = self.server.answers
        code, content = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        self.wfile.write(content(body["messages"][0]["content"]) if callable(content) else content)

    def log_message(self, *_: Any) -> None:
        pass
