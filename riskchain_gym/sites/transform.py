"""Transforms: gates that change how a page shows its blocks, instead of standing before it."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from riskchain_gym.sites.blocks import (
    AnyBlock,
    Item,
    ListBlock,
    PanelsBlock,
    PanelSpec,
    PictureBlock,
    PictureLine,
    TextBlock,
)
from riskchain_gym.sites.compiled import all_blocks

Transform = Literal["picture", "fold"]

_DRAWABLE = ("text", "notice", "quote", "price", "small")
_OPENINGS = ("hero", "heading")


def fits(transform: Transform, blocks: tuple[AnyBlock, ...]) -> bool:
    """Return whether a transform would change anything on a page with these blocks."""
    if transform == "fold":
        return bool(_parted(blocks)[1])
    return any(_drawable(block) for block in all_blocks(blocks))


def in_pictures(blocks: tuple[AnyBlock, ...]) -> tuple[AnyBlock, ...]:
    """Return the blocks with every run of plain texts and lists drawn as one picture, inside panels too.

    What depends on the state stays text: a block or an item with a ``when``, a text with ``{{ … }}``.
    """
    found: list[AnyBlock] = []
    for drawable, run in groupby(blocks, _drawable):
        if drawable:
            found.append(PictureBlock(kind="picture", drawn=tuple(line for block in run for line in _drawn(block))))
        else:
            found.extend(_inside(block) for block in run)
    return tuple(found)


def in_panels(
    blocks: tuple[AnyBlock, ...], kind: Literal["tabs", "accordion"], name: str, cover: PanelSpec, label: str
) -> tuple[AnyBlock, ...]:
    """Return the blocks with all that follows the page's opening in the second of two panels.

    Args:
        blocks: Blocks of the page.
        kind: Tabs or folds.
        name: Name of the panels, a state variable.
        cover: The first panel.
        label: Title of the second.
    """
    opening, rest = _parted(blocks)
    return (*opening, PanelsBlock(kind=kind, name=name, items=(cover, PanelSpec(title=label, blocks=rest))))


def _inside(block: AnyBlock) -> AnyBlock:
    if not isinstance(block, PanelsBlock):
        return block
    panels = tuple(panel.model_copy(update={"blocks": in_pictures(panel.blocks)}) for panel in block.items)
    return block.model_copy(update={"items": panels})


def _parted(blocks: tuple[AnyBlock, ...]) -> tuple[tuple[AnyBlock, ...], tuple[AnyBlock, ...]]:
    """Return the hero and heading that a page opens with, and what follows."""
    end = next((i for i, block in enumerate(blocks) if block.kind not in _OPENINGS), len(blocks))
    return blocks[:end], blocks[end:]


def _drawable(block: AnyBlock) -> bool:
    if block.when is not None:
        return False
    if isinstance(block, TextBlock):
        return block.kind in _DRAWABLE and "{{" not in block.text
    if isinstance(block, ListBlock):
        items = [item if isinstance(item, Item) else Item(text=item) for item in block.items]
        return all(item.when is None and "{{" not in item.text for item in items)
    return False


def _drawn(block: AnyBlock) -> list[PictureLine]:
    if isinstance(block, TextBlock):
        return [PictureLine.model_validate({"kind": block.kind, "text": block.text, "atom": block.atom})]
    assert isinstance(block, ListBlock), "only texts and lists are drawn"
    items = [item if isinstance(item, Item) else Item(text=item) for item in block.items]
    kind: Literal["item", "step"] = "item" if block.kind == "bullets" else "step"
    return [PictureLine(kind=kind, text=item.text, atom=item.atom) for item in items]
