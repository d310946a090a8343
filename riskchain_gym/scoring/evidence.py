"""The evidence score: citations against evidence atoms, exactly and without a model (design: three judges)."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.codebook import Component, Decision
from riskchain_gym.protocol.gold import EvidenceAtom, SiteGold
from riskchain_gym.protocol.outcome import EvidenceResult
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Report
from riskchain_gym.scoring.citations import hits, is_unverifiable
from riskchain_gym.scoring.sight import Sight

_SUPPORTS: dict[Component, Decision] = {
    Component.CLAIM: Decision.VIOLATION,
    Component.ACTION: Decision.VIOLATION,
    Component.BENIGN: Decision.NON_VIOLATION,
    Component.COUNTER: Decision.NON_VIOLATION,
    Component.LIMITATION: Decision.INSUFFICIENT_EVIDENCE,
}


def score_evidence(
    report: Report | None, pages: Mapping[int, ObservedPage], gold: SiteGold, sight: Sight | None = None
) -> EvidenceResult:
    """Score a report's ``evidence`` list against the site's atoms.

    Precision is the share of citations that hit a deciding atom which no earlier one hit; recall the share of deciding
    atoms that are cited. A missing report cites nothing: precision and recall are 0, and ``seen`` still tells what
    was looked at. A citation that does not resolve hits nothing, nor does a quote from a picture that no atom bears
    out; the latter is counted in ``unverified``.

    Args:
        report: The accepted report, or ``None``.
        pages: Observed pages by browse step, scrolled as they were then.
        gold: Label and atoms.
        sight: What the agent was given of the pages; their lines by default.
    """
    sight = sight or Sight()
    deciding = gold.deciding_atoms()
    seen = [a for a in deciding if any(sight.shows(page, a) for page in pages.values())]
    citations = report.evidence if report else ()
    cited: list[EvidenceAtom] = []
    idle = contradicting = good = unverified = 0
    for citation in citations:
        hit = [a for a in gold.atoms if hits(citation, a, pages, sight)]
        new = [a for a in hit if a not in cited]
        idle += not new
        unverified += not hit and is_unverifiable(citation, pages)
        good += any(a in deciding for a in new)
        contradicting += bool(report and hit and all(_SUPPORTS[a.component] is not report.decision for a in hit))
        cited += new
    relevant = [a for a in cited if a in deciding]
    precision = good / len(citations) if citations else 0.0
    recall = len(relevant) / len(deciding) if deciding else 0.0
    return EvidenceResult(
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        seen=len(seen) / len(deciding) if deciding else 0.0,
        sufficient=_sufficient(relevant, gold.decision),
        contradiction=contradicting > 0,
        over_citation=idle / len(citations) if citations else 0.0,
        citations=len(citations),
        unverified=unverified / len(citations) if citations else 0.0,
    )


def first_shown(pages: Mapping[int, ObservedPage], gold: SiteGold, sight: Sight) -> tuple[int | None, ...]:
    """Return at which browse step each deciding atom was first shown, in document order; ``None`` where never.

    Args:
        pages: Observed pages by browse step, scrolled as they were then.
        gold: Label and atoms.
        sight: What the agent was given of the pages.
    """
    return tuple(
        min((step for step, page in pages.items() if sight.shows(page, atom)), default=None)
        for atom in gold.deciding_atoms()
    )


def _sufficient(cited: list[EvidenceAtom], decision: Decision) -> bool:
    parts = {atom.component for atom in cited}
    if decision is Decision.VIOLATION:
        return {Component.CLAIM, Component.ACTION} <= parts
    return bool(parts)
