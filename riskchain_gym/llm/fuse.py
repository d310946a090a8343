"""A fuse: ends a long job whose model can no longer answer, instead of failing call after call."""

from __future__ import annotations

import threading

from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import LOST, UNASKABLE, UNPAID, CallFailure
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.llm.settings import API_KEY_VARIABLE
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError

IN_A_ROW = 5
"""Calls in a row that the server gave no answer to, all attempts of each included, before the fuse blows."""


class FuseBlownError(InfrastructureError):
    """Asking on is hopeless: whoever runs a long job ends it.

    Attributes:
        reply: What came of the last call.
    """

    def __init__(self, cause: str, detail: str, reply: Reply) -> None:
        self.reply = reply
        super().__init__(cause, detail)


class ModelUnaskableError(ConfigError):
    """The server knows no such model, does not let this key ask it, or takes no pictures where there are some.

    Attributes:
        reply: What came of the call.
    """

    def __init__(self, message: str, reply: Reply) -> None:
        self.reply = reply
        super().__init__(message)


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
            ModelUnaskableError: The server knows no such model, or does not let this key ask it.
            FuseBlownError: The server gave no answer to :data:`IN_A_ROW` calls in a row (cause ``model_lost``), or the
                budget is spent (cause ``over_cost``) or cannot be kept (``cost_unknown``).
        """
        reply = self._inner.complete(request)
        if reply.failure in UNASKABLE:
            why = f"{reply.failure}: {reply.detail}"
            said = f"'{self.model}' cannot be asked ({why}): check address, model name and key ({API_KEY_VARIABLE})."
            raise ModelUnaskableError(said, reply)
        if reply.failure in UNPAID:
            how = "raise it" if reply.failure is CallFailure.OVER_COST else "leave it out"
            raise FuseBlownError(
                str(reply.failure), f"{reply.detail}: {how} and run again, answers so far are kept.", reply
            )
        with self._lock:
            self._away = self._away + 1 if reply.failure in LOST else 0
            lost = self._away >= IN_A_ROW
        if lost:
            raise FuseBlownError(
                "model_lost",
                f"'{self.model}' did not answer {IN_A_ROW} calls in a row ({reply.failure}: {reply.detail}): start it "
                "and run again, answers so far are kept.",
                reply,
            )
        return reply
