"""Evaluation of trained weights on splits that they have not seen, through the plain Gymnasium loop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.prefix import websites
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.training.figures import figures_of
from riskchain_gym.training.playing import Played, Policy, chain_ids, play_policies
from riskchain_gym.training.rllib.quiet import quiet
from riskchain_gym.training.rllib.settings import TrainSettings
from riskchain_gym.training.rllib.weights import load_weights, read_weights

EVALUATION = "evaluation.json"

_OF_TRAINING = ("web_outcomes", "p_reference", "routing", "order", "shard", "chains", "recipes", "discount", "reward")
"""Arguments that say how an environment trains, and not what it shows."""


def evaluate(settings: TrainSettings, weights: Path, to: Path | None = None) -> dict[str, Any]:
    """Play the splits of ``settings.evaluate`` greedily, each chain once, and return the figures with intervals.

    Args:
        settings: Those of the run.
        weights: The weights.
        to: File to write the figures to.

    Raises:
        InputFileError: The weights do not fit.
    """
    policy = greedy_policy(settings, weights)
    found: dict[str, Any] = {}
    for name, split in settings.evaluate.items():
        played = play_split(settings, split, policy)
        found[name] = {"split": split, "chains": len(played.outcomes), "lost": len(played.lost)}
        if played.outcomes:
            figures = figures_of(played.outcomes, clusters(split))
            found[name]["figures"] = {key: figure.model_dump() for key, figure in figures.items()}
            found[name]["mean_return"] = float(np.mean(played.returns))
    whole = {"env_id": settings.env_id, "seed": settings.seed, "steps": settings.steps, "splits": found}
    if to is not None:
        write_atomically(to, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())
    return whole


def play_split(settings: TrainSettings, split: str, policy: Policy) -> Played:
    """Play a split with a policy in the environment of the settings, the reward being a^e, or a^w without a gate.

    Args:
        settings: Those of the run.
        split: The split.
        policy: Chooses the actions.
    """
    return compare(settings, split, {"": policy})[""]


def compare(settings: TrainSettings, split: str, policies: Mapping[str, Policy]) -> dict[str, Played]:
    """Play a split with each of several policies, on the same chains.

    Args:
        settings: Those of the run.
        split: The split.
        policies: By name, what chooses the actions.
    """
    from riskchain_gym.training.rllib.algorithm import env_name

    env_id = env_name(settings.env_id)
    kwargs = evaluation_kwargs(settings, split)
    chains = chain_ids(env_id, kwargs, settings.evaluate_chains)
    return play_policies(env_id, kwargs, policies, chains=chains, width=settings.num_envs_per_env_runner)


def evaluation_kwargs(settings: TrainSettings, split: str) -> dict[str, Any]:
    """Return the keyword arguments of the environment on a split that is not trained on."""
    return {**{name: value for name, value in settings.env.items() if name not in _OF_TRAINING}, "split": split}


def greedy_policy(settings: TrainSettings, weights: Path | None = None) -> Policy:
    """Return the policy that takes the likeliest action.

    Args:
        settings: Those of the run.
        weights: The weights; without them those that an untrained module begins with.

    Raises:
        InputFileError: The weights do not fit.
    """
    return _policy(settings, weights, greedy=True)


def sampling_policy(settings: TrainSettings, weights: Path | None = None) -> Policy:
    """Return the policy that draws its actions as it does in training, by the seed of the settings.

    Args:
        settings: Those of the run.
        weights: As of :func:`greedy_policy`.

    Raises:
        InputFileError: The weights do not fit.
    """
    return _policy(settings, weights, greedy=False)


def _policy(settings: TrainSettings, weights: Path | None, *, greedy: bool) -> Policy:
    import torch
    from ray.rllib.core.columns import Columns

    module = new_module(settings)
    if weights is not None:
        load_weights(module, read_weights(weights), weights)
    decide = module.get_inference_action_dist_cls()

    def choose(observations: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        batch = {Columns.OBS: {name: torch.from_numpy(np.asarray(value)) for name, value in observations.items()}}
        policy = decide.from_logits(module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS])
        drawn: NDArray[Any] = (policy.to_deterministic() if greedy else policy).sample().numpy()
        return drawn

    return choose


def new_module(settings: TrainSettings) -> Any:
    """Return the module of a run before any learning, with weights that follow from the seed.

    Args:
        settings: Those of the run.
    """
    import gymnasium as gym
    import torch

    from riskchain_gym.training.rllib.algorithm import class_named, env_name

    quiet()
    torch.set_num_threads(settings.torch_threads)
    torch.manual_seed(settings.seed)
    env: gym.Env[Any, Any] = gym.make(env_name(settings.env_id), **settings.env)
    module = class_named(settings.module)(
        observation_space=env.observation_space,
        action_space=env.action_space,
        model_config={"hidden": list(settings.hidden), **settings.model},
    )
    env.close()  # type: ignore[no-untyped-call]
    return module


def clusters(split: str) -> dict[str, str]:
    """Return the website by chain, which intervals are drawn over; nothing for messages, each of which is its own."""
    return {} if split.startswith("messages/") else websites(load_gold(split))
