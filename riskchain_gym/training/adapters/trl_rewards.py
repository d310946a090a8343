"""TRL: restoration as a data set of prompts, and the gate as a reward function for GRPO."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.training.adapters.calls import call_of
from riskchain_gym.training.adapters.prompts import system_prompt
from riskchain_gym.training.adapters.session import TextSession

Row = dict[str, Any]
"""A row of a data set: ``prompt``, a list of chat messages, and ``chain``."""


def restore_rows(count: int, *, seed: int = 0, **kwargs: Any) -> list[Row]:
    """Return prompts that show one message each, with the id of its chain beside it.

    ``datasets.Dataset.from_list(rows)`` makes a data set of them. No prompt holds the id, or anything of the gold.

    Args:
        count: How many.
        seed: Seeds the choice of chains; with ``order="sequential"`` they come in order.
        kwargs: Keyword arguments of ``RiskChainRestore-v0`` (``split="messages/train"`` …).

    Raises:
        ConfigError: An argument is bad.
    """
    session = TextSession("RiskChainRestore-v0", **kwargs)
    told = system_prompt(session.kind, calls_as_text=True)
    rows: list[Row] = []
    for number in range(count):
        shown = session.reset(seed=seed if number == 0 else None)
        prompt = [{"role": "system", "content": told}, {"role": "user", "content": shown}]
        rows.append({"prompt": prompt, "chain": session.chain})
    session.close()
    return rows


def tool_rows(count: int, env_id: str = "RiskChain-v0", *, seed: int = 0, **kwargs: Any) -> list[Row]:
    """Return prompts for ``environment_factory``: the task alone, to which a reset appends what is seen.

    Args:
        count: How many.
        env_id: The environment.
        seed: Seeds the choice of chains.
        kwargs: Keyword arguments of the environment, those of the factory.

    Raises:
        ConfigError: An argument is bad.
    """
    session = TextSession(env_id, **kwargs)
    rows: list[Row] = []
    for number in range(count):
        session.reset(seed=seed if number == 0 else None)
        prompt = [{"role": "system", "content": session.system_prompt}, {"role": "user", "content": ""}]
        rows.append({"prompt": prompt, "chain": session.chain})
    session.close()
    return rows


class RestoreReward:
    """A reward function of TRL that plays completions as commits in ``RiskChainRestore-v0``.

    A completion is the whole episode: one that is no commit gets what the rules give for none, which is 0 with
    ``reward="gated"`` (the default, which pays g·ŵ). An episode that the infrastructure lost is ``None``, which TRL
    leaves out; never 0.

    Args:
        kwargs: Keyword arguments of ``RiskChainRestore-v0``, those of the rows.

    Raises:
        ConfigError: An argument is bad.

    Attributes:
        session: What the completions are played in, one after the other.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.session = TextSession("RiskChainRestore-v0", **kwargs)
        # The name that trainers log it by.
        self.__name__ = f"restore_{self.session.env.config.reward}"
        self._lock = threading.Lock()

    def __call__(
        self,
        completions: Sequence[Any],
        chain: Sequence[str],
        variant: Sequence[str | None] | None = None,
        **columns: Any,  # noqa: ARG002 - prompts, other columns and whatever a trainer adds
    ) -> list[float | None]:
        """Return a reward for each completion.

        Args:
            completions: Texts, or lists of chat messages, of which the last one counts.
            chain: The chain of each.
            variant: The variant of each chain's message.
            columns: Not looked at.

        Raises:
            UnknownNameError: The split has no such chain.
        """
        variants = repeat(None) if variant is None else variant
        with self._lock:
            return [
                self._reward_of(completion, each, which)
                for completion, each, which in zip(completions, chain, variants, strict=variant is not None)
            ]

    def close(self) -> None:
        """Release what the environment holds; idempotent."""
        self.session.close()

    def _reward_of(self, completion: Any, chain: str, variant: str | None) -> float | None:
        try:
            self.session.reset(chain=chain, variant=variant)
            _play(self.session, completion)
            return self.session.settle()
        except InfrastructureError:
            return None


def _play(session: TextSession, completion: Any) -> None:
    message = completion[-1] if isinstance(completion, list) and completion else {"content": completion}
    calls = message.get("tool_calls") or []
    call = call_of(calls[0]) if len(calls) == 1 and isinstance(calls[0], dict) else None
    if call is not None:
        session.call(call.name, call.arguments)
    else:
        session.act(str(message.get("content") or ""))
