"""Citations: do they resolve to something that was observed, and which evidence atom do they hit."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.text import fold_blanks

MIN_QUOTE = 4
"""Shortest part of an atom's line, in code points, that counts as quoting it (the whole line if it is shorter)."""

MAX_QUOTE_RATIO = 3
"""A quote longer than this many times the atom's line is a copy of the page, not a citation of the line."""

MIN_COVERAGE = 0.5
"""Share of an atom's box that a cited region must cover."""


def citation_problem(citation: Citation, pages: Mapping[int, ObservedPage]) -> str | None:
    """Return why a citation does not resolve, or ``None`` if it does.

    Args:
        citation: The citation.
        pages: Observed pages by browse step.
    """
    page = pages.get(citation.step)
    if page is None:
        seen = f"0 to {max(pages)}" if pages else "none"
        return f"step {citation.step} was never observed (observed: {seen})"
    names: list[str] = []
    if citation.element_id is not None:
        names = [e.name for e in page.elements if e.element_id == citation.element_id]
        if not names:
            return f"element '{citation.element_id}' was not on the page of step {citation.step}"
    quote = fold_blanks(citation.quote)
    if quote and quote not in fold_blanks(page.text) and not any(quote in fold_blanks(name) for name in names):
        return f"the quote {citation.quote[:40]!r} was not shown at step {citation.step}"
    return None


def atom_shown(atom: EvidenceAtom, page: ObservedPage) -> bool:
    """Return whether a page shows an atom: the atom's page, and its line among the lines."""
    return page.path.partition("?")[0] == atom.path and any(line.text == atom.text for line in page.lines)


def hits(citation: Citation, atom: EvidenceAtom, pages: Mapping[int, ObservedPage]) -> bool:
    """Return whether a citation points at an atom that was shown at the cited step.

    It does so by quoting enough of the line, by naming the element that carries it, or by a region over it.
    """
    page = pages.get(citation.step)
    if page is None or not atom_shown(atom, page):
        return False
    line, quote = fold_blanks(atom.text), fold_blanks(citation.quote)
    if quote:
        if quote in line and len(quote) >= min(MIN_QUOTE, len(line)):
            return True
        if line in quote and len(quote) <= MAX_QUOTE_RATIO * len(line):
            return True
    if any(e.element_id == citation.element_id and fold_blanks(e.name) == line for e in page.elements):
        return True
    boxes = [seen.box for seen in page.lines if seen.text == atom.text and seen.box is not None]
    return citation.region is not None and any(_covers(citation.region, box) for box in boxes)


def _covers(region: Region, box: Region) -> bool:
    width = min(region.x + region.width, box.x + box.width) - max(region.x, box.x)
    height = min(region.y + region.height, box.y + box.height) - max(region.y, box.y)
    covered = max(width, 0.0) * max(height, 0.0)
    small_enough = region.width * region.height <= 4 * MAX_QUOTE_RATIO * box.width * box.height
    return small_enough and covered >= MIN_COVERAGE * box.width * box.height
