"""Access control of the workbench: only the browser that the process opened is admitted.

Any web page may send requests to 127.0.0.1, also by DNS rebinding. A request therefore needs a host from the list, the
session cookie that replaced the token, and, to write, the origin of the page itself.
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

BODY = 1 << 21  # bytes of a request; a decision has a few hundred, one on 5,000 documents lists them
_SHORTEST = 12  # characters at least
_WAIT = 300.0  # seconds at most after a wrong password
_ADDRESSES = 10_000  # with wrong passwords in memory


_HTTP = 80  # the port that browsers leave out
_NO_DELAY = (0, 0.0, 0)

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
    if len(password) < _SHORTEST:
        raise InputError(f"the password has {len(password)} characters; choose one of at least {_SHORTEST}")


@dataclass
class Keys:
    """The secrets of a workbench: a token or password, and the session cookie that replaces it.

    The token is valid until a browser presents the cookie: a failed login does not spend it.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    password: str | None = None

    def opens(self, token: str) -> bool:
        """Return whether `token` is the token of this run, and the token is unused."""
        return bool(self.token) and _same(token, self.token)

    def knows(self, cookies: list[str]) -> bool:
        """Return whether one of the cookies is valid; then the token becomes invalid."""
        if not any(_same(cookie, self.cookie) for cookie in cookies):
            return False
        self.token = ""
        return True


