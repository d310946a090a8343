"""What the environment types into the fields of a captured page: a generic value of the field's type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from riskchain_gym.sites.fixtures import GENERIC_VALUES, OTHER_VALUE

_DATED = {
    "date": "2026-06-15",
    "time": "12:00",
    "datetime-local": "2026-06-15T12:00",
    "month": "2026-06",
    "week": "2026-W25",
    "url": "https://mirror.example.test",
}
"""Values of the types that take nothing else; the frozen clock's day."""

_PLACE = re.compile(r"([a-z]+):\d+$")


def field_value(pages: Iterable[str], key: str) -> str:
    """Return the value for a field.

    Args:
        pages: The pages that may be shown, best first.
        key: The field's DOM id, or its place in the document where it shares one.
    """
    for page in pages:
        finder = _Finder(key)
        finder.feed(page)
        if finder.found is not None:
            return _value(finder.tag, finder.found)
    place = _PLACE.search(key)
    return _value(place[1] if place else "input", {})


def _value(tag: str, attributes: dict[str, str | None]) -> str:
    kind = tag if tag == "textarea" else (attributes.get("type") or "text").strip().lower()
    if kind in ("number", "range"):
        return _number(GENERIC_VALUES[kind], attributes.get("min"), attributes.get("max"))
    return _DATED.get(kind) or GENERIC_VALUES.get(kind, OTHER_VALUE)


def _number(usual: str, least: str | None, most: str | None) -> str:
    """Return the usual number where the field allows it, else the nearest that it does."""
    try:
        if most and float(most) < float(usual):
            return most.strip()
        if least and float(least) > float(usual):
            return least.strip()
    except ValueError:
        return usual
    return usual


class _Finder(HTMLParser):
    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted
        self.tag = ""
        self.found: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if self.found is None and tag in ("input", "textarea", "select") and attributes.get("id") == self._wanted:
            self.tag, self.found = tag, attributes
