"""What came of a call: an answer or a named failure, with everything that is known about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.protocol.model import Frozen

MAX_TOKENS = 10**12
"""A count beyond this is none: it would not even have a price that floats can hold."""


class Usage(Frozen):
    """Tokens of answers as the server counts them.

    Attributes:
        input_tokens: Tokens of the request, cached ones included.
        cached_input_tokens: How many of them the server had in its own cache; 0 if it does not say.
        output_tokens: Tokens of the answers, reasoning included.
    """

    input_tokens: int = Field(ge=0, le=MAX_TOKENS)
    cached_input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(ge=0, le=MAX_TOKENS)

    @classmethod
    def together(cls, parts: Iterable[Usage | None]) -> Usage | None:
        """Return the tokens of several answers, ``None`` where those of one are unknown, or where there is no answer.

        Args:
            parts: Tokens of each.
        """
        known: list[Usage] = []
        for part in parts:
            if part is None:
                return None
            known.append(part)
        sums = {name: sum(getattr(part, name) for part in known) for name in cls.model_fields}
        return cls(**sums) if known and max(sums.values()) <= MAX_TOKENS else None


class Reply(Frozen):
    """What came of a call.

    Attributes:
        failure: Why there is no answer, or ``None`` if there is one.
        detail: What went wrong in a sentence, ``""`` for an answer.
        text: The model's words, also those that are no usable answer.
        parsed: The answer's fields where a form was asked for and kept, else ``None``.
        usage: Tokens of all attempts that the server answered, or ``None`` where it gives none for one of them.
        cost: US dollars that these tokens cost, or ``None`` if their number or price is unknown. A reply from the cache
            is not paid again.
        attempts: Attempts made; 0 from the cache or where nothing was sent.
        answers: How many of them the server answered with HTTP 200, each of which has its price, be it unknown; 1 from
            the cache.
        model: The model that the server says has answered, ``""`` if it does not say.
        finish_reason: Why the model stopped, as the server says.
        cached: Whether it came from the cache.
        raw: Body of the last answer as it came, ``""`` if none came.
    """

    failure: CallFailure | None = None
    detail: str = ""
    text: str = ""
    parsed: dict[str, Any] | None = None
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 0
    answers: int = 0
    model: str = ""
    finish_reason: str = ""
    cached: bool = False
    raw: str = Field(default="", repr=False)
