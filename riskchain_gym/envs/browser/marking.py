"""Element marks and the accessibility tree, through browsergym-core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riskchain_gym.envs.browser.scripts import script

if TYPE_CHECKING:
    from playwright.sync_api import Page

AccessibilityTree = dict[str, Any]
"""The nodes of an accessibility tree, each with role, name, properties and child ids."""

BID_ATTRIBUTE = "bid"
"""Attribute that carries an element's mark; the same name as in browsergym-core."""

_SILENT_ROLES = ("LineBreak", "InlineTextBox")
_SILENT_PROPERTIES = ("editable", "readonly", "level", "settable", "multiline", "invalid", "focusable", "url")
_FLAGS = ("required", "focused", "atomic")


def mark(page: Page) -> None:
    """Give every standard HTML element of the page a mark that it keeps as long as the document is shown.

    Two ARIA attributes carry the mark into the accessibility tree until :func:`unmark` takes them away.
    """
    from browsergym.core.observation import _pre_extract

    _pre_extract(page, tags_to_mark="standard_html", lenient=True)
    page.evaluate(script("steady"))


def unmark(page: Page) -> None:
    """Take the mark out of the ARIA attributes; the ``bid`` attribute stays."""
    from browsergym.core.observation import _post_extract

    _post_extract(page)


def accessibility_tree(page: Page) -> AccessibilityTree:
    """Return the accessibility tree of a marked page, as the browser's protocol gives it."""
    from browsergym.core.observation import extract_merged_axtree

    tree: AccessibilityTree = extract_merged_axtree(page)
    return tree


def tree_text(tree: AccessibilityTree, ids_by_bid: Mapping[str, str]) -> str:
    """Return an accessibility tree as indented text, actionable elements marked by the environment's ids.

    It reads as the text that browsergym-core makes of a tree, but no tree is too deep for it. Names and
    values are printed code point by code point: only line breaks, quotes and backslashes are escaped.

    Args:
        tree: What :func:`accessibility_tree` returned; it stays as it is.
        ids_by_bid: The environment's id by mark; all other marks are left out.
    """
    root = tree["nodes"][0]
    # Each node is told once, however often it is named: no ring of them is without end, and no tree is too deep.
    untold = {node["nodeId"]: node for node in tree["nodes"]}
    waiting = [(root, 0, "")]
    untold.pop(root["nodeId"])
    lines = []
    while waiting:
        node, depth, name_above = waiting.pop()
        name = "" if node["role"]["value"] in _SILENT_ROLES else node.get("name", {}).get("value", "")
        line = _line(node, name, name_above, ids_by_bid)
        if line:
            lines.append("\t" * depth + line)
            depth += 1
        children = [untold.pop(child) for child in node["childIds"] if child in untold]
        waiting += [(child, depth, name) for child in reversed(children)]
    return "\n".join(lines)


def _line(node: dict[str, Any], name: str, name_above: str, ids_by_bid: Mapping[str, str]) -> str:
    """Return the line of a node, ``""`` if it says nothing or only what its parent said."""
    role = node["role"]["value"]
    if role in _SILENT_ROLES or "name" not in node or (role == "StaticText" and name in name_above):
        return ""
    properties = _properties(node)
    if role == "generic" and not properties:
        return ""
    element_id = ids_by_bid.get(node.get("browsergym_id", ""))
    line = "" if element_id is None else f"[{element_id}] "
    line += role if role == "generic" and not name else f"{role} {quoted(name)}"
    value = node.get("value", {}).get("value")
    if value is not None:
        line += f" value={quoted(value) if isinstance(value, str) else repr(value)}"
    return ", ".join([line, *properties])


def _properties(node: dict[str, Any]) -> list[str]:
    told = []
    for each in node.get("properties", ()):
        name, given = each["name"], each.get("value", {})
        if "value" not in given or name in _SILENT_PROPERTIES:
            continue
        if name not in _FLAGS:
            told.append(f"{name}={given['value']!r}")
        elif given["value"]:
            told.append(name)
    return told


def quoted(text: str) -> str:
    """Return text in quotes as it is: only line breaks, quotes and backslashes are escaped."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
