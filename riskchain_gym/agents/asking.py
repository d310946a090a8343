"""How a part of an agent asks its model: every call recorded, and what is nobody's answer raised."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.trajectory import Phase

LOST: frozenset[CallFailure] = frozenset(
    {
        CallFailure.TRANSPORT,
        CallFailure.TIMEOUT,
        CallFailure.RATE_LIMITED,
        CallFailure.BAD_RESPONSE,
        CallFailure.BAD_REQUEST,
    }
)
"""Failures that say nothing of the model: the episode has no result, and is run again."""

MODEL_LOST = "model_lost"
"""Cause of the :class:`~riskchain_gym.protocol.errors.InfrastructureError` that ends such an episode."""


class AskedModel:
    """One agent's way to a model that it may share with others; not to be shared itself.

    Args:
        model: The model; threads may share it.
        closing: Called by :meth:`close`, for whoever made the model for this agent alone.
    """

    def __init__(self, model: ChatModel, *, closing: Callable[[], None] | None = None) -> None:
        self._model = model
        self._closing = closing
        self._calls: list[CallRecord] = []

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.model

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls since the last reset, in order."""
        return tuple(self._calls)

    def reset(self) -> None:
        """Forget the calls of the last episode."""
        self._calls = []

    def close(self) -> None:
        """Let go of the model; idempotent."""
        closing, self._closing = self._closing, None
        if closing is not None:
            closing()

    def ask(self, request: ChatRequest, *, phase: Phase, step: int | None = None, repair: bool = False) -> Reply:
        """Return the model's answer, or a failure that is the model's own.

        Those are ``empty``, ``refused``, ``truncated``, ``invalid_json``, ``schema``, ``too_large`` and
        ``context_too_long``: what the model did, or could not do.

        Args:
            request: What is asked.
            phase: The phase that is answered.
            step: The browse step that is answered.
            repair: Whether this asks again for what the call before answered in a wrong form.

        Raises:
            ConfigError: The server knows no such model, does not let this key ask it, or takes no pictures.
            InfrastructureError: No answer could be had (cause ``model_lost``), or the budget is spent (``over_cost``):
                the episode has no result.
        """
        try:
            reply = self._model.complete(request)
        except InfrastructureError as error:
            failure = CallFailure.OVER_COST if error.cause == CallFailure.OVER_COST else CallFailure.TRANSPORT
            reply = Reply(failure=failure, detail=str(error))
            self._record(request, reply, phase, step, repair)
            raise
        self._record(request, reply, phase, step, repair)
        if reply.failure in LOST:
            raise InfrastructureError(MODEL_LOST, f"'{self.name}' gave no answer ({reply.failure}: {reply.detail}).")
        if reply.failure is CallFailure.IMAGES_UNSUPPORTED:
            raise ConfigError(
                f"'{self.name}' takes no pictures (images_unsupported: {reply.detail}): run it with images=false."
            )
        return reply

    def _record(self, request: ChatRequest, reply: Reply, phase: Phase, step: int | None, repair: bool) -> None:
        raw = reply.raw.encode("utf-8", "surrogatepass")
        self._calls.append(
            CallRecord(
                phase=phase,
                step=step,
                repair=repair,
                failure=reply.failure,
                detail=reply.detail,
                model=reply.model,
                usage=reply.usage,
                cost=reply.cost,
                seconds=reply.seconds,
                attempts=reply.attempts,
                cached=reply.cached,
                characters=sum(len(message.text) for message in request.messages),
                images=sum(len(message.images) for message in request.messages),
                reply_sha256=hashlib.sha256(raw).hexdigest() if raw else "",
            )
        )
