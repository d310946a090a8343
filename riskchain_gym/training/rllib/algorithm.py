"""The algorithm of a run: RLlib's PPO on the new API stack, built from settings."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.rllib.callbacks import OutcomeCallbacks
from riskchain_gym.training.rllib.settings import TrainSettings
from riskchain_gym.training.rllib.weights import load_weights, read_weights
from riskchain_gym.training.rllib.whole_episodes import WholeEpisodes


def algorithm_config(settings: TrainSettings) -> PPOConfig:
    """Return RLlib's config of a run; what it does not set is RLlib's default.

    Raises:
        ConfigError: The module's name leads to no class, or to one whose policy cannot wait for the value.
    """
    module = class_named(settings.module)
    if settings.critic_first and not hasattr(module, "actor_learns"):
        raise ConfigError(
            f"Setting 'critic_first' needs a module that can learn its value alone (actor_learns), and "
            f"{settings.module} cannot, got {settings.critic_first}: set it to 0, or derive the module from "
            "ActorCriticModule."
        )
    config = PPOConfig()
    config.environment(env_name(settings.env_id), env_config=dict(settings.env), disable_env_checking=True)
    config.env_runners(
        env_runner_cls=WholeEpisodes,
        num_env_runners=settings.num_env_runners,
        num_envs_per_env_runner=settings.num_envs_per_env_runner,
        num_cpus_per_env_runner=settings.num_cpus_per_env_runner,
        gym_env_vectorize_mode="vector_entry_point" if _has_vector(settings.env_id) else "sync",
        rollout_fragment_length="auto",
        batch_mode="truncate_episodes",
    )
    config.learners(num_learners=settings.num_learners, num_gpus_per_learner=settings.num_gpus_per_learner)
    config.training(
        lr=settings.lr,
        gamma=settings.gamma,
        lambda_=settings.lambda_,
        entropy_coeff=settings.entropy,
        clip_param=settings.clip,
        vf_loss_coeff=settings.value_weight,
        vf_clip_param=float("inf"),
        grad_clip=settings.grad_clip,
        grad_clip_by="global_norm",
        # The weight of RLlib's KL term moves from iteration to iteration and is in no checkpoint.
        use_kl_loss=False,
        train_batch_size_per_learner=settings.batch,
        minibatch_size=settings.minibatch,
        num_epochs=settings.epochs,
    )
    config.rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=module, model_config={"hidden": list(settings.hidden), **settings.model}
        )
    )
    config.callbacks(OutcomeCallbacks)
    config.debugging(seed=settings.seed, log_level="ERROR")
    return config


def build_algorithm(settings: TrainSettings) -> Algorithm:
    """Return the algorithm of a run, with the weights that the settings begin with.

    Raises:
        ConfigError: A setting cannot be honoured.
        InputFileError: The file of weights does not fit the module.
    """
    torch.set_num_threads(settings.torch_threads)
    algorithm = algorithm_config(settings).build_algo()
    # RLlib makes an empty folder in the home folder for loggers that there are none of here.
    made = Path(algorithm.logdir)
    for folder in (made, made.parent):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    if settings.initial is not None:
        weights = read_weights(Path(settings.initial))
        change_module(algorithm, partial(load_weights, weights=weights, source=settings.initial))
    return algorithm


def change_module(algorithm: Algorithm, change: Callable[[Any], None]) -> None:
    """Change the module of every learner and give the new weights to whoever plays.

    Args:
        algorithm: The algorithm.
        change: Called with the torch module.
    """
    algorithm.learner_group.foreach_learner(lambda learner: change(learner.module[DEFAULT_MODULE_ID].unwrapped()))
    algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=algorithm.learner_group, inference_only=True)


def learner_state(algorithm: Algorithm) -> dict[str, Any]:
    """Return the named weights of the module that is learned, as arrays."""
    state = algorithm.learner_group.get_state(components=f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}")
    return dict(state[COMPONENT_LEARNER][COMPONENT_RL_MODULE][DEFAULT_MODULE_ID])


def start_afresh(algorithm: Algorithm, seed: int, iteration: int) -> None:
    """Let everything that is random follow from the seed and the iteration, and begin new episodes.

    A run does so where it begins and after every checkpoint; so does one that goes on from that checkpoint. Hence both
    draw the same.

    Args:
        algorithm: The algorithm.
        seed: Seed of the run.
        iteration: Iterations that are done.
    """
    algorithm.learner_group.foreach_learner(partial(_seed_learner, seed=_derived(seed, iteration, 0)))

    def begin(runner: WholeEpisodes) -> None:
        runner.start_afresh(_derived(seed, iteration, 1 + (runner.worker_index or 0)))

    algorithm.env_runner_group.foreach_env_runner(begin)


def set_on_envs(algorithm: Algorithm, name: str, value: float) -> None:
    """Call ``set_NAME(value)`` of every environment that is played."""
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_on_envs(name, value))


def let_actor_learn(algorithm: Algorithm, learns: bool) -> None:
    """Set ``actor_learns`` of the module of every learner."""
    algorithm.learner_group.foreach_learner(
        lambda learner: setattr(learner.module[DEFAULT_MODULE_ID].unwrapped(), "actor_learns", learns)
    )


def env_name(env_id: str) -> str:
    """Return an id that ``gym.make`` finds in any process."""
    return f"riskchain_gym:{env_id}" if env_id.startswith("RiskChain") else env_id


def _has_vector(env_id: str) -> bool:
    import gymnasium as gym

    name = env_name(env_id)
    module, _, bare = name.rpartition(":")
    if module:
        import_module(module)
    return gym.spec(bare).vector_entry_point is not None


def class_named(name: str) -> type[Any]:
    """Return the class of a module.

    Args:
        name: ``package.module:Class``.

    Raises:
        ConfigError: There is none.
    """
    module, colon, found = name.partition(":")
    try:
        return getattr(import_module(module), found if colon else "")  # type: ignore[no-any-return]
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"Setting 'module' names no class as package.module:Class, got '{name}': {error}.") from error


def _derived(seed: int, iteration: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, iteration, place]).generate_state(1)[0] >> 1)


def _seed_learner(learner: Any, seed: int) -> None:  # noqa: ARG001
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