class WrongPasswords:
    """Delays after wrong passwords by address: 1, 2, 4, ... up to 300 seconds.

    A repeated wrong password counts once: an open page repeats its stored one.

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
        self._known: dict[str, tuple[int, float, int]] = {}  # count, end of the delay, hash of the last password

    def wait(self, address: str) -> float:
        """Return the seconds until a password from this address is checked again."""
        _, until, _ = self._known.get(_network(address), _NO_DELAY)
        return max(0.0, until - self._clock())

    def add(self, address: str, password: str) -> None:
        """Count a wrong password."""
        network = _network(address)
        count, _, last = self._known.pop(network, _NO_DELAY)
        if not count or hash(password) != last:
            count += 1
        if len(self._known) >= _ADDRESSES:
            del self._known[next(iter(self._known))]  # the oldest
        self._known[network] = count, self._clock() + min(_WAIT, 2.0 ** min(count - 1, 30)), hash(password)

    def forget(self, address: str) -> None:
        """Remove the delay after a right password."""
        self._known.pop(_network(address), None)


@dataclass(frozen=True)
class Hosts:
    """The values of the header Host that belong to a server: its names, with its port.

    Parameters
    ----------
    names : frozenset of str
        In lower case; an IPv6 address in brackets.
    port : int
    any_address : bool, default False
        Whether all IP addresses belong to it, for a server at all addresses of the machine. DNS rebinding needs a name.

    Examples
    --------
    >>> hosts = Hosts(frozenset({"localhost"}), 80, any_address=True)
    >>> [host in hosts for host in ("localhost", "localhost:80", "[::1]", "10.0.0.7:81", "example.org")]
    [True, True, True, False, False]
    """

    names: frozenset[str]
    port: int
    any_address: bool = False

    def __contains__(self, host: str) -> bool:
        name = host.removesuffix(f":{self.port}")
        if name == host and self.port != _HTTP:
            return False
        return name in self.names or (self.any_address and _is_address(name))


def _is_address(name: str) -> bool:
    """Return whether the name in a header Host is an IP address."""
    six = name.startswith("[") and name.endswith("]")
    try:
        return ip_address(name[1:-1] if six else name).version == (6 if six else 4)
    except ValueError:
        return False


Answer = tuple[int, str, list[tuple[str, str]]]
"""Status, text and headers."""


class Guards:
    """ASGI middleware that forwards a request to `app`, or refuses it with a sentence."""

    def __init__(self, app: Any, keys: Keys, hosts: Hosts) -> None:
        self._app, self._keys = app, keys
        self._hosts, self._wrong = hosts, WrongPasswords()
        self._name = f"outgroup-{hosts.port}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":  # no web sockets
            return None
        from starlette.responses import PlainTextResponse

        request, headers = _Request(scope), dict(_HEADERS)
        body: bytes | None = b""
        refused: Answer | None = None
        if request.host not in self._hosts:
            refused = 421, "This address does not belong to the workbench.", []
        elif not self._keys.knows(request.cookies(self._name)):
            refused, headers = self._without_cookie(request), headers | self._cookie()
        if refused is None:
            refused = _refused(request)
        if refused is None and request.method not in _SAFE:
            body = await _body(receive)
            if body is None:
                refused = 413, f"The request is too large: send at most {BODY} bytes.", []
        if refused is None:
            return await self._app(scope, _replayed(body or b"", receive), _with_headers(send, headers))
        status, text, more = refused
        return await PlainTextResponse(text, status, dict(_HEADERS) | dict(more))(scope, receive, send)

    def _without_cookie(self, request: _Request) -> Answer | None:
        """Return the answer to a request without the cookie; None if its password is right."""
        if self._keys.password is not None:
            return self._by_password(request, self._keys.password)
        if request.path == "/" and self._keys.opens(request.query.removeprefix("token=")):
            return 303, "", [("location", "/"), *self._cookie().items()]
        return 403, "Open the address that `outgroup workbench` printed; it works once, in one browser.", []

    def _by_password(self, request: _Request, password: str) -> Answer | None:
        if (candidate := request.password) is None:
            return 401, "A password is needed.", [_CHALLENGE]
        if wait := ceil(self._wrong.wait(request.address)):
            return 429, f"Wrong password. Try again in {wait} s.", [("retry-after", str(wait))]
        if not _same(candidate, password):
            self._wrong.add(request.address, candidate)
            return 401, "Wrong password.", [_CHALLENGE]
        self._wrong.forget(request.address)
        return None

    def _cookie(self) -> dict[str, str]:
        """Return the header that sets the cookie; not Strict, because the page of a file leads to the workbench."""
        return {"set-cookie": f"{self._name}={self._keys.cookie}; HttpOnly; SameSite=Lax; Path=/"}


def _refused(request: _Request) -> Answer | None:
    """Return the answer to a write request that is not allowed; else None."""
    if request.method in _SAFE:
        return None
    if not request.from_own_page:
        return 403, "Only the page of the workbench may change data.", []
    if request.header("content-type").partition(";")[0].strip() != "application/json":
        return 415, "Send JSON.", []
    return None


class _Request:
    """The parts of a request that the guards check, parsed in linear time, because anyone may send a request."""

    def __init__(self, scope: Any) -> None:
        self.method, self.path, self.query = scope["method"], scope["path"], scope["query_string"].decode("latin-1")
        self._headers = dict[str, list[str]]()
        for name, value in scope["headers"]:
            self._headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        self.host = self.header("host").lower()
        self.address = str((scope.get("client") or ("", 0))[0])

    def header(self, name: str) -> str:
        """Return a header; repeated headers are joined, so that they equal no single valid value."""
        return ", ".join(self._headers.get(name, []))

    def cookies(self, name: str) -> list[str]:
        """Return the values of all cookies with a name.

        Browsers send cookies of all programs on this host, for any port. Parse them one by one and ignore those
        of other programs.
        """
        pairs = (pair.partition("=") for pair in ";".join(self._headers.get("cookie", [])).split(";"))
        return [value.strip() for key, _, value in pairs if key.strip() == name]

    @property
    def password(self) -> str | None:
        """The password of HTTP basic authentication, or None."""
        scheme, _, credentials = self.header("authorization").partition(" ")
        try:
            return base64.b64decode(credentials).decode().partition(":")[2] if scheme.lower() == "basic" else None
        except ValueError:
            return None

    @property
    def from_own_page(self) -> bool:
        """Whether the browser reports this page as the origin; other requests must not write."""
        site = self.header("sec-fetch-site")
        same_origin = self.header("origin") in (f"http://{self.host}", f"https://{self.host}")
        return same_origin if not site else site == "same-origin" and (same_origin or not self.header("origin"))


def _same(value: str, secret: str) -> bool:
    return secrets.compare_digest(value.encode(), secret.encode())


def _network(address: str) -> str:
    """Return the address; for IPv6 its /64 prefix, because one machine owns all addresses with the prefix."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return str(ip)
    return str(ip.ipv4_mapped or ip.packed[:8])


async def _body(receive: Any) -> bytes | None:
    """Return a request's body; None if it exceeds the limit, where reading stops."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return body


def _replayed(body: bytes, receive: Any) -> Any:
    """Return a receiver that replays the body, then forwards later messages."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Any:
        return messages.pop() if messages else await receive()

    return give


def _with_headers(send: Any, headers: dict[str, str]) -> Any:
    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_encoded(headers.items())]
        await send(message)

    return send_with_headers


def _encoded(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
