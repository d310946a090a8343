"""Which session each environment of a vector plays next, and the sessions that are kept for a split without end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.utils import seeding

from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.selection import CaseId, Selector
from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError


def check_pool(pool: object) -> int:
    """Return the number of sessions to keep.

    Args:
        pool: As it was given.

    Raises:
        ConfigError: It is no whole number of at least 1.
    """
    if not isinstance(pool, int) or isinstance(pool, bool) or pool < 1:
        raise ConfigError(f"pool: give a whole number of sessions to keep, at least 1, got {shown(pool)}.")
    return pool


def drawn_pool(chain_ids: Sequence[str], pool: int, entropy: Sequence[int]) -> tuple[str, ...]:
    """Return the sessions of an endless split that episodes are drawn from, with replacement.

    Args:
        chain_ids: The ids of the split.
        pool: How many.
        entropy: What they are drawn by: the seed of the environment, or of the first one of a vector.
    """
    numbers = np.random.default_rng([*entropy, pool]).integers(len(chain_ids), size=pool)
    return tuple(chain_ids[int(number)] for number in numbers)


class Seats:
    """Hands out cases to the environments of a vector, each with a generator of its own.

    Environment i of n draws what a single environment draws that is reset with its seed. In sequential order the cases
    are dealt out like cards. Of an endless split in random order ``pool`` sessions are drawn first.

    Args:
        selector: The cases in use.
        config: Reads ``order``.
        count: Number of environments.
        pool: How many sessions of an endless split are drawn from.

    Raises:
        ConfigError: There are fewer cases than environments in sequential order.
    """

    def __init__(self, selector: Selector, config: EnvConfig, count: int, pool: int) -> None:
        self._selector = selector
        self._sequential = config.order == "sequential"
        self._count = count
        self._pool = pool
        self._cases = selector.cases
        self._drawn: tuple[str, ...] = ()
        self._positions = [0] * count
        self._generators: list[np.random.Generator | None] = [None] * count
        self.seeds: list[int] = [-1] * count
        in_use = len(selector.chain_ids) if self._cases is None else len(self._cases)
        if self._sequential and in_use < count:
            raise ConfigError(
                f"{in_use} cases cannot be dealt out to {count} environments in sequential order: make fewer "
                "environments, or order='random'."
            )

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seed the environments that are given a seed, and those that never were.

        Args:
            seeds: One an environment. A seeded environment begins a sequential order again; the first seed also draws
                the sessions of an endless split anew.
        """
        for place, seed in enumerate(seeds):
            if seed is None and self._generators[place] is not None:
                continue
            self._generators[place], self.seeds[place] = seeding.np_random(seed)
            if seed is not None:
                self._positions[place] = 0
        if self._cases is None and not self._sequential and (seeds[0] is not None or not self._drawn):
            self._drawn = drawn_pool(self._selector.chain_ids, self._pool, [self.seeds[0]])

    def choose(self, place: int) -> CaseId:
        """Return the next case of an environment.

        Args:
            place: The environment, from 0.
        """
        if self._sequential:
            return self._dealt(place)
        rng = self.generator(place)
        if self._cases is not None:
            return self._cases[int(rng.integers(len(self._cases)))]
        return self.of_chain(place, self._drawn[int(rng.integers(len(self._drawn)))])

    def of_chain(self, place: int, chain_id: str) -> CaseId:
        """Return a case of a chain, drawn where it has several.

        Args:
            place: The environment, from 0.
            chain_id: Any chain of the split.

        Raises:
            UnknownNameError: The split has no such chain.
            ConfigError: It has none of the wanted variants.
        """
        cases = self._selector.cases_of(chain_id)
        return cases[0] if len(cases) == 1 else cases[int(self.generator(place).integers(len(cases)))]

    def generator(self, place: int) -> np.random.Generator:
        """Return the generator of an environment.

        Args:
            place: The environment, from 0.
        """
        generator = self._generators[place]
        assert generator is not None, "reset seeds every environment"
        return generator

    def _dealt(self, place: int) -> CaseId:
        position = self._positions[place] * self._count + place
        if self._cases is None:
            chain_ids = self._selector.chain_ids
            if position >= len(chain_ids):
                self._positions[place], position = 0, place
            self._positions[place] += 1
            return self.of_chain(place, chain_ids[position])
        if position >= len(self._cases):
            self._positions[place], position = 0, place
        self._positions[place] += 1
        return self._cases[position]
