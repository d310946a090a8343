"""Citations: do they resolve to something that was observed, and which evidence atom do they hit."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.text import fold_blanks

MIN_QUOTE = 12
"""Code points of a line that always count as quoting it; fewer do if they are half of the line or more."""

MAX_QUOTE_RATIO = 1.5
"""A quote longer than this many times the atom's line is a copy of the page, not a citation of the line."""

MIN_OVERLAP = 0.5
"""Intersection over union that a cited region needs with the box of an atom's line."""


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
    if citation.region is not None and citation.region.y + citation.region.height > page.height + 1:
        extent = f"which is {page.height} pixels high" if page.height else "which was shown without geometry"
        return f"the region lies outside the page of step {citation.step}, {extent}"
    quote = fold_blanks(citation.quote)
    if quote and quote not in fold_blanks(page.text) and not any(quote in fold_blanks(name) for name in names):
        return f"the quote {citation.quote[:40]!r} was not shown at step {citation.step}"
    return None


def atom_shown(atom: EvidenceAtom, page: ObservedPage) -> bool:
    """Return whether a page shows an atom: the atom's page, and its line among the lines."""
    return page.path.partition("?")[0] == atom.path and any(line.text == atom.text for line in page.lines)


def hits(citation: Citation, atom: EvidenceAtom, pages: Mapping[int, ObservedPage]) -> bool:
    """Return whether a citation points at an atom that was shown at the cited step.

    A citation points at one thing: at what it quotes; without a quote, at the element it names; without either, at
    its region. A quote must hold enough of the atom's line and stand in no other line of the page. So no citation
    hits two different lines, and none hits a line by chance.
    """
    page = pages.get(citation.step)
    if page is None or not atom_shown(atom, page):
        return False
    line, quote = fold_blanks(atom.text), fold_blanks(citation.quote)
    if quote:
        return _quotes(quote, line, {fold_blanks(other.text) for other in page.lines})
    if citation.element_id is not None:
        return any(e.element_id == citation.element_id and fold_blanks(e.name) == line for e in page.elements)
    boxes = [seen.box for seen in page.lines if seen.text == atom.text and seen.box is not None]
    return citation.region is not None and any(_overlap(citation.region, box) >= MIN_OVERLAP for box in boxes)


def _quotes(quote: str, line: str, lines: set[str]) -> bool:
    if line in quote:
        return len(quote) <= MAX_QUOTE_RATIO * len(line)
    enough = len(quote) >= MIN_QUOTE or 2 * len(quote) >= len(line)
    return enough and quote in line and sum(quote in other for other in lines) == 1


def _overlap(a: Region, b: Region) -> float:
    """Return intersection over union."""
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    common = max(width, 0.0) * max(height, 0.0)
    return common / (a.width * a.height + b.width * b.height - common)
