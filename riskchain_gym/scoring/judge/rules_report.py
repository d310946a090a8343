"""Rules about the report as a whole: does its reason follow, does its environment status fit."""

from __future__ import annotations

from riskchain_gym.protocol.codebook import Decision, EnvironmentStatus
from riskchain_gym.scoring.judge.questions import Question
from riskchain_gym.scoring.judge.rules_anchors import BENIGN_ANCHORS, LIMIT_ANCHORS
from riskchain_gym.scoring.judge.rules_cues import cues, folded
from riskchain_gym.scoring.judge.rules_finding import Finding, cannot_tell, no, yes
from riskchain_gym.scoring.judge.rules_reading import Reading

PLENTY = 40
"""Code points that a view of a site that could be looked at shows at least."""


def follows(reading: Reading, question: Question) -> Finding:  # noqa: ARG001 -- every rule takes the same
    """Say no where the reason plainly says another decision, or the evidence is of another; more no rule can tell."""
    report = reading.bundle.report
    evidence = {cited.anchor_type for cited in report.citations if cited.place.startswith("evidence.")}
    if not evidence:
        return no("There is no evidence for a reason to follow from.")
    against = {
        Decision.VIOLATION: BENIGN_ANCHORS | LIMIT_ANCHORS,
        Decision.NON_VIOLATION: LIMIT_ANCHORS,
        Decision.INSUFFICIENT_EVIDENCE: BENIGN_ANCHORS,
    }[report.decision]
    if evidence <= against:
        return no("All evidence is of a kind that speaks for another decision.")
    text = folded(report.risk_reason)
    says = [decision for decision in Decision if cues().reason[decision].search(text)]
    if says and report.decision not in says:
        return no(f"The reason speaks for {says[0]}.")
    return cannot_tell("That a reason follows is more than that it names the decision.")


def status_fits(reading: Reading, question: Question) -> Finding:  # noqa: ARG001 -- every rule takes the same
    """Say whether the environment status fits what was seen."""
    report = reading.bundle.report
    seen = [view for view in reading.by_state.values() if len(view.text) >= PLENTY]
    limited = any(c.anchor_type in LIMIT_ANCHORS for c in report.citations if c.place.startswith("evidence."))
    match report.environment_status:
        case EnvironmentStatus.INACCESSIBLE | EnvironmentStatus.INVALID:
            return no(f"{len(seen)} pages could be read.") if len(seen) > 1 else cannot_tell("Little was seen.")
        case EnvironmentStatus.COMPLETE:
            if limited:
                return no("A limitation is cited as evidence.")
            return yes("Pages could be read.") if seen else cannot_tell("Little was seen.")
        case EnvironmentStatus.PARTIAL:
            return cannot_tell("It may: what the report says of limits proves none.")
