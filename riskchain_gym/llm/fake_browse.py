"""How the scripted agent browses: one action on each element, fields before buttons; then it stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_ACTIONS = 6
"""Actions after which the scripted agent has seen enough."""

_ORDER = ("fill", "select", "check", "submit", "click")
"""What is done first, of several things that a page lets be done."""


def browse(blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return an action on an element of the block ``page`` that the block ``history`` does not name."""
    page = blocks["page"]
    history = blocks.get("history", [])
    done = {deed["action"].get("element_id") for deed in history}
    left = sorted((_ORDER.index(kind), i, kind, name) for i, (kind, name) in enumerate(_possible(page, done)))
    if not left or page["step"] >= MOST_ACTIONS:
        return _answer("stop", reason="Enough was seen.", stop_status="COMPLETE")
    # A prompt that tells nothing of earlier steps still has another element each time.
    *_, kind, name = left[0 if history else page["step"] % len(left)]
    return _answer(kind, reason="It was not tried yet.", element_id=name)


def _possible(page: Mapping[str, Any], done: set[str | None]) -> Iterator[tuple[str, str]]:
    for element in page["elements"]:
        settled = any(element.get(state) for state in ("disabled", "checked", "has_value"))
        kind = next((kind for kind in _ORDER if kind in element["can"]), None)
        if kind is not None and not settled and element["element_id"] not in done:
            yield kind, element["element_id"]


def _answer(
    action: str, *, reason: str, element_id: str | None = None, stop_status: str | None = None
) -> dict[str, Any]:
    fields = {"reason": reason, "action": action, "element_id": element_id}
    return {**fields, "option": None, "key": None, "stop_status": stop_status}
