"""Where the lines of a family stand on its pages, in words, for whoever writes a member of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from riskchain_gym.sites.lines import LINE_KEY

_SAY = re.compile(r"\[\[ *say\((.*?)\) *\]\]")
_OPTIONS = re.compile(r"""(?:'([^']*)'|"([^"]*)")""")
_SITE = " - [[ operator ]]"
"""How the title of a page ends, with what says nothing of the page."""

_LONGEST = 40
"""Characters of a label or a title that are told."""


def line_places(pages: Any) -> dict[str, list[str]]:
    """Return where each line stands: page, tab or fold, heading above it, condition, kind of block and label beside it.

    Args:
        pages: The pages of a family, as they were read.

    Returns:
        A place for each use of a line, by name, both in document order.
    """
    found: dict[str, list[str]] = {}
    for name, page in pages.items() if isinstance(pages, Mapping) else ():
        title = page.get("nav") or page.get("title") if isinstance(page, Mapping) else None
        label = _said(str(title or "").removesuffix(_SITE))
        where = f"page {name} ({label})" if label else f"page {name}"
        for line, place in _walk(page, "", (where,)):
            found.setdefault(line, []).append(place)
    return found


def commented(member: str, notes: Mapping[str, Iterable[str]]) -> str:
    """Return the text of a member's file with comments above its lines.

    Args:
        member: The text, each line of the member a key below ``lines:``.
        notes: What is to be said above each, by name; a comment each.
    """
    head, mark, lines = member.partition("\nlines:\n")
    out: list[str] = []
    for row in lines.splitlines(keepends=True):
        key = re.match(r"  ['\"]?([^\s'\":]+)['\"]?:", row)
        out += [f"  # {note}\n" for note in notes.get(key[1], ())] if key else []
        out.append(row)
    return head + mark + "".join(out)


def _walk(value: Any, inside: str, where: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield name and place of every line, given the kind of the block around it and the parts of its place so far."""
    if isinstance(value, list):
        after: tuple[str, ...] = ()
        for item in value:
            yield from _walk(item, inside, (*where, *after))
            if isinstance(item, Mapping) and "text" in item:
                said = _said(item["text"])
                if item.get("kind") == "heading":
                    after = () if f"({said})" in where[0] else (f"below the heading {said}",)
                elif inside == "chat":
                    after = (f"after {said}",)
    elif isinstance(value, Mapping):
        kind, title = str(value.get("kind", inside)), value.get("title")
        if "blocks" in value and inside in _PANELS:
            where = (*where, f"{_PANELS[inside]} {_said(title)}")
        if "when" in value:
            where = (*where, f"shown when {_said(value['when'])}")
        if LINE_KEY in value:
            yield str(value[LINE_KEY]), f"{', '.join(where)}: {_what(value, inside)}"
        if kind == "form" and title:
            where = (*where, f"form {_said(title)}")
        for item in value.values():
            yield from _walk(item, kind, where)


_PANELS = {"tabs": "tab", "accordion": "fold"}
_KINDS = {
    "form": "the title of a form",
    "small": "small print",
    "heading": "a heading",
    "button": "the text of a button",
    "download": "the text of a download",
}
_ITEMS = {"bullets": "an item of a list", "steps": "a step of a list", "table": "a cell of a table"}


def _what(owner: Mapping[str, Any], inside: str) -> str:
    """Return what a line is to the owner of its place, which stands in a block of that kind."""
    if "kind" in owner and inside != "picture":
        kind = str(owner["kind"])
        return _KINDS.get(kind, f"a {kind}")
    if "who" in owner or inside == "chat":
        return "said by the visitor in a chat" if owner.get("who") == "me" else "said by the site in a chat"
    if "label" in owner:
        return f"the value beside the label {_said(owner['label'])} ({inside})"
    if "name" in owner:
        hint = f", which hints {_said(owner['placeholder'])}" if owner.get("placeholder") else ""
        return f"the label of the field {owner['name']}{hint}"
    if "title" in owner:
        return f"the text of the card {_said(owner['title'])}"
    return _ITEMS.get(inside, f"a line of a {inside}")


def _said(text: Any) -> str:
    """Return a text of a page on one short line, the choices of ``say`` side by side."""
    plain = _SAY.sub(lambda found: " / ".join(a or b for a, b in _OPTIONS.findall(found[1])), str(text))
    plain = " ".join(plain.split())
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
