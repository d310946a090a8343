"""Messages between two processes over a socket, each whole and in time or not at all."""

from __future__ import annotations

import pickle
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

MOST_BYTES = 1 << 30
"""Bytes that a message may have where nobody says less."""

_MOST_PARTS = 64
_COUNT, _LENGTH = struct.Struct(">I"), struct.Struct(">Q")

_UNREADABLE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, RecursionError)

Part = bytes | bytearray | memoryview


class ChannelClosedError(Exception):
    """The other end is gone, or sends what is no message."""


class NoMessageError(ChannelClosedError):
    """The other end has sent what is no message, or one that is too long."""


class Channel:
    """One end of a connection; one thread at a time may use it.

    Args:
        connection: A connected stream socket; it belongs to the channel from here on.
        most: Bytes that a received message may have.
    """

    def __init__(self, connection: socket.socket, most: int = MOST_BYTES) -> None:
        self._socket = connection
        self._most = most

    def send(self, parts: Sequence[Part], seconds: float | None = None) -> None:
        """Send one message.

        Args:
            parts: What it is made of.
            seconds: How long it may take, ``None`` for as long as it takes.

        Raises:
            TimeoutError: It took longer.
            ChannelClosedError: The other end is gone.
        """
        end = _end(seconds)
        head = [_COUNT.pack(len(parts)), *(_LENGTH.pack(memoryview(part).nbytes) for part in parts)]
        try:
            for each in (b"".join(head), *parts):
                rest = memoryview(each).cast("B")
                while rest:
                    self._socket.settimeout(_left(end))
                    rest = rest[self._socket.send(rest) :]
        except TimeoutError:
            raise
        except OSError as error:
            raise ChannelClosedError(str(error)) from error

    def receive(self, seconds: float | None = None) -> list[bytearray]:
        """Return the parts of the next message.

        Args:
            seconds: How long it may take until it is whole, ``None`` for as long as it takes.

        Raises:
            TimeoutError: It took longer.
            ChannelClosedError: The other end is gone, or has sent what is no message.
        """
        end = _end(seconds)
        (count,) = _COUNT.unpack(self._bytes(_COUNT.size, end))
        if not 1 <= count <= _MOST_PARTS:
            raise NoMessageError("something was sent that is no message")
        lengths = [_LENGTH.unpack(self._bytes(_LENGTH.size, end))[0] for _ in range(count)]
        if sum(lengths) > self._most:
            raise NoMessageError(f"a message of {sum(lengths):,} bytes was sent, {self._most:,} are the most")
        return [self._bytes(length, end) for length in lengths]

    def ready(self, seconds: float) -> bool:
        """Wait so long for something to come, and say whether it has; also where the other end has closed."""
        poll = select.poll()  # select() knows no large file descriptors
        try:
            poll.register(self._socket, select.POLLIN)
        except (OSError, ValueError) as error:
            raise ChannelClosedError("this end was closed") from error
        return bool(poll.poll(seconds * 1000))

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _bytes(self, count: int, end: float | None) -> bytearray:
        data = bytearray(count)
        rest = memoryview(data)
        while rest:
            try:
                self._socket.settimeout(_left(end))
                got = self._socket.recv_into(rest)
            except TimeoutError:
                raise
            except OSError as error:
                raise ChannelClosedError(str(error)) from error
            if not got:
                raise ChannelClosedError("the other end has closed")
            rest = rest[got:]
        return data


def packed(value: Any) -> list[Part]:
    """Return a value as parts of a message; arrays in it are not copied. Only for what this package sends itself."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    if len(buffers) >= _MOST_PARTS:
        return [pickle.dumps(value, protocol=5)]
    return [head, *(buffer.raw() for buffer in buffers)]


def unpacked(parts: Sequence[Part]) -> Any:
    """Return the value that :func:`packed` was given. Never to be called on what an agent's process sends.

    Raises:
        ValueError: It is nothing that was packed.
    """
    try:
        return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 - what comes from agents is read as JSON
    except _UNREADABLE as error:
        raise ValueError(f"something was sent that cannot be read ({type(error).__name__})") from error


def _end(seconds: float | None) -> float | None:
    return None if seconds is None else time.monotonic() + seconds


def _left(end: float | None) -> float | None:
    if end is None:
        return None
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
