"""The chains of a split, as episodes are made from them: read at once, or made when their turn comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.message import Message
from riskchain_gym.sites.replay.model import AnySite


class Chain(Protocol):
    """What an episode shows: a disguised message, and the site it leads to where there is one."""

    @property
    def chain_id(self) -> str:
        """Opaque id."""

    @property
    def variants(self) -> Mapping[str, Message]:
        """The message in each disguise, by variant."""

    @property
    def recipes(self) -> Mapping[str, str]:
        """Name of the recipe behind each variant."""

    @property
    def site(self) -> AnySite | None:
        """The site, or ``None`` for a message without one."""


@dataclass(frozen=True)
class Case:
    """One chain in one disguise."""

    chain: Chain
    variant: str


@dataclass(frozen=True)
class MessageChain:
    """A message that leads to no site of ours.

    Attributes:
        chain_id: Opaque id.
        variants: The message in each disguise, by variant.
        recipes: Name of the recipe behind each variant.
        site: Always ``None``.
    """

    chain_id: str
    variants: Mapping[str, Message]
    recipes: Mapping[str, str]
    site: None = None


class LoadedChain(NamedTuple):
    """A chain with its gold.

    Attributes:
        chain: What the agent sees.
        gold: What it is paid by: that of the message alone where there is no site, ``None`` if it was not asked for.
    """

    chain: Chain
    gold: GoldChain | MessageGold | None


class ChainSource(Protocol):
    """The chains of a split by id.

    Every method raises :class:`~riskchain_gym.protocol.errors.UnknownNameError` for an id that the split does not have.
    """

    @property
    def ids(self) -> Sequence[str]:
        """The ids, in sequential order."""

    @property
    def endless(self) -> bool:
        """Whether there are too many to look at each; all of them have the same variants then, under any recipe."""

    def variants(self, chain_id: str) -> Sequence[str]:
        """Return the variants of a chain, in order of name; cheap."""

    def recipes(self, chain_id: str) -> Mapping[str, str]:
        """Return the recipe behind each variant of a chain; it may have to be made for that."""

    def load(self, chain_id: str) -> LoadedChain:
        """Return a chain: the same value for the same id, always."""


def unknown_chain(split: str, chain_id: str, ids: Sequence[str]) -> UnknownNameError:
    """Return the error for an id that a split does not have.

    Args:
        split: The split.
        chain_id: What was asked for.
        ids: The ids it has.
    """
    return UnknownNameError(
        f"Split '{split}' has no chain {shown(chain_id)}.{did_you_mean(chain_id, ids)} "
        f"Its chains begin with {', '.join(ids[:3])}."
    )
