"""The message bank: everything a message is written from, read once from a folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from riskchain_gym.messages.lexicon import Lexicon, load_lexicon
from riskchain_gym.messages.skeletons import Skeleton, load_skeletons
from riskchain_gym.messages.tokens import TokenProfile, load_profiles
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
    profiles: dict[Platform, TokenProfile]


@cache
def load_bank(folder: Path = DATA) -> MessageBank:
    """Return the bank of a folder with ``skeletons/*.toml``, ``lexicon.toml`` and ``tokens.toml``.

    Args:
        folder: The package's own data, or a maintainer's private one of the same layout.

    Raises:
        InputFileError: A file is missing or wrong.
    """
    return MessageBank(
        skeletons=load_skeletons(folder / "skeletons"),
        lexicon=load_lexicon(folder / "lexicon.toml"),
        profiles=load_profiles(folder / "tokens.toml"),
    )
