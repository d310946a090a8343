"""The client: cache, budget, attempts and reading around one transport."""

from __future__ import annotations

import random
import threading
import warnings
from collections.abc import Callable
from typing import Any, Protocol

from riskchain_gym.llm.budget import Budget, counts
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.exchange import Exchange, Transport
from riskchain_gym.llm.failures import OF_THE_MODEL, RETRIED, CallFailure, failure_of_status
from riskchain_gym.llm.prices import PriceTable, shipped_prices
from riskchain_gym.llm.reading import READER_VERSION, read_completion
from riskchain_gym.llm.reply import Reply, Usage
from riskchain_gym.llm.request import ChatRequest, keyed_messages, response_format, wire_messages
from riskchain_gym.llm.scrubbing import scrubber, told
from riskchain_gym.llm.settings import ModelSettings, api_key_of
from riskchain_gym.llm.transport import OpenAITransport
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import sha256_of

BACKOFF = (2.0, 5.0)
"""Seconds before the second and each later attempt (protocol B.2), spread by :data:`JITTER`."""

JITTER = 0.5
"""A delay is drawn from one to one and a half times its length, so that threads do not come back together."""

MAX_RETRY_AFTER = 120.0
"""Longest wait in seconds that a server's Retry-After is followed for (protocol B.2)."""


class ChatModel(Protocol):
    """A model that can be asked. What goes wrong is in the reply, never raised."""

    @property
    def model(self) -> str:
        """Name of the model."""

    def complete(self, request: ChatRequest) -> Reply:
        """Return the answer to a request, or the failure."""


