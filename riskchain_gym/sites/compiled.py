"""The compiled site: the public bundle of a site, from which nothing of its label can be read off.

Page and action names have become opaque paths, facts are filled in, atoms and the archetype's name are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, ButtonBlock, DownloadBlock, FieldSpec, FormBlock, PanelsBlock
from riskchain_gym.sites.spec import Presentation, Scalar

Path = Annotated[str, Field(pattern=r"^/[a-z0-9]*$")]

HOME = "home"
"""Name of the landing page, in specs and in compiled sites."""


def path_of(name: str) -> str:
    """Return the path of a page or an action by its name."""
    return "/" if name == HOME else f"/{name}"


def panel_key(panels: str, index: int) -> str:
    """Return the opaque name of the action that opens a panel, from the opaque name of its panels block."""
    return f"{panels}{index}"


def all_blocks(blocks: Iterable[AnyBlock]) -> Iterator[AnyBlock]:
    """Yield blocks and the blocks inside their panels, in document order."""
    for block in blocks:
        yield block
        if isinstance(block, PanelsBlock):
            for panel in block.items:
                yield from all_blocks(panel.blocks)


def download_names(blocks: Iterable[AnyBlock]) -> list[str]:
    """Return the state variables that the downloads among blocks and inside them bring, each once."""
    found = [block.name for block in all_blocks(blocks) if isinstance(block, DownloadBlock)]
    return list(dict.fromkeys(name for name in found if name is not None))


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


class CompiledLink(Frozen):
    """An entry of the navigation or the footer, in the order it is shown."""

    text: str
    to: Path


class CompiledPage(Frozen):
    """One page; its key is its path without the slash (``home`` for the landing page)."""

    title: str
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
        slogan: Line beside the operator's name.
        lang: Language of the content.
        home: Path of the landing page, always ``/``.
        nav: Navigation of every page.
        footer: Links in every page's footer.
        state: Initial state variables (those of gates, panels and downloads included).
        pages: By path.
        actions: By path.
        picture_alt: Whether the text of pictures is their alternative text too, for an ablation.
    """

    schema_version: Literal["riskchain-site/v1"] = "riskchain-site/v1"
    site_id: str
    operator: str
    slogan: str
    lang: str
    look: Look
    home: Path = "/"
    nav: tuple[CompiledLink, ...]
    footer: tuple[CompiledLink, ...] = ()
    state: dict[str, Scalar]
    pages: dict[Path, CompiledPage]
    actions: dict[Path, CompiledAction]
    picture_alt: bool = False

    @cached_property
    def owners(self) -> dict[str, tuple[str, ...]]:
        """Paths of the pages that hold the form or button of each action, by the action's path."""
        found: dict[str, tuple[str, ...]] = {}
        for path, page in self.pages.items():
            for block in all_blocks(page.blocks):
                for action in _actions_of(block):
                    found[action] = (*found.get(action, ()), path)
        return found

    @cached_property
    def form_fields(self) -> dict[str, tuple[FieldSpec, ...]]:
        """Fields of the forms that are posted to each action, by the action's path."""
        found: dict[str, tuple[FieldSpec, ...]] = {}
        for page in self.pages.values():
            for block in all_blocks(page.blocks):
                if isinstance(block, FormBlock):
                    action = path_of(block.do)
                    found[action] = (*found.get(action, ()), *block.fields)
        return found

    @cached_property
    def _with_alts(self) -> CompiledSite:
        return self.model_copy(update={"picture_alt": True})

    def with_alts(self, wanted: bool) -> CompiledSite:
        """Return the site with or without the text of pictures as their alternative text; the same object each time."""
        if wanted == self.picture_alt:
            return self
        return self._with_alts if wanted else self.model_copy(update={"picture_alt": False})

    @cached_property
    def downloads(self) -> dict[str, str]:
        """Names of the files that the site offers, by path."""
        return {download_path(block.file): block.file for block in self._download_blocks()}

    @cached_property
    def fetched(self) -> dict[str, tuple[str, ...]]:
        """State variables that become true when a file is fetched, by its path."""
        found: dict[str, tuple[str, ...]] = {}
        for block in self._download_blocks():
            if block.name is not None:
                path = download_path(block.file)
                found[path] = (*found.get(path, ()), block.name)
        return found

    def _download_blocks(self) -> list[DownloadBlock]:
        blocks = (block for page in self.pages.values() for block in all_blocks(page.blocks))
        return [block for block in blocks if isinstance(block, DownloadBlock)]


def download_path(file: str) -> str:
    """Return the path of a file that a site offers."""
    return f"/files/{file}"


def _actions_of(block: AnyBlock) -> list[str]:
    if isinstance(block, (FormBlock, ButtonBlock)):
        return [path_of(block.do)]
    if isinstance(block, PanelsBlock):
        return [path_of(panel_key(block.name, i)) for i in range(len(block.items))]
    return []
