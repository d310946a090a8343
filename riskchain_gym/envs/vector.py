"""Vector entry points: what ``gym.make_vec(id, n)`` makes when no mode is named."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from riskchain_gym.envs.config import ENV_IDS, Kind
from riskchain_gym.envs.settings import resolve_config
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
    kind: Kind, num_envs: int, *, autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP, **kwargs: Any
) -> SyncVectorEnv:
    """Return a vector of environments.

    With ``order="sequential"`` the cases are dealt out like cards, so that the vector as a whole shows each of them
    once: environment i of n gets the shard (i, n), or its share of the shard that was asked for.

    Args:
        kind: The environment.
        num_envs: How many.
        autoreset_mode: Gymnasium's autoreset mode.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: As the environment does, or fewer cases than environments.
    """
    arguments = {k: v for k, v in kwargs.items() if k not in ("config", "render_mode")}
    settings = resolve_config(kind, kwargs.get("config"), arguments)
    if num_envs < 1:
        raise ConfigError(f"num_envs must be at least 1, got {num_envs}.")
    makers: list[Callable[[], gym.Env[Any, Any]]] = []
    for i in range(num_envs):
        own = dict(kwargs)
        if settings.order == "sequential":
            index, count = settings.shard or (0, 1)
            own["shard"] = [index + count * i, count * num_envs]
        makers.append(partial(_make, ENV_IDS[kind], own))
    return SyncVectorEnv(makers, autoreset_mode=autoreset_mode)


def _make(env_id: str, kwargs: dict[str, Any]) -> gym.Env[Any, Any]:
    return gym.make(f"riskchain_gym:{env_id}", **kwargs)
