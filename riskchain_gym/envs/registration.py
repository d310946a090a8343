"""Registers the Gymnasium ids; entry points are strings, nothing is read or imported here."""

from __future__ import annotations

import gymnasium as gym

IDS: tuple[str, ...] = ("RiskChain-v0", "RiskChainRestore-v0", "RiskChainBrowse-v0")
"""The registered ids, in the order of the documentation."""

ENTRY_POINTS: dict[str, str] = {
    "RiskChain-v0": "riskchain_gym.envs.chain_env:RiskChainEnv",
    "RiskChainRestore-v0": "riskchain_gym.envs.chain_env:RiskChainRestoreEnv",
    "RiskChainBrowse-v0": "riskchain_gym.envs.chain_env:RiskChainBrowseEnv",
}
"""The environment class of each id."""

VECTOR_ENTRY_POINTS: dict[str, str] = {
    "RiskChain-v0": "riskchain_gym.envs.vector:make_chain_vec",
    "RiskChainRestore-v0": "riskchain_gym.envs.vector:make_restore_vec",
    "RiskChainBrowse-v0": "riskchain_gym.envs.vector:make_browse_vec",
}
"""What ``gym.make_vec(id, n)`` calls when no vectorization mode is named."""


def register_envs() -> None:
    """Register every id with Gymnasium; calling it again changes nothing."""
    for env_id in IDS:
        if env_id not in gym.registry:
            gym.register(env_id, entry_point=ENTRY_POINTS[env_id], vector_entry_point=VECTOR_ENTRY_POINTS[env_id])
