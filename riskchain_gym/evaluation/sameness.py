"""Which runs are of the same agent under the same rules, so that nothing tells them apart but a repeat or a budget."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.protocol.model import sha256_of

_OF_THE_SPLIT = frozenset({"split", "chains", "order", "shard"})
"""Settings of an environment that say which chains it plays: the split and the chains of a run say it for good."""


def agent_key(manifest: RunManifest, *, but_budget: bool = False) -> str:
    """Return what an agent shares with itself on other splits: its configuration, and how its environment is set.

    Args:
        manifest: What was run.
        but_budget: Whether the browse steps that it was told may differ.
    """
    left_out = {*_OF_THE_SPLIT, "max_steps"} if but_budget else set(_OF_THE_SPLIT)
    settings = manifest.environment.model_dump(mode="json", exclude=left_out)
    return sha256_of([manifest.agent, manifest.agent_sha256, manifest.env_id, settings])


def run_key(manifest: RunManifest, *, but: Literal["repeat", "budget"]) -> str:
    """Return what runs share that differ by their repeat only, or by their budget only.

    That is the agent and its settings, the content of the split, the chains in any order, the variants that were
    restored beside them, and all versions.

    Args:
        manifest: What was run.
        but: What may differ.
    """
    repeat = None if but == "repeat" else manifest.repeat
    agent = agent_key(manifest, but_budget=but == "budget")
    chains, restored = sorted(manifest.chains), list(manifest.restored)
    return sha256_of([agent, manifest.split_sha256, chains, restored, manifest.versions, repeat])
