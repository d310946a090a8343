"""How agents are run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
from pydantic import JsonValue

from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.protocol.errors import ConfigError

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
        asking: How agents ask their models.
    """

    split: str = "mini"
    backend: str = "chromium"
    observe: tuple[str, ...] = ("screenshot",)
    workers: int = 2
    chains: tuple[str, ...] | None = None
    asking: Asking = field(default_factory=Asking)

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
