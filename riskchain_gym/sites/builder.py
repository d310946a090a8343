"""The builder: what the block drawers share while one page is put together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.expressions import RUN, evaluate, render
from riskchain_gym.sites.pageview import Control, Node
from riskchain_gym.sites.state import SiteState


class Builder:
    """Fills in texts, makes keys and remembers the fields of one page in one state.

    Attributes:
        site: The site.
        state: Its state.
        path: Path of the page.
        fields: The fields shown, by the key of their control.
    """

    def __init__(self, site: CompiledSite, state: SiteState, path: str) -> None:
        self.site = site
        self.state = state
        self.path = path
        self.fields: dict[str, FieldSpec] = {}
        self.context: Mapping[str, Any] = state.context()

    def text(self, template: str) -> str:
        """Return a template filled in, as one line (``""`` when nothing visible is left)."""
        line = " ".join(render(RUN, template, self.context).splitlines())
        return line if line.strip() else ""

    def shows(self, when: str | None) -> bool:
        """Return whether something with this condition is on the page."""
        return when is None or bool(evaluate(RUN, when, self.context))

    def key(self, *parts: str | int) -> str:
        """Return the key of a thing on this page: the same on every showing, and it tells nothing."""
        return self.site_key(self.path, *parts)

    def site_key(self, *parts: str | int) -> str:
        """Return the key of a thing that is the same on every page, such as an entry of the navigation."""
        return _key(self.site.site_id, *parts)

    def link(self, kind: str, text: str, path: str, key: str, **attrs: str) -> Node:
        """Return a link to a page of the site."""
        return Node(kind=kind, key=key, text=text, control=Control(role="link", name=text, href=path), attrs=attrs)

    def button(self, kind: str, text: str, action: str, key: str, **attrs: str) -> Node:
        """Return a button that submits the form around it."""
        control = Control(role="button", name=text, type="submit", action=action)
        return Node(kind=kind, key=key, text=text, control=control, attrs=attrs)

    def form(self, kind: str, name: str, action: str, key: str, children: list[Node], **attrs: str) -> Node:
        """Return a form that posts to an action of the site."""
        control = Control(role="form", name=name, action=action)
        return Node(kind=kind, key=key, control=control, attrs=attrs, children=tuple(children))


def picture_key(site_id: str, path: str, drawn_at: str) -> str:
    """Return the key of the picture that a line of a page's spec is drawn in, or ``""`` for a line outside pictures.

    Args:
        site_id: Id of the site.
        path: Path of the page.
        drawn_at: Dotted place of the line in the page, e.g. ``blocks.3.drawn.0``.
    """
    block, drawn, _ = drawn_at.partition(".drawn.")
    return _key(site_id, path, _place_of(block)) if drawn else ""


def _place_of(block: str) -> str:
    """Return the place that a block's key is made from, from its dotted place (``blocks.2.items.0.blocks.1``)."""
    return ".".join(["b", *(part for part in block.split(".") if part.isdecimal())])


def _key(*parts: str | int) -> str:
    return "k" + hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:9]


def line(kind: str, text: str, **attrs: str) -> Node:
    """Return a node that only shows a line of text."""
    return Node(kind=kind, text=text, attrs=attrs)


def group(kind: str, children: list[Node], **attrs: str) -> Node:
    """Return a node that only holds others."""
    return Node(kind=kind, children=tuple(children), attrs=attrs)
