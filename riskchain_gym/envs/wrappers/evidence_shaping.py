"""Evidence shaping: a reward for having been shown what decides, that leaves the best policy as it is.

With Φ(s) the share of the site's deciding lines shown so far, every step is paid scale · (γ·Φ(s') − Φ(s)) more, Φ of
the end being 0 (potential-based shaping: Ng, Harada and Russell, 1999). Over an episode from s₀ the discounted sum of
that is −scale · Φ(s₀), whatever the agent does.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.wrappers.over_text import OverTextEnv
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain
from riskchain_gym.scoring.sight import Sight


class EvidencePotential:
    """Φ along one episode at a time, and what it adds to the rewards.

    What counts as shown is what the evidence score counts as seen: it depends on the modalities. On a site without
    deciding atoms, such as an imported one, Φ is 0 everywhere.

    Args:
        scale: What a whole unit of Φ is worth.
        discount: γ.

    Attributes:
        value: Φ of the current state, 0 to 1; 0 once the episode has ended.
    """

    def __init__(self, scale: float = 1.0, discount: float = 1.0) -> None:
        self.scale = scale
        self.discount = discount
        self.value = 0.0
        self._unseen: list[EvidenceAtom] = []
        self._deciding = 0
        self._pages = 0

    def begin(self, machine: Machine) -> None:
        """Take the first state of an episode.

        Args:
            machine: The episode; it holds the gold.
        """
        gold = machine.episode.gold
        self._unseen = list(gold.site.deciding_atoms()) if isinstance(gold, GoldChain) else []
        self._deciding, self._pages = len(self._unseen), 0
        self.value = self._look(machine)

    def pay(self, machine: Machine) -> float:
        """Return what the step that was just made is paid more.

        An episode that was lost to infrastructure is paid nothing more: it is dropped whole.

        Args:
            machine: The episode after the step.
        """
        if machine.over and not machine.valid:
            self.value = 0.0
            return 0.0
        before, self.value = self.value, 0.0 if machine.over else self._look(machine)
        return self.scale * (self.discount * self.value - before)

    def _look(self, machine: Machine) -> float:
        pages = machine.recorder.pages
        if self._unseen and len(pages) > self._pages:
            sight = Sight(frozenset(machine.config.page_modalities), machine.config.viewport)
            new = [pages[step] for step in range(self._pages, len(pages))]
            self._unseen = [atom for atom in self._unseen if not any(sight.shows(page, atom) for page in new)]
        self._pages = len(pages)
        return 1 - len(self._unseen) / self._deciding if self._deciding else 0.0


class EvidenceShaping(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Adds evidence shaping to the rewards of an environment that opens sites; nothing else is changed.

    Nothing of Φ stands in observations or ``info``: it is made of gold, and only the reward tells of it, as rewards do.

    Args:
        env: ``RiskChain-v0`` or ``RiskChainBrowse-v0``, as text or in arrays, wrapped or not.
        scale: What a whole unit of Φ is worth.
        discount: γ; the trainer's, or the policy that is best may change. ``None``: the environment's ``discount``.

    Raises:
        ConfigError: The environment opens no site or holds no gold, is shaped already, or an argument is no such
            number.
    """

    def __init__(self, env: gym.Env[Any, Any], scale: float = 1.0, discount: float | None = None) -> None:
        RecordConstructorArgs.__init__(self, scale=scale, discount=discount)
        gym.Wrapper.__init__(self, env)
        _refuse_a_second(env)
        self._text = text_of(env)
        self._potential = potential_for(self._text, scale, discount)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; see the environment's ``reset``."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._potential.begin(self._text.machine)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Send one action; the reward is the environment's and the shaping's."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward) + self._potential.pay(self._text.machine), terminated, truncated, info


def text_of(env: gym.Env[Any, Any]) -> RiskChainEnv:
    """Return the text environment that plays the episodes of an environment.

    Args:
        env: An environment of this package, wrapped or not.

    Raises:
        ConfigError: It is none.
    """
    base = env.unwrapped
    text = base.text if isinstance(base, OverTextEnv) else base
    if not isinstance(text, RiskChainEnv):
        raise ConfigError(f"Evidence shaping is for environments of riskchain-gym, got {type(base).__name__}.")
    return text


def potential_for(text: RiskChainEnv, scale: float, discount: float | None = None) -> EvidencePotential:
    """Return what shapes the rewards of an environment.

    Args:
        text: The text environment that plays the episodes.
        scale: What a whole unit of Φ is worth.
        discount: γ; ``None``: the environment's ``discount``.

    Raises:
        ConfigError: The environment opens no site or holds no gold, or an argument is no such number.
    """
    config = text.config
    if text.kind == "restore" or not config.needs_gold:
        raise ConfigError(
            f"Evidence shaping is paid by gold of a site, got {ENV_IDS[text.kind]} with reward='{config.reward}': use "
            "an environment that opens sites, with a reward other than 'none'."
        )
    return EvidencePotential(
        _checked_scale(scale), config.discount if discount is None else _checked_discount(discount)
    )


def _checked_scale(scale: object) -> float:
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not abs(scale) <= sys.float_info.max:
        raise ConfigError(f"The scale of evidence shaping: give a finite number, got {shown(scale)}.")
    return float(scale)


def _refuse_a_second(env: gym.Env[Any, Any]) -> None:
    """Refuse an environment whose rewards are shaped by evidence already."""
    inner: Any = env
    while isinstance(inner, gym.Wrapper) and not isinstance(inner, EvidenceShaping):
        inner = inner.env
    if isinstance(inner, EvidenceShaping) or (isinstance(inner, OverTextEnv) and inner.is_shaped):
        raise ConfigError(
            "This environment is paid evidence shaping already: give evidence_shaping=..., or wrap it in "
            "EvidenceShaping once, not both."
        )


def _checked_discount(discount: object) -> float:
    if isinstance(discount, bool) or not isinstance(discount, int | float) or not 0 < discount <= 1:
        raise ConfigError(f"discount: give a number above 0 and at most 1, got {shown(discount)}.")
    return float(discount)
