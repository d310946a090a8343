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

    Names and values are printed code point by code point: only line breaks, quotes and backslashes are escaped.

    Args:
        tree: What :func:`accessibility_tree` returned; it stays as it is.
        ids_by_bid: The environment's id by mark; all other marks are left out.
    """
    from browsergym.utils.obs import flatten_axtree_to_str

    nodes = [_printable(node, ids_by_bid) for node in tree["nodes"]]
    return str(
        flatten_axtree_to_str(
            {"nodes": nodes}, ignored_roles=list(_SILENT_ROLES), ignored_properties=_SILENT_PROPERTIES
        )
    )


def _printable(node: dict[str, Any], ids_by_bid: Mapping[str, str]) -> dict[str, Any]:
    printable = {name: content for name, content in node.items() if name != "browsergym_id"}
    element_id = ids_by_bid.get(node.get("browsergym_id", ""))
    if element_id is not None:
        printable["browsergym_id"] = element_id
    for name in ("name", "value"):
        content = node.get(name)
        if content is not None and isinstance(content.get("value"), str):
            printable[name] = {**content, "value": Verbatim(content["value"])}
    return printable


class Verbatim(str):
    """A string that the flattening prints as it is: ``repr`` escapes no letters, ``strip`` takes nothing off."""

    __slots__ = ()

    def __repr__(self) -> str:
        escaped = self.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
        return f"'{escaped}'"

    def strip(self, chars: str | None = None, /) -> Verbatim:  # noqa: ARG002
        """Return the string itself."""
        return self
