"""Blocks as nodes: one drawer a kind of block."""

from __future__ import annotations

from riskchain_gym.sites.blocks import (
    AnyBlock,
    ButtonBlock,
    CardsBlock,
    CardSpec,
    ChatBlock,
    DetailsBlock,
    DownloadBlock,
    FormBlock,
    HeroBlock,
    ImageBlock,
    Item,
    Line,
    LinksBlock,
    ListBlock,
    PanelsBlock,
    PictureBlock,
    QrBlock,
    TableBlock,
    TextBlock,
)
from riskchain_gym.sites.builder import Builder, group, line
from riskchain_gym.sites.compiled import download_path, panel_key, path_of
from riskchain_gym.sites.pageview import Control, DrawnLine, Node, Picture
from riskchain_gym.sites.view_form import draw_form
from riskchain_gym.sites.view_layout import in_columns, side_by_side


def draw_blocks(builder: Builder, blocks: tuple[AnyBlock, ...], place: str) -> list[Node]:
    """Return the nodes of the blocks whose conditions hold.

    Args:
        builder: The page's builder.
        blocks: Blocks in document order.
        place: Where they stand; keys are made from it and the block's position, so conditions move no key.
    """
    shown = [(f"{place}.{i}", block) for i, block in enumerate(blocks) if builder.shows(block.when)]
    return side_by_side([draw_block(builder, block, where) for where, block in shown])


def draw_block(builder: Builder, block: AnyBlock, place: str) -> Node:
    """Return the node of one block."""
    match block:
        case TextBlock():
            return line(block.kind, builder.text(block.text), level=str(block.level), tone=block.tone)
        case HeroBlock():
            title, subtitle = builder.text(block.title), builder.text(block.subtitle)
            nodes = [line("hero-title", title)] + ([line("hero-subtitle", subtitle)] if subtitle else [])
            return group("hero", nodes, art=block.art or "", seed=builder.key(place))
        case ListBlock():
            texts = [builder.text(said) for item in block.items if (said := _shown(builder, item)) is not None]
            return group(block.kind, [line("item", text) for text in texts])
        case DetailsBlock():
            return _details(builder, block)
        case TableBlock():
            return _table(builder, block)
        case CardsBlock():
            cards = [(i, card) for i, card in enumerate(block.items) if builder.shows(card.when)]
            return group("cards", [_card(builder, card, f"{place}.{i}") for i, card in cards])
        case LinksBlock():
            links = [(i, item) for i, item in enumerate(block.items) if builder.shows(item.when)]
            keyed = [(builder.key(place, i), item) for i, item in links]
            found = [builder.link("link", builder.text(item.text), path_of(item.to), key) for key, item in keyed]
            return group("links", found, style=block.style)
        case ButtonBlock():
            return draw_button(builder, "action", builder.text(block.text), path_of(block.do), place)
        case FormBlock():
            return draw_form(builder, block, place)
        case ImageBlock():
            caption = [line("caption", text)] if (text := builder.text(block.caption)) else []
            return group("image", caption, art=block.art, alt=builder.text(block.alt), seed=builder.key(place))
        case PanelsBlock():
            return _tabs(builder, block, place) if block.kind == "tabs" else _folds(builder, block, place)
        case ChatBlock():
            lines = [entry for entry in block.lines if builder.shows(entry.when)]
            return group("chat", [line("bubble", builder.text(entry.text), who=entry.who) for entry in lines])
        case DownloadBlock():
            text = builder.text(block.text)
            control = Control(role="link", name=text, href=download_path(block.file), download=True)
            return Node(kind="download", key=builder.key(place), text=text, control=control)
        case QrBlock():
            control = Control(role="link", name=builder.text(block.text), href=path_of(block.to))
            return Node(kind="qr", key=builder.key(place), control=control)
        case PictureBlock():
            return _picture(builder, block, place)


def draw_button(builder: Builder, kind: str, text: str, action: str, place: str, **attrs: str) -> Node:
    """Return a button that stands in a form of its own."""
    button = builder.button("button", text, action, builder.key(place, "button"))
    return builder.form(kind, text, action, builder.key(place), [button], **attrs)


def _picture(builder: Builder, block: PictureBlock, place: str) -> Node:
    lines = tuple(DrawnLine(kind=drawn.kind, text=builder.text(drawn.text)) for drawn in block.drawn)
    alt = "\n".join(drawn.text for drawn in lines) if builder.site.picture_alt else ""
    return Node(kind="picture", key=builder.key(place), picture=Picture(lines=lines, alt=alt))


def _shown(builder: Builder, item: Line) -> str | None:
    if isinstance(item, Item):
        return item.text if builder.shows(item.when) else None
    return item


def _details(builder: Builder, block: DetailsBlock) -> Node:
    rows = [
        group("row", [line("label", builder.text(row.label)), line("value", builder.text(row.value))])
        for row in block.rows
        if builder.shows(row.when)
    ]
    return group(block.kind, rows)


def _table(builder: Builder, block: TableBlock) -> Node:
    head = [group("tr", [line("th", builder.text(cell)) for cell in block.head])] if block.head else []
    rows = [[builder.text(_shown(builder, cell) or "") for cell in row] for row in block.rows]
    body = [group("tr", [line("td", text) for text in row]) for row in rows if any(row)]
    return group("table", head + body)


def _card(builder: Builder, card: CardSpec, place: str) -> Node:
    title, link = builder.text(card.title), builder.text(card.link)
    children = [line("card-title", title)]
    if card.to is not None and not link:
        children = [builder.link("card-title", title, path_of(card.to), builder.key(place))]
    children += [line("card-text", text)] if (text := builder.text(card.text)) else []
    children += [line("card-price", text)] if (text := builder.text(card.price)) else []
    if card.to is not None and link:
        children.append(builder.link("card-link", link, path_of(card.to), builder.key(place)))
    return group("card", children, art=card.art or "", seed=builder.key(place))


def _opened(builder: Builder, block: PanelsBlock) -> int:
    value = builder.state.vars.get(block.name, 0)
    return value if isinstance(value, int) and value < len(block.items) else 0


def _tabs(builder: Builder, block: PanelsBlock, place: str) -> Node:
    opened = _opened(builder, block)
    tabs = [_panel_button(builder, block, "tab", i, i == opened, place) for i in range(len(block.items))]
    inside = draw_blocks(builder, block.items[opened].blocks, f"{place}.{opened}")
    return group("tabs", [group("tablist", tabs), group("panel", in_columns(inside))])


def _folds(builder: Builder, block: PanelsBlock, place: str) -> Node:
    opened, folds = _opened(builder, block), []
    for i, panel in enumerate(block.items):
        button = _panel_button(builder, block, "fold", i, i == opened, place)
        inside = draw_blocks(builder, panel.blocks, f"{place}.{i}") if i == opened else []
        folds.append(group("folder", [button, group("panel", in_columns(inside))] if inside else [button]))
    return group("accordion", folds)


def _panel_button(builder: Builder, block: PanelsBlock, kind: str, index: int, opened: bool, place: str) -> Node:
    title = builder.text(block.items[index].title)
    action = path_of(panel_key(block.name, index))
    return draw_button(builder, kind, title, action, f"{place}.{kind}{index}", open="yes" if opened else "")
