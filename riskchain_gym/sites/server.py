"""The sandbox server: serves registered sessions over HTTP on the loopback address, one host name a session.

The host name is the token. Whoever names it exactly is let in, so it must be one that nobody else can name: browse
backends draw 19 digits for each episode (63 bits), use them once and take them back when the episode ends. No page of
another episode is ever told of it, and no observation. A second secret, in a cookie or in every path, would say to the
same browser nothing that the name does not say already, and would be one thing more that pages see.
A request that names no registered host is dropped without an answer, as is one that could mean two; one that a page of
another host has sent is refused, should such a page ever come to know the name.
"""

from __future__ import annotations

import os
import socket
import threading
import weakref
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.sessions import AnySession

MAX_BODY = 64 * 1024
"""Largest form that is read, in bytes."""

IDLE_SECONDS = 600
"""How long a kept connection may stay silent."""

HEADERS: dict[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Sent with every answer, whatever it is. With this referrer policy forms say truly where they come from."""

_FORM_TYPE = "application/x-www-form-urlencoded"
_LENGTH_DIGITS = 18


class SandboxServer:
    """An HTTP server for any number of sessions at once; starts when made, serves from daemon threads.

    Attributes:
        port: Port on 127.0.0.1.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, AnySession] = {}
        self._lock = threading.Lock()
        self._http = _Server(self)
        self.port: int = self._http.server_address[1]
        self._closed = False
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="sandbox-server", daemon=True
        )
        self._thread.start()

    def register(self, host: str, session: AnySession) -> None:
        """Serve a session under a host, e.g. ``k3f9a2.test``; it replaces one registered before.

        Args:
            host: The host exactly as browsers will name it: with the port, where it is not the default one.
            session: The session.
        """
        with self._lock:
            self._sessions[host.lower()] = session

    def unregister(self, host: str) -> None:
        """Stop serving a host; unknown ones are ignored."""
        with self._lock:
            self._sessions.pop(host.lower(), None)

    def session(self, host_header: str) -> AnySession | None:
        """Return the session that a Host header names exactly, capitals aside, or ``None``."""
        with self._lock:
            return self._sessions.get(host_header.strip().lower())

    def close(self) -> None:
        """Stop serving and drop every connection; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._sessions.clear()
        self._http.shutdown()
        self._http.server_close()
        self._http.drop_connections()
        self._thread.join(timeout=5)

    def __enter__(self) -> SandboxServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, sandbox: SandboxServer) -> None:
        self.sandbox = sandbox
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        _servers.add(self)

    def server_bind(self) -> None:
        # The base class asks the resolver for its own name here, which may block for seconds.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        request, address = super().get_request()
        with self._open_lock:
            self._open.add(request)
        return request, address

    def close_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().close_request(request)

    def let_go(self) -> None:
        """Close the sockets of this process only. No lock is taken: a thread that was not forked may have held it."""
        self.sandbox._closed = True
        for one in [self.socket, *self._open]:
            # Handlers that were not forked hold files on their connections, which would put off a mere close().
            if (number := one.detach()) >= 0:
                os.close(number)

    def drop_connections(self) -> None:
        with self._open_lock:
            kept = list(self._open)
        for connection in kept:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about connections that the browser has dropped."""


_servers: weakref.WeakSet[_Server] = weakref.WeakSet()


def _let_go() -> None:
    # A forked child that kept them would hold port and connections open after this process has closed them, or died.
    for server in list(_servers):
        server.let_go()


os.register_at_fork(after_in_child=_let_go)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def version_string(self) -> str:
        return "sandbox"

    def date_time_string(self, timestamp: float | None = None) -> str:  # noqa: ARG002  (overrides)
        # A constant: no clock reaches the page.
        return "Mon, 15 Jun 2026 00:00:00 GMT"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (overrides)
        """Log nothing: the trajectory is the log."""

    def do_GET(self) -> None:
        session = self._session()
        if session is not None:
            self._answer(session.get(self.path), session)

    def do_HEAD(self) -> None:
        session = self._session()
        if session is not None:
            self._answer(session.peek(self.path), session)

    def do_POST(self) -> None:
        session = self._session()
        body = self._body() if session is not None else None
        if session is None or body is None:
            return
        try:
            form = dict(
                parse_qsl(body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=200)
            )
        except ValueError:
            self._send(HTTPStatus.BAD_REQUEST)
            return
        self._answer(session.post(self.path, form), session)

    def _session(self) -> AnySession | None:
        """Return the session that is asked for, or drop or answer the request and return ``None``."""
        hosts = self.headers.get_all("Host", [])
        session = self.server.sandbox.session(hosts[0]) if len(hosts) == 1 else None
        if session is None:
            self.close_connection = True
        elif not self.path.startswith("/"):
            self.close_connection = True  # a body that it may have stays unread
            self._send(HTTPStatus.BAD_REQUEST)
        elif not self._is_from(hosts[0]):
            self.close_connection = True
            self._send(HTTPStatus.FORBIDDEN)
        elif self.path == "/favicon.ico" and self.command != "POST":
            self._send(HTTPStatus.NO_CONTENT)
        else:
            return session
        return None

    def _is_from(self, host: str) -> bool:
        """Say whether no header names another origin as the one that asks; browsers name it in whatever they post."""
        own = f"http://{host.strip().lower()}"
        origins = self.headers.get_all("Origin", [])
        referrers = [urlsplit(referrer) for referrer in self.headers.get_all("Referer", [])]
        return all(origin.lower() == own for origin in origins) and all(
            f"{parts.scheme}://{parts.netloc}".lower() == own for parts in referrers
        )

    def _body(self) -> bytes | None:
        """Return the body of a well-formed form post, or answer the request and return ``None``."""
        length = self.headers.get("Content-Length", "")
        readable = length.isascii() and length.isdecimal() and len(length) <= _LENGTH_DIGITS
        kind = self.headers.get("Content-Type", _FORM_TYPE).partition(";")[0].strip().lower()
        if not readable or int(length) > MAX_BODY or "Transfer-Encoding" in self.headers or kind != _FORM_TYPE:
            self.close_connection = True  # the unread body would be taken for the next request
            too_large = readable and int(length) > MAX_BODY
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE if too_large else HTTPStatus.BAD_REQUEST)
            return None
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            self._send(HTTPStatus.BAD_REQUEST)
            return None
        return body

    def _answer(self, response: Response, session: AnySession) -> None:
        if response.page is not None:
            assert isinstance(session, SiteSession), "only made sites answer with pages"
            self._send(response.status, session.document(response.page), {"Content-Type": "text/html; charset=utf-8"})
        elif response.download is not None:
            attachment = f"attachment; filename*=UTF-8''{quote(response.filename)}"
            headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Disposition": attachment}
            self._send(response.status, response.download, headers)
        elif response.body is not None:
            headers = {"Content-Type": response.content_type, "Content-Security-Policy": response.policy}
            if response.filename:
                headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(response.filename)}"
            self._send(response.status, response.body, headers)
        else:
            self._send(response.status, b"", {"Location": response.location})

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer a request that cannot be parsed, or a method that is not served, without a body of its own."""
        self.close_connection = True
        self.request_version = self.protocol_version  # else no status line goes out for a garbled request
        self._send(code)

    def _send(self, status: int, body: bytes = b"", extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **(extra or {})}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
