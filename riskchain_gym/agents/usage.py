"""What an agent's calls to a model were, as data: tokens, cost, latency, and what went wrong."""

from __future__ import annotations

from pydantic import Field

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.trajectory import Phase


class CallRecord(Frozen):
    """One call to a model.

    Attributes:
        phase: The phase it answered.
        step: The browse step whose observation it answered, ``None`` outside the browse phase.
        repair: Whether it asked again for what the call before it had answered in a wrong form.
        failure: Why it gave no usable answer, or ``None`` if it gave one.
        detail: What went wrong in a sentence, ``""`` for an answer.
        model: The model that the server says has answered, ``""`` if it does not say.
        usage: Tokens of all attempts that were answered, or ``None`` where the server gives none for one of them.
        cost: US dollars that these tokens cost, or ``None`` if their number or price is unknown. An answer from the
            cache keeps the cost that it once had, and is not paid again.
        seconds: Latency of the last attempt; 0 from the cache.
        attempts: Attempts made; 0 from the cache.
        answers: How many of them were answered, so that they have a price, be it unknown; 1 from the cache.
        cached: Whether the answer came from the cache.
        characters: Characters of text that were sent.
        images: Pictures that were sent.
        reply_sha256: SHA-256 of the answer's body as it came, ``""`` if none came.
        request_sha256: SHA-256 of what was asked and of which model; ``""`` in what was written down before this was.
    """

    phase: Phase
    step: int | None = None
    repair: bool = False
    failure: CallFailure | None = None
    detail: str = ""
    model: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = Field(ge=0)
    attempts: int = Field(ge=0)
    answers: int = Field(ge=0)
    cached: bool = False
    characters: int = Field(ge=0)
    images: int = Field(default=0, ge=0)
    reply_sha256: str = ""
    request_sha256: str = ""
