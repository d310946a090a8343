"""Greedy or random play of a split through the plain Gymnasium loop, each chain once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.protocol.errors import ConfigError

Policy = Callable[[Mapping[str, NDArray[Any]]], NDArray[Any]]
"""Actions for a batch of observations: each array has one row an environment more than the observation space says."""

Flat = dict[str, Any]
"""The flat outcome of an episode, as ``info["outcome"]`` has it."""


@dataclass(frozen=True)
class Played:
    """What was played.

    Attributes:
        outcomes: The outcome of each chain, in the order of the chains.
        returns: The return of each of them.
        lost: Chains that infrastructure ended: of these nothing is known, and they count nowhere.
    """

    outcomes: list[Flat]
    returns: list[float]
    lost: list[str]


def play_policy(
    env_id: str, kwargs: Mapping[str, Any], policy: Policy, *, chains: Sequence[str] | None = None, width: int = 16
) -> Played:
    """Play every chain of a split once and return what came of it.

    Args:
        env_id: Id of an array environment, as ``gym.make_vec`` takes it.
        kwargs: Its keyword arguments, ``split`` among them.
        policy: Chooses the actions.
        chains: The chains to play, all of the split by default.
        width: Environments that are stepped together.
    """
    return play_policies(env_id, kwargs, {"": policy}, chains=chains, width=width)[""]


def play_policies(
    env_id: str,
    kwargs: Mapping[str, Any],
    policies: Mapping[str, Policy],
    *,
    chains: Sequence[str] | None = None,
    width: int = 16,
) -> dict[str, Played]:
    """Play every chain of a split once with each of several policies, in one vector that keeps what it has featurised.

    Args:
        env_id: Id of an array environment, as ``gym.make_vec`` takes it.
        kwargs: Its keyword arguments, ``split`` among them.
        policies: By name, what chooses the actions.
        chains: The chains to play, all of the split by default.
        width: Environments that are stepped together.

    Returns:
        What came of it, by name of the policy.
    """
    if chains is None:
        chains = chain_ids(env_id, kwargs)
    count = min(width, len(chains))
    vector = gym.make_vec(env_id, count, **{**kwargs, "chains": list(chains), "order": "sequential"})
    try:
        return {name: _played(vector, policy, chains) for name, policy in policies.items()}
    finally:
        vector.close()


def _played(vector: gym.vector.VectorEnv[Any, Any, Any], policy: Policy, chains: Sequence[str]) -> Played:
    outcomes: dict[str, tuple[Flat, float]] = {}
    lost: list[str] = []
    observation, _ = vector.reset(seed=0)
    sums, fresh = np.zeros(vector.num_envs), np.zeros(vector.num_envs, np.bool_)
    while len(outcomes) + len(lost) < len(chains):
        observation, rewards, terminated, truncated, infos = vector.step(policy(observation))
        ended = terminated | truncated
        sums = np.where(fresh, 0.0, sums + rewards)
        for i in np.flatnonzero(ended & ~fresh):
            outcome = outcome_at(infos, int(i))
            chain = str(outcome["chain_id"])
            if chain in outcomes or chain in lost:
                continue
            if outcome["status"] == "infra_error":
                lost.append(chain)
            else:
                outcomes[chain] = outcome, float(sums[i])
        fresh = ended & ~fresh  # the step after an end begins the next episode
    played = [outcomes[chain] for chain in chains if chain in outcomes]
    return Played([outcome for outcome, _ in played], [paid for _, paid in played], lost)


def play_agent(name: str, kwargs: Mapping[str, Any], *, chains: Sequence[str] | None = None) -> Played:
    """Play ``RiskChainBrowse-v0`` with a baseline's investigator, each chain once.

    Args:
        name: Name of the agent, e.g. ``landing_only``.
        kwargs: Keyword arguments of the environment, ``split`` among them.
        chains: The chains to play, all of the split by default.
    """
    env: gym.Env[Any, Any] = gym.make("riskchain_gym:RiskChainBrowse-v0", **kwargs)
    loaded = load_agent(name)
    outcomes: list[Flat] = []
    returns: list[float] = []
    lost: list[str] = []
    try:
        for chain in env.unwrapped.chain_ids if chains is None else chains:  # type: ignore[attr-defined]
            loaded.agent.reset(build_instructions(env.unwrapped.config.max_steps))  # type: ignore[attr-defined]
            observation, info = env.reset(options={"chain": chain})
            ended, total = not info["valid"], 0.0  # of a site that could not be opened there is nothing to be shown
            while not ended:
                observation, reward, terminated, truncated, info = env.step(loaded.agent.act(observation))
                total += float(reward)
                ended = terminated or truncated
            if not info["valid"]:
                lost.append(chain)
                continue
            outcomes.append(info["outcome"])
            returns.append(total)
    finally:
        loaded.agent.close()
        env.close()  # type: ignore[no-untyped-call]
    return Played(outcomes, returns, lost)


def random_policy(seed: int) -> Policy:
    """Return a policy that chooses among the options that are there, all alike.

    It raises :class:`~riskchain_gym.protocol.errors.ConfigError` where observations tell of no options.

    Args:
        seed: Seed of its draws.
    """
    draws = np.random.default_rng(seed)

    def choose(observations: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        if "action_mask" not in observations:
            raise ConfigError(
                f"random_policy chooses among options and finds no 'action_mask' in the observations, which hold "
                f"{', '.join(sorted(observations))}: play an environment of options, whose id ends in Select-v0."
            )
        mask = observations["action_mask"] > 0
        drawn: NDArray[Any] = np.where(mask, draws.random(mask.shape), -1.0).argmax(axis=-1)
        return drawn

    return choose


def chain_ids(env_id: str, kwargs: Mapping[str, Any], most: int | None = None) -> list[str]:
    """Return the chains that an environment plays, in order.

    Args:
        env_id: Its id.
        kwargs: Its keyword arguments.
        most: How many at most; say so of a split without end.
    """
    env: gym.Env[Any, Any] = gym.make(env_id, **kwargs)
    try:
        return list(env.unwrapped.chain_ids[:most])  # type: ignore[attr-defined]
    finally:
        env.close()  # type: ignore[no-untyped-call]


def outcome_at(infos: Mapping[str, Any], index: int) -> Flat:
    """Return the outcome of one environment of a vector from the infos of all.

    Args:
        infos: Infos of a vector: arrays by key, and beside each the mask ``_key`` of who has it.
        index: Its place.
    """
    outcome = infos["outcome"]
    return {
        key: value[index].item() if isinstance(value[index], np.generic) else value[index]
        for key, value in outcome.items()
        if not key.startswith("_") and outcome[f"_{key}"][index]
    }
