"""From pages to findings: every line that says something of its own, once per page, and what its phrases weigh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskchain_gym.agents.halves import holds_half
from riskchain_gym.agents.read.lexicon import Lexicon, LineWeights
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import Component

FRAME_PAGES = 3
"""Pages that a line must stand on before it counts as header or footer."""


@dataclass(frozen=True)
class Finding:
    """One line and what it says.

    Attributes:
        weights: What its phrases say together.
        step: First step at which the line was shown on its page.
        path: Its page.
        line: The line, exactly as shown.
        position: Where it stands on the page, from 0.
    """

    weights: LineWeights
    step: int
    path: str
    line: str
    position: int

    def weight(self, *parts: Component) -> int:
        """Return the weight of the heaviest of some parts of the codebook's rule."""
        return max(self.weights.parts[part] for part in parts)

    def is_at(self, other: Finding) -> bool:
        """Return whether this is the same line of the same page as another."""
        return self.path == other.path and self.line == other.line


def find(sightings: Sequence[Sighting], lexicon: Lexicon) -> list[Finding]:
    """Return the lines of everything seen, in order of first appearance.

    Left out are header and footer, and the names of links and buttons: those name something and state nothing. Left out
    are lines with half a character, too: no report can quote them.

    Args:
        sightings: Pages in the order they were seen.
        lexicon: What phrases say.
    """
    frame = _frame({page.path: page for page in sightings})
    weighed: dict[str, LineWeights] = {}
    found: dict[tuple[str, str], Finding] = {}
    for page in sightings:
        names = {element.name for element in page.elements if element.capabilities.click}
        for position, line in enumerate(page.lines):
            if not line.strip() or line in frame or line in names or (page.path, line) in found or holds_half(line):
                continue
            if line not in weighed:
                weighed[line] = lexicon.weigh(line)
            found[page.path, line] = Finding(weighed[line], page.step, page.path, line, position)
    return list(found.values())


def _frame(pages: Mapping[str, Sighting]) -> frozenset[str]:
    """Return the lines that stand on most pages: header and footer, which say nothing of any one of them."""
    count = Counter(line for page in pages.values() for line in dict.fromkeys(page.lines))
    return frozenset(line for line, n in count.items() if n >= FRAME_PAGES and 2 * n > len(pages))
