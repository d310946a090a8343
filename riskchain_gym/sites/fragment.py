"""Gates and filler pages: pieces that all sites share, whatever their label."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, Name
from riskchain_gym.sites.spec import ActionSpec, FactSpec, PageSpec, Scalar

Lang = Literal["zh-CN", "zh-TW", "en"]


class GateSpec(Frozen):
    """A gate: pages that stand before another page until the visitor has done something.

    Its names are its own; ``target`` is the page behind it and ``place`` a filler page of the site.

    Attributes:
        kind: Name used by ``PageSpec.gate`` and in the gold bundle.
        code: Its number in the gate list, e.g. ``G1``.
        lang: Language it is written in.
        facts: Drawn from the site's seed; ``place_title`` and the site's own facts are known.
        state: Its state variables.
        pages: Its pages.
        actions: Its actions; ``go: target`` leads on.
        entry: Page a visitor is sent to.
        guard: Expression over the state that holds while the gate is closed.
        clue: Put at the end of a filler page, for a code found elsewhere; the gate then needs a filler page.
    """

    kind: Name
    code: str
    lang: Lang = "zh-CN"
    facts: dict[Name, FactSpec] = Field(default_factory=dict)
    state: dict[Name, Scalar] = Field(default_factory=dict)
    pages: dict[Name, PageSpec]
    actions: dict[Name, ActionSpec] = Field(default_factory=dict)
    entry: Name
    guard: str
    clue: AnyBlock | None = None


class FillerSpec(Frozen):
    """A filler page: neutral content that says nothing for or against any label.

    Attributes:
        name: Its name.
        lang: Language it is written in.
        nav: Its label in the footer.
        facts: Drawn from the site's seed; the site's own facts are known.
        blocks: Its content; no forms, no atoms.
    """

    name: Name
    lang: Lang = "zh-CN"
    nav: str
    facts: dict[Name, FactSpec] = Field(default_factory=dict)
    blocks: tuple[AnyBlock, ...]
