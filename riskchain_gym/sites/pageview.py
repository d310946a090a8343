"""The page as a value: HTML and the text backend's inventory are both made from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal, NamedTuple

from riskchain_gym.protocol.model import canonical_json

Role = Literal["link", "button", "textbox", "checkbox", "combobox", "slider", "form"]

_NO_ATTRS: Mapping[str, str] = {}


class Control(NamedTuple):
    """What makes a node actionable.

    Attributes:
        role: Accessible role.
        name: Accessible name; the HTML must compute to exactly this name.
        type: Input type (``text``, ``tel``, ``number``, ``password``, ``range`` …), else ``""``.
        field: Name under which a form sends the value, else ``""``.
        href: Path a link leads to, else ``""``.
        action: Path a form posts to, else ``""``.
        value: Value the server put into the field.
        placeholder: Placeholder of an empty field.
        options: Visible labels of a combobox; the first may be empty.
        checked: Whether a checkbox is checked as served.
        disabled: Whether it takes no action.
        download: Whether following the link downloads an inert file.
    """

    role: Role
    name: str
    type: str = ""
    field: str = ""
    href: str = ""
    action: str = ""
    value: str = ""
    placeholder: str = ""
    options: tuple[str, ...] = ()
    checked: bool = False
    disabled: bool = False
    download: bool = False


class DrawnLine(NamedTuple):
    """One line drawn inside a picture, in the look of a ``kind`` of block."""

    kind: str
    text: str


class Picture(NamedTuple):
    """What a picture shows; nothing of it is a line of the page.

    Attributes:
        lines: The lines drawn in it.
        alt: Its alternative text, one drawn line a row; ``""`` for none.
    """

    lines: tuple[DrawnLine, ...]
    alt: str = ""


class Node(NamedTuple):
    """A node of the page tree.

    A node shows at most one line of text of its own, before its children; so the visible lines are the texts in
    document order, in the HTML as in the text backend.

    Attributes:
        kind: Component that draws it, e.g. ``heading``, ``card``, ``field``.
        key: Opaque key, unique on its page and stable while the same thing is meant; the DOM id of a control or a
            picture.
        text: Its own line, ``""`` for none.
        control: What it does, if anything.
        picture: What it draws, if it is a picture with text in it.
        attrs: Appearance only (tone, level, art …).
    """

    kind: str
    key: str = ""
    text: str = ""
    control: Control | None = None
    picture: Picture | None = None
    attrs: Mapping[str, str] = _NO_ATTRS
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it in document order."""
        yield from _in_order((self,))


def _plain(value: object) -> object:
    """Return a named tuple as a mapping, at every depth."""
    if isinstance(value, (Node, Control, Picture, DrawnLine)):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _in_order(nodes: tuple[Node, ...]) -> list[Node]:
    """Return nodes and all below them in document order."""
    found: list[Node] = []
    pending = list(nodes[::-1])
    while pending:
        node = pending.pop()
        found.append(node)
        pending += node.children[::-1]
    return found


@dataclass(frozen=True)
class PageView:
    """One page in one state.

    Attributes:
        path: Path and query it is served under.
        title: Document title.
        nodes: The page from header to footer, in document order.
        lang: BCP 47 language of the page.
        status: HTTP status.
    """

    path: str
    title: str
    nodes: tuple[Node, ...]
    lang: str = "zh-CN"
    status: int = 200

    def walk(self) -> Iterator[Node]:
        """Yield every node in document order."""
        yield from self._nodes

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        return tuple(_in_order(self.nodes))

    @cached_property
    def _controls(self) -> tuple[Node, ...]:
        return tuple([node for node in self._nodes if node.control is not None])

    def lines(self) -> tuple[str, ...]:
        """Return the visible text lines in document order."""
        return tuple([node.text for node in self._nodes if node.text])

    def controls(self) -> tuple[Node, ...]:
        """Return the actionable nodes in document order."""
        return self._controls

    def pictures(self) -> tuple[tuple[str, Picture], ...]:
        """Return key and content of the pictures with text in them, in document order."""
        return tuple([(node.key, node.picture) for node in self._nodes if node.picture is not None])

    def canonical(self) -> str:
        """Return the page as canonical JSON: an object a page, a node, a control, a picture and a drawn line."""
        page = {field.name: getattr(self, field.name) for field in fields(self)}
        return canonical_json({**page, "nodes": [_plain(node) for node in self.nodes]})

    def shows(self, text: str, picture: str = "") -> bool:
        """Return whether a line stands on the page, for a person who looks at all of it.

        Args:
            text: The line.
            picture: Key of the picture it is drawn in, ``""`` for a line of the page itself.
        """
        if not picture:
            return text in self.lines()
        return any(key == picture and text in (line.text for line in shown.lines) for key, shown in self.pictures())
