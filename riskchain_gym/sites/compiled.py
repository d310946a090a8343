"""The compiled site: the public bundle of a site, from which nothing of its label can be read off.

Page and action names have become opaque paths, facts are filled in, atoms and the archetype's name are gone.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock
from riskchain_gym.sites.spec import Presentation, Scalar

Path = Annotated[str, Field(pattern=r"^/[a-z0-9]*$")]


class CompiledDetour(Frozen):
    """A redirect, by path."""

    when: str
    go: Path


class CompiledCheck(Frozen):
    """A check of one submitted field (see ``CheckSpec``)."""

    field: str
    rule: str | None = None
    equals: str | None = None
    checked: bool = False
    error: str


class CompiledAction(Frozen):
    """What a POST to an action's path does (see ``ActionSpec``)."""

    checks: tuple[CompiledCheck, ...] = ()
    set: dict[str, Scalar] = Field(default_factory=dict)
    go: Path | None = None
    otherwise: tuple[CompiledDetour, ...] = ()


class CompiledPage(Frozen):
    """One page; ``name`` is how templates ask ``visited.NAME``, opaque like the path."""

    title: str
    nav: str | None = None
    blocks: tuple[AnyBlock, ...]
    detours: tuple[CompiledDetour, ...] = ()
    status: int = 200


class Look(Frozen):
    """How the site is drawn; never depends on the label.

    Attributes:
        presentation: Presentation form, picks the page skeleton.
        theme: Visible theme, picks colours, corners, shadows and type.
        hue: Base hue, 0 to 359.
        art_seed: Seed of the drawn pictures.
    """

    presentation: Presentation
    theme: str
    hue: Annotated[int, Field(ge=0, lt=360)]
    art_seed: int


class CompiledSite(Frozen):
    """A site ready to be served; blocks name pages and actions by their opaque keys.

    Attributes:
        site_id: Opaque id.
        operator: Name in the header.
        home: Path of the landing page.
        state: Initial state variables (gates' variables included).
        pages: By path.
        actions: By path.
    """

    schema_version: Literal["riskchain-site/v1"] = "riskchain-site/v1"
    site_id: str
    operator: str
    slogan: str
    lang: str
    look: Look
    home: Path
    state: dict[str, Scalar]
    pages: dict[Path, CompiledPage]
    actions: dict[Path, CompiledAction]
