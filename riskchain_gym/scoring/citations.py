"""Citations: do they resolve to something that was observed, and which evidence atom do they hit."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.sight import Sight, overlap, picture_of
from riskchain_gym.scoring.text import fold_blanks

MIN_QUOTE = 12
"""Code points of a line that always count as quoting it; fewer do if they are half of the line or more."""

MAX_QUOTE_RATIO = 1.5
"""A quote longer than this many times the atom's line is a copy of the page, not a citation of the line."""

MIN_OVERLAP = 0.5
"""Intersection over union that a cited region needs with the box of an atom's line."""


def citation_problem(citation: Citation, pages: Mapping[int, ObservedPage]) -> str | None:
    """Return why a citation does not resolve, or ``None`` if it does.

    What is drawn in a picture is recorded nowhere, so a quote of it is taken as it is where the citation points at the
    picture: by its key as the element, or by a region that touches it (see :func:`is_unverifiable`).

    Args:
        citation: The citation.
        pages: Observed pages by browse step.
    """
    page = pages.get(citation.step)
    if page is None:
        seen = f"0 to {max(pages)}" if pages else "none"
        return f"step {citation.step} was never observed (observed: {seen})"
    element = citation.element_id
    if element is not None and picture_of(page, element) is None and not _names(citation, page):
        return f"element '{element}' was not on the page of step {citation.step}"
    if citation.region is not None and citation.region.y + citation.region.height > page.height + 1:
        extent = f"which is {page.height} pixels high" if page.height else "which was shown without geometry"
        return f"the region lies outside the page of step {citation.step}, {extent}"
    if _is_recorded(citation, page) or any(_points_at(citation, picture) for picture in page.pictures):
        return None
    hint = " (what a picture shows is quoted with the picture's key or region)" if page.pictures else ""
    return f"the quote {citation.quote[:40]!r} was not shown at step {citation.step}{hint}"


def is_unverifiable(citation: Citation, pages: Mapping[int, ObservedPage]) -> bool:
    """Return whether a citation resolves only because it points at a picture: nothing recorded bears out its quote.

    Args:
        citation: The citation.
        pages: Observed pages by browse step.
    """
    page = pages.get(citation.step)
    return page is not None and not _is_recorded(citation, page) and citation_problem(citation, pages) is None


def hits(citation: Citation, atom: EvidenceAtom, pages: Mapping[int, ObservedPage], sight: Sight | None = None) -> bool:
    """Return whether a citation points at an atom that the agent can have seen at the cited step.

    A citation points at one thing: at what it quotes; without a quote, at the element it names; without either, at
    its region. A quote must hold enough of the atom's line and stand in no other line of the page. So no citation
    hits two different lines, and none hits a line by chance. A picture is one thing: named or framed without a quote,
    it stands for all that is drawn in it. A line that is drawn in a picture is quoted with a pointer at that picture,
    by its key or by a region that touches it; without any pointer only where alternative text gives it. A citation
    that does not resolve hits nothing.

    Args:
        citation: The citation.
        atom: The atom.
        pages: Observed pages by browse step, scrolled as they were then.
        sight: What the agent was given of them; the lines by default.
    """
    page = pages.get(citation.step)
    if page is None or not (sight or Sight()).shows(page, atom) or citation_problem(citation, pages) is not None:
        return False
    picture = picture_of(page, atom.picture)
    line, quote = fold_blanks(atom.text), fold_blanks(citation.quote)
    if quote:
        if picture is not None and not _quotes_from(citation, picture, atom.text):
            return False
        others = {fold_blanks(other) for other in page.text.split("\n")}
        return _quotes(quote, line, others if not atom.picture else {line, *(o for o in others if line not in o)})
    if citation.element_id is not None:
        named = any(e.element_id == citation.element_id and fold_blanks(e.name) == line for e in page.elements)
        return citation.element_id == atom.picture if atom.picture else named
    boxes = [picture.box] if picture is not None else [seen.box for seen in page.lines if seen.text == atom.text]
    return citation.region is not None and any(_frames(citation.region, box) for box in boxes if box is not None)


def _names(citation: Citation, page: ObservedPage) -> list[str]:
    return [e.name for e in page.elements if e.element_id == citation.element_id]


def _is_recorded(citation: Citation, page: ObservedPage) -> bool:
    quote = fold_blanks(citation.quote)
    return any(quote in fold_blanks(text) for text in (page.text, *_names(citation, page)))


def _points_at(citation: Citation, picture: ObservedPicture) -> bool:
    if citation.element_id is not None:
        return citation.element_id == picture.key
    region, box = citation.region, picture.box
    return region is not None and box is not None and overlap(region, box) > 0


def _quotes_from(citation: Citation, picture: ObservedPicture, text: str) -> bool:
    """Say whether a citation can mean a line of this picture: it points at it, or at nothing and it has alt text."""
    unplaced = citation.element_id is None and citation.region is None
    return (unplaced and text in picture.alt.split("\n")) or _points_at(citation, picture)


def _quotes(quote: str, line: str, lines: set[str]) -> bool:
    if line in quote:
        return len(quote) <= MAX_QUOTE_RATIO * len(line)
    enough = len(quote) >= MIN_QUOTE or 2 * len(quote) >= len(line)
    return enough and quote in line and sum(quote in other for other in lines) == 1


def _frames(region: Region, box: Region) -> bool:
    common = overlap(region, box)
    union = region.width * region.height + box.width * box.height - common
    return common / union >= MIN_OVERLAP
