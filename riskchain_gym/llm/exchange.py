"""One attempt as the client sees it: what came of it, and what makes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from riskchain_gym.llm.failures import CallFailure


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came of one attempt.

    Attributes:
        status: HTTP status, or ``None`` if no whole answer came.
        body: Body of the answer, as far as it came.
        retry_after: Seconds that the server asks to wait, or ``None``.
        fault: Why no whole answer came.
        detail: The fault in a few words.
        seconds: How long it took.
    """

    status: int | None = None
    body: str = field(default="", repr=False)
    retry_after: float | None = None
    fault: CallFailure | None = None
    detail: str = ""
    seconds: float = 0.0


class Transport(Protocol):
    """Sends one request and never raises for what the network or the server does."""

    def send(self, payload: dict[str, Any]) -> Exchange:
        """Return what came of one attempt."""

    def close(self) -> None:
        """End the attempts in flight as failures, and let no other begin."""
