"""Which chain and which variant an episode shows: the only thing the environment's seed decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError


@dataclass(frozen=True)
class Case:
    """One chain in one disguise."""

    chain: PublicChain
    variant: str


class Selector:
    """Hands out cases in the configured order.

    ``sequential`` goes through every selected variant of every chain once, then starts again; a seeded reset starts
    from the beginning. ``random`` draws with replacement.

    Args:
        chains: Public chains of the split, sorted by chain id.
        config: Reads ``chains``, ``variants``, ``recipes``, ``order`` and ``shard``.
        kind: A browse-only environment shows no message, so there each chain is one case.

    Raises:
        UnknownNameError: ``chains`` names a chain that the split does not have.
        ConfigError: No chain has a wanted variant or recipe, or the shard is empty.
    """

    def __init__(self, chains: Sequence[PublicChain], config: EnvConfig, kind: Kind) -> None:
        self._by_id = {chain.chain_id: chain for chain in chains}
        self._config = config
        self._kind = kind
        if kind != "browse":
            self._check_names("variants", {name for chain in chains for name in chain.variants})
            self._check_names("recipes", {name for chain in chains for name in chain.recipes.values()})
        ids = tuple(self._by_id) if config.chains is None else config.chains
        cases = [case for chain_id in ids for case in self._cases_of(chain_id)]
        if config.shard is not None:
            index, count = config.shard
            cases = cases[index::count]
        if not cases:
            raise ConfigError(
                f"No case is left with chains={_shown(config.chains)}, variants={_shown(config.variants)}, "
                f"recipes={_shown(config.recipes)}, shard={config.shard}: loosen one of them."
            )
        self.cases: tuple[Case, ...] = tuple(cases)
        self._next = 0

    @property
    def chain_ids(self) -> tuple[str, ...]:
        """The chains in use, in order."""
        return tuple(dict.fromkeys(case.chain.chain_id for case in self.cases))

    def rewind(self) -> None:
        """Start a sequential order from the beginning."""
        self._next = 0

    def choose(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> Case:
        """Return the case of the next episode.

        Args:
            rng: The environment's generator.
            options: ``{"chain": id}`` names the chain (any of the split); other keys are refused.

        Raises:
            ConfigError: An unknown option, or one that is no text.
            UnknownNameError: The split has no such chain.
        """
        check_options(options, "chain")
        named = (options or {}).get("chain")
        if named is not None:
            if not isinstance(named, str):
                raise ConfigError(f"options: 'chain' is the id of a chain, got {shown(named)}: give it as text.")
            cases = self._cases_of(named)
            if not cases:
                raise ConfigError(f"Chain '{named}' has none of the wanted variants: loosen variants or recipes.")
            return cases[0] if len(cases) == 1 else cases[int(rng.integers(len(cases)))]
        if self._config.order == "random":
            return self.cases[int(rng.integers(len(self.cases)))]
        case = self.cases[self._next % len(self.cases)]
        self._next += 1
        return case

    def _check_names(self, setting: str, existing: set[str]) -> None:
        wanted = getattr(self._config, setting)
        for name in wanted if isinstance(wanted, tuple) else ():
            if name not in existing:
                known = sorted(existing)
                raise ConfigError(
                    f"{setting}: no chain of split '{self._config.split}' has {shown(name)}."
                    f"{did_you_mean(name, known)} Known: {', '.join(known)}."
                )

    def _cases_of(self, chain_id: str) -> list[Case]:
        chain = self._by_id.get(chain_id)
        if chain is None:
            raise UnknownNameError(
                f"Split '{self._config.split}' has no chain {shown(chain_id)}.{did_you_mean(chain_id, self._by_id)} "
                f"Its chains begin with {', '.join(list(self._by_id)[:3])}."
            )
        names = sorted(chain.variants)
        if self._kind == "browse":
            return [Case(chain, names[0])]
        wanted = self._config
        if wanted.variants != "all":
            names = [name for name in wanted.variants if name in chain.variants]
        if wanted.recipes is not None:
            names = [name for name in names if chain.recipes.get(name) in wanted.recipes]
        return [Case(chain, name) for name in names]


def check_options(options: object, allowed: str, whose: str = "") -> None:
    """Refuse options of a reset that cannot be honoured.

    Args:
        options: As given to ``reset``.
        allowed: The one key they may have.
        whose: What is reset, where that is not one environment (`` of a vector``).

    Raises:
        ConfigError: They are no mapping, or have another key.
    """
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise ConfigError(f"reset(options=...){whose} takes a dict such as {{'{allowed}': ...}}, got {shown(options)}.")
    for key in options:
        if key != allowed:
            near = did_you_mean(key, [allowed]) if isinstance(key, str) else ""
            raise ConfigError(f"reset(options=...){whose} knows only '{allowed}', got {shown(key)}.{near}")


def _shown(names: str | tuple[str, ...] | None) -> str:
    return str(list(names)) if isinstance(names, tuple) else str(names)
