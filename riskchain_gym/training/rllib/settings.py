"""What a training run is made of; one value, written beside its results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from riskchain_gym.envs.config import KEYWORDS, EnvConfig, Kind
from riskchain_gym.envs.registration import ENTRY_POINTS
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.toml_file import read_toml

Task = Literal["restorer", "investigator", "chain"]

ENV_OF: dict[Task, str] = {
    "restorer": "RiskChainRestoreSelect-v0",
    "investigator": "RiskChainBrowseSelect-v0",
    "chain": "RiskChainSelect-v0",
}
"""The environment that each task is learned in unless ``env_id`` names another."""

OPTIONS_MODULE = "riskchain_gym.training.rllib.options_module:OptionsModule"
"""The module of environments that offer rows of options."""

_TABLES = ("env", "model", "evaluate")

Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class TrainSettings(Frozen):
    """How one training run goes.

    Attributes:
        task: What is learned; decides the environment and, where ``evaluate`` is empty, nothing else.
        env_id: The Gymnasium id; by default that of the task (:data:`ENV_OF`).
        env: Keyword arguments of the environment, plain JSON.
        algo: The algorithm of RLlib.
        module: The RLModule as ``package.module:Class``.
        model: What the module is told beside ``hidden``, plain JSON.
        seed: Seed of the weights, the actions, the minibatches and the choice of chains.
        steps: Environment steps after which the run is over; the iteration that reaches them is finished.
        lr: Step size of Adam.
        gamma: Discount γ. Where the environment's reward is shaped, its ``discount`` must be the same: at another one
            waiting would pay. What counts is what the environment is set to, its config file read.
        lambda_: λ of generalised advantage estimation.
        entropy: Weight of the entropy in the loss.
        clip: PPO's clipping range of the probability ratio.
        value_weight: Weight of the value loss.
        grad_clip: Largest norm of the gradient; ``None``: unbounded.
        batch: Environment steps an iteration and learner.
        minibatch: Rows of a gradient step.
        epochs: Passes over a batch.
        hidden: Widths of the module's layers.
        evaluate: Split by name of an evaluation, e.g. ``{"dev": "runs/sites/dev"}``; each is played once, greedily.
        evaluate_chains: At most so many chains of each of them.
        checkpoint_every: Iterations between checkpoints.
        keep_checkpoints: How many are kept, the newest ones.
        num_env_runners: RLlib's processes that play; 0: the process of the run itself.
        num_envs_per_env_runner: Environments that each of them steps together.
        num_learners: RLlib's processes that learn; 0: the process of the run itself.
        num_cpus_per_env_runner: Processors that Ray sets aside for each playing process.
        num_gpus_per_learner: Accelerators of each learner.
        ray_address: Ray cluster to run on, e.g. ``auto``; ``None``: this machine.
        torch_threads: Threads of torch in the process of the run.
        p_reference: First and last value of the environment's ``p_reference``, which needs ``routing="curriculum"``
            there; it goes linearly from one to the other over ``steps``.
        critic_first: Iterations in which only the value is learned: a policy that was cloned has none yet, and would be
            moved by chance.
        initial: File of weights to begin with (:func:`riskchain_gym.training.rllib.weights.save_weights`).
    """

    task: Task
    env_id: str = ""
    env: dict[str, Any] = Field(default_factory=dict)
    algo: Literal["ppo"] = "ppo"
    module: str = OPTIONS_MODULE
    model: dict[str, Any] = Field(default_factory=dict)
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    steps: Positive = 100_000
    lr: Annotated[float, Field(gt=0)] = 3e-4
    gamma: Share = 1.0
    lambda_: Share = 0.95
    entropy: Annotated[float, Field(ge=0)] = 0.01
    clip: Annotated[float, Field(gt=0)] = 0.2
    value_weight: Annotated[float, Field(ge=0)] = 0.5
    grad_clip: Annotated[float, Field(gt=0)] | None = 0.5
    batch: Positive = 2048
    minibatch: Positive = 256
    epochs: Positive = 6
    hidden: tuple[Positive, ...] = Field(default=(128, 128), min_length=1)
    evaluate: dict[str, str] = Field(default_factory=dict)
    evaluate_chains: Positive | None = None
    checkpoint_every: Positive = 10
    keep_checkpoints: Positive = 2
    num_env_runners: Annotated[int, Field(ge=0)] = 0
    num_envs_per_env_runner: Positive = 16
    num_learners: Annotated[int, Field(ge=0)] = 0
    num_cpus_per_env_runner: Annotated[float, Field(gt=0)] = 1
    num_gpus_per_learner: Annotated[float, Field(ge=0)] = 0
    ray_address: str | None = None
    torch_threads: Positive = 1
    p_reference: tuple[Share, Share] | None = None
    critic_first: Annotated[int, Field(ge=0)] = 0
    initial: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and not given.get("env_id") and given.get("task") in ENV_OF:
            return {**given, "env_id": ENV_OF[given["task"]]}
        return given

    @model_validator(mode="after")
    def _with_its_environment(self) -> Self:
        config = self.env_config()
        if config is None:
            return self
        shaped = config.reward == "delta_gate_shaped" or bool(self.env.get("evidence_shaping"))
        if shaped and config.discount != self.gamma:
            raise ValueError(
                f"gamma is {self.gamma:g} and the environment's discount {shown(config.discount)}, and with a shaped "
                "reward waiting would pay: give both the same, e.g. gamma and env.discount"
            )
        if self.p_reference is not None and config.routing != "curriculum":
            raise ValueError(
                f"p_reference goes with routing='curriculum' and only with it, and the environment's routing is "
                f"'{config.routing}': give env.routing and env.p_reference too, or leave it out"
            )
        return self

    def env_config(self) -> EnvConfig | None:
        """Return what the environment is set to, its config file read; ``None`` for one that is not of this package.

        Raises:
            ConfigError: The arguments contradict each other, or there is no such config file.
            InputFileError: The config file cannot be read.
        """
        kind = kind_of(self.env_id)
        if kind is None:
            return None
        given = {name: value for name, value in self.env.items() if name in KEYWORDS}
        return resolve_config(kind, self.env.get("config"), {**given, "observe": []})

    @property
    def is_local(self) -> bool:
        """Whether the process of the run plays and learns itself."""
        return not (self.num_env_runners or self.num_learners or self.ray_address)

    def with_values(self, values: Mapping[str, Any]) -> TrainSettings:
        """Return the settings with some values replaced.

        Args:
            values: Value by name; ``env.NAME``, ``model.NAME`` and ``evaluate.NAME`` reach into those tables.

        Raises:
            ConfigError: A name is unknown or a value is not allowed.
        """
        return make_settings(assigned(self.model_dump(), values))


def kind_of(env_id: str) -> Kind | None:
    """Return which of the three environments an id is or stands on; ``None`` for one that is not of this package.

    Args:
        env_id: The Gymnasium id.
    """
    entry = ENTRY_POINTS.get(env_id.rpartition(":")[2])
    if entry is None:
        return None
    module, _, name = entry.partition(":")
    made: Any = getattr(import_module(module), name)
    kind: Kind = getattr(made, "text_class", made).kind
    return kind


def assigned(values: Mapping[str, Any], assignments: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of settings, not yet checked, with some replaced.

    Args:
        values: Value by name.
        assignments: As :meth:`TrainSettings.with_values` takes them.
    """
    found = dict(values)
    for name, value in assignments.items():
        table, dot, key = name.partition(".")
        held = found.get(table, {} if table in _TABLES else None)
        if dot and isinstance(held, Mapping):
            found[table] = {**held, key: value}
        else:
            found[name] = value
    return found


def make_settings(values: Mapping[str, Any]) -> TrainSettings:
    """Return checked settings.

    Raises:
        ConfigError: A name is unknown, a value is not allowed, or no task is given.
    """
    try:
        return TrainSettings.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        known = ", ".join(sorted(TrainSettings.model_fields))
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"There is no setting '{name}' of training. Settings: {known}.") from None
        if not first["loc"]:
            said = first["msg"].removeprefix("Value error, ").removesuffix(".")
            raise ConfigError(f"Settings of training: {said}.") from None
        raise ConfigError(f"Setting '{name}' of training: {first['msg']}, got {shown(first['input'])}.") from None


def read_settings(path: Path) -> dict[str, Any]:
    """Return the values in a file of settings, JSON if its name ends in ``.json``, else TOML.

    Raises:
        InputFileError: It is not there or cannot be read.
        ConfigError: It holds no table.
    """
    if path.suffix != ".json":
        return read_toml(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read as JSON ({error}): give a file of settings.") from error
    if not isinstance(found, dict):
        raise ConfigError(f'{path} holds no table of settings: give one, e.g. {{"task": "restorer"}}.')
    return found
