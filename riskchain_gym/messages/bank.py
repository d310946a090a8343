"""The message bank: everything a message is written from, read once from a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from riskchain_gym.messages.lexicon import Lexicon, load_lexicon
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.skeletons import Skeleton, load_skeletons
from riskchain_gym.messages.tokens import TokenProfile, load_profiles, profiles_for_pool
from riskchain_gym.protocol.message import Platform

DATA = Path(__file__).resolve().parent / "data"
"""The bank that ships with the package."""


@dataclass(frozen=True)
class MessageBank:
    """What messages are made from.

    Attributes:
        skeletons: Plain wordings, in order of name.
        lexicon: Word and character surrogates.
        profiles: Emoji codes by platform.
    """

    skeletons: tuple[Skeleton, ...]
    lexicon: Lexicon
    profiles: Mapping[Platform, TokenProfile]

    @cached_property
    def parity_skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons of the published kind: one Chinese message with its whole entry."""
        return tuple(skeleton for skeleton in self.skeletons if skeleton.is_parity)


@cache
def load_bank(folder: Path = DATA, pool: Pool | None = None) -> MessageBank:
    """Return the bank of a folder with ``skeletons/POOL/*.toml``, ``lexicon/*.toml`` and ``tokens.toml``.

    Args:
        folder: The package's own data, or a maintainer's private one of the same layout.
        pool: Only what this pool may use; everything by default.

    Raises:
        InputFileError: A file is missing or wrong.
    """
    if pool is not None:
        whole = load_bank(folder)
        return MessageBank(
            skeletons=tuple(skeleton for skeleton in whole.skeletons if skeleton.pool is pool),
            lexicon=whole.lexicon.for_pool(pool),
            profiles=profiles_for_pool(whole.profiles, pool),
        )
    return MessageBank(
        skeletons=load_skeletons(folder / "skeletons"),
        lexicon=load_lexicon(folder / "lexicon"),
        profiles=load_profiles(folder / "tokens.toml"),
    )
