"""The page as the browse prompt shows it: what can be read and acted on, without what says nothing."""

from __future__ import annotations

import json
from typing import Any

from riskchain_gym.agents.base import Observation
from riskchain_gym.agents.view import Sighting
from riskchain_gym.llm.fence import within
from riskchain_gym.protocol.page import ObservedElement, ObservedPicture

MAX_LINES = 16_000
"""Code points of a page's lines in one prompt."""

MAX_ELEMENTS = 16_000
"""Code points of a page's elements in one prompt."""

MAX_TITLE = 300


def page_block(page: Sighting) -> dict[str, Any]:
    """Return the block ``page``: step, path, title, lines, elements, pictures, and where it is scrolled to."""
    block = {
        "step": page.step,
        "path": page.path[:MAX_TITLE],
        "title": page.title[:MAX_TITLE],
        **within("lines", page.lines, MAX_LINES),
        **within("elements", [_element(each) for each in page.elements], MAX_ELEMENTS),
    }
    if page.pictures:
        block |= within("pictures", [picture_block(each) for each in page.pictures], MAX_ELEMENTS)
    if page.view is not None:
        block["scroll"] = {"from": page.view.y, "to": page.view.y + page.view.height}
    return block


def picture_block(picture: ObservedPicture) -> dict[str, str]:
    """Return a picture's key, which citations name, and its alternative text if it has one."""
    return {"key": picture.key, **({"alt": picture.alt} if picture.alt else {})}


def objectives_of(observation: Observation) -> tuple[str, ...]:
    """Return the coverage objectives of a browse observation, in small letters; none where they are switched off."""
    listed = json.loads(observation["elements"]).get("coverage_objectives", ())
    return tuple(str(each).replace("_", " ").lower() for each in listed)


def described(element: ObservedElement) -> str:
    """Return how an element is spoken of."""
    return f"{element.role} '{element.name}'" if element.name else element.role


def _element(element: ObservedElement) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "element_id": element.element_id,
        "role": element.role,
        "name": element.name,
        # A tuple stays on the element's line; lists take a line an item.
        "can": tuple(name for name, able in element.capabilities if able),
    }
    says = {
        "type": element.type,
        "placeholder": element.placeholder,
        "options": element.options,
        "checked": element.checked,
        "disabled": element.disabled,
        "has_value": element.has_value,
    }
    return shown | {name: value for name, value in says.items() if value}
