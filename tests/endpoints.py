"""A chat endpoint on loopback, in the form of OpenAI's chat completions."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from factories import SUBJECTS

Body = bytes | Callable[[str], bytes]


class Endpoint(ThreadingHTTPServer):
    """A chat endpoint on loopback with scripted answers: (code, body) pairs, the last one for ever; a function makes a
    body from the prompt. Code 0: the body is the whole answer, one byte after each `pause` in seconds.
    """

    block_on_close = False
    pause = 0.0

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


# --- A model that knows the subjects of the texts of `factories.about`


def subject(text: str) -> str:
    """The subject of most words of a text."""
    return max(SUBJECTS, key=lambda name: sum(word in SUBJECTS[name].split() for word in re.findall(r"\w+", text)))


def right(prompt: str) -> str:
    """Answer a prompt by the subjects of its documents and its groups."""
    sides = re.split(r"^(?=Group \d|Part \d)", prompt, flags=re.MULTILINE)
    subjects = {re.match(r"\w+ (\d+)", side)[1]: subject(side.partition("Typical documents:")[2]) for side in sides[1:]}
    document = re.search(r"^Document: (.*)$", prompt, flags=re.MULTILINE)
    if document is None:
        return "one" if len({*subjects.values()}) == 1 else "two"
    return next((group for group, name in subjects.items() if name == subject(document[1])), "cannot tell")


def reply(prompt: str) -> bytes:
    return said(json.dumps({"answer": right(prompt), "reason": "=its words"}))


def wrong(prompt: str) -> bytes:
    possible = re.findall(r'"([\w -]+)"', prompt.rpartition("The answer is")[2])
    return said(json.dumps({"answer": next(each for each in possible if each != right(prompt)), "reason": "none"}))


# --- Endpoints that answer wrongly


@contextmanager
def answering(raw: bytes, *, pause: float = 0.0) -> Iterator[str]:
    """Answer each request by bytes as they are, one after each pause; yield the address."""
    with serving((0, raw)) as server:
        server.pause = pause
        yield f"http://127.0.0.1:{server.server_port}/v1"


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
        if not code:
            step = 1 if self.server.pause else len(content) or 1
            with suppress(OSError):  # the client has gone
                for start in range(0, len(content), step):
                    self.wfile.write(content[start : start + step])
                    time.sleep(self.server.pause)
            return
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        self.wfile.write(content(body["messages"][0]["content"]) if callable(content) else content)

    def log_message(self, *_: Any) -> None:
        pass