class ModelClient:
    """Asks one model at one OpenAI-compatible address; threads may share it.

    Args:
        settings: Where the model is and how it is asked.
        api_key: The key, else ``RISKCHAIN_LLM_API_KEY``. It is handed to the SDK, looked for in all that servers say to
            take it out, and used for nothing else.
        cache: Where answers are kept and looked for first.
        prices: Prices, else those that come with the package.
        budget: Guard that further calls are refused by.
        transport: What sends requests, else the OpenAI SDK.
        sleep: Waits between attempts, else the clock does, until the client is closed.
        jitter: Draws the spread of a delay, 0 to 1.

    Raises:
        MissingExtraError: The ``llm`` extra is not installed.
        ConfigError: The key cannot be one, or there is a budget and the model has no price to count by.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        cache: ReplyCache | None = None,
        prices: PriceTable | None = None,
        budget: Budget | None = None,
        transport: Transport | None = None,
        sleep: Callable[[float], object] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self._prices = prices or shipped_prices()
        if budget is not None and settings.model not in self._prices.models:
            raise ConfigError(
                f"A budget cannot be kept for '{settings.model}', whose price is unknown: give it in a file, "
                "with --prices FILE."
            )
        self._cache = cache
        self._budget = budget
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._jitter = jitter
        self._slots = threading.BoundedSemaphore(settings.concurrency)
        key = api_key_of(api_key)
        self._scrubbed = scrubber(key)
        self._transport = transport or OpenAITransport(
            settings.base_url, key, timeout=settings.timeout, max_bytes=settings.max_reply_bytes
        )

    def __repr__(self) -> str:
        return f"ModelClient({self.settings.model!r} at {self.settings.base_url!r})"

    def __enter__(self) -> ModelClient:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.settings.model

    def close(self) -> None:
        """End the calls of other threads as failures, and let no further one pass."""
        self._closed.set()
        self._transport.close()

    def cache_key(self, request: ChatRequest) -> str:
        """Return the SHA-256 of everything that bears on the answer, the pictures' bytes included and the key not."""
        fields = {**self._fields(request), "messages": keyed_messages(request.messages)}
        form = request.form.model_json_schema() if request.form else None
        endpoint = self.settings.endpoint or self.settings.base_url
        return sha256_of([endpoint, fields, form, request.parser, READER_VERSION])

    def complete(self, request: ChatRequest) -> Reply:
        """Return the answer to a request, or the failure.

        Args:
            request: What is asked.

        Raises:
            ValueError: A picture is neither PNG nor WebP nor JPEG.
        """
        payload = {**self._fields(request), "messages": wire_messages(request.messages)}
        key = self.cache_key(request) if self._cache else ""
        if self._cache and (body := self._cache.get(key)) is not None:
            reply = told(read_completion(body, request.form), self._scrubbed)
            return self._priced(reply).model_copy(update={"cached": True})
        reply, is_completion = self._attempted(payload, request)
        if self._cache and is_completion and (reply.failure is None or reply.failure in OF_THE_MODEL):
            try:
                self._cache.put(key, reply.raw)
            except OSError as error:
                warnings.warn(f"{self._cache.folder}: an answer could not be kept ({error.strerror}).", stacklevel=2)
        return reply

    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        """Return the request's fields but for the messages; what is left to the server is not named."""
        settings = self.settings
        temperature = settings.temperature if request.temperature is None else request.temperature
        longest = request.max_tokens or settings.max_tokens
        fields: dict[str, Any] = {"model": settings.model, settings.token_limit: longest}
        if temperature is not None:
            fields["temperature"] = temperature
        if settings.seed is not None:
            fields["seed"] = settings.seed
        if request.form and (shape := response_format(request.form, settings.structure)):
            fields["response_format"] = shape
        if settings.extra:
            fields["extra_body"] = settings.extra
        return fields

    def _attempted(self, payload: dict[str, Any], request: ChatRequest) -> tuple[Reply, bool]:
        """Return what came in the end, and whether it came with HTTP 200; a filter may refuse by another status."""
        answered: list[Reply] = []
        for attempt in range(1, self.settings.attempts + 1):
            if self._budget and (refusal := self._budget.refusal()):
                reply = Reply(failure=refusal[0], detail=refusal[1], attempts=attempt - 1)
                return self._with_all(answered, reply), False
            with self._slots:
                exchange = self._transport.send(payload)
            reply = told(self._reply(exchange, request, attempt), self._scrubbed)
            if reply.answers:
                answered.append(reply)
                if self._budget and counts(reply.failure, reply.cost):
                    self._budget.add(reply.cost)
            if reply.failure not in RETRIED or attempt == self.settings.attempts or self._closed.is_set():
                break
            self._sleep(self._delay(attempt, exchange.retry_after))
        return self._with_all(answered, reply), exchange.status == 200

    def _reply(self, exchange: Exchange, request: ChatRequest, attempt: int) -> Reply:
        came = {"attempts": attempt, "seconds": exchange.seconds}
        if exchange.fault:
            # A reply that is too large was one: other statuses are not read at such length.
            answers = int(exchange.fault is CallFailure.TOO_LARGE)
            return Reply(failure=exchange.fault, detail=exchange.detail, answers=answers, **came)
        if exchange.status != 200:
            failure = failure_of_status(exchange.status or 0, exchange.body)
            if failure is CallFailure.IMAGES_UNSUPPORTED and not any(each.images for each in request.messages):
                failure = CallFailure.BAD_REQUEST  # it speaks of a picture, and none was sent
            detail = f"HTTP {exchange.status}{self._hint(failure)}: {exchange.body}"
            return Reply(failure=failure, detail=detail, raw=exchange.body, **came)
        return self._priced(read_completion(exchange.body, request.form)).model_copy(update=came)

    def _hint(self, failure: CallFailure) -> str:
        missing = failure is CallFailure.MODEL_NOT_FOUND and not self.settings.base_url.endswith("/v1")
        return " (the address usually ends in /v1)" if missing else ""

    def _with_all(self, answered: list[Reply], last: Reply) -> Reply:
        """Return what came last with the tokens and the cost of everything that was answered on the way."""
        usage = Usage.together(reply.usage for reply in answered)
        return self._priced(last.model_copy(update={"usage": usage, "answers": len(answered)}))

    def _priced(self, reply: Reply) -> Reply:
        return reply.model_copy(update={"cost": self._prices.cost(self.settings.model, reply.usage)})

    def _delay(self, attempt: int, retry_after: float | None) -> float:
        if retry_after is not None:
            return min(retry_after, MAX_RETRY_AFTER)
        return BACKOFF[min(attempt, len(BACKOFF)) - 1] * (1 + JITTER * self._jitter())
