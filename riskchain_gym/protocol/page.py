"""What was observed of a page: the form in which backends report and trajectories store it."""

from __future__ import annotations

from functools import cached_property
from json.encoder import encode_basestring as quoted

from riskchain_gym.protocol.model import Frozen, canonical_json, json_object, sha256_of
from riskchain_gym.protocol.report import Region

PICTURE_MARK = "[图片] "
"""What a line of a picture's alternative text begins with in the page text."""

STABLE_HOST = "site.test"
"""What every site's host is called where an observation must name one: the real one is drawn anew each episode."""

TEXT_LIMIT = 20_000
"""Longest page text that an observation holds, in code points."""

_JSON = ("false", "true")


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

    @property
    def canonical(self) -> str:
        """Its canonical JSON, ``box`` left out where there is none."""
        return self._canonical if self.box is None else f'{{"box":{canonical_json(self.box)},{self._canonical[1:]}'

    @cached_property
    def _canonical(self) -> str:
        """The canonical JSON of everything but geometry, written out because every page has many elements."""
        able = self.capabilities
        return (
            f'{{"capabilities":{{"check":{_JSON[able.check]},"click":{_JSON[able.click]},"fill":{_JSON[able.fill]},'
            f'"select":{_JSON[able.select]},"submit":{_JSON[able.submit]}}},"checked":{_JSON[self.checked]},'
            f'"disabled":{_JSON[self.disabled]},"element_id":{quoted(self.element_id)},'
            f'"has_value":{_JSON[self.has_value]},"name":{quoted(self.name)},'
            f'"options":[{",".join(map(quoted, self.options))}],"placeholder":{quoted(self.placeholder)},'
            f'"role":{quoted(self.role)},"type":{quoted(self.type)}}}'
        )


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

    def scrolled(self, scroll_y: int) -> ObservedPage:
        """Return the page as it is seen at another scroll offset."""
        return self if self.scroll_y == scroll_y else self.model_copy(update={"scroll_y": scroll_y})

    def state_hash(self) -> str:
        """Return the SHA-256 of everything but geometry, so that both backends agree on it."""
        return self._state_hash

    @cached_property
    def _state_hash(self) -> str:
        seen = {
            "path": canonical_json(self.path),
            "title": canonical_json(self.title),
            "status": canonical_json(self.status),
            "lines": f"[{','.join([quoted(line.text) for line in self.lines])}]",
            "elements": f"[{','.join([element._canonical for element in self.elements])}]",
        }
        if self.pictures:
            seen["pictures"] = canonical_json([p.model_dump(mode="json", exclude={"box"}) for p in self.pictures])
        return sha256_of(json_object(seen))
