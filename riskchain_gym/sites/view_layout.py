"""Layout: nodes in sections, columns and rows; the order of the lines never changes."""

from __future__ import annotations

from riskchain_gym.sites.builder import group
from riskchain_gym.sites.pageview import Node

_TALL = frozenset({"table", "details", "bullets", "steps", "image", "picture"})
_BESIDE_A_FORM = _TALL | frozenset({"text", "notice", "quote", "small", "price"})
_BESIDE_AN_IMAGE = frozenset(
    {
        "text",
        "price",
        "badge",
        "small",
        "notice",
        "quote",
        "details",
        "bullets",
        "picture",
        "links",
        "action",
        "actions",
        "form",
    }
)


def in_sections(nodes: list[Node]) -> list[Node]:
    """Return page content in sections: a heading opens one, a hero stands alone."""
    sections: list[list[Node]] = []
    for node in nodes:
        opens = node.kind in ("hero", "heading") and node.attrs.get("level", "1") <= "2"
        if opens or not sections or sections[-1][0].kind == "hero":
            sections.append([])
        sections[-1].append(node)
    return [found[0] if found[0].kind == "hero" else group("section", in_columns(found)) for found in sections]


def in_columns(nodes: list[Node]) -> list[Node]:
    """Put a form beside what is said before or after it, or words beside the picture they follow."""
    start = 1 if nodes and nodes[0].kind == "heading" else 0
    for i, node in enumerate(nodes[start:], start):
        before = {n.kind for n in nodes[start:i]}
        if node.kind == "form" and before & _TALL and before <= _BESIDE_A_FORM:
            return [*nodes[:start], _columns(nodes[start:i], [node]), *nodes[i + 1 :]]
        if node.kind == "form" and i + 1 < len(nodes) and nodes[i + 1].kind in _TALL:
            end = next((j for j in range(i + 1, len(nodes)) if nodes[j].kind not in _BESIDE_A_FORM), len(nodes))
            return [*nodes[:i], _columns([node], nodes[i + 1 : end]), *nodes[end:]]
        if node.kind == "image":
            end = next((j for j in range(i + 1, len(nodes)) if nodes[j].kind not in _BESIDE_AN_IMAGE), len(nodes))
            if end > i + 1:
                return [*nodes[:i], _columns([node], nodes[i + 1 : end]), *nodes[end:]]
    return nodes


def side_by_side(nodes: list[Node]) -> list[Node]:
    """Put buttons that follow each other into one row."""
    rows: list[list[Node]] = []
    for node in nodes:
        if rows and node.kind == "action" and rows[-1][-1].kind == "action":
            rows[-1].append(node)
        else:
            rows.append([node])
    return [group("actions", row) if len(row) > 1 else row[0] for row in rows]


def _columns(left: list[Node], right: list[Node]) -> Node:
    return group("columns", [group("column", left), group("column", right)])
