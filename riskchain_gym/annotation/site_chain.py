"""A site without a message, as the chain that an episode is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riskchain_gym.protocol.message import Message
from riskchain_gym.sites.replay.model import AnySite


@dataclass(frozen=True)
class SiteChain:
    """A site to look at; of the message that leads to it nothing is known here.

    Attributes:
        chain_id: Id of the item, which is the site's: no chain is known here.
        site: The site.
        variants: Always empty.
        recipes: Always empty.
    """

    chain_id: str
    site: AnySite
    variants: Mapping[str, Message] = field(default_factory=dict)
    recipes: Mapping[str, str] = field(default_factory=dict)
