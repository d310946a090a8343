"""The outside world, on another loopback address: a TCP and a UDP port for each channel, and who came to which."""

from __future__ import annotations

import base64
import hashlib
import selectors
import socket
import threading
import time
from collections.abc import Collection, Iterable

ADDRESS = "127.0.0.2"
_WEBSOCKET = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Listener:
    """Notes every connection and every datagram; answers HTTP with an empty page and completes WebSocket handshakes.

    Args:
        names: Names of the channels.
        address: Address to listen on.
    """

    def __init__(self, names: Iterable[str], address: str = ADDRESS) -> None:
        self._address = address
        self._heard: dict[str, float] = {}
        self._changed = threading.Condition()
        self._selector = selectors.DefaultSelector()
        self._ports: dict[str, int] = {}
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        for name in names:
            self._listen(name)
        self._thread = threading.Thread(target=self._serve, name="outside", daemon=True)
        self._thread.start()

    def at(self, name: str) -> str:
        """Return the address and port of a channel."""
        return f"{self._address}:{self._ports[name]}"

    @property
    def heard(self) -> set[str]:
        """The channels through which anything came, be it a bare connection."""
        with self._changed:
            return set(self._heard)

    def forget(self) -> None:
        """Forget what was heard."""
        with self._changed:
            self._heard.clear()

    def wait(self, names: Collection[str], seconds: float) -> set[str]:
        """Wait until something came through all of the channels, at most so long; return what came through any."""
        with self._changed:
            self._changed.wait_for(lambda: set(names) <= set(self._heard), seconds)
            return set(self._heard)

    def wait_any(self, seconds: float) -> set[str]:
        """Wait until something came through any channel, at most so long; return which."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._heard), seconds)
            return set(self._heard)

    def close(self) -> None:
        self._wake.send(b"x")
        self._thread.join(5)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()
        self._wake.close()

    def _listen(self, name: str) -> None:
        family = socket.AF_INET6 if ":" in self._address else socket.AF_INET
        tcp = socket.socket(family)
        udp = socket.socket(family, socket.SOCK_DGRAM)
        tcp.bind((self._address, 0))
        port = tcp.getsockname()[1]
        udp.bind((self._address, port))
        tcp.listen(64)
        for each in (tcp, udp):
            each.setblocking(False)
            self._selector.register(each, selectors.EVENT_READ, name)
        self._ports[name] = port

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    return
                found = key.fileobj
                assert isinstance(found, socket.socket)
                try:
                    self._take(found, key.data)
                except OSError:
                    self._drop(found)

    def _take(self, found: socket.socket, name: str) -> None:
        if found.type == socket.SOCK_DGRAM:
            found.recvfrom(4096)
            self._note(name)
        elif found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            connection, _ = found.accept()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, name)
            self._note(name)
        else:
            data = found.recv(65536)
            if data:
                found.sendall(_answer(data))
            else:
                self._drop(found)

    def _drop(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        connection.close()

    def _note(self, name: str) -> None:
        with self._changed:
            self._heard.setdefault(name, time.monotonic())
            self._changed.notify_all()


def _answer(request: bytes) -> bytes:
    headers = [line.partition(b":") for line in request.split(b"\r\n")]
    key = next((value.strip() for name, _, value in headers if name.lower() == b"sec-websocket-key"), None)
    if key is not None:
        accept = base64.b64encode(hashlib.sha1(key + _WEBSOCKET.encode()).digest())
        return (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + accept
            + b"\r\n\r\n"
        )
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n"
        b"Access-Control-Allow-Headers: *\r\nContent-Length: 0\r\n\r\n"
    )
