"""Gates and filler pages: pieces that all sites share, whatever their label."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, Name, PanelSpec
from riskchain_gym.sites.spec import ActionSpec, FactSpec, PageSpec, Scalar
from riskchain_gym.sites.transform import Transform

Lang = Literal["zh-CN", "zh-TW", "en"]


class GateSpec(Frozen):
    """A gate: pages that stand before another page until the visitor has done something, or a transform of that page.

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
        transform: ``picture`` draws the page's plain texts inside pictures, ``fold`` puts what follows its heading into
            a fold or a tab. Nothing stands before the page then, so a transform has none of the above but facts.
        cover: The panel beside the one that holds the page's blocks; ``fold`` only.
        label: Title of the panel that holds them; ``fold`` only.
    """

    kind: Name
    code: str
    lang: Lang = "zh-CN"
    facts: dict[Name, FactSpec] = Field(default_factory=dict)
    state: dict[Name, Scalar] = Field(default_factory=dict)
    pages: dict[Name, PageSpec] = Field(default_factory=dict)
    actions: dict[Name, ActionSpec] = Field(default_factory=dict)
    entry: Name | None = None
    guard: str | None = None
    clue: AnyBlock | None = None
    transform: Transform | None = None
    cover: PanelSpec | None = None
    label: str = ""

    @model_validator(mode="after")
    def _stands_or_transforms(self) -> Self:
        stands, folds = ("pages", "entry", "guard"), ("cover", "label")
        needed = {None: stands, "fold": folds, "picture": ()}[self.transform]
        others = folds if self.transform is None else (*stands, *folds, "state", "actions", "clue")
        for name in needed:
            if not getattr(self, name):
                raise ValueError(f"{name}: is missing; a gate of this sort needs {', '.join(needed)}")
        for name in others:
            if name not in needed and getattr(self, name):
                raise ValueError(f"{name}: does not go with transform '{self.transform or 'none'}'; remove it")
        return self


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
