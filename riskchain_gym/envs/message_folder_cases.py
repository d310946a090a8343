"""Messages without a site, read from a folder that ``riskchain build messages`` wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from riskchain_gym.envs.cases import LoadedChain, MessageChain, unknown_chain
from riskchain_gym.messages.folder import load_messages
from riskchain_gym.messages.rows import GOLD, MANIFEST
from riskchain_gym.protocol.errors import InputFileError


class FolderChains:
    """The sessions of a split that ``riskchain build messages`` wrote, read once with every hash checked.

    Args:
        folder: The folder of the split, inside the folder with the manifest.

    Raises:
        UnknownNameError: The manifest names no such split.
        InputFileError: A file is missing or malformed, a hash is wrong, or gold and inputs do not belong together.
    """

    endless = False

    def __init__(self, folder: Path) -> None:
        folder = folder.resolve()
        if not (folder / GOLD).is_file():
            problem = "is missing, and a restoration is paid by it: restore it, or build the folder again"
            raise InputFileError(folder / GOLD, "", problem)
        self._folder = folder
        self._chains = _read(folder, _manifest_sha256(folder.parent / MANIFEST))
        self.ids: Sequence[str] = tuple(self._chains)

    def variants(self, chain_id: str) -> Sequence[str]:
        """Return the variants of a chain, in order of name."""
        return list(self.load(chain_id).chain.variants)

    def recipes(self, chain_id: str) -> Mapping[str, str]:
        """Return the recipe behind each variant of a chain."""
        return self.load(chain_id).chain.recipes

    def load(self, chain_id: str) -> LoadedChain:
        """Return a chain."""
        if chain_id not in self._chains:
            raise unknown_chain(str(self._folder), chain_id, self.ids)
        return self._chains[chain_id]


def _manifest_sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), give a split's folder as `riskchain build messages` wrote it"
        raise InputFileError(path, "", problem) from error


@lru_cache(maxsize=2)
def _read(folder: Path, manifest_sha256: str) -> Mapping[str, LoadedChain]:  # noqa: ARG001 - part of the cache's key
    chains: dict[str, LoadedChain] = {}
    golds = [(row.input.message(), row.gold) for row in load_messages(folder.parent, folder.name, gold=True)]
    rows = [(message, gold) for message, gold in golds if gold is not None]
    for chain_id, group in groupby(rows, key=lambda row: row[1].session_id):
        variants = list(group)
        gold = variants[0][1].gold()
        traces = {row.variant: row.trace for _, row in variants}
        ceilings = {row.variant: row.ceiling for _, row in variants}
        chain = MessageChain(
            chain_id,
            variants={row.variant: message for message, row in variants},
            recipes={row.variant: row.recipe for _, row in variants},
        )
        chains[chain_id] = LoadedChain(chain, gold.model_copy(update={"traces": traces, "ceilings": ceilings}))
    return chains
