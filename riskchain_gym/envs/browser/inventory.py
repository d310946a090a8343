"""From what the injected script saw to a page as backends report it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riskchain_gym.envs.backends.base import RawElement, RawPage
from riskchain_gym.protocol.page import Capabilities, ObservedLine, ObservedPicture
from riskchain_gym.protocol.report import Region

_PUSHED = frozenset({"submit", "button", "reset", "image"})
_CHECKED = frozenset({"checkbox", "radio"})
_NOT_TYPED = _PUSHED | _CHECKED | {"file", "hidden", "color"}
_NAMED_ROLES = frozenset({"link", "button", "textbox", "checkbox", "combobox", "slider", "radio", "switch", "tab"})


@dataclass(frozen=True)
class SeenPage:
    """A page with the handles by which its elements are found again.

    Attributes:
        page: The page as reported.
        keys: Keys of its elements.
        bids: Marks of browsergym-core by element key, where the page was marked.
    """

    page: RawPage
    keys: frozenset[str]
    bids: dict[str, str]


def seen_page(found: dict[str, Any]) -> SeenPage:
    """Read the answer of ``inventory.js``.

    Args:
        found: Title, path, status, lines (text, box), elements (as the script names their fields), pictures (key, alt,
            box), scroll and height.
    """
    return SeenPage(
        page=RawPage(
            path=found["path"],
            title=found["title"],
            status=found["status"],
            lines=tuple(ObservedLine(text=line["text"], box=_region(line["box"])) for line in found["lines"]),
            elements=tuple(_element(element) for element in found["elements"]),
            pictures=tuple(
                ObservedPicture(key=picture["key"], alt=picture["alt"], box=_region(picture["box"]))
                for picture in found["pictures"]
            ),
            scroll_y=found["scroll_y"],
            height=found["height"],
        ),
        keys=frozenset(element["key"] for element in found["elements"]),
        bids={element["key"]: element["bid"] for element in found["elements"] if element["bid"]},
    )


def role_of(tag: str, input_type: str, explicit_role: str, *, many: bool = False) -> str:
    """Return the accessible role: the explicit one where it is a role of a control, else the native one.

    Every input that is typed into counts as ``textbox``, whatever its type.

    Args:
        tag: Tag name in lower case.
        input_type: The ``type`` of an input, else ``""``.
        explicit_role: Content of the ``role`` attribute, or ``""``.
        many: Whether a select shows several rows or takes several options.
    """
    if explicit_role in _NAMED_ROLES:
        return explicit_role
    if tag == "input":
        if input_type in _PUSHED:
            return "button"
        return {"checkbox": "checkbox", "radio": "radio", "range": "slider"}.get(input_type, "textbox")
    native = {"a": "link", "button": "button", "textarea": "textbox", "form": "form", "select": "combobox"}
    if tag == "select" and many:
        return "listbox"
    return native.get(tag, explicit_role or "generic")


def capabilities_of(tag: str, input_type: str, explicit_role: str) -> Capabilities:
    """Return which targeted actions an element takes, from what it natively is.

    Links, buttons and ``role=button`` are clicked; checkboxes and radio buttons are checked; everything typed into or
    slid is filled; a select is selected from; a form is submitted.
    """
    typed = tag == "textarea" or (tag == "input" and input_type not in _NOT_TYPED)
    return Capabilities(
        click=tag in ("a", "button") or explicit_role == "button" or (tag == "input" and input_type in _PUSHED),
        fill=typed,
        check=tag == "input" and input_type in _CHECKED,
        select=tag == "select",
        submit=tag == "form",
    )


def _element(found: dict[str, Any]) -> RawElement:
    tag, input_type, explicit_role = found["tag"], found["type"], found["explicit_role"]
    return RawElement(
        key=found["key"],
        role=role_of(tag, input_type, explicit_role, many=found["many"]),
        name=found["name"],
        type=input_type,
        placeholder=found["placeholder"],
        options=tuple(found["options"]),
        disabled=found["disabled"],
        checked=found["checked"],
        has_value=found["has_value"],
        capabilities=capabilities_of(tag, input_type, explicit_role),
        box=_region(found["box"]),
    )


def _region(box: list[float] | None) -> Region | None:
    """Clip a rectangle to the document; None when nothing of it is left."""
    if box is None:
        return None
    left, top, width, height = box
    right, bottom = left + width, top + height
    left, top = max(left, 0.0), max(top, 0.0)
    if right <= left or bottom <= top:
        return None
    return Region(x=round(left, 2), y=round(top, 2), width=round(right - left, 2), height=round(bottom - top, 2))
