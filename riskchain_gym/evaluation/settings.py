"""How agents are run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym

ENV_ID = "RiskChain-v0"
EnvKwargs = dict[str, str | int | float | bool | list[str] | None]


@dataclass(frozen=True)
class RunSettings:
    """How to run.

    Attributes:
        split: Name or path of the split.
        backend: Browse backend.
        observe: Modalities the agents are shown and the run stores.
        workers: Environments that run side by side, each with a browser of its own.
        chains: Chains to run, or ``None`` for all of the split.
    """

    split: str = "mini"
    backend: str = "chromium"
    observe: tuple[str, ...] = ("screenshot",)
    workers: int = 2
    chains: tuple[str, ...] | None = None

    def env_kwargs(self) -> EnvKwargs:
        """Return the keyword arguments of the environment; it is given no gold."""
        return {"split": self.split, "backend": self.backend, "observe": list(self.observe), "reward": "none"}

    def make_env(self) -> gym.Env[Any, Any]:
        """Return a new environment; its browser, if any, starts with the first episode.

        Raises:
            ConfigError: A setting is unknown, or two contradict each other.
            UnknownNameError: There is no such split.
            MissingExtraError: The backend needs an extra that is not installed.
            BrowserUnavailableError: The backend needs a browser and none was found.
        """
        return gym.make(f"riskchain_gym:{ENV_ID}", disable_env_checker=True, **dict[str, Any](self.env_kwargs()))
