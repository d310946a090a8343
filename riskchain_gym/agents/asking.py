"""How a part of an agent asks its model: every call recorded, and what is nobody's answer raised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import LOST, CallFailure
from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest, keyed_messages
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.trajectory import Phase

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
        self._reset_at = 0
        self._lost: InfrastructureError | ConfigError | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.model

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls since the last reset, in order."""
        return tuple(self._calls[self._reset_at :])

    @property
    def episode_calls(self) -> tuple[CallRecord, ...]:
        """The calls since :meth:`begin_episode`, in order, whatever the agent has reset."""
        return tuple(self._calls)

    @property
    def lost(self) -> InfrastructureError | ConfigError | None:
        """What :meth:`ask` raised first since :meth:`begin_episode`, whatever the agent made of it."""
        return self._lost

    def begin_episode(self) -> None:
        """Forget all of the last episode; for whoever runs the agent."""
        self._calls, self._reset_at, self._lost = [], 0, None

    def reset(self) -> None:
        """Count calls anew; for the agent."""
        self._reset_at = len(self._calls)

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
            ModelUnaskableError: The server knows no such model, does not let this key ask it, or takes no pictures.
            InfrastructureError: No answer could be had (cause ``model_lost``), or the budget is spent (``over_cost``):
                the episode has no result.
        """
        try:
            return self._answer(request, phase, step, repair)
        except (InfrastructureError, ConfigError) as error:
            self._lost = self._lost or error
            raise

    def _answer(self, request: ChatRequest, phase: Phase, step: int | None, repair: bool) -> Reply:
        try:
            reply = self._model.complete(request)
        except (FuseBlownError, ModelUnaskableError) as error:
            self._record(request, error.reply, phase, step, repair)
            raise
        self._record(request, reply, phase, step, repair)
        if reply.failure in LOST:
            raise InfrastructureError(MODEL_LOST, f"'{self.name}' gave no answer ({reply.failure}: {reply.detail}).")
        if reply.failure is CallFailure.IMAGES_UNSUPPORTED:
            said = f"'{self.name}' takes no pictures (images_unsupported: {reply.detail}): run it with images=false."
            raise ModelUnaskableError(said, reply)
        return reply

    def _asked(self, request: ChatRequest) -> str:
        form = request.form.model_json_schema() if request.form else None
        asked = [self.name, keyed_messages(request.messages), form, request.temperature, request.max_tokens]
        return hashlib.sha256(json.dumps([*asked, request.parser], sort_keys=True).encode()).hexdigest()

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
                answers=reply.answers,
                cached=reply.cached,
                characters=sum(len(message.text) for message in request.messages),
                images=sum(len(message.images) for message in request.messages),
                reply_sha256=hashlib.sha256(raw).hexdigest() if raw else "",
                request_sha256=self._asked(request),
            )
        )
