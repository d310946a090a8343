"""What is asked of a model: messages of text and pictures, and the shape that the answer should have."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Literal

from pydantic import BaseModel, Field

from riskchain_gym.protocol.model import Frozen

Structure = Literal["json_schema", "json_object", "prompt"]
"""How a server is told the answer's shape: by its schema, as any JSON object, or not at all but in the prompt."""


class Message(Frozen):
    """One message.

    Attributes:
        role: Who speaks.
        text: What is said.
        images: Pictures after the text: whole PNG, WebP or JPEG files.
    """

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[bytes, ...] = Field(default=(), repr=False)


class ChatRequest(Frozen):
    """One call. Of what is ``None`` the client's settings hold.

    Attributes:
        messages: The conversation.
        form: The shape of the answer as a pydantic model that forbids extra fields, or ``None`` for prose.
        parser: Version of what will read the answer; part of the cache's key.
        temperature: Sampling temperature.
        max_tokens: Longest answer in tokens.
    """

    messages: tuple[Message, ...]
    form: type[BaseModel] | None = None
    parser: str = ""
    temperature: float | None = None
    max_tokens: int | None = None


def media_type(data: bytes) -> str:
    """Return the media type of a picture by its first bytes.

    Raises:
        ValueError: It is neither PNG nor WebP nor JPEG.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise ValueError("A picture for a model must be a PNG, WebP or JPEG file: these bytes are none.")


def wire_messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """Return the messages as the wire has them, pictures as data URLs."""
    return [{"role": message.role, "content": _content(message)} for message in messages]


def keyed_messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """Return the messages with the SHA-256 of each picture in its place."""
    return [
        {"role": m.role, "text": m.text, "images": [hashlib.sha256(data).hexdigest() for data in m.images]}
        for m in messages
    ]


def response_format(form: type[BaseModel], structure: Structure) -> dict[str, Any] | None:
    """Return the ``response_format`` that asks for a shape, or ``None`` where the prompt alone does."""
    if structure == "json_schema":
        schema = {"name": form.__name__, "strict": True, "schema": form.model_json_schema()}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if structure == "json_object" else None


def _content(message: Message) -> str | list[dict[str, Any]]:
    # Pages may hold lone surrogates, which have no UTF-8.
    said = message.text.encode("utf-8", "replace").decode("utf-8")
    if not message.images:
        return said
    urls = (f"data:{media_type(data)};base64,{base64.b64encode(data).decode('ascii')}" for data in message.images)
    return [{"type": "text", "text": said}, *({"type": "image_url", "image_url": {"url": u}} for u in urls)]
