"""Reads the tables beside this module, each once and only when it is first needed."""

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
def general_counts() -> dict[str, int]:
    """Return the count of every everyday word; a word listed twice keeps its larger count."""
    counts: dict[str, int] = {}
    for count, *words in rows("words.txt"):
        for word in words:
            counts[word] = max(int(count), counts.get(word, 0))
    return counts


@cache
def train_counts() -> dict[str, int]:
    """Return how often every word occurs in the messages of ``train``."""
    return {word: int(count) for count, *words in rows("train_words.txt") for word in words}


@cache
def hidden_words() -> frozenset[str]:
    """Return the words that messages of ``train`` hide behind sound-alikes or their readings."""
    return frozenset(word for words in rows("hidden_words.txt") for word in words)


@cache
def splits() -> dict[str, str]:
    """Return the whole character of every two or three parts, a bare component also written as a whole character."""
    whole: dict[str, str] = {}
    for head, *items in rows("splits.txt"):
        for item in items:
            parts = item if head.startswith("*") else head + item
            whole.setdefault(parts[:-1], parts[-1])
    forms = dict(rows("forms.txt"))
    for parts, char in list(whole.items()):
        for place, part in enumerate(parts):
            for form in forms.get(part, "").replace(char, ""):
                whole.setdefault(parts[:place] + form + parts[place + 1 :], char)
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
def drawn_alike() -> dict[str, str]:
    """Return, for a written character, those of common words that are drawn most like it, the likest first."""
    return {item[0]: item[1:] for items in rows("drawn_alike.txt") for item in items}


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


@cache
def intent_cues() -> dict[str, tuple[str, ...]]:
    """Return the words of every group of hints at an intent."""
    groups: dict[str, tuple[str, ...]] = {}
    for group, *words in rows("intent_cues.txt"):
        groups[group] = (*groups.get(group, ()), *(word.replace("_", " ") for word in words))
    return groups


@cache
def intent_weights() -> dict[str, tuple[float, ...]]:
    """Return the weights of every hint, one an intent, in the order of the codebook."""
    return {hint: tuple(map(float, weights)) for hint, *weights in rows("intent_weights.txt")}
