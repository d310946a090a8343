"""A client against a scripted endpoint, without a wait."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.fake import FakeEndpoint, Script
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.model import Frozen

ENDPOINT_SETTINGS = {"models", "api_key", "images"}
CLIENT_SETTINGS = {"cache", "prices", "budget"}


class Colour(Frozen):
    """A form of one field."""

    colour: Literal["red", "green"]


@contextmanager
def calling(script: Script, key: str | None = "key-of-the-test", **settings: Any) -> Iterator[Any]:
    """Yield a client, its endpoint and the list of its waits."""
    waits: list[float] = []
    of_endpoint = {name: settings.pop(name) for name in ENDPOINT_SETTINGS & settings.keys()}
    of_client = {name: settings.pop(name) for name in CLIENT_SETTINGS & settings.keys()}
    with FakeEndpoint(script, **of_endpoint) as endpoint:
        asked = ModelSettings(**{"base_url": endpoint.base_url, "model": "scripted", "timeout": 30, **settings})
        with ModelClient(asked, api_key=key, sleep=waits.append, jitter=lambda: 0.0, **of_client) as client:
            yield client, endpoint, waits


def asking(text: str = "Which colour?", form: Any = None, images: tuple[bytes, ...] = ()) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text, images=images),), form=form)


def png(side: int = 2) -> bytes:
    """Return a grey PNG."""
    rows = b"".join(b"\0" + b"\x80" * side for _ in range(side))
    out = io.BytesIO(b"")
    out.write(b"\x89PNG\r\n\x1a\n")
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        out.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
    return out.getvalue()
