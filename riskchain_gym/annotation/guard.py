"""The door of the workbench: what does not come from its own page on this machine gets no further."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_log = logging.getLogger(__name__)

BODY_LIMIT = 256 * 1024
"""Longest request body, in bytes."""

BODY_S = 20.0
"""How long a request body may take to come, in seconds. Heads have no limit: who sends one slowly holds up nobody."""

_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", _POLICY),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""What every answer carries, errors too."""

_ONE_SHAPE = re.compile(rb"/([A-Za-z0-9_-]+)(/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?)")
"""The only shape of a path: no escapes, no empty segment, none that begins with a dot."""


def new_token() -> str:
    """Return a token for one run of the server: 192 random bits that fit in a path."""
    return secrets.token_urlsafe(24)


class Guard:
    """ASGI middleware that lets through what bears the token, names this host and comes from this origin.

    Host, shape of the path, token, origin, method, type and length of the body are looked at in this order. A request
    with a wrong token learns nothing: its answer is an empty 404, the same as for a path that cannot be. The app behind
    sees the path without the token, and a body that is all there.

    Args:
        app: What is behind the door.
        token: First segment of every path.
        port: The port that the server listens on.
    """

    def __init__(self, app: App, *, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset({f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            await self._let_in(scope, receive, answer)
        except asyncio.CancelledError:
            # The server ends, and has waited long enough: nobody cancels a request otherwise.
            if not answer.started:
                await answer.refuse(503, "The workbench has been ended; what was saved is kept.")

    async def _let_in(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        headers = _single(scope["headers"])
        path = self._path(scope)
        if headers is None or headers.get(b"host") not in self._hosts:
            await answer.refuse(403, "The workbench answers on 127.0.0.1 and localhost only, with its own port.")
        elif path is None:
            await answer.refuse(404)
        elif not _same_origin(headers):
            await answer.refuse(403, "This request comes from another page: open the workbench's own address.")
        elif scope["method"] not in ("GET", "POST"):
            await answer.refuse(405, "Only GET and POST are answered.", (b"allow", b"GET, POST"))
        elif scope["method"] == "POST" and not _is_json(headers):
            await answer.refuse(415, "A POST needs Content-Type: application/json.")
        else:
            try:
                async with asyncio.timeout(BODY_S):
                    body = await _body(headers, receive) if scope["method"] == "POST" else b""
            except TimeoutError:
                await answer.refuse(408, f"The body has not come within {BODY_S:g} s.", (b"connection", b"close"))
                return
            if body is None:
                await answer.refuse(
                    413, f"The body is longer than {BODY_LIMIT // 1024} KiB.", (b"connection", b"close")
                )
            else:
                await self._hand_on({**scope, "path": path, "raw_path": path.encode()}, _replay(body, receive), answer)

    def _path(self, scope: Scope) -> str | None:
        """Return the path behind the token; ``None`` for a wrong token, or a path of another shape."""
        found = _ONE_SHAPE.fullmatch(scope["raw_path"])
        token, rest = found.groups() if found else (b"", b"")
        return rest.decode() if secrets.compare_digest(token, self._token.encode()) else None

    async def _hand_on(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            await self._app(scope, receive, answer.send)
        except Exception:  # noqa: BLE001 - the last boundary: the server goes on, and says what broke
            _log.error("A request failed:\n%s", traceback.format_exc().replace(self._token, "…"))
            if not answer.started:
                await answer.refuse(500, "The workbench failed at this; what was saved is kept. See its terminal.")


class _Answer:
    """One answer; its start gets the headers that all have."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            own = [header for header in message.get("headers", ()) if header[0].lower() not in _NAMES]
            message = {**message, "headers": [*own, *HEADERS]}
        await self._send(message)

    async def refuse(self, status: int, sentence: str = "", *headers: tuple[bytes, bytes]) -> None:
        body = json.dumps({"message": sentence}).encode() if sentence else b""
        kind = [(b"content-type", b"application/json")] if body else []
        length = (b"content-length", str(len(body)).encode())
        await self.send({"type": "http.response.start", "status": status, "headers": [length, *kind, *headers]})
        await self.send({"type": "http.response.body", "body": body})


_NAMES = frozenset(name for name, _ in HEADERS)
_ONCE = frozenset({b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length"})


def _single(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """Return the headers that decide; ``None`` where one of them is there twice, so that nobody reads the other."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name.lower() in _ONCE:
            if name.lower() in found:
                return None
            found[name.lower()] = value
    return found


def _same_origin(headers: dict[bytes, bytes]) -> bool:
    """Return whether the browser says that the page itself asks, or a person who typed the address."""
    origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site")
    return origin in (None, b"http://" + headers[b"host"]) and site in (None, b"same-origin", b"none")


def _is_json(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json"


async def _body(headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
    """Return the whole body; ``None`` where it is too long."""
    announced = headers.get(b"content-length", b"0")
    if not announced.isdigit() or len(announced) > len(str(BODY_LIMIT)) or int(announced) > BODY_LIMIT:
        return None
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        body += message.get("body", b"")
        if len(body) > BODY_LIMIT:
            return None
        more = message.get("more_body", False)
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what hands out the body that was read, and then whatever else comes."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again
