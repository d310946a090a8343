"""Evaluation of trained weights on splits that they have not seen, through the plain Gymnasium loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.config import Kind
from riskchain_gym.evaluation.prefix import websites
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.training.figures import figures_of
from riskchain_gym.training.playing import Played, Policy, chain_ids, play_policies
from riskchain_gym.training.rllib.quiet import quiet
from riskchain_gym.training.rllib.settings import TrainSettings, kind_of
from riskchain_gym.training.rllib.weights import load_weights, read_weights

EVALUATION = "evaluation.json"

_OF_TRAINING = (
    *("web_outcomes", "p_reference", "routing", "order", "shard", "chains", "recipes", "discount", "reward"),
    "evidence_shaping",
)
"""Arguments that say how an environment trains, and not what it shows."""

_PAID: Mapping[Kind, Mapping[str, Any]] = {
    "chain": {"reward": "gated"},
    "restore": {"reward": "gated", "web_outcomes": 1.0},
    "browse": {"reward": "web"},
}
"""What evaluation pays: a^e, the gate, a^w."""

_EARNED = ("acc_e", "acc_w", "gate_rate")
"""Figures that a mean return is, the first that there is."""


def evaluate(
    settings: TrainSettings, weights: Path, to: Path | None = None, *, on_split: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """Play the splits of ``settings.evaluate`` greedily, each chain once, and return the figures with intervals.

    ``mean_return`` is that of the reward a^e, or a^w without a gate, or the gate without a site, whatever was trained
    with; of an environment that is not of this package, it is that of its own reward.

    Args:
        settings: Those of the run.
        weights: The weights.
        to: File to write the figures to.
        on_split: Called with the name of each split before it is played.

    Raises:
        InputFileError: The weights do not fit.
    """
    policy = greedy_policy(settings, weights)
    found: dict[str, Any] = {}
    for name, split in settings.evaluate.items():
        if on_split is not None:
            on_split(name)
        played = play_split(settings, split, policy)
        found[name] = {"split": split, "chains": len(played.outcomes), "lost": len(played.lost)}
        if played.outcomes:
            figures = figures_of(played.outcomes, clusters(split))
            found[name]["figures"] = {key: figure.model_dump() for key, figure in figures.items()}
            # A config file may add reward terms, which are no part of what is evaluated.
            earned = next((figures[each].value for each in _EARNED if each in figures), None)
            found[name]["mean_return"] = float(np.mean(played.returns)) if earned is None else earned
    whole = {"env_id": settings.env_id, "seed": settings.seed, "steps": settings.steps, "splits": found}
    if to is not None:
        write_atomically(to, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())
    return whole


def play_split(settings: TrainSettings, split: str, policy: Policy) -> Played:
    """Play a split with a policy in the environment of the settings, paid as :func:`evaluation_kwargs` says.

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


def open_splits(settings: TrainSettings) -> None:
    """Open every split of ``settings.evaluate``, so that one that cannot be played is told before anything is trained.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The environment cannot play it.
        InputFileError: A file of it is damaged.
    """
    from riskchain_gym.training.rllib.algorithm import env_name

    for split in settings.evaluate.values():
        chain_ids(env_name(settings.env_id), evaluation_kwargs(settings, split), 1)


def evaluation_kwargs(settings: TrainSettings, split: str) -> dict[str, Any]:
    """Return the keyword arguments of the environment on a split that is not trained on.

    The reward is a^e, or a^w without a gate, or the gate without a site, and is not shaped. Reward terms are part of
    the protocol that a config file sets: where it sets some, they are paid beside it.

    Args:
        settings: Those of the run.
        split: The split.
    """
    kind = kind_of(settings.env_id)
    shown = {name: value for name, value in settings.env.items() if name not in _OF_TRAINING}
    return {**shown, **(_PAID[kind] if kind is not None else {}), "split": split}


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

    Its draws are its own: they neither depend on torch's global generator nor move it.

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
    draws = torch.Generator().manual_seed(settings.seed)

    def choose(observations: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        batch = {Columns.OBS: {name: torch.from_numpy(np.asarray(value)) for name, value in observations.items()}}
        policy = decide.from_logits(module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS])
        if greedy:
            return np.asarray(policy.to_deterministic().sample())
        with torch.random.fork_rng(devices=[]):  # RLlib's distributions draw from the global generator only
            torch.set_rng_state(draws.get_state())
            drawn = np.asarray(policy.sample())
            draws.set_state(torch.get_rng_state())
        return drawn

    return choose


def new_module(settings: TrainSettings) -> Any:
    """Return the module of a run before any learning, with weights that follow from the seed.

    Torch's global generator is left as it was.

    Args:
        settings: Those of the run.
    """
    import gymnasium as gym
    import torch

    from riskchain_gym.training.rllib.algorithm import class_named, env_name

    quiet()
    torch.set_num_threads(settings.torch_threads)
    env: gym.Env[Any, Any] = gym.make(env_name(settings.env_id), **settings.env)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
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
