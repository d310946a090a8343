"""How agents are run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import gymnasium as gym
from pydantic import JsonValue

from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.protocol.errors import ConfigError

ENV_ID, RESTORING_ENV_ID = "RiskChain-v0", "RiskChainRestore-v0"
ISOLATION_VARIABLE = "RISKCHAIN_ISOLATION"
"""The environment variable that says where episodes are played: ``process``, or ``none`` for a debugger."""

Isolation = Literal["process", "none"]
EnvValue = str | int | float | bool | list[str] | None
EnvKwargs = dict[str, EnvValue]


@dataclass(frozen=True)
class RunSettings:
    """How to run.

    Attributes:
        split: Name or path of the split.
        backend: Browse backend.
        observe: Modalities the agents are shown and the run stores.
        workers: Environments that run side by side, each with a browser of its own.
        chains: Chains to run, or ``None`` for all of the split.
        asking: How agents ask their models.
        max_steps: Browse actions allowed, or ``None`` for as many as the environment says.
        restored: Variants of the messages that are restored on their own, beside the episodes.
        repeat: Which of several runs of the same agent it is, counted from 0.
        isolation: ``process`` for environments in worker processes and agents in processes apart from them, ``none``
            for threads of this process, which a debugger reaches; what comes of a run is the same. The environment
            variable :data:`ISOLATION_VARIABLE` says it where nobody else does.
        agent_seconds: Longest time that an agent may take for one action, the model's answers included.
        worker_seconds: Longest time that an environment may take for one reset or step.
        ray: Address of the Ray cluster on which environments are played, or ``None`` for this machine.
        config: Rules of another protocol, a name in ``envs/`` or the path of a TOML file; ``None`` for the benchmark's.
    """

    split: str = "mini"
    backend: str = "chromium"
    observe: tuple[str, ...] = ("screenshot",)
    workers: int = 2
    chains: tuple[str, ...] | None = None
    asking: Asking = field(default_factory=Asking)
    max_steps: int | None = None
    restored: tuple[str, ...] = ()
    repeat: int = 0
    isolation: Isolation = field(default_factory=lambda: usual_isolation())
    agent_seconds: float = 1800.0
    worker_seconds: float = 300.0
    ray: str | None = None
    config: str | None = None

    def env_kwargs(self) -> EnvKwargs:
        """Return the keyword arguments of the environment; it is given no gold."""
        kwargs: EnvKwargs = {"split": self.split, "backend": self.backend, "observe": list(self.observe)}
        told: EnvKwargs = {} if self.max_steps is None else {"max_steps": self.max_steps}
        ruled: EnvKwargs = {} if self.config is None else {"config": self.config}
        return {**kwargs, **ruled, "reward": "none", **told}

    def make_env(self) -> gym.Env[Any, Any]:
        """Return a new environment; its browser, if any, starts with the first episode.

        Raises:
            ConfigError: A setting is unknown, or two contradict each other.
            UnknownNameError: There is no such split.
            MissingExtraError: The backend needs an extra that is not installed.
            BrowserUnavailableError: The backend needs a browser and none was found.
        """
        return gym.make(f"riskchain_gym:{ENV_ID}", disable_env_checker=True, **dict[str, Any](self.env_kwargs()))

    def make_restoring_env(self) -> gym.Env[Any, Any]:
        """Return a new environment of restorations alone, in which a reset chooses any variant of a message.

        Raises:
            RiskChainError: As :meth:`make_env`.
        """
        kwargs = restoring_kwargs(self.env_kwargs())
        return gym.make(f"riskchain_gym:{RESTORING_ENV_ID}", disable_env_checker=True, **dict[str, Any](kwargs))

    def environment(self) -> EnvConfig:
        """Return every setting that the environment has.

        Raises:
            RiskChainError: As :meth:`make_env`.
        """
        env = self.make_env()
        try:
            config: EnvConfig = env.unwrapped.config  # type: ignore[attr-defined]
            return config
        finally:
            env.close()  # type: ignore[no-untyped-call]

    def check_shows(self, loaded: LoadedAgent) -> None:
        """Refuse an agent that sends pictures to its model and would not be shown any.

        Raises:
            ConfigError: It would not.
        """
        for name in pictures_of(loaded):
            if name not in self.observe:
                shown = ", ".join(self.observe) or "no picture"
                raise ConfigError(
                    f"Agent '{loaded.spec.name}' with images=true needs '{name}', and backend '{self.backend}' shows "
                    f"{shown}: run it on the chromium backend, or with images=false."
                )


def restoring_kwargs(env_kwargs: Mapping[str, EnvValue]) -> EnvKwargs:
    """Return the keyword arguments of the environment of restorations beside one of whole chains.

    Args:
        env_kwargs: The keyword arguments of that one.
    """
    observed = env_kwargs["observe"]
    shown = [each for each in observed if each == "message_image"] if isinstance(observed, list) else []
    kept = {name: env_kwargs[name] for name in ("split", "backend", "reward", "max_steps") if name in env_kwargs}
    return {**kept, "observe": shown, "variants": "all"}


def usual_isolation() -> Isolation:
    """Return where episodes are played where nobody says: what the environment variable says, else ``process``.

    Raises:
        ConfigError: It says something else.
    """
    known: dict[str, Isolation] = {"": "process", "process": "process", "none": "none"}
    said = os.environ.get(ISOLATION_VARIABLE, "")
    if said in known:
        return known[said]
    raise ConfigError(f"{ISOLATION_VARIABLE} is 'process' or 'none', not {said!a}: set it to one of them, or unset it.")


def pictures_of(loaded: LoadedAgent) -> tuple[str, ...]:
    """Return the modalities that an agent sends to its model as pictures."""
    sent = [options for options in options_in(loaded.config) if options.get("images")]
    return tuple(dict.fromkeys("screenshot_som" if options.get("marks") else "screenshot" for options in sent))


def options_in(config: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
    """Return the options of each part of an agent that asks a model, as the agent's configuration names them."""
    identities = config.get("identities")
    parts = identities if isinstance(identities, list) else []
    options = [part.get("options") for part in parts if isinstance(part, dict)]
    return [each for each in options if isinstance(each, dict)]
