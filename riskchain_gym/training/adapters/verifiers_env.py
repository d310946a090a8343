"""Verifiers: a task set of chains, and the environment that plays a model's turns against them.

Verifiers finds a task set by the name of a top-level module. Write one of your own (``riskchain_chains.py``)::

    from riskchain_gym.training.adapters.verifiers_env import RiskChainEnv, RiskChainTaskset

    __all__ = ["RiskChainEnv", "RiskChainTaskset"]
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.training.adapters.prompts import system_prompt
from riskchain_gym.training.adapters.session import TextSession

try:
    import verifiers.v1 as vf
except ImportError as error:
    raise MissingExtraError("verifiers", "The verifiers environment") from error

METRICS = {"gate": "gate.passed", "web": "web_correct", "end_to_end": "end_to_end_correct"}
"""The metrics of a trace, with the key of the outcome that says each."""


class RiskChainConfig(vf.TasksetConfig):
    """Which chains are played, and how.

    Attributes:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        count: How many chains, in the order of the split; all of them unless given.
        settings: Keyword arguments of the environment.
    """

    env_id: str = "RiskChain-v0"
    count: int | None = None
    settings: dict[str, Any] = {"backend": "text"}  # noqa: RUF012 - a pydantic field, copied for each config


class RiskChainData(vf.TaskData):
    """One chain. Its id goes into records, never into a prompt.

    Attributes:
        env_id: The environment.
        settings: Keyword arguments of the environment.
        chain: The chain.
    """

    env_id: str
    settings: dict[str, Any]
    chain: str


class RiskChainTask(vf.Task[RiskChainData]):
    """A task whose reward the environment pays."""


class RiskChainTaskset(vf.Taskset[RiskChainTask, RiskChainConfig]):
    """The chains of a split."""

    def load(self) -> Iterator[RiskChainTask]:
        """Yield a task for each chain.

        Raises:
            ConfigError: A setting is bad.
        """
        config = self.config
        listing = TextSession(config.env_id, **config.settings)
        ids, told = listing.env.chain_ids, system_prompt(listing.kind, calls_as_text=True)
        listing.close()
        for place in range(len(ids) if config.count is None else min(config.count, len(ids))):
            yield RiskChainTask(
                RiskChainData(
                    name=f"{config.env_id} {place}",
                    prompt=None,
                    system_prompt=told,
                    env_id=config.env_id,
                    settings=config.settings,
                    chain=ids[place],
                ),
                config.task,
            )


class RiskChainEnvConfig(vf.EnvConfig):
    """The environment's configuration.

    Attributes:
        player: The model that plays: a plain chat, which runs no code of the model's and so needs no container.
    """

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class RiskChainEnv(vf.Env[RiskChainEnvConfig]):
    """Plays a chain with a model: the environment is the user, and each answer of the model is a tool call as text."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play one episode and record its reward and metrics.

        Args:
            task: The task.
            agents: The agents, of which ``player`` plays.

        Raises:
            EpisodeLostError: The infrastructure lost the episode. Verifiers then fails the whole of it: no reward is
                recorded, and neither trainer nor evaluation takes it for a result. Nor is one where the model's server
                failed, which verifiers notes on the trace.
        """
        data: RiskChainData = task.data
        session = await asyncio.to_thread(TextSession, data.env_id, **data.settings)
        try:
            async with agents.player.interaction(task) as interaction:
                shown = await asyncio.to_thread(partial(session.reset, chain=data.chain))
                session.check()
                segment = await interaction.turn(shown)
                while not segment.terminated:
                    shown = await asyncio.to_thread(session.act, segment.last_reply)
                    session.check()
                    if session.done:
                        break
                    segment = await interaction.turn(shown)
                # A model that is cut off has filed no report.
                reward = await asyncio.to_thread(session.settle)
                session.check()
            assert reward is not None, "an episode that is settled and not lost has a reward"
            if not interaction.trace.ok:
                return  # the model could not be reached: that, too, is no score
            interaction.trace.record_reward("riskchain", reward)
            found = session.outcome
            interaction.trace.record_metrics({name: found[key] for name, key in METRICS.items() if key in found})
        finally:
            await asyncio.to_thread(session.close)


def load_environment(taskset: str = "riskchain_chains", **config: Any) -> Any:
    """Return the environment, for programs that make it themselves.

    Args:
        taskset: Name of the module that exports :class:`RiskChainEnv` and :class:`RiskChainTaskset`.
        config: Fields of :class:`RiskChainConfig`.

    Raises:
        ModuleNotFoundError: There is no such module.
    """
    return vf.load_environment(RiskChainEnvConfig.model_validate({"taskset": {"id": taskset, **config}}))
