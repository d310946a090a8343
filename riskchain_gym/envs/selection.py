"""Which chain and which variant an episode shows: the only thing the environment's seed decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from riskchain_gym.envs.cases import ChainSource
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError

_MOST_NAMES = 20


class CaseId(NamedTuple):
    """Which chain, in which disguise."""

    chain_id: str
    variant: str


class Selector:
    """Hands out cases in the configured order.

    ``sequential`` goes through every selected variant of every chain once, then starts again; a seeded reset starts
    from the beginning. ``random`` draws with replacement. Chains of an endless split are not looked at beforehand.

    Args:
        source: The chains of the split.
        config: Reads ``chains``, ``variants``, ``recipes``, ``order`` and ``shard``.
        kind: A browse-only environment shows no message, so there each chain is one case.

    Raises:
        UnknownNameError: ``chains`` names a chain that the split does not have.
        ConfigError: No chain has a wanted variant or recipe, the shard is empty, or recipes of an endless split are
            to be chosen.

    Attributes:
        chain_ids: The chains in use, in order.
    """

    def __init__(self, source: ChainSource, config: EnvConfig, kind: Kind) -> None:
        self._source = source
        self._config = config
        self._kind = kind
        self._next = 0
        self._recipes = self._read_names() if kind != "browse" else {}
        shard = slice(config.shard[0], None, config.shard[1]) if config.shard is not None else slice(None)
        self.chain_ids: Sequence[str]
        self._cases: tuple[CaseId, ...] | None = None
        if source.endless and config.chains is None:
            self.chain_ids = source.ids[shard]
            if not self.chain_ids:
                raise ConfigError(f"No session is left with shard={config.shard}: give a smaller first number.")
            return
        ids = source.ids if config.chains is None else config.chains
        self._cases = tuple([case for chain_id in ids for case in self._cases_of(chain_id)][shard])
        if not self._cases:
            raise ConfigError(
                f"No case is left with chains={_shown(config.chains)}, variants={_shown(config.variants)}, "
                f"recipes={_shown(config.recipes)}, shard={config.shard}: loosen one of them."
            )
        self.chain_ids = tuple(dict.fromkeys(case.chain_id for case in self._cases))

    @property
    def cases(self) -> tuple[CaseId, ...] | None:
        """Every case in use, in order; ``None`` of an endless split."""
        return self._cases

    def cases_of(self, chain_id: str) -> list[CaseId]:
        """Return the selected variants of a chain, which must be one of the split.

        Args:
            chain_id: Any chain of the split.

        Raises:
            UnknownNameError: The split has no such chain.
            ConfigError: It has none of the wanted variants.
        """
        cases = self._cases_of(chain_id)
        if not cases:
            raise ConfigError(f"Chain '{chain_id}' has none of the wanted variants: loosen variants or recipes.")
        return cases

    def rewind(self) -> None:
        """Start a sequential order from the beginning."""
        self._next = 0

    def choose(self, rng: np.random.Generator, options: Mapping[str, object] | None) -> CaseId:
        """Return the case of the next episode.

        Args:
            rng: The environment's generator.
            options: ``{"chain": id}`` names the chain (any of the split), ``{"chain": id, "variant": name}`` a variant
                of its message too (any that it has, whatever ``variants`` and ``recipes`` say); others are refused.

        Raises:
            ConfigError: An unknown option, one that is no text, or a variant where none can be chosen.
            UnknownNameError: The split has no such chain, or the chain no such variant.
        """
        check_options(options, ("chain", "variant"))
        named, variant = ((options or {}).get(key) for key in ("chain", "variant"))
        if named is not None and not isinstance(named, str):
            raise ConfigError(f"options: 'chain' is the id of a chain, got {shown(named)}: give it as text.")
        if variant is not None:
            return self._variant(named, variant)
        if named is None:
            if self._cases is not None:
                return self._cases[self._position(rng, len(self._cases))]
            named = self.chain_ids[self._position(rng, len(self.chain_ids))]
        cases = self.cases_of(named)
        return cases[0] if len(cases) == 1 else cases[int(rng.integers(len(cases)))]

    def _variant(self, chain: str | None, variant: object) -> CaseId:
        if not isinstance(variant, str):
            raise ConfigError(f"options: 'variant' is the name of one, got {shown(variant)}: give it as text.")
        if chain is None:
            raise ConfigError(f"options: 'variant' is one of a chain, got {shown(variant)} alone: give 'chain' too.")
        if self._kind == "browse":
            raise ConfigError("options: 'variant' is one of a message, and this environment shows none: leave it out.")
        known = self._source.variants(chain)
        if variant not in known:
            raise UnknownNameError(
                f"Chain '{chain}' has no variant {shown(variant)}.{did_you_mean(variant, known)} "
                f"Known: {', '.join(sorted(known)[:_MOST_NAMES])}."
            )
        return CaseId(chain, variant)

    def _position(self, rng: np.random.Generator, count: int) -> int:
        if self._config.order == "random":
            return int(rng.integers(count))
        position = self._next % count
        self._next += 1
        return position

    def _read_names(self) -> dict[str, Mapping[str, str]]:
        """Check the wanted variants and recipes; return the recipes of every chain, if any are wanted."""
        source, config = self._source, self._config
        looked_at = source.ids[:1] if source.endless else source.ids
        self._check_names("variants", {name for chain_id in looked_at for name in source.variants(chain_id)})
        if config.recipes is None:
            return {}
        if source.endless:
            raise ConfigError(
                f"recipes: split '{config.split}' is endless and draws a recipe for every message, so none can be "
                "chosen: leave recipes out, or `riskchain build messages` and give the folder of the split."
            )
        recipes = {chain_id: source.recipes(chain_id) for chain_id in source.ids}
        self._check_names("recipes", {name for named in recipes.values() for name in named.values()})
        return recipes

    def _check_names(self, setting: str, existing: set[str]) -> None:
        wanted = getattr(self._config, setting)
        for name in wanted if isinstance(wanted, tuple) else ():
            if name not in existing:
                known = sorted(existing)
                more = f" and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
                raise ConfigError(
                    f"{setting}: no chain of split '{self._config.split}' has {shown(name)}."
                    f"{did_you_mean(name, known)} Known: {', '.join(known[:_MOST_NAMES])}{more}."
                )

    def _cases_of(self, chain_id: str) -> list[CaseId]:
        names = self._source.variants(chain_id)
        wanted = self._config
        if self._kind == "browse":
            names = names[:1]
        elif wanted.variants != "all":
            names = [name for name in wanted.variants if name in names]
        if wanted.recipes is not None and self._kind != "browse":
            names = [name for name in names if self._recipes[chain_id].get(name) in wanted.recipes]
        return [CaseId(chain_id, name) for name in names]


def check_options(options: object, allowed: Sequence[str], whose: str = "") -> None:
    """Refuse options of a reset that cannot be honoured.

    Args:
        options: As given to ``reset``.
        allowed: The keys they may have.
        whose: What is reset, where that is not one environment (`` of a vector``).

    Raises:
        ConfigError: They are no mapping, or have another key.
    """
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise ConfigError(
            f"reset(options=...){whose} takes a dict such as {{'{allowed[0]}': ...}}, got {shown(options)}."
        )
    for key in options:
        if key not in allowed:
            near = did_you_mean(key, allowed) if isinstance(key, str) else ""
            known = " and ".join(f"'{name}'" for name in allowed)
            raise ConfigError(f"reset(options=...){whose} knows only {known}, got {shown(key)}.{near}")


def _shown(names: str | tuple[str, ...] | None) -> str:
    return str(list(names)) if isinstance(names, tuple) else str(names)
