"""What every vector of environments is given, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymnasium.vector import AutoresetMode

from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.errors import ConfigError


def check_num_envs(num_envs: object) -> int:
    """Return the number of environments.

    Args:
        num_envs: As it was given.

    Raises:
        ConfigError: It is no whole number of at least 1.
    """
    if not isinstance(num_envs, int) or isinstance(num_envs, bool) or num_envs < 1:
        raise ConfigError(f"num_envs must be at least 1, a whole number, got {shown(num_envs)}.")
    return num_envs


def check_autoreset_mode(mode: object) -> AutoresetMode:
    """Return Gymnasium's autoreset mode.

    Args:
        mode: One, or its value as text.

    Raises:
        ConfigError: There is no such mode.
    """
    known = [each.value for each in AutoresetMode]
    if isinstance(mode, AutoresetMode):
        return mode
    if not isinstance(mode, str) or mode not in known:
        near = did_you_mean(mode, known) if isinstance(mode, str) else ""
        raise ConfigError(f"autoreset_mode: give one of {', '.join(map(repr, known))}, got {shown(mode)}.{near}")
    return AutoresetMode(mode)


def check_seeds(seed: object, count: int) -> list[int | None]:
    """Return a seed, or none, for each environment.

    Args:
        seed: As ``reset`` was given it: a number (seed, seed + 1, …), one seed or ``None`` an environment, or ``None``.
        count: Number of environments.

    Raises:
        ConfigError: It is none of these, or one of the seeds is no Python int of at least 0, as single environments
            demand it.
    """
    if seed is None:
        return [None] * count
    seeds: list[Any]
    if isinstance(seed, int):
        seeds = [seed + place for place in range(count)]
    elif isinstance(seed, Sequence) and not isinstance(seed, str | bytes):
        seeds = list(seed)
        if len(seeds) != count:
            raise ConfigError(f"seed: give one for each of {count} environments, got {len(seeds)}.")
    else:
        raise ConfigError(
            f"seed: give an int, None, or a list of one for each of {count} environments, got {_of(seed)}."
        )
    for each in seeds:
        if each is not None and (not isinstance(each, int) or each < 0):
            raise ConfigError(f"seed: give whole numbers of at least 0 as Python ints, got {_of(each)}.")
    return seeds


def _of(given: object) -> str:
    return f"{shown(given)} ({type(given).__name__})"
