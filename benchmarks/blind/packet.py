"""A packet: all that a walk has seen of a site, as one text for a reader; nothing in it but what the site shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blind.walking import NUMBER, Cause, View, Walked, bare, walked
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.pageview import Control, Node

_SIDE = {"me": "[visitor] ", "them": "[site] "}
_MARK = {"heading": "# ", "hero-title": "# "}
_FIELDS = {"textbox": "text box", "checkbox": "check box", "combobox": "list", "slider": "slider"}
_JOINED = {"row": ": ", "tr": " | "}
"""Groups whose lines belong on one row."""


def packet_text(site: CompiledSite, number: str) -> str:
    """Return the packet of a site.

    Pages are numbered in the order in which they came up. What stands on every page is told once, and of a page that
    was shown again only what it had not shown before.

    Args:
        site: The site.
        number: What the packet is called.

    Raises:
        WalkError: The site has too many views.
    """
    return "\n".join(_Writer(walked(site)).lines(number)) + "\n"


class _Writer:
    def __init__(self, found: Walked) -> None:
        self._found = found
        self._numbers = {path: i for i, path in enumerate(found.views, 1)}

    def lines(self, number: str) -> Iterator[str]:
        landing = next(iter(self._found.views.values()))[0]
        head, _, foot = landing.page.nodes
        yield f"SITE {number}: {len(self._numbers)} pages"
        yield "Top of every page: " + " · ".join(self._of((head,), landing))
        yield "Foot of every page: " + " · ".join(self._of((foot,), landing))
        for path, views in self._found.views.items():
            yield ""
            yield f"=== Page {self._numbers[path]}: {views[0].page.title}{self._in_place_of(path)}"
            yield from self._page(views)

    def _page(self, views: Sequence[View]) -> Iterator[str]:
        said: set[str] = set()
        for i, view in enumerate(views):
            content = list(self._of(view.page.nodes[1:2], view))
            fresh = [line for line in content if NUMBER.sub("0", line) not in said] if i else content
            said.update(NUMBER.sub("0", line) for line in content)
            if fresh and i:
                yield f"--- the same page {self._after(view.cause)}, what is new on it:"
            yield from fresh

    def _after(self, cause: Cause | None) -> str:
        if cause is None:
            return "later"
        chosen = f" with “{cause.option}” chosen" if cause.option else ""
        return f"after “{cause.control}” on page {self._numbers[cause.path]}{chosen}"

    def _in_place_of(self, path: str) -> str:
        others = [other for other, shown in self._found.instead.items() if path in shown and other in self._numbers]
        return f" (first shown in place of {self._pages(others)})" if others else ""

    def _pages(self, paths: Sequence[str]) -> str:
        return " or ".join(f"page {self._numbers[path]}" for path in paths)

    def _of(self, nodes: Sequence[Node], view: View) -> Iterator[str]:
        for node in nodes:
            if node.kind in _JOINED:
                yield _JOINED[node.kind].join(text for below in node.walk() if (text := below.text))
                continue
            yield from self._own(node, view)
            yield from self._of(node.children, view)

    def _own(self, node: Node, view: View) -> Iterator[str]:
        """Yield what a node shows of itself."""
        if node.picture is not None:
            yield from (f"[picture] {line.text}" for line in node.picture.lines)
        elif node.control is not None:
            if node.control.role != "form":
                yield self._control(node, node.control, view)
        elif node.kind == "bubble":
            yield _SIDE[node.attrs["who"]] + node.text
        elif node.text and node.kind != "field-label":  # its field tells it
            yield _MARK.get(node.kind, "") + node.text

    def _control(self, node: Node, control: Control, view: View) -> str:
        if control.role in _FIELDS:
            return _field(control)
        if control.role == "link":
            if control.download:
                return f"[download] {control.name} → a text file"
            kind = "QR code" if node.kind == "qr" else "link"
            return f"[{kind}] {control.name} → {self._link(bare(control.href))}"
        leads = self._found.leads.get((bare(view.page.path), node.key), {})
        there = [path for path in leads if path != bare(view.page.path)]
        return f"[button] {control.name}" + (f" → {self._pages(there)}" if there else "")

    def _link(self, path: str) -> str:
        return self._pages([path] if path in self._numbers else list(self._found.instead.get(path, {})))


def _field(control: Control) -> str:
    kind = "password box" if control.type == "password" else _FIELDS[control.role]
    said = f"[{kind}] {control.name}"
    if control.options:
        said += ": " + " / ".join(filter(None, control.options))
    elif control.role == "textbox" and (shown := control.placeholder or control.value):
        said += f" ({shown})"
    return said
