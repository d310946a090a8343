"""Chains with a site, read from a split on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.envs.cases import LoadedChain, unknown_chain
from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.sites.replay.model import ImportedSite


class SiteChains:
    """The chains of a split of sites, read from disk.

    Args:
        split: Its name or the path of its folder.
        with_gold: Whether to read the gold too; without it no gold file is opened.
        chains: The chains that will be played; all by default.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The path cannot be one, or a chain that will be played has no gold.
        InputFileError: A file is missing, malformed, or not the one its manifest pins.
    """

    endless = False

    def __init__(self, split: str, *, with_gold: bool, chains: Sequence[str] | None = None) -> None:
        self._split = split
        self._with_gold = with_gold
        try:
            self._chains = {chain.chain_id: chain for chain in load_public(split)}
        except OSError as error:
            raise ConfigError(f"split: {shown(split)} cannot be read ({error.strerror}).") from error
        self._gold = load_gold(split) if with_gold else {}
        self.ids: Sequence[str] = tuple(self._chains)
        for chain_id in self.ids if chains is None else chains:
            self.load(chain_id)

    def variants(self, chain_id: str) -> Sequence[str]:
        """Return the variants of a chain, in order of name."""
        return sorted(self._chain(chain_id).variants)

    def recipes(self, chain_id: str) -> Mapping[str, str]:
        """Return the recipe behind each variant of a chain."""
        return self._chain(chain_id).recipes

    def load(self, chain_id: str) -> LoadedChain:
        """Return a chain.

        Raises:
            ConfigError: The gold is wanted and there is none.
        """
        chain = self._chain(chain_id)
        if self._with_gold and chain_id not in self._gold:
            raise ConfigError(f"Split '{self._split}' has no gold for chain '{chain_id}': rebuild it.")
        return LoadedChain(chain, self._gold.get(chain_id))

    def has_imported(self, chains: Sequence[str] | None = None) -> bool:
        """Say whether one of some chains, all by default, leads to an imported site, which needs a browser."""
        named = self.ids if chains is None else chains
        return any(isinstance(self._chain(each).site, ImportedSite) for each in named)

    def _chain(self, chain_id: str) -> PublicChain:
        if chain_id not in self._chains:
            raise unknown_chain(self._split, chain_id, self.ids)
        return self._chains[chain_id]
