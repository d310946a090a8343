"""A scripted endpoint on the loopback address that speaks the chat completions of OpenAI; for tests and dry runs.

It needs nothing but the standard library. Requests are recorded, pictures as their hash and size; the key is compared
and not recorded.
"""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from riskchain_gym.llm.fake_replies import Drip, Fail, FakeReply, Hang, Raw, Say
from riskchain_gym.protocol.errors import ConfigError

Script = Iterable[FakeReply] | Callable[["FakeRequest"], FakeReply]
"""Replies in order, the last one for ever after; or what makes a reply of a request."""

_MAX_BODY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FakeImage:
    """A picture that was sent: media type as stated, SHA-256 and length in bytes of what it decodes to."""

    media_type: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class FakeRequest:
    """A request that came.

    Attributes:
        body: The request without its pictures' bytes.
        model: The model that it asks for.
        texts: The text of every message, in order.
        images: Its pictures, in order.
        headers: Names of its headers.
    """

    body: dict[str, Any] = field(repr=False)
    model: str
    texts: tuple[str, ...]
    images: tuple[FakeImage, ...] = ()
    headers: tuple[str, ...] = ()


class FakeEndpoint:
    """Serves a script from daemon threads; starts when made.

    Args:
        script: What comes of requests. A callable may be asked by many threads at once.
        models: The models that there are; any name will do if empty.
        api_key: The key that is asked for; any will do if ``None``.
        images: Whether pictures are taken.
        host: A loopback address.
        port: The port; 0 takes a free one.
        record: Whether requests are kept; whoever serves for hours has no use for them.

    Attributes:
        requests: The requests that were served, in order of arrival.

    Raises:
        ConfigError: The host is not a loopback address, the port cannot be had, or the script has no reply.
    """

    def __init__(
        self,
        script: Script,
        *,
        models: Iterable[str] = (),
        api_key: str | None = None,
        images: bool = True,
        host: str = "127.0.0.1",
        port: int = 0,
        record: bool = True,
    ) -> None:
        if host not in ("127.0.0.1", "localhost"):
            raise ConfigError(f"The scripted endpoint serves on the loopback address only, not on '{host}'.")
        self.requests: list[FakeRequest] = []
        self.models = tuple(models)
        self.takes_images = images
        self._api_key = api_key
        self._records = record
        self._lock = threading.Lock()
        self._next = script if callable(script) else _in_order(script)
        self._http = _Server(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="fake-llm", daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """Address to give to a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        """Stop serving, drop every connection and wait for the threads; idempotent."""
        self._http.shutdown()
        self._http.drop_connections()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> FakeEndpoint:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def allows(self, authorization: str) -> bool:
        """Say whether a request with this Authorization header is let in."""
        return self._api_key is None or authorization == f"Bearer {self._api_key}"

    def reply(self, request: FakeRequest) -> FakeReply:
        """Record a request and return what comes of it."""
        if self._records:
            with self._lock:
                self.requests.append(request)
        if self.models and request.model not in self.models:
            return Fail(404, f"the model '{request.model}' does not exist", "model_not_found")
        if request.images and not self.takes_images:
            return Fail(400, "this model does not support image input")
        return self._next(request)


def _in_order(script: Iterable[FakeReply]) -> Callable[[FakeRequest], FakeReply]:
    replies = list(script)
    if not replies:
        raise ConfigError("A script needs at least one reply.")
    lock = threading.Lock()

    def take(_: FakeRequest) -> FakeReply:
        with lock:
            return replies.pop(0) if len(replies) > 1 else replies[0]

    return take


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, endpoint: FakeEndpoint, port: int) -> None:
        self.endpoint = endpoint
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise ConfigError(
                f"Port {port} cannot be had ({error.strerror}): give another, or 0 for a free one."
            ) from error

    def server_bind(self) -> None:
        # The base class asks the resolver for its own name here, which may block for seconds.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # or a port rests a while after its last use
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

    def drop_connections(self) -> None:
        with self._open_lock:
            kept = list(self._open)
        for connection in kept:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about connections that the client has dropped."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (overrides)
        """Log nothing: the endpoint's record is the log."""

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            self._send(404, Fail(404, "no such path").body())
            return
        names = self.server.endpoint.models or ("scripted",)
        self._send(200, {"object": "list", "data": [{"id": name, "object": "model", "created": 0} for name in names]})

    def do_POST(self) -> None:
        endpoint = self.server.endpoint
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._send(400, Fail(400, "the request has no body of a known length").body())
            return
        body = self.rfile.read(int(length))
        given = self.headers.get("Authorization", "")
        if self.path != "/v1/chat/completions":
            self._send(404, Fail(404, "no such path").body())
        elif not endpoint.allows(given):
            # Real services quote the key, or part of it, in their answer.
            said = f"Incorrect API key provided: {given.removeprefix('Bearer ')}."
            self._send(401, Fail(401, said, "invalid_api_key").body())
        else:
            try:
                request = read_request(body, tuple(self.headers))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                self._send(400, Fail(400, f"malformed request: {error}").body())
                return
            self._play(endpoint.reply(request), request.model)

    def _play(self, reply: FakeReply, model: str) -> None:
        if isinstance(reply, Say):
            self._send(200, reply.body(model))
        elif isinstance(reply, Fail):
            self._send(reply.status, reply.body(), dict(reply.headers))
        elif isinstance(reply, Raw):
            self.close_connection = self.close_connection or reply.keep is not None
            self._send_bytes(reply.status, reply.body, reply.keep)
        elif isinstance(reply, Drip):
            self._drip(reply)
        else:
            assert isinstance(reply, Hang)
            self.close_connection = True
            self.connection.recv(1)  # returns when the client, or this endpoint's close(), ends the connection

    def _drip(self, reply: Drip) -> None:
        self.close_connection = True
        self.connection.settimeout(0.02)
        self.wfile.write(f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\nX-Drip: ".encode())
        self.wfile.write(b"" if reply.head else b"1\r\n\r\n")
        while True:
            self.wfile.write(b".")
            try:
                self.connection.recv(1)
            except TimeoutError:
                continue
            return

    def _send(self, status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(value, ensure_ascii=False).encode(), None, headers)

    def _send_bytes(
        self, status: int, body: bytes, keep: int | None = None, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(HTTPStatus(status))
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:keep])


def read_request(body: bytes, headers: tuple[str, ...] = ()) -> FakeRequest:
    """Read a request and take its pictures' bytes out.

    Args:
        body: Its body.
        headers: Names of its headers.

    Raises:
        ValueError: It is no JSON, or a picture is no data URL.
        LookupError: A field is missing.
        TypeError: A field is of the wrong kind.
        AttributeError: A field is of the wrong kind.
    """
    value = json.loads(body)
    texts: list[str] = []
    images: list[FakeImage] = []
    for message in value["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts.append("".join(part["text"] for part in parts if part["type"] == "text"))
        images.extend(_images(parts))
    return FakeRequest(body=value, model=value["model"], texts=tuple(texts), images=tuple(images), headers=headers)


def _images(parts: list[dict[str, Any]]) -> Iterator[FakeImage]:
    for part in parts:
        if part["type"] != "image_url":
            continue
        head, _, coded = part["image_url"]["url"].partition(";base64,")
        if not head.startswith("data:image/"):
            raise ValueError("a picture must be a data URL")
        data = base64.b64decode(coded, validate=True)
        part["image_url"] = {"url": f"{head};base64,..."}
        yield FakeImage(head.removeprefix("data:"), hashlib.sha256(data).hexdigest(), len(data))
