"""TRL: restoration as a data set of prompts, and the gate as a reward function for GRPO."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.training.adapters.calls import call_of
from riskchain_gym.training.adapters.prompts import system_prompt
from riskchain_gym.training.adapters.session import TextSession

Row = dict[str, Any]
"""A row of a data set: ``prompt``, a list of chat messages, and ``chain``."""


def restore_rows(count: int, *, seed: int = 0, **kwargs: Any) -> list[Row]:
    """Return prompts that show one message each, with the id of its chain beside it.

    ``datasets.Dataset.from_list(rows)`` makes a data set of them. No prompt holds the id, or anything of the gold.

    Args:
        count: How many, at least 1.
        seed: Seeds the choice of chains; with ``order="sequential"`` they come in order.
        kwargs: Keyword arguments of ``RiskChainRestore-v0`` (``split="messages/train"`` …).

    Raises:
        ConfigError: An argument is bad.
    """
    _check_count(count)
    session = TextSession("RiskChainRestore-v0", **kwargs)
    told = system_prompt(session.kind, calls_as_text=True)
    rows: list[Row] = []
    for number in range(count):
        message = session.reset(seed=seed if number == 0 else None)
        prompt = [{"role": "system", "content": told}, {"role": "user", "content": message}]
        rows.append({"prompt": prompt, "chain": session.chain})
    session.close()
    return rows


def tool_rows(count: int, env_id: str = "RiskChain-v0", *, seed: int = 0, **kwargs: Any) -> list[Row]:
    """Return prompts for ``environment_factory``: the task alone, to which a reset appends what is seen.

    Args:
        count: How many, at least 1.
        env_id: The environment.
        seed: Seeds the choice of chains.
        kwargs: Keyword arguments of the environment, those of the factory.

    Raises:
        ConfigError: An argument is bad.
    """
    _check_count(count)
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
        chain: Sequence[str] | None = None,
        variant: Sequence[str | None] | None = None,
        **columns: Any,  # noqa: ARG002 - prompts, other columns and whatever a trainer adds
    ) -> list[float | None]:
        """Return a reward for each completion.

        Args:
            completions: Texts, or lists of chat messages, of which the last one counts. What can be read as neither
                is no commit.
            chain: The chain of each, whose message its prompt shows. None may be missing: a completion is not paid
                for a message that it never saw.
            variant: The variant of each chain's message.
            columns: Not looked at.

        Raises:
            ConfigError: A completion has no chain, or there are not as many chains or variants as completions.
            UnknownNameError: The split has no such chain.
        """
        chains = _column("chain", chain, len(completions))
        for place, each in enumerate(chains):
            if not isinstance(each, str):
                raise ConfigError(
                    f"chain: completion {place + 1} of {len(chains)} has {shown(each)} for a chain. Give the id of the "
                    "chain that its prompt shows, as restore_rows writes it."
                )
        variants = [None] * len(chains) if variant is None else _column("variant", variant, len(chains))
        with self._lock:
            return [self._reward_of(*each) for each in zip(completions, chains, variants, strict=True)]

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


def _check_count(count: Any) -> None:
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ConfigError(f"count: give a whole number of rows of at least 1, got {shown(count)}.")


def _column(name: str, values: Any, count: int) -> Sequence[Any]:
    """Return a column of the batch that has a value for each completion."""
    wanted = f"{name}: give a list with one for each completion, as a column '{name}' of the data set does"
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ConfigError(f"{wanted}, got {shown(values)}.")
    if len(values) != count:
        raise ConfigError(f"{wanted}, got {len(values)} for {count} completions.")
    return values


def _play(session: TextSession, completion: Any) -> None:
    """Play what a model said: its one tool call, else its text. What is neither is a strike."""
    message = completion[-1] if isinstance(completion, list) and completion else completion
    if not isinstance(message, Mapping):
        session.act(message)
        return
    calls = message.get("tool_calls")
    one = calls[0] if isinstance(calls, list) and len(calls) == 1 else None
    call = call_of(one) if isinstance(one, Mapping) else None
    if call is not None:
        session.call(call.name, call.arguments)
    else:
        session.act(message.get("content"))
