"""Layout: the entry broken over lines, and lines broken after a code."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.messages.stages.base import Context, Counts, boundaries, draw, pick
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom


def _insert(start: int, after: str, rule: str) -> Edit:
    return Edit(start=start, before="", after=after, rule=rule)


@dataclass(frozen=True)
class FewLines:
    """Break an address into three lines: the first dot becomes a line break, the second one opens a line.

    An address with fewer than two dots left stays as it is.
    """

    name: str = "layout"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:  # noqa: ARG002
        """Return two edits an address."""
        edits: list[Edit] = []
        for address in context.addresses:
            first = text.find(".", address.start, address.end)
            second = text.find(".", first + 1, address.end)
            if 0 <= first < second:
                edits += (
                    Edit(start=first, before=".", after="\n", rule=self.name),
                    _insert(second, "\n", self.name),
                )
        return tuple(edits)


@dataclass(frozen=True)
class Vertical:
    """Write an address one character a line; the first of two dots is a blank line, the second has its own line."""

    name: str = "layout"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:  # noqa: ARG002
        """Return one edit a line break."""
        edits: list[Edit] = []
        for address in context.addresses:
            first = text.find(".", address.start, address.end)
            if text.find(".", first + 1, address.end) < 0:
                first = -1
            for place in boundaries(text[: address.end]):
                if place <= address.start:
                    continue
                if place == first:
                    edits.append(Edit(start=first, before=".", after="\n\n", rule=self.name))
                elif first < 0 or place != first + 1:
                    edits.append(_insert(place, "\n", self.name))
        return tuple(edits)


@dataclass(frozen=True)
class BreakAfterToken:
    """Break the line directly after a few of the message's emoji codes.

    Attributes:
        counts: How many breaks a message gets.
    """

    counts: Counts
    name: str = "break"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a line break."""
        ends = [end for _, end in context.profile.find(text)]
        return tuple(_insert(place, "\n", "break") for place in pick(ends, draw(self.counts, rng), rng))
