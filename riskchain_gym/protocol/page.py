"""What was observed of a page: the form in which backends report and trajectories store it."""

from __future__ import annotations

from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.protocol.report import Region

PICTURE_MARK = "[图片] "
"""What a line of a picture's alternative text begins with in the page text."""

TEXT_LIMIT = 20_000
"""Longest page text that an observation holds, in code points."""


class ObservedLine(Frozen):
    """One line of page text as shown.

    Attributes:
        text: The text, code point by code point.
        box: Where it stood in the document, or ``None`` where the backend has no geometry.
    """

    text: str
    box: Region | None = None


class ObservedPicture(Frozen):
    """A picture that may hold text. What is drawn in it is seen in screenshots only and recorded nowhere.

    Attributes:
        key: Opaque key, unique on its page; a citation may name it as its element.
        alt: Its alternative text, ``""`` for none; it may be several lines.
        box: Where it stood in the document, or ``None`` where the backend has no geometry.
    """

    key: str
    alt: str = ""
    box: Region | None = None


class Capabilities(Frozen):
    """Which targeted actions an element takes."""

    click: bool = False
    fill: bool = False
    check: bool = False
    select: bool = False
    submit: bool = False


class ObservedElement(Frozen):
    """One actionable element, with the published inventory fields (protocol C.3).

    Attributes:
        element_id: Given out by the environment in order of first appearance; never reused in an episode.
        role: Accessible role (``link``, ``button``, ``textbox``, ``checkbox``, ``combobox``, ``slider``, ``form``).
        name: Accessible name, at most 240 code points.
        type: The ``type`` of an input, else ``""``.
        placeholder: At most 120 code points.
        options: Visible labels of a select element.
        has_value: Whether the field is filled in (a select: whether a non-empty option is chosen).
        box: Where it stands in the document, or ``None`` without geometry.
    """

    element_id: str
    role: str
    name: str
    type: str = ""
    placeholder: str = ""
    options: tuple[str, ...] = ()
    disabled: bool = False
    checked: bool = False
    has_value: bool = False
    capabilities: Capabilities
    box: Region | None = None


class ObservedPage(Frozen):
    """A page as shown after one step.

    Attributes:
        path: Path and query on the episode's site, e.g. ``/k3f9``; never the host.
        title: Document title.
        status: HTTP status of the document.
        lines: Visible text in document order, all of the page and not only the viewport.
        elements: Actionable elements in document order.
        pictures: Pictures that may hold text, in document order.
        scroll_y: Vertical scroll offset in CSS pixels; geometry, outside the hash.
        height: Document height in CSS pixels, 0 without geometry; outside the hash.
    """

    path: str
    title: str
    status: int = 200
    lines: tuple[ObservedLine, ...] = ()
    elements: tuple[ObservedElement, ...] = ()
    pictures: tuple[ObservedPicture, ...] = ()
    scroll_y: int = 0
    height: int = 0

    @property
    def text(self) -> str:
        """The page text: one line a row; after it the lines of alternative texts, each marked as a picture's."""
        alts = (PICTURE_MARK + line for picture in self.pictures for line in picture.alt.split("\n") if line)
        return "\n".join((*(line.text for line in self.lines), *alts))

    @property
    def shown_text(self) -> str:
        """The part of the page text that an observation holds: its first :data:`TEXT_LIMIT` code points."""
        return self.text[:TEXT_LIMIT]

    def state_hash(self) -> str:
        """Return the SHA-256 of everything but geometry, so that both backends agree on it."""
        seen: dict[str, object] = {
            "path": self.path,
            "title": self.title,
            "status": self.status,
            "lines": [line.text for line in self.lines],
            "elements": [e.model_dump(mode="json", exclude={"box"}) for e in self.elements],
        }
        if self.pictures:
            seen["pictures"] = [p.model_dump(mode="json", exclude={"box"}) for p in self.pictures]
        return sha256_of(seen)
