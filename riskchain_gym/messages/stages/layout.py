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
    """Break the entry into three lines: the first dot becomes a line break, the second one opens a line."""

    name: str = "layout"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:  # noqa: ARG002
        """Return two edits."""
        first = text.index(".", context.entry_start, context.entry_end)
        second = text.index(".", first + 1, context.entry_end)
        return (Edit(start=first, before=".", after="\n", rule="layout"), _insert(second, "\n", "layout"))


@dataclass(frozen=True)
class Vertical:
    """Write the entry one character a line: the first dot is a blank line, the second has a line of its own."""

    name: str = "layout"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:  # noqa: ARG002
        """Return one edit a line break."""
        first = text.index(".", context.entry_start, context.entry_end)
        edits = []
        for place in boundaries(text[: context.entry_end]):
            if place == first:
                edits.append(Edit(start=first, before=".", after="\n\n", rule="layout"))
            elif place > context.entry_start and place != first + 1:
                edits.append(_insert(place, "\n", "layout"))
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
