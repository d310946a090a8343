"""The published registry of obfuscation types as a map: what covers each, and why the others are open."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field

from riskchain_gym.messages.bank import DATA
from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.techniques.registry import SHIPPED
from riskchain_gym.protocol.model import Frozen

FORM_TYPES = {
    Form.SPLIT: ("SESSION.CROSS_MESSAGE_SPLIT", "ENTRY.COMPONENT_SPLIT"),
    Form.TURNS: ("SESSION.MULTI_TURN_DEPENDENCY",),
    Form.DECOY: ("SESSION.DECOY_EVIDENCE", "SESSION.MULTIPLE_CANDIDATES"),
    Form.CORRECTION: ("SESSION.CORRECTION_RETRACTION",),
    Form.QUOTED: ("SESSION.QUOTED_FORWARDED",),
}
"""The types that a session's form covers."""

OTHER_COVER = {
    "SESSION.HARD_BENIGN_CONTEXT": "topics independent of sites, split `clean`",
    "PLATFORM.SCREENSHOT_TEXT": "rendered view",
    "PLATFORM.CLIENT_SURFACE_VARIANT": "rendered view",
}
"""What covers a type without being a technique or a form."""


class PublishedType(Frozen):
    """One type of the registry.

    Attributes:
        id: Its id, ``FAMILY.NAME``.
        reversibility: As the registry says.
        open: Why nothing covers it, or ``""``.
    """

    id: str
    reversibility: str
    open: str = ""


class _TypeFile(Frozen):
    type: Annotated[tuple[PublishedType, ...], Field(min_length=1)]


@cache
def published_types() -> tuple[PublishedType, ...]:
    """Return the registry's types in its own order."""
    return load_toml(DATA / "published_types.toml", _TypeFile).type


def covered_by(type_id: str) -> tuple[str, ...]:
    """Return what covers a type: names of techniques, forms as ``form NAME``, or another part in words."""
    cover = [f"`{technique.name}`" for technique in SHIPPED if type_id in technique.types]
    cover += [f"form `{form}`" for form, types in FORM_TYPES.items() if type_id in types]
    if type_id in OTHER_COVER:
        cover.append(OTHER_COVER[type_id])
    return tuple(cover)
