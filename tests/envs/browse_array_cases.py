"""What the tests of the array environments that browse share."""

from __future__ import annotations

import hashlib
from typing import Any

import gymnasium as gym
import numpy as np

import riskchain_gym  # noqa: F401
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.report import Report

BROWSE, CHAIN = "RiskChainBrowseSelect-v0", "RiskChainSelect-v0"
TEXT_IDS = {BROWSE: "RiskChainBrowse-v0", CHAIN: "RiskChain-v0"}
SMALL = {"memory_size": 64, "page_size": 16, "control_size": 16}


def make(env_id: str, split: str = "mini", **kwargs: Any) -> Any:
    """An array environment on the text backend; of the whole chain one with a quick proposer."""
    quick = {"proposer": "array_cases:spelled"} if env_id == CHAIN else {}
    return gym.make(f"riskchain_gym:{env_id}", **{"split": split, "backend": "text", **quick, **kwargs})


def text(env_id: str, split: str = "mini", **kwargs: Any) -> Any:
    """The text environment that an array environment stands on."""
    return gym.make(f"riskchain_gym:{TEXT_IDS[env_id]}", split=split, backend="text", **kwargs)


def draw(observation: dict[str, Any], rng: np.random.Generator) -> int:
    """A row that may be chosen."""
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(env: Any, seed: int = 0, chain: str | None = None, masked: float = 0.0) -> dict[str, Any]:
    """Play one random episode; return observations, rewards, the last info and the trajectory."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed, options={"chain": chain} if chain else None)
    seen, rewards, ended = [observation], [], False
    while not ended:
        action = int(env.action_space.n) + 3 if rng.random() < masked else draw(observation, rng)
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append(observation)
        rewards.append(reward)
        ended = terminated or truncated
    return {"seen": seen, "rewards": rewards, "info": info, "trajectory": env.unwrapped.trajectory}


def digest(seen: list[dict[str, Any]]) -> str:
    """A hash of all bytes of some observations."""
    made = hashlib.sha256()
    for observation in seen:
        for name in sorted(observation):
            made.update(observation[name].tobytes())
    return made.hexdigest()


def no_report(violation_type: ViolationType, pages: Any) -> Report:
    """A reporter that cites what was never shown."""
    from riskchain_gym.envs.wrappers.report_rows import cite_rare_lines

    report = cite_rare_lines(violation_type, pages)
    cited = report.evidence[0].model_copy(update={"step": 999})
    return report.model_copy(update={"evidence": (cited,)})
