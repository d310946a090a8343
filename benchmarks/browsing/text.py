"""How fast the text backend is: resets, steps, and resets with the commit that opens the site, on one core."""

from __future__ import annotations

import time
from typing import Any

import gymnasium as gym

import riskchain_gym  # noqa: F401 - registers the ids
from browsing.measures import Spread
from browsing.tours import SPLIT
from riskchain_gym.protocol.trajectory import Phase

_PHASES = tuple(Phase)
Rates = dict[str, Spread]
"""Calls a second by what is called: ``steps``, ``resets`` and ``commits``, the last a reset with its commit."""


def rates(repeats: int) -> dict[str, Rates]:
    """Return the rates of four ways to measure.

    ``trainer`` is ``gymnasium.make`` as it comes, with sites that the environment has shown before; ``unchecked`` is
    the same with ``disable_env_checker=True``; ``first`` are the rates of environments that have shown nothing yet.
    Seconds are those of the processor, so that other work on the machine counts for little.

    Args:
        repeats: Repetitions, each with environments of its own and one pass over all chains for either pair.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for _ in range(repeats):
        for name, options in (("trainer", {}), ("unchecked", {"disable_env_checker": True})):
            scripts = _scripts()
            browse, whole = _make("RiskChainBrowse-v0", **options), _make("RiskChain-v0", **options)
            for way in (f"{name} first", name):
                for what, rate in _pass(browse, whole, scripts).items():
                    found.setdefault(way, {}).setdefault(what, []).append(rate)
    return {way: {what: Spread.of(values) for what, values in by.items()} for way, by in found.items()}


def _make(env_id: str, **options: Any) -> Any:
    return gym.make(env_id, split=SPLIT, backend="text", reward="none", **options)


def _scripts() -> dict[str, tuple[str, list[str]]]:
    """Return a commit and thirty random valid actions for every chain, found in an environment of their own."""
    env = _make("RiskChain-v0")
    env.action_space.seed(0)
    found = {}
    for chain in env.unwrapped.chain_ids:
        observation, _ = env.reset(options={"chain": chain})
        commit = env.unwrapped.sample_action()
        observation = env.step(commit)[0]
        actions: list[str] = []
        while _PHASES[observation["phase"]] is Phase.BROWSE:
            action = env.unwrapped.sample_action()
            if '"stop"' not in action:
                actions.append(action)
                observation = env.step(action)[0]
        found[chain] = (commit, actions)
    return found


def _pass(browse: Any, whole: Any, scripts: dict[str, tuple[str, list[str]]]) -> dict[str, float]:
    resetting = stepping = committing = 0.0
    for chain, (_, actions) in scripts.items():
        start = time.process_time()
        browse.reset(options={"chain": chain})
        opened = time.process_time()
        for action in actions:
            browse.step(action)
        resetting += opened - start
        stepping += time.process_time() - opened
    for chain, (commit, _) in scripts.items():
        start = time.process_time()
        whole.reset(options={"chain": chain})
        whole.step(commit)
        committing += time.process_time() - start
    steps = sum(len(actions) for _, actions in scripts.values())
    return {"steps": steps / stepping, "resets": len(scripts) / resetting, "commits": len(scripts) / committing}
