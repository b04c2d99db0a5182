"""Who may talk to the workbench: the browser that its own process opened, and nobody else.

Any web page may send requests to 127.0.0.1, and a host name of its own may be made to lead there. So a request needs a
host from the list, the cookie that the opened address was changed for, and, to change something, to come from the page
itself.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from math import ceil
from time import monotonic
from typing import Any

from ..errors import InputError

LARGEST_BODY = 1 << 16
"""Bytes of a request's body: a decision has some hundred."""

SHORTEST_PASSWORD = 12
"""Characters of a password."""

_LONGEST_WAIT = 300.0  # seconds after a wrong password
_ADDRESSES = 10_000  # with wrong passwords that are remembered
_NEVER = (0, 0.0, 0)

_SAFE = ("GET", "HEAD")
_CHALLENGE = ("www-authenticate", 'Basic realm="outgroup"')
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


def check_password(password: str) -> None:
    """Raise InputError for a password that is too short."""
    if len(password) < SHORTEST_PASSWORD:
        raise InputError(f"the password has {len(password)} characters; choose one of at least {SHORTEST_PASSWORD}")


@dataclass
class Keys:
    """The secrets of one workbench: a token or a password that opens it, and the cookie that either is changed for.

    The token opens until a browser has shown the cookie: a login that fails does not spend it.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    password: str | None = None

    def opens(self, given: str) -> bool:
        """Return whether this is the token, and no browser came in by it yet."""
        return bool(self.token) and _same(given, self.token)

    def knows(self, cookies: list[str]) -> bool:
        """Return whether one of these is the cookie; the token is spent then."""
        if not any(_same(each, self.cookie) for each in cookies):
            return False
        self.token = ""
        return True


class WrongPasswords:
    """Wrong passwords by address: after each, the next is not compared for 1, 2, 4, ... at most 300 seconds.

    The same wrong password counts once in a row: a page that was left open repeats the one it knows.

    Examples
    --------
    >>> wrong = WrongPasswords(clock=lambda: 0.0)
    >>> for guess in ("tea", "tea", "milk"):
    ...     wrong.add("10.0.0.7", guess)
    >>> wrong.wait("10.0.0.7"), wrong.wait("10.0.0.8")
    (2.0, 0.0)
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[int, float, int]] = {}  # how many, until when, the hash of the last one

    def wait(self, address: str) -> float:
        """Return the seconds until a password from this address is compared again."""
        _, until, _ = self._known.get(_network(address), _NEVER)
        return max(0.0, until - self._clock())

    def add(self, address: str, given: str) -> None:
        """Count a wrong password."""
        network = _network(address)
        count, _, last = self._known.pop(network, _NEVER)
        if not count or hash(given) != last:
            count += 1
        if len(self._known) >= _ADDRESSES:
            del self._known[next(iter(self._known))]  # the oldest
        self._known[network] = count, self._clock() + min(_LONGEST_WAIT, 2.0 ** min(count - 1, 30)), hash(given)

    def forget(self, address: str) -> None:
        """Begin anew after the right password."""
        self._known.pop(_network(address), None)


Answer = tuple[int, str, list[tuple[str, str]]]
"""A status, a sentence, and headers."""


