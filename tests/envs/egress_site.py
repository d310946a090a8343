"""A site that serves what a table says, by path: to the browser backend, or to a browser of one's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from chromium_stub import StubServer, StubSession

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings

Served = Mapping[str, tuple[int, dict[str, str], str]]


class TableServer(StubServer):
    """Serves a table to every host; ``headers`` keeps what the requests said, beside ``asked``.

    Args:
        table: Status, headers and body by path.
    """

    def __init__(self, table: Served) -> None:
        self.table = table
        self.headers: list[dict[str, str]] = []
        self._came = threading.Condition()
        super().__init__()

    def wait_for(self, path: str, seconds: float) -> None:
        """Wait until a path was asked for.

        Raises:
            AssertionError: It was not, in that time.
        """
        with self._came:
            assert self._came.wait_for(lambda: any(each[2] == path for each in self.asked), seconds), path

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self
        base: Any = super()._handler()

        class Handler(base):  # type: ignore[misc]
            def do_GET(self) -> None:  # noqa: N802
                server.headers.append(dict(self.headers))
                if self.path not in server.table:
                    super().do_GET()
                    return
                with server._came:
                    server.asked.append((self.command, self.headers["Host"], self.path))
                    server._came.notify_all()
                status, headers, body = server.table[self.path]
                self.send_response(status)
                sent = {"Cache-Control": "no-store", **headers, "Content-Length": str(len(body.encode()))}
                for header, value in sent.items():
                    self.send_header(header, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def do_POST(self) -> None:  # noqa: N802
                if self.path not in server.table:
                    super().do_POST()
                    return
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.do_GET()

        return Handler


def table_backend(
    table: Served, *, server: Callable[[], TableServer] | None = None, **settings: Any
) -> tuple[ChromiumBackend, list[TableServer]]:
    """Return a browser backend on a table, or on servers of one's own making, and the servers that it has started."""
    servers: list[TableServer] = []

    def start() -> TableServer:
        servers.append(TableServer(table) if server is None else server())
        return servers[-1]

    made: dict[str, Any] = {"session": StubSession, "server": start, "modalities": frozenset({"screenshot"})}
    return ChromiumBackend(BrowserSettings(**settings), **made), servers
