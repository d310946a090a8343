"""A marked page as browsergym-core sees it, with everything taken out that differs from run to run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from riskchain_gym.envs.backends.base import BrowsergymPage
from riskchain_gym.envs.browser.host_name import without_host
from riskchain_gym.envs.browser.marking import BID_ATTRIBUTE, AccessibilityTree

if TYPE_CHECKING:
    from playwright.sync_api import Page

Snapshot = dict[str, Any]
"""What ``DOMSnapshot.captureSnapshot`` answers: documents, and the strings that they point at."""

_FORM = "FORM"


def snapshot(page: Page) -> Snapshot:
    """Return the document of a marked page."""
    from browsergym.core.observation import extract_dom_snapshot

    found: Snapshot = extract_dom_snapshot(page)
    return found


def focused_bid(page: Page) -> str:
    """Return the mark of the element that has the focus, or ``""``."""
    from browsergym.core.observation import extract_focused_element_bid

    return str(extract_focused_element_bid(page))


def browsergym_page(
    dom: Snapshot, tree: AccessibilityTree, focused: str, host: str, bids: Mapping[str, str]
) -> BrowsergymPage:
    """Return what observations of browsergym-core hold of a page, the same whenever the page is the same.

    Numbers that the browser gives to nodes are given out anew in the order of the document, frames are named ``frame0``
    on, and the site has one host name for ever.

    Args:
        dom: The document; it stays as it is.
        tree: The accessibility tree; it stays as it is.
        focused: Mark of the focused element.
        host: The episode's host.
        bids: Marks of the actionable elements by element key.
    """
    from browsergym.core.observation import extract_dom_extra_properties

    keys = {bid: key for key, bid in bids.items()}
    targets, forms = _actionable(dom, keys)
    dom, tree = _renumbered(dom, tree)
    frames = dict.fromkeys(dom["strings"][document["frameId"]] for document in dom["documents"])
    names = {frame: f"frame{i}" for i, frame in enumerate(frames)}
    return BrowsergymPage(
        dom=_told(dom, host, names),
        axtree=_told(tree, host, names),
        properties=_told(extract_dom_extra_properties(dom, 1.0), host, names),
        focused=focused,
        bids=dict(bids),
        targets=targets,
        forms=forms,
    )


def _told(value: Any, host: str, names: Mapping[str, str]) -> str:
    text = without_host(json.dumps(value, ensure_ascii=False), host)
    for name, stable in names.items():
        text = text.replace(name, stable)
    return text


def _actionable(dom: Snapshot, keys: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what each mark acts on, an element or the one it lies in, and which form each element lies in, by key."""
    strings, targets, forms = dom["strings"], {}, {}
    for document in dom["documents"]:
        nodes = document["nodes"]
        inside: list[tuple[str, str]] = []
        for i, parent in enumerate(nodes["parentIndex"]):
            target, form = inside[parent] if parent >= 0 else ("", "")
            bid = _attribute(nodes["attributes"][i], strings, BID_ATTRIBUTE)
            key = keys.get(bid, "")
            if key and strings[nodes["nodeName"][i]] == _FORM:
                target, form = "", key
                targets[bid] = key
            elif key:
                target = key
                forms[key] = form
            if bid and target:
                targets[bid] = target
            inside.append((target, form))
    return targets, {key: form for key, form in forms.items() if form}


def _attribute(attributes: Iterable[int], strings: list[str], name: str) -> str:
    pairs = iter(attributes)
    return next((strings[value] for at, value in zip(pairs, pairs, strict=True) if strings[at] == name), "")


def _renumbered(dom: Snapshot, tree: AccessibilityTree) -> tuple[Snapshot, AccessibilityTree]:
    """Return a document with its nodes numbered in order, and its tree with numbers to match."""
    backend: dict[int, int] = {}
    named: dict[str, str] = {}

    def again(value: Any) -> Any:
        if isinstance(value, list):
            return [again(item) for item in value]
        if not isinstance(value, dict):
            return value
        copied = {name: again(item) for name, item in value.items()}
        if "backendDOMNodeId" in copied:
            number = copied["backendDOMNodeId"]
            copied["backendDOMNodeId"] = backend.setdefault(number, len(backend) + 1)
        for name in ("nodeId", "parentId"):
            if name in copied:
                copied[name] = named.setdefault(copied[name], str(len(named) + 1))
        if "childIds" in copied:
            copied["childIds"] = [named.setdefault(child, str(len(named) + 1)) for child in copied["childIds"]]
        return copied

    def numbered(document: Any) -> Any:
        nodes = document["nodes"]
        numbers = [backend.setdefault(number, len(backend) + 1) for number in nodes["backendNodeId"]]
        return {**document, "nodes": {**nodes, "backendNodeId": numbers}}

    return {**dom, "documents": [numbered(document) for document in dom["documents"]]}, again(tree)
