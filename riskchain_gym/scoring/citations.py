"""Citations: do they resolve to something that was observed, and which evidence atom do they hit."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import ObservedPage
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
    picture: by its key as the element, or by a region that touches it.

    Args:
        citation: The citation.
        pages: Observed pages by browse step.
    """
    page = pages.get(citation.step)
    if page is None:
        seen = f"0 to {max(pages)}" if pages else "none"
        return f"step {citation.step} was never observed (observed: {seen})"
    names: list[str] = []
    if citation.element_id is not None and picture_of(page, citation.element_id) is None:
        names = [e.name for e in page.elements if e.element_id == citation.element_id]
        if not names:
            return f"element '{citation.element_id}' was not on the page of step {citation.step}"
    if citation.region is not None and citation.region.y + citation.region.height > page.height + 1:
        extent = f"which is {page.height} pixels high" if page.height else "which was shown without geometry"
        return f"the region lies outside the page of step {citation.step}, {extent}"
    quote = fold_blanks(citation.quote)
    shown = not quote or quote in fold_blanks(page.text) or any(quote in fold_blanks(name) for name in names)
    if shown or _pictures_at(citation, page):
        return None
    hint = " (what a picture shows is quoted with the picture's key or region)" if page.pictures else ""
    return f"the quote {citation.quote[:40]!r} was not shown at step {citation.step}{hint}"


def hits(citation: Citation, atom: EvidenceAtom, pages: Mapping[int, ObservedPage], sight: Sight | None = None) -> bool:
    """Return whether a citation points at an atom that the agent can have seen at the cited step.

    A citation points at one thing: at what it quotes; without a quote, at the element it names; without either, at
    its region. A quote must hold enough of the atom's line and stand in no other line of the page. So no citation
    hits two different lines, and none hits a line by chance. A picture is one thing: named or framed without a quote,
    it stands for all that is drawn in it.

    Args:
        citation: The citation.
        atom: The atom.
        pages: Observed pages by browse step, scrolled as they were then.
        sight: What the agent was given of them; the lines by default.
    """
    page = pages.get(citation.step)
    if page is None or not (sight or Sight()).shows(page, atom):
        return False
    line, quote = fold_blanks(atom.text), fold_blanks(citation.quote)
    if quote:
        others = {fold_blanks(other) for other in page.text.split("\n")}
        return _quotes(quote, line, others if not atom.picture else {line, *(o for o in others if line not in o)})
    if citation.element_id is not None:
        named = any(e.element_id == citation.element_id and fold_blanks(e.name) == line for e in page.elements)
        return citation.element_id == atom.picture if atom.picture else named
    if atom.picture:
        boxes = [picture.box for picture in page.pictures if picture.key == atom.picture]
    else:
        boxes = [seen.box for seen in page.lines if seen.text == atom.text]
    return citation.region is not None and any(_frames(citation.region, box) for box in boxes if box is not None)


def _pictures_at(citation: Citation, page: ObservedPage) -> bool:
    if citation.element_id is not None:
        return picture_of(page, citation.element_id) is not None
    region = citation.region
    boxes = [picture.box for picture in page.pictures if picture.box is not None]
    return region is not None and any(overlap(region, box) > 0 for box in boxes)


def _quotes(quote: str, line: str, lines: set[str]) -> bool:
    if line in quote:
        return len(quote) <= MAX_QUOTE_RATIO * len(line)
    enough = len(quote) >= MIN_QUOTE or 2 * len(quote) >= len(line)
    return enough and quote in line and sum(quote in other for other in lines) == 1


def _frames(region: Region, box: Region) -> bool:
    common = overlap(region, box)
    union = region.width * region.height + box.width * box.height - common
    return common / union >= MIN_OVERLAP
