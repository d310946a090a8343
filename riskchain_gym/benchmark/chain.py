"""The public bundle of a chain: a disguised message and the site it leads to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite


class PublicChain(Frozen):
    """What an environment that pays no reward is given, and all that it is given.

    Attributes:
        chain_id: Opaque id; tells nothing of entry, site or label.
        variants: The message in each disguise, by variant (``v000`` feeds the gate).
        recipes: Name of the recipe behind each variant.
        site: The site: a compiled one, or an imported one with all of its bodies.
    """

    schema_version: Literal["riskchain-chain/v1"] = "riskchain-chain/v1"
    chain_id: str
    variants: dict[str, Message]
    recipes: dict[str, str]
    site: Annotated[AnySite, Field(discriminator="schema_version")]

    @property
    def compiled_site(self) -> CompiledSite:
        """The site of a chain that was made here, and not imported."""
        assert isinstance(self.site, CompiledSite), "releases hold no imported sites"
        return self.site
