"""An end to a request as a whole: timeouts of HTTP clients hold for each read, and a byte now and then renews them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from typing import Any, Self


class Deadline:
    """Shuts the connection of a request when its time is over, whatever the request waits for.

    The request must open a connection of its own and have :meth:`trace` as its ``trace`` extension.

    Args:
        seconds: Time from entering the context.

    Attributes:
        passed: Whether the time was over before the request was.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._over = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of the connection, first the plain one, then the one with TLS that takes its place.

        Args:
            event: What happened, as httpcore names it.
            info: With it.
        """
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self._over:
                    self._shut()

    def cut(self) -> None:
        """Shut the connection now, or as soon as there is one."""
        with self._lock:
            self._over = True
            self._shut()

    def _pass(self) -> None:
        self.passed = True
        self.cut()

    def _shut(self) -> None:
        if self._socket is not None:
            try:
                # Not the method of a TLS socket, which takes away what another thread is reading with.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                return
