"""The frame of a site: the links that stand before and after the content of every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from riskchain_gym.agents.explore.targets import Screen
from riskchain_gym.agents.explore.words import words_of


@dataclass(frozen=True)
class Frame:
    """Names of the links of header and footer; empty until two pages have been seen."""

    header: frozenset[str]
    footer: frozenset[str]

    def holds(self, name: str) -> bool:
        """Return whether a link of that name belongs to the frame."""
        return name in self.header or name in self.footer

    def shares_a_word(self, name: str) -> bool:
        """Return whether a name shares a word with a link of the header."""
        return not words_of(name).isdisjoint(self._header_words)

    @cached_property
    def _header_words(self) -> frozenset[str]:
        return frozenset(word for name in self.header for word in words_of(name))


def find_frame(pages: Sequence[Screen]) -> Frame:
    """Return what all pages have in common with the first, from the top down and from the bottom up.

    Args:
        pages: One screen of each page, the landing page first.
    """
    links = [[e.name for e in page.page.elements if e.role == "link"] for page in pages]
    if len(links) < 2:
        return Frame(frozenset(), frozenset())
    heads = [head for other in links[1:] if (head := _common(links[0], other))]
    tails = [tail for other in links[1:] if (tail := _common(links[0][::-1], other[::-1]))]
    header = min(heads, key=len, default=[])
    footer = min(tails, key=len, default=[])
    return Frame(frozenset(header), frozenset(footer) - frozenset(header))


def _common(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))]
