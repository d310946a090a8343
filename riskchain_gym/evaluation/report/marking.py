"""Where things stand on a page: the boxes that a viewer draws on screenshots, and what citations hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.citations import hits
from riskchain_gym.scoring.sight import Sight, picture_of

Json = dict[str, Any]


def box(region: Region | None) -> list[float] | None:
    """Return a region as left, top, width and height in CSS pixels of the document."""
    return [region.x, region.y, region.width, region.height] if region else None


def cited(citation: Citation, pages: Mapping[int, ObservedPage], gold: GoldChain, sight: Sight) -> Json:
    """Return a citation with the box it points at and the atoms it hits.

    Args:
        citation: The citation.
        pages: The pages by browse step.
        gold: The gold of the chain.
        sight: What the agent was shown.
    """
    page = pages.get(citation.step)
    deciding = gold.site.deciding_atoms()
    hit = [atom for atom in gold.site.atoms if hits(citation, atom, pages, sight)]
    return {
        **citation.model_dump(mode="json", exclude={"region"}),
        "box": box(citation.region or (_place(citation, page) if page is not None else None)),
        "hits": [str(atom.component) for atom in hit],
        "atoms": [number for number, atom in enumerate(gold.site.atoms) if atom in hit],
        "deciding": any(atom in deciding for atom in hit),
    }


def atom_seen(
    atom: EvidenceAtom, trajectory: Trajectory, pages: Mapping[int, ObservedPage], gold: GoldChain, sight: Sight
) -> Json:
    """Return an evidence atom with the first step that showed it and whether it is cited.

    Args:
        atom: The atom.
        trajectory: The episode.
        pages: The pages by browse step.
        gold: The gold of the chain.
        sight: What the agent was shown.
    """
    evidence = trajectory.report.evidence if trajectory.report else ()
    return {
        "component": atom.component,
        "type": atom.violation_type,
        "text": atom.text,
        "anchor": atom.anchor,
        "path": atom.path,
        "picture": bool(atom.picture),
        "deciding": atom in gold.site.deciding_atoms(),
        "seen": next((step for step, page in pages.items() if sight.shows(page, atom)), None),
        "cited": any(hits(citation, atom, pages, sight) for citation in evidence),
    }


def _place(citation: Citation, page: ObservedPage) -> Region | None:
    """Return where the element or picture that is named stands on the page; where none is named, where the quote does.

    A quote stands on the line that is all of it, and only where there is none, on the first that holds it.
    """
    if citation.element_id is not None:
        picture = picture_of(page, citation.element_id)
        named = [e.box for e in page.elements if e.element_id == citation.element_id]
        boxes = [*named, *([picture.box] if picture is not None else [])]
    else:
        quote = citation.quote.strip()
        lines = [line for line in page.lines if quote and quote in line.text]
        boxes = [line.box for line in sorted(lines, key=lambda line: line.text.strip() != quote)]
    return next((found for found in boxes if found is not None), None)