class Guards:
    """ASGI middleware that lets a request through to `app`, or answers it with a plain sentence."""

    def __init__(self, app: Any, keys: Keys, hosts: set[str]) -> None:
        self._app, self._keys = app, keys
        self._hosts, self._wrong = hosts, WrongPasswords()
        self._name = "outgroup-" + next(iter(sorted(hosts))).rpartition(":")[2]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":  # there are no web sockets here
            return None
        request = _Request(scope)
        headers = dict(_HEADERS)
        if request.host not in self._hosts:
            return await _answer(send, (421, "This address does not belong to the workbench.", []))
        if not self._keys.knows(request.cookies(self._name)):
            if (refused := self._at_the_door(request)) is not None:
                return await _answer(send, refused)
            headers |= self._cookie()
        if (refused := _refused(request)) is not None:
            return await _answer(send, refused)
        body = b"" if request.method in _SAFE else await _body(receive)
        if body is None:
            return await _answer(send, (413, f"A request may have {LARGEST_BODY} bytes at most.", []))
        return await self._app(scope, _again(body, receive), _with_headers(send, headers))

    def _at_the_door(self, request: _Request) -> Answer | None:
        """Return what to answer to a request without the cookie; None where it brings the password."""
        if self._keys.password is not None:
            return self._by_password(request, self._keys.password)
        if request.path == "/" and self._keys.opens(request.query.removeprefix("token=")):
            return 303, "", [("location", "/"), *self._cookie().items()]
        return 403, "Open the address that `outgroup workbench` printed; it works once, in one browser.", []

    def _by_password(self, request: _Request, password: str) -> Answer | None:
        if (given := request.password) is None:
            return 401, "A password is needed.", [_CHALLENGE]
        if wait := ceil(self._wrong.wait(request.address)):
            return 429, f"Wrong password. Try again in {wait} s.", [("retry-after", str(wait))]
        if not _same(given, password):
            self._wrong.add(request.address, given)
            return 401, "Wrong password.", [_CHALLENGE]
        self._wrong.forget(request.address)
        return None

    def _cookie(self) -> dict[str, str]:
        return {"set-cookie": f"{self._name}={self._keys.cookie}; HttpOnly; SameSite=Strict; Path=/"}


def _refused(request: _Request) -> Answer | None:
    """Return what to answer to a request that may not change anything."""
    if request.method in _SAFE:
        return None
    if not request.from_own_page:
        return 403, "Only the workbench's own page may change something.", []
    if request.header("content-type").partition(";")[0].strip() != "application/json":
        return 415, "Send JSON.", []
    return None


class _Request:
    """What guards look at. Nothing here takes more time than the bytes of a request: anybody may send one."""

    def __init__(self, scope: Any) -> None:
        self.method, self.path, self.query = scope["method"], scope["path"], scope["query_string"].decode("latin-1")
        self._headers = dict[str, list[str]]()
        for name, value in scope["headers"]:
            self._headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        self.host = self.header("host").lower()
        self.address = str((scope.get("client") or ("", 0))[0])

    def header(self, name: str) -> str:
        """Return a header; one that is repeated is a list, and equals no single value."""
        return ", ".join(self._headers.get(name, []))

    def cookies(self, name: str) -> list[str]:
        """Return the values of the cookies of a name.

        Browsers send the cookies of all programs at this host, whatever the port. So each is taken as it stands, and
        what another program set is not looked at.
        """
        every = (each.partition("=") for each in ";".join(self._headers.get("cookie", [])).split(";"))
        return [value.strip() for key, _, value in every if key.strip() == name]

    @property
    def password(self) -> str | None:
        """The password of HTTP's basic authentication; None without one."""
        scheme, _, given = self.header("authorization").partition(" ")
        try:
            return base64.b64decode(given).decode().partition(":")[2] if scheme.lower() == "basic" else None
        except ValueError:
            return None

    @property
    def from_own_page(self) -> bool:
        """Browsers say where a request comes from; one that says nothing may change nothing."""
        site = self.header("sec-fetch-site")
        own = self.header("origin") in (f"http://{self.host}", f"https://{self.host}")
        return own if not site else site == "same-origin" and (own or not self.header("origin"))


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _network(address: str) -> str:
    """Return the address, or the first half of one of IPv6: a machine has all of them with the same first half."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if known.version == 4:
        return str(known)
    return str(known.ipv4_mapped or known.packed[:8])


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


def _with_headers(send: Any, headers: dict[str, str]) -> Any:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_encoded(headers.items())]
        await send(message)

    return sent


async def _answer(send: Any, answer: Answer) -> None:
    status, text, headers = answer
    body = text.encode()
    length = ("content-length", str(len(body)))
    every = _encoded([*headers, ("content-type", "text/plain; charset=utf-8"), length, *_HEADERS.items()])
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
