"""The base of array environments: a text environment within, whose rules, scores and settings stand as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from riskchain_gym.envs.chain_env import EntryGate, RiskChainEnv
from riskchain_gym.envs.config import FILE_ONLY, KEYWORDS, EnvConfig
from riskchain_gym.envs.suggest import did_you_mean
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Trajectory

_BESIDE = ("config", "render_mode")
_PICTURES_ONLY = ("observe", "actions")


class OverTextEnv(gym.Env[dict[str, NDArray[Any]], Any]):
    """An environment of arrays over one of the text environments, which plays and scores every episode.

    A subclass says in ``env_id``, ``text_class`` and ``own`` what it is, and turns text observations into arrays and
    its actions into text. Everything that is no array is the text environment's: settings, rewards, strikes, ``info``
    and its ``outcome``, trajectory, rendering.

    Args:
        kwargs: Keyword arguments of the text environment but ``observe`` and ``actions``, which arrays do not have.

    Raises:
        ConfigError: An argument is unknown, bad, or contradicts another.

    Attributes:
        text: The text environment.
    """

    env_id: ClassVar[str]
    text_class: ClassVar[type[RiskChainEnv]]
    own: ClassVar[tuple[str, ...]] = ()
    metadata: dict[str, Any] = {**RiskChainEnv.metadata}  # noqa: RUF012 - Gymnasium's own type

    def __init__(self, **kwargs: Any) -> None:
        check_keywords(self.env_id, self.own, kwargs)
        # A config file may ask for pictures of pages, which arrays do not show.
        self.text = self.text_class(**{**kwargs, "observe": []})
        self.metadata = self.text.metadata
        self.render_mode = self.text.render_mode

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """Return the view of the text environment; see its ``render``.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.text.render()

    def close(self) -> None:
        """End the episode and release what the text environment holds; idempotent."""
        self.text.close()

    @property
    def config(self) -> EnvConfig:
        """The settings of the text environment."""
        return self.text.config

    @property
    def is_shaped(self) -> bool:
        """Whether evidence shaping is paid by the environment itself."""
        return False

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory of the current or last episode, with the actions as the text environment took them.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.text.trajectory

    @property
    def chain_ids(self) -> Sequence[str]:
        """The chains in use, in sequential order."""
        return self.text.chain_ids

    @property
    def recipe(self) -> str:
        """Name of the recipe that disguised the message; for statistics, it stands in no observation.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.text.recipe

    def inject_gate(self, entry_gate: EntryGate) -> None:
        """Let someone who holds the gold answer for the gate; see the text environment's ``inject_gate``."""
        self.text.inject_gate(entry_gate)

    def set_p_reference(self, p_reference: float) -> None:
        """Set the share of reference routing from the next reset on; see the text environment's ``set_p_reference``."""
        self.text.set_p_reference(p_reference)

    @property
    def spec(self) -> EnvSpec | None:
        """The spec this environment was made from; its arguments are plain JSON."""
        return self.text.spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self.text.spec = spec

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a running episode and cannot be pickled or copied: send env.spec and make "
            "another one from it with gymnasium.make."
        )


def check_keywords(env_id: str, own: Sequence[str], given: dict[str, Any]) -> None:
    """Refuse keyword arguments that an array environment does not have.

    Args:
        env_id: The environment.
        own: The names of its own arguments.
        given: What is to be passed on to the text environment.

    Raises:
        ConfigError: A name is unknown, with the nearest known one; or it belongs to text observations.
    """
    known = (*own, *(name for name in KEYWORDS if name not in _PICTURES_ONLY), *_BESIDE)
    for name in given:
        if name in _PICTURES_ONLY and given[name] is not None:
            raise ConfigError(f"{env_id} has arrays for observations and actions, so no '{name}': leave it out.")
        if name not in known and name not in _PICTURES_ONLY and name not in FILE_ONLY:
            raise ConfigError(
                f"{env_id} has no keyword argument '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
            )
