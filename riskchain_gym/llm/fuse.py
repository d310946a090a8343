"""A fuse: ends a long job whose model can no longer answer, instead of failing call after call."""

from __future__ import annotations

import threading

from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError

IN_A_ROW = 5
"""Calls in a row that the server gave no answer to, all attempts of each included, before the fuse blows."""

_AWAY = frozenset(
    {
        CallFailure.TRANSPORT,
        CallFailure.TIMEOUT,
        CallFailure.RATE_LIMITED,
        CallFailure.BAD_RESPONSE,
        CallFailure.BAD_REQUEST,
    }
)
_REFUSED = frozenset({CallFailure.AUTH, CallFailure.MODEL_NOT_FOUND})


class FuseBlownError(InfrastructureError):
    """Asking on is hopeless: whoever runs a long job ends it."""


class FusedModel:
    """A model whose calls raise once asking on is hopeless; threads may share it.

    Args:
        inner: The model.
    """

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner
        self._away = 0
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._inner.model

    def complete(self, request: ChatRequest) -> Reply:
        """Return the answer to a request, or the failure.

        Args:
            request: What is asked.

        Raises:
            ConfigError: The server knows no such model, or does not let this key ask it.
            FuseBlownError: The server gave no answer to :data:`IN_A_ROW` calls in a row (cause ``model_lost``).
            InfrastructureError: The budget is spent (cause ``over_cost``).
        """
        reply = self._inner.complete(request)
        if reply.failure in _REFUSED:
            raise ConfigError(f"'{self.model}' cannot be asked ({reply.detail}): check address, model name and key.")
        if reply.failure is CallFailure.OVER_COST:
            raise InfrastructureError("over_cost", f"{reply.detail}: raise it and run again, answers so far are kept.")
        with self._lock:
            self._away = self._away + 1 if reply.failure in _AWAY else 0
            lost = self._away >= IN_A_ROW
        if lost:
            raise FuseBlownError(
                "model_lost",
                f"'{self.model}' did not answer {IN_A_ROW} calls in a row ({reply.failure}: {reply.detail}): start it "
                "and run again, answers so far are kept.",
            )
        return reply
