"""The page as a value: HTML and the text backend's inventory are both made from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from riskchain_gym.protocol.model import Frozen

Role = Literal["link", "button", "textbox", "checkbox", "combobox", "slider", "form"]


class Control(Frozen):
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


class Node(Frozen):
    """A node of the page tree.

    A node shows at most one line of text of its own, before its children; so the visible lines are the texts in
    document order, in the HTML as in the text backend.

    Attributes:
        kind: Component that draws it, e.g. ``heading``, ``card``, ``field``.
        key: Opaque key, unique on its page and stable while the same thing is meant; the DOM id of a control.
        text: Its own line, ``""`` for none.
        control: What it does, if anything.
        attrs: Appearance only (tone, level, art …).
    """

    kind: str
    key: str = ""
    text: str = ""
    control: Control | None = None
    attrs: dict[str, str] = Field(default_factory=dict)
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it in document order."""
        yield self
        for child in self.children:
            yield from child.walk()


class PageView(Frozen):
    """One page in one state.

    Attributes:
        path: Path and query it is served under.
        title: Document title.
        lang: BCP 47 language of the page.
        status: HTTP status.
        nodes: The page from header to footer, in document order.
    """

    path: str
    title: str
    lang: str = "zh-CN"
    status: int = 200
    nodes: tuple[Node, ...]

    def walk(self) -> Iterator[Node]:
        """Yield every node in document order."""
        for node in self.nodes:
            yield from node.walk()

    def lines(self) -> tuple[str, ...]:
        """Return the visible text lines in document order."""
        return tuple(node.text for node in self.walk() if node.text)

    def controls(self) -> tuple[Node, ...]:
        """Return the actionable nodes in document order."""
        return tuple(node for node in self.walk() if node.control is not None)
