"""Vector entry points: what ``gym.make_vec(id, n)`` makes when no mode is named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from riskchain_gym.envs.config import ENV_IDS, Kind
from riskchain_gym.envs.selection import check_options
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.vector_arguments import check_autoreset_mode, check_num_envs
from riskchain_gym.protocol.errors import ConfigError


def make_chain_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChain-v0`` stepped one after the other; see :func:`make_vector`."""
    return make_vector("chain", num_envs, **kwargs)


def make_restore_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainRestore-v0``; see :func:`make_vector`."""
    return make_vector("restore", num_envs, **kwargs)


def make_browse_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainBrowse-v0``; see :func:`make_vector`."""
    return make_vector("browse", num_envs, **kwargs)


def make_vector(
    kind: Kind,
    num_envs: int,
    *,
    env_id: str | None = None,
    own: Collection[str] = (),
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **kwargs: Any,
) -> SyncVectorEnv:
    """Return a vector of environments.

    With ``order="sequential"`` the cases are dealt out like cards, so that the vector as a whole shows each of them
    once: environment i of n gets the shard (i, n), or its share of the shard that was asked for.
    ``reset(options={"chains": [...]})`` names the chain of each environment for the coming episode, one id an
    environment; later episodes follow the order again.

    Args:
        kind: The environment.
        num_envs: How many.
        env_id: The id to make, where it is not the kind's own but one that stands on it.
        own: The keyword arguments that such an id has beside the kind's.
        autoreset_mode: Gymnasium's autoreset mode.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: As the environment does, or fewer cases than environments.
    """
    arguments = {k: v for k, v in kwargs.items() if k not in ("config", "render_mode", *own)}
    settings = resolve_config(kind, kwargs.get("config"), arguments)
    check_num_envs(num_envs)
    makers: list[Callable[[], gym.Env[Any, Any]]] = []
    for i in range(num_envs):
        arguments_of_one = dict(kwargs)
        if settings.order == "sequential":
            index, count = settings.shard or (0, 1)
            arguments_of_one["shard"] = [index + count * i, count * num_envs]
        makers.append(partial(_make, env_id or ENV_IDS[kind], arguments_of_one, i, num_envs))
    return SyncVectorEnv(makers, autoreset_mode=check_autoreset_mode(autoreset_mode))


class Seat(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """One environment of a vector: takes its own chain out of the options that all of them are given.

    Args:
        env: The environment.
        index: Its place in the vector, from 0.
        count: Size of the vector.
    """

    def __init__(self, env: gym.Env[Any, Any], index: int, count: int) -> None:
        RecordConstructorArgs.__init__(self, index=index, count=count)
        gym.Wrapper.__init__(self, env)
        self._index = index
        self._count = count

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: As the environment takes it.
            options: ``{"chains": [id, ...]}``, one chain for each environment of the vector.

        Raises:
            ConfigError: Another option, or another number of chains.
            UnknownNameError: The split has no such chain.
        """
        return self.env.reset(seed=seed, options=self._own(options))

    def _own(self, options: Mapping[str, Any] | None) -> dict[str, Any] | None:
        check_options(options, ("chains",), " of a vector")
        if not options:
            return None
        chains = options["chains"]
        if not isinstance(chains, list | tuple) or len(chains) != self._count:
            raise ConfigError(
                f"options: 'chains' lists one id for each of {self._count} environments, got {shown(chains)}."
            )
        return {"chain": chains[self._index]}


def _make(env_id: str, kwargs: dict[str, Any], index: int, count: int) -> gym.Env[Any, Any]:
    return Seat(gym.make(f"riskchain_gym:{env_id}", **kwargs), index, count)
