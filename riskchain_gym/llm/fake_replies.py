"""What a scripted endpoint can be told to do with a request: answer, fail, or misbehave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """A chat completion.

    Attributes:
        text: What the model says.
        finish_reason: ``stop``, ``length``, ``content_filter``.
        refusal: The wire's own field for a refusal, or ``None``.
        usage: Input, cached input and output tokens, or ``None`` to send none.
        model: The model that claims to have answered; the one that was asked if empty.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int, int] | None = (100, 0, 10)
    model: str = ""

    def body(self, model: str) -> dict[str, Any]:
        """Return the completion as the wire has it; its id and time are constants."""
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        body: dict[str, Any] = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 0,
            "model": self.model or model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
        }
        if self.usage:
            given, cached, made = self.usage
            body["usage"] = {
                "prompt_tokens": given,
                "completion_tokens": made,
                "total_tokens": given + made,
                "prompt_tokens_details": {"cached_tokens": cached},
            }
        return body


@dataclass(frozen=True, slots=True)
class Fail:
    """An answer with another HTTP status than 200.

    Attributes:
        status: The status.
        message: What the error says.
        code: Its code.
        headers: Further headers, such as Retry-After.
    """

    status: int
    message: str = "scripted failure"
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """Return the error as the wire has it."""
        return {"error": {"message": self.message, "type": "scripted_error", "param": None, "code": self.code or None}}


@dataclass(frozen=True, slots=True)
class Raw:
    """Any bytes as body.

    Attributes:
        body: The bytes.
        keep: How many of them are sent before the connection is cut; all, and no cut, if ``None``.
        status: The HTTP status.
    """

    body: bytes
    keep: int | None = None
    status: int = 200


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing at all, until the client goes away or the endpoint closes."""


@dataclass(frozen=True, slots=True)
class Drip:
    """A reply that does not end: a character every now and then, until the client goes away or the endpoint closes.

    Attributes:
        status: Its status.
        head: Whether it does not even get past its headers.
    """

    status: int = 200
    head: bool = False


FakeReply = Say | Fail | Raw | Hang | Drip
"""One thing that can come of a request."""


def say_json(value: Any, **others: Any) -> Say:
    """Return a completion whose text is a value as JSON."""
    return Say(json.dumps(value, ensure_ascii=False), **others)


def rate_limited(retry_after: str = "7") -> Fail:
    """Return HTTP 429 with a Retry-After header."""
    return Fail(429, "too many requests", "rate_limit_exceeded", {"Retry-After": retry_after})


def cut(text: str = "cut off") -> Raw:
    """Return a completion of which the connection carries half."""
    body = json.dumps(Say(text).body("scripted")).encode()
    return Raw(body, keep=len(body) // 2)


def broken_json(text: str = "cut off") -> Raw:
    """Return half the JSON of a completion, as if it were whole."""
    body = json.dumps(Say(text).body("scripted")).encode()
    return Raw(body[: len(body) // 2])


REFUSES_ENGLISH = Say("I'm sorry, but I cannot help with this request.")
"""A refusal in prose."""

REFUSES_CHINESE = Say("抱歉，我无法协助处理这个请求。")
"""A refusal in Chinese prose."""

EMPTY = Say("", usage=(100, 0, 0))
"""A completion that says nothing."""

NO_IMAGES = Fail(400, "this model does not support image input")
"""What text-only servers say to pictures."""

TOO_LONG = Fail(400, "maximum context length is 4096 tokens", "context_length_exceeded")
"""What servers say to what they cannot read to its end."""
