"""Who may ask: the gate before every request and every socket of the studio, and of pictures that are served.

Wraps the applications of `server` and `tiles`. Any page of the web can send requests to this machine, so that an
address alone proves nothing. Asked for are the name of this machine as `Host`, this page as `Origin`, and
the cookie that the token of the first address is changed into. The token opens one browser, once. Programs have no
cookies: where they are served, a secret key in front of the path stands for one.
"""

from __future__ import annotations

import hmac
import secrets
import time as clock
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Wrong tokens and cookies in a minute, after which all are refused until the minute is over.
MAX_WRONG = 60
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


class PageGuard:
    """Lets requests through to an application that come from the page of this server.

    >>> guard = PageGuard(lambda *_: None, 8123)
    >>> guard.address.startswith("http://127.0.0.1:8123/?token=")
    True
    """

    def __init__(
        self, application: Application, port: int, *, what: str = "studio", keyed: bool = False
    ) -> None:
        self._application = application
        self._what = what
        self.key: str | None = secrets.token_urlsafe(32) if keyed else None
        """The first part of paths that need no cookie, or None."""
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._port = port
        self._token: str | None = secrets.token_urlsafe(32)
        self._secret = secrets.token_urlsafe(32)
        self._cookie = f"pellucid-{port}"
        self._wrong: list[float] = []

    @property
    def address(self) -> str:
        """The address to open first, with the token."""
        return f"http://127.0.0.1:{self._port}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        socket = scope["type"] == "websocket"
        headers = _headers(scope)
        scope, has_key = self._without_key(scope)
        status, reason, extra = self._verdict(scope, headers, socket=socket, has_key=has_key)
        if status == 0 and not socket:
            await self._application(scope, receive, _with_headers(send))
        elif status == 0:
            await self._application(scope, receive, send)
        elif socket:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
        else:
            body = f"{reason}\n".encode()
            kind = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
            ]
            start = {"type": "http.response.start", "status": status, "headers": [*kind, *_HEADERS, *extra]}
            await send(start)
            await send({"type": "http.response.body", "body": body})

    def _without_key(self, scope: Scope) -> tuple[Scope, bool]:
        """A request without the key in front of its path, and whether it had the right one."""
        first, slash, rest = scope["path"].removeprefix("/").partition("/")
        if self.key is None or not slash or not hmac.compare_digest(first.encode(), self.key.encode()):
            return scope, False
        return {**scope, "path": f"/{rest}", "raw_path": None}, True

    def _verdict(
        self, scope: Scope, headers: dict[str, list[str]], *, socket: bool, has_key: bool
    ) -> tuple[int, str, list[tuple[bytes, bytes]]]:
        """The status of a refusal or a redirection, 0 if the request may pass; what to say, and headers."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, f"The {self._what} answers to 127.0.0.1 only.", []
        origins = headers.get("origin", [])
        if (socket and not origins) or any(origin != f"http://{hosts[0]}" for origin in origins):
            return 403, f"The {self._what} answers to its own page only.", []
        if any(site not in {"same-origin", "none"} for site in headers.get("sec-fetch-site", [])):
            return 403, f"The {self._what} answers to its own page only.", []
        if not socket and scope["method"] not in {"GET", "HEAD"}:
            return 405, f"The {self._what} answers to GET only.", [(b"allow", b"GET, HEAD")]
        if (
            any(length != "0" for length in headers.get("content-length", []))
            or "transfer-encoding" in headers
        ):
            return 413, f"A request of the {self._what} has no body.", []
        token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [None])[0]
        known = has_key or self._known(headers)
        if token is not None and not socket and scope["path"] == "/":
            return self._admitted(token, known=known)
        if known:
            return 0, "", []
        return self._refused(
            f"This page needs the address that the {self._what} was given; it opens one browser, once."
        )

    def _admitted(self, token: str, *, known: bool) -> tuple[int, str, list[tuple[bytes, bytes]]]:
        home = [(b"location", b"./"), (b"cache-control", b"no-store")]
        if known:
            return 303, "", home
        if (
            self._crowded()
            or self._token is None
            or not hmac.compare_digest(token.encode(), self._token.encode())
        ):
            return self._refused(
                f"This token is wrong, or was used; start the {self._what} again for a new one."
            )
        self._token = None
        cookie = f"{self._cookie}={self._secret}; HttpOnly; SameSite=Strict; Path=/"
        return 303, "", [*home, (b"set-cookie", cookie.encode())]

    def _known(self, headers: dict[str, list[str]]) -> bool:
        for line in headers.get("cookie", []):
            try:
                found = SimpleCookie(line).get(self._cookie)
            except CookieError:
                continue
            if found is not None and hmac.compare_digest(found.value.encode(), self._secret.encode()):
                return True
        return False

    def _crowded(self) -> bool:
        now = clock.monotonic()
        self._wrong = [each for each in self._wrong if now - each < 60]
        return len(self._wrong) >= MAX_WRONG

    def _refused(self, reason: str) -> tuple[int, str, list[tuple[bytes, bytes]]]:
        if self._crowded():
            return 429, "There were too many wrong requests; wait a minute.", [(b"retry-after", b"60")]
        self._wrong.append(clock.monotonic())
        return 403, reason, []


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return sent
