"""Vector entry points of the ids that browse by a masked choice."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import SyncVectorEnv

from riskchain_gym.envs.vector import make_vector
from riskchain_gym.envs.wrappers.browse_select import RiskChainBrowseSelectEnv
from riskchain_gym.envs.wrappers.chain_select import RiskChainSelectEnv
from riskchain_gym.envs.wrappers.over_text import OverTextEnv, check_keywords


def make_browse_select_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainBrowseSelect-v0``; see ``make_vector`` of the text environments."""
    return _make_vec(RiskChainBrowseSelectEnv, num_envs, kwargs)


def make_chain_select_vec(num_envs: int, **kwargs: Any) -> SyncVectorEnv:
    """Return ``num_envs`` copies of ``RiskChainSelect-v0``; see ``make_vector`` of the text environments."""
    return _make_vec(RiskChainSelectEnv, num_envs, kwargs)


def _make_vec(made: type[OverTextEnv], num_envs: int, kwargs: dict[str, Any]) -> SyncVectorEnv:
    beside = {name: value for name, value in kwargs.items() if name != "autoreset_mode"}
    check_keywords(made.env_id, made.own, beside)
    return make_vector(made.text_class.kind, num_envs, env_id=made.env_id, own=made.own, **kwargs)
