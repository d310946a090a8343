"""Reads the hand-written tables beside this module, each once and only when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources


def rows(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table as lists of fields; blank lines and lines that start with ``# `` are skipped.

    Args:
        name: File name inside ``data/``.
    """
    text = resources.files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("# "):
            yield line.split()


@cache
def word_counts() -> dict[str, int]:
    """Return the count of every word; a word listed twice keeps its larger count."""
    counts: dict[str, int] = {}
    for count, *words in rows("words.txt"):
        for word in words:
            counts[word] = max(int(count), counts.get(word, 0))
    return counts


@cache
def splits() -> dict[str, str]:
    """Return the whole character of every pair of parts."""
    whole: dict[str, str] = {}
    for head, *items in rows("splits.txt"):
        for item in items:
            parts = item if head == "*" else head + item
            whole[parts[:2]] = parts[2]
    return whole


@cache
def twins() -> dict[str, str]:
    """Return, for every character of a look-alike group, the other members, each once."""
    others: dict[str, str] = {}
    for groups in rows("glyphs.txt"):
        for group in groups:
            for char in group:
                known = others.get(char, "")
                others[char] = known + "".join(c for c in group if c != char and c not in known)
    return others


@cache
def letters() -> dict[str, str]:
    """Return the ASCII character each foreign look-alike stands for."""
    ascii_of: dict[str, str] = {}
    for target, alike in rows("lookalikes.txt"):
        for char in alike:
            ascii_of.setdefault(char, target)
    return ascii_of


@cache
def choices() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return ``(written, wanted, evidence words)`` for look-alikes that are words themselves."""
    return tuple((written, wanted, tuple(evidence)) for wanted, written, *evidence in rows("choices.txt"))
