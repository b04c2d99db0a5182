"""Who may talk to the workbench: the browser that its own process opened, and nobody else.

Any web page may send requests to 127.0.0.1, and a host name of its own may be made to lead there. So a request needs a
host from the list, the cookie that the opened address was changed for, and, to change something, to come from the page
itself.
"""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

LARGEST_BODY = 1 << 16
"""Bytes of a request's body: a decision has some hundred."""

_SAFE = ("GET", "HEAD")
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass
class Keys:
    """The secrets of one workbench: a token that opens it once, the cookie that it is changed for, perhaps a password.

    A password stands in for the token where people come from other machines.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    password: str | None = None

    def opens(self, given: str) -> bool:
        """Return whether this is the token, which then opens nothing any more."""
        if not (self.token and secrets.compare_digest(given.encode(), self.token.encode())):
            return False
        self.token = ""
        return True


class Guards:
    """ASGI middleware that lets a request through to `app`, or answers it with a plain sentence."""

    def __init__(self, app: Any, keys: Keys, hosts: set[str]) -> None:
        self._app, self._keys = app, keys
        self._hosts = hosts
        self._name = "outgroup-" + next(iter(sorted(hosts))).rpartition(":")[2]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":  # there are no web sockets here
            return None
        request = _Request(scope)
        if (entered := self._entered(request)) is not None:
            return await _answer(send, 303, "", [("location", "/"), ("set-cookie", entered)])
        refused = self._refused(request)
        if refused is not None:
            return await _answer(send, *refused)
        body = b"" if request.method in _SAFE else await _body(receive)
        if body is None:
            return await _answer(send, 413, f"A request may have {LARGEST_BODY} bytes at most.")
        return await self._app(scope, _again(body, receive), _with_headers(send))

    def _entered(self, request: _Request) -> str | None:
        """Return the cookie to set where the opened address brings the token."""
        token = request.query.get("token", "")
        if request.path != "/" or request.host not in self._hosts or not self._keys.opens(token):
            return None
        return f"{self._name}={self._keys.cookie}; HttpOnly; SameSite=Strict; Path=/"

    def _refused(self, request: _Request) -> tuple[int, str, list[tuple[str, str]]] | tuple[int, str] | None:
        """Return what to answer to a request that may not come in."""
        if request.host not in self._hosts:
            return 421, "This address does not belong to the workbench."
        if self._keys.password is not None:
            if not _knows(request, self._keys.password):
                return 401, "A password is needed.", [("www-authenticate", 'Basic realm="outgroup"')]
        elif not secrets.compare_digest(request.cookie(self._name).encode(), self._keys.cookie.encode()):
            return 403, "Open the address that `outgroup workbench` printed; it works once, in one browser."
        if request.method in _SAFE:
            return None
        if not request.from_own_page:
            return 403, "Only the workbench's own page may change something."
        if request.header("content-type").partition(";")[0].strip() != "application/json":
            return 415, "Send JSON."
        return None


class _Request:
    def __init__(self, scope: Any) -> None:
        self.method, self.path = scope["method"], scope["path"]
        self._headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        self.query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
        self.host = self.header("host").lower()

    def header(self, name: str) -> str:
        return self._headers.get(name, "")

    def cookie(self, name: str) -> str:
        try:
            found = SimpleCookie(self.header("cookie")).get(name)
        except CookieError:
            return ""
        return found.value if found else ""

    @property
    def from_own_page(self) -> bool:
        """Browsers say where a request comes from; one that says nothing may change nothing."""
        site = self.header("sec-fetch-site")
        own = self.header("origin") in (f"http://{self.host}", f"https://{self.host}")
        return own if not site else site == "same-origin" and (own or not self.header("origin"))


def _knows(request: _Request, password: str) -> bool:
    scheme, _, given = request.header("authorization").partition(" ")
    try:
        said = base64.b64decode(given).partition(b":")[2] if scheme.lower() == "basic" else b""
    except ValueError:
        return False
    return secrets.compare_digest(said, password.encode())


async def _body(receive: Any) -> bytes | None:
    """Return a request's body, or None where it is too large: what comes beyond that is not read."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return body


def _again(body: bytes, receive: Any) -> Any:
    """Give the body that was read once more, then what comes after it (that the browser has gone)."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Any:
        return waiting.pop() if waiting else await receive()

    return give


def _with_headers(send: Any) -> Any:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_encoded(_HEADERS.items())]
        await send(message)

    return sent


async def _answer(send: Any, status: int, text: str, headers: Any = ()) -> None:
    body = text.encode()
    length = ("content-length", str(len(body)))
    every = _encoded([*headers, ("content-type", "text/plain; charset=utf-8"), length, *_HEADERS.items()])
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
