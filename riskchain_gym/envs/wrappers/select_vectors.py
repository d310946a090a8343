"""Vector entry points of the ids that browse by a masked choice."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import SyncVectorEnv

from riskchain_gym.envs.vector import make_vector
from riskchain_gym.envs.wrappers.browse_select import RiskChainBrowseSelectEnv
from riskchain_gym.envs.wrappers.chain_select import RiskChainSelectEnv


def make_browse_select_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainBrowseSelect-v0``; see ``make_vector`` of the text environments."""
    env = RiskChainBrowseSelectEnv
    return make_vector("browse", num_envs, env_id=env.env_id, own=env.own, **kwargs)


def make_chain_select_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainSelect-v0``; see ``make_vector`` of the text environments."""
    env = RiskChainSelectEnv
    return make_vector("chain", num_envs, env_id=env.env_id, own=env.own, **kwargs)
