"""One attempt over the OpenAI SDK: bytes out, bytes in. The only place that knows the SDK and the key."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.protocol.errors import MissingExtraError

MIN_SCRUBBED = 8
"""Keys shorter than this (``none``, ``EMPTY``) are no secrets and are not looked for in what servers say."""


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
        """Close idle connections."""


class OpenAITransport:
    """Chat completions through the ``openai`` package, without its own retries.

    Args:
        base_url: The address.
        api_key: The key; it is taken out of everything that servers say.
        timeout: Seconds for the whole attempt.
        max_bytes: Largest body that is read.

    Raises:
        MissingExtraError: The ``llm`` extra is not installed.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float,
        max_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "A language model client") from error
        self._sdk = openai
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0)
        self._key = api_key
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._clock = clock

    def send(self, payload: dict[str, Any]) -> Exchange:
        """Return what came of one attempt."""
        started = self._clock()
        try:
            status, body, fault = self._read(payload, started + self._timeout)
            retry_after = None
        except self._sdk.APIStatusError as error:
            status, body, fault = error.status_code, error.response.text, None
            retry_after = _seconds(error.response.headers.get("retry-after"))
        except Exception as error:  # noqa: BLE001  (the boundary to SDK and network; the cause is kept by name)
            return Exchange(
                fault=CallFailure.TIMEOUT if _is_timeout(error) else CallFailure.TRANSPORT,
                detail=self._scrubbed(f"{type(error).__name__}: {error}"),
                seconds=self._clock() - started,
            )
        return Exchange(
            status=None if fault else status,
            body=self._scrubbed(body),
            retry_after=retry_after,
            fault=fault,
            detail=_SAID.get(fault, "") if fault else "",
            seconds=self._clock() - started,
        )

    def close(self) -> None:
        """Close idle connections."""
        self._client.close()

    def _read(self, payload: dict[str, Any], deadline: float) -> tuple[int, str, CallFailure | None]:
        create: Any = self._client.chat.completions.with_streaming_response.create
        read = bytearray()
        with create(**payload) as response:
            for chunk in response.iter_bytes(65536):
                read += chunk
                if len(read) > self._max_bytes:
                    return response.status_code, "", CallFailure.TOO_LARGE
                if self._clock() > deadline:
                    return response.status_code, "", CallFailure.TIMEOUT
            return response.status_code, read.decode("utf-8", "replace"), None

    def _scrubbed(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= MIN_SCRUBBED else text


_SAID = {
    CallFailure.TOO_LARGE: "the reply is larger than max_reply_bytes",
    CallFailure.TIMEOUT: "the reply did not end within the timeout",
}


def _is_timeout(error: BaseException) -> bool:
    return any("Timeout" in kind.__name__ for kind in type(error).__mro__)


def _seconds(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header; dates and nonsense count as not given."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None
