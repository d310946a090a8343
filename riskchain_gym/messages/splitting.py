"""Splits derived from listed ones: radicals in their full form, and parts split again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

Parts = Mapping[str, tuple[str, ...]]
"""Character to the parts it is written as."""


def with_forms(table: Parts, forms: Parts, others: Parts) -> dict[str, tuple[str, ...]]:
    """Return a table with further splits, in which a radical is written as a whole character that may stand for it.

    Args:
        table: Characters with their parts.
        forms: Radical to whole characters.
        others: Another table; what could stand for one of its characters is left out.

    Returns:
        The table's own splits and the further ones; what could stand for two characters is left out of these.
    """
    listed = {parts for some in (*table.values(), *others.values()) for parts in some}
    further = {source: [p for parts in some for p in _reformed(parts, forms)] for source, some in table.items()}
    seen = Counter(parts for some in further.values() for parts in set(some))
    return {
        source: tuple(dict.fromkeys((*some, *(p for p in further[source] if seen[p] == 1 and p not in listed))))
        for source, some in table.items()
    }


def _reformed(parts: str, forms: Parts) -> list[str]:
    return [parts.replace(radical, form) for radical in parts if radical in forms for form in forms[radical]]


def nested_splits(side: Parts, stacked: Parts) -> dict[str, tuple[str, ...]]:
    """Return the characters whose parts have parts, written with each of these split again, and with all of them.

    Args:
        side: Characters with their parts side by side.
        stacked: Characters with their parts one above or around the other.

    Returns:
        Character to its nested parts; what could stand for two characters is left out.
    """
    once = {**side, **stacked}
    nested = {
        source: tuple(dict.fromkeys(p for parts in once[source] for p in _deeper(parts, once))) for source in once
    }
    seen = Counter(parts for table in (once, nested) for some in table.values() for parts in some)
    clear = {source: tuple(parts for parts in some if seen[parts] == 1) for source, some in nested.items()}
    return {source: some for source, some in clear.items() if some}


def _deeper(parts: str, once: Parts) -> list[str]:
    split = [i for i, part in enumerate(parts) if part in once]
    each = [parts[:i] + once[parts[i]][0] + parts[i + 1 :] for i in split]
    both = ["".join(once[part][0] if part in once else part for part in parts)]
    return [*each, *(both if len(split) > 1 else [])]
