"""Registers the Gymnasium ids; entry points are strings, nothing is read or imported here."""

from __future__ import annotations

import gymnasium as gym

IDS: tuple[str, ...] = ("RiskChain-v0", "RiskChainRestore-v0", "RiskChainBrowse-v0")
"""The registered ids of the text environments, in the order of the documentation."""

ARRAY_IDS: tuple[str, ...] = (
    "RiskChainRestoreSelect-v0",
    "RiskChainRestoreEdit-v0",
    "RiskChainBrowseSelect-v0",
    "RiskChainSelect-v0",
)
"""The registered ids with arrays for observations and actions."""

ENTRY_POINTS: dict[str, str] = {
    "RiskChain-v0": "riskchain_gym.envs.chain_env:RiskChainEnv",
    "RiskChainRestore-v0": "riskchain_gym.envs.chain_env:RiskChainRestoreEnv",
    "RiskChainBrowse-v0": "riskchain_gym.envs.chain_env:RiskChainBrowseEnv",
    "RiskChainRestoreSelect-v0": "riskchain_gym.envs.wrappers.restore_select:RiskChainRestoreSelectEnv",
    "RiskChainRestoreEdit-v0": "riskchain_gym.envs.wrappers.restore_edit:RiskChainRestoreEditEnv",
    "RiskChainBrowseSelect-v0": "riskchain_gym.envs.wrappers.browse_select:RiskChainBrowseSelectEnv",
    "RiskChainSelect-v0": "riskchain_gym.envs.wrappers.chain_select:RiskChainSelectEnv",
}
"""The environment class of each id."""

VECTOR_ENTRY_POINTS: dict[str, str] = {
    "RiskChain-v0": "riskchain_gym.envs.vector:make_chain_vec",
    "RiskChainRestore-v0": "riskchain_gym.envs.vector:make_restore_vec",
    "RiskChainBrowse-v0": "riskchain_gym.envs.vector:make_browse_vec",
    "RiskChainRestoreSelect-v0": "riskchain_gym.envs.wrappers.restore_select:RestoreSelectVectorEnv",
    "RiskChainRestoreEdit-v0": "riskchain_gym.envs.wrappers.restore_edit:RestoreEditVectorEnv",
    "RiskChainBrowseSelect-v0": "riskchain_gym.envs.wrappers.select_vectors:make_browse_select_vec",
    "RiskChainSelect-v0": "riskchain_gym.envs.wrappers.select_vectors:make_chain_select_vec",
}
"""What ``gym.make_vec(id, n)`` calls when no vectorization mode is named."""


def register_envs() -> None:
    """Register every id with Gymnasium; calling it again changes nothing."""
    for env_id in (*IDS, *ARRAY_IDS):
        if env_id not in gym.registry:
            gym.register(
                env_id,
                entry_point=ENTRY_POINTS[env_id],
                vector_entry_point=VECTOR_ENTRY_POINTS[env_id],
                # It looks at every number of every array with every step.
                disable_env_checker=env_id in ARRAY_IDS,
            )
