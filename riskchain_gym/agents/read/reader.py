"""The reader: everything seen on a site in, a report with citations out. Transparent rules over weighed phrases."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.agents.halves import holds_half
from riskchain_gym.agents.read.anchors import anchor_of
from riskchain_gym.agents.read.findings import Finding, find
from riskchain_gym.agents.read.lexicon import Lexicon, default_lexicon
from riskchain_gym.agents.read.verdict import Verdict, decide
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import (
    MINIMUM_EVIDENCE,
    AnchorType,
    Component,
    Decision,
    EnvironmentStatus,
    ViolationType,
)
from riskchain_gym.protocol.report import Citation, Region, Report

MAX_QUOTE = 1000
"""Code points of a line that a citation may quote."""

_REASONS: dict[Decision, str] = {
    Decision.NON_VIOLATION: "No type has both its claim and its action on the pages seen; the cited lines fit an "
    "honest service.",
    Decision.INSUFFICIENT_EVIDENCE: "The cited lines keep the deciding facts from being seen, and nothing else "
    "settles the question.",
}


class Reader:
    """Weighs the lines of pages by the lexicon's phrases and applies the codebook's rule.

    Args:
        lexicon: The phrases; default: the ones that ship with the package.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon or default_lexicon()

    def read(self, sightings: Sequence[Sighting]) -> Verdict:
        """Return the decision on what was seen, and the lines it rests on.

        Args:
            sightings: Pages in the order they were seen.
        """
        return decide(find(sightings, self._lexicon))

    def report(self, sightings: Sequence[Sighting]) -> Report:
        """Return a report that follows the codebook; its quotes are lines exactly as shown.

        Args:
            sightings: Pages in the order they were seen.
        """
        verdict = self.read(sightings)
        decision = verdict.decision
        insufficient = decision is Decision.INSUFFICIENT_EVIDENCE
        evidence = tuple(_cite(*each) for each in verdict.evidence) or (first_thing_shown(sightings),)
        return Report(
            environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
            decision=decision,
            primary_violation_type=verdict.violation_type,
            evidence=evidence,
            counterevidence=tuple(_cite(*each) for each in verdict.counter),
            risk_reason=_reason(verdict),
            confidence=_confidence(verdict),
            evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
            note=_note(verdict),
        )


def _reason(verdict: Verdict) -> str:
    if verdict.decision is Decision.VIOLATION:
        return f"Claim and action are both shown. {MINIMUM_EVIDENCE[verdict.violation_type]}"
    return _REASONS[verdict.decision]


def _note(verdict: Verdict) -> str:
    if verdict.violation_type is not ViolationType.OTHER_PROHIBITED_ACTIVITY:
        return ""
    return "Prohibited goods or services under the platform policy: see the offer and the order path cited."


def _confidence(verdict: Verdict) -> int:
    return min(5, 1 + verdict.lead // 50)


def _cite(finding: Finding, part: Component) -> Citation:
    return Citation(step=finding.step, anchor_type=anchor_of(finding, part), quote=finding.line[:MAX_QUOTE])


def first_thing_shown(sightings: Sequence[Sighting]) -> Citation:
    """Return a citation of the first line shown that can be quoted, or of the landing view as a whole when none was."""
    for page in sightings:
        for line in page.lines:
            if line.strip() and not holds_half(line):
                return Citation(step=page.step, anchor_type=AnchorType.OTHER_OBSERVED_EVIDENCE, quote=line[:MAX_QUOTE])
    whole = Region(x=0, y=0, width=1, height=1)
    return Citation(step=0, region=whole, anchor_type=AnchorType.ENVIRONMENT_LIMITATION)
