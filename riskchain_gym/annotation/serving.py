"""Serving the workbench on the loopback until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from riskchain_gym.annotation.app import make_app
from riskchain_gym.annotation.assets import read_assets
from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.guard import Guard, new_token
from riskchain_gym.protocol.errors import ConfigError

HOST = "127.0.0.1"

_GRACE_S = 5


class WorkbenchServer:
    """The workbench at an address of its own, which nobody knows who was not told it.

    Args:
        desk: What is served.
        port: Port to listen on, 0 for any that is free.

    Raises:
        ConfigError: The port is taken.

    Attributes:
        address: Where the page is, with the token.
        port: The port of it.
    """

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self._socket = _listen(port)
        token, self.port = new_token(), self._socket.getsockname()[1]
        self.address = f"http://{HOST}:{self.port}/{token}/"
        config = uvicorn.Config(
            Guard(make_app(desk, read_assets()), token=token, port=self.port),
            http=_Silent,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        self._server = _Server(config)

    def run(self) -> None:
        """Serve until :meth:`stop`, and let the answers that are under way be given."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End :meth:`run` soon; may be called from any thread or signal handler."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever runs the server: they end it in good order, and not the process."""
        yield


class _Silent(H11Protocol):
    """Logs no request, for its path holds the token. What is no HTTP gets no answer: it would lack the headers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The setting alone leaves it to whether somebody has a handler on the logger.
        self.access_log = False

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the parent's signature
        self.transport.close()


def _listen(port: int) -> socket.socket:
    # Only of a socket that says it is TCP does asyncio send small answers at once, not after the client's delayed ACK.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        # From now on a browser may knock; it is answered once the server runs.
        found.listen(128)
    except OSError as error:
        found.close()
        raise ConfigError(f"Port {port} cannot be had ({error.strerror}): give another --port, or 0.") from error
    return found
