"""The codebook's rule over findings: claim and action of one type, or none of it, or not enough to tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from riskchain_gym.agents.read.findings import Finding
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Component, Decision, ViolationType

ESTABLISHED = 3
"""Weight that the best claim and the best action of a type must reach together: one of them is strong."""

MAX_CITED = 2
"""Lines cited for each component."""

BENIGN_ENOUGH = 4
"""Benign weight that outweighs soft limitations."""


@dataclass(frozen=True)
class Verdict:
    """A decision and the lines it rests on.

    Attributes:
        decision: The decision.
        violation_type: Its type, canonical.
        secondary: Further types whose claim and action were both found.
        evidence: Lines for the decision, at least one unless nothing at all was read.
        counter: Lines against it.
    """

    decision: Decision
    violation_type: ViolationType
    secondary: tuple[ViolationType, ...]
    evidence: tuple[Finding, ...]
    counter: tuple[Finding, ...]


def decide(findings: Sequence[Finding]) -> Verdict:
    """Apply the codebook's rule.

    A type is established by a claim and an action of it, one of them strong, that no page about such things merely
    reports. Otherwise a lasting limitation without enough benign evidence makes it INSUFFICIENT_EVIDENCE.

    Args:
        findings: What the lines say.
    """
    scores = {kind: _score(findings, kind) for kind in CONCRETE_TYPES}
    found = sorted((k for k in CONCRETE_TYPES if scores[k] > 0), key=lambda k: -scores[k])
    benign = [f for f in findings if f.component is Component.BENIGN]
    counter = [f for f in findings if f.component is Component.COUNTER]
    limits = [f for f in findings if f.component is Component.LIMITATION and f.lasting]
    if found:
        main = found[0]
        evidence = _best(f for f in findings if f.component is Component.CLAIM and f.violation_type is main)
        evidence += _best(f for f in findings if f.component is Component.ACTION and f.violation_type is main)
        against = _best(f for f in counter if f.violation_type is main)
        return Verdict(Decision.VIOLATION, main, tuple(found[1:3]), _distinct(evidence), _distinct(against))
    if _is_limited(limits, benign, counter):
        return _pseudo(Decision.INSUFFICIENT_EVIDENCE, _best(limits) or _best(findings), _best(benign))
    suspicious = _best(f for f in findings if f.component in {Component.CLAIM, Component.ACTION} and f.weight > 1)
    return _pseudo(Decision.NON_VIOLATION, _best(benign) or _best(counter) or _best(findings), suspicious)


def _pseudo(decision: Decision, evidence: list[Finding], counter: list[Finding]) -> Verdict:
    return Verdict(decision, PSEUDO_TYPES[decision], (), _distinct(evidence), _distinct(counter))


def _score(findings: Sequence[Finding], kind: ViolationType) -> int:
    of_type = [f for f in findings if f.violation_type is kind]
    claims = _top(f for f in of_type if f.component is Component.CLAIM)
    actions = _top(f for f in of_type if f.component is Component.ACTION)
    if not claims or not actions or claims[0] + actions[0] < ESTABLISHED:
        return 0
    return sum(claims) + sum(actions)


def _top(findings: Iterable[Finding]) -> list[int]:
    return sorted((f.weight for f in findings), reverse=True)[:MAX_CITED]


def _is_limited(limits: Sequence[Finding], benign: Sequence[Finding], counter: Sequence[Finding]) -> bool:
    strongest = max((f.weight for f in limits), default=0)
    good = sum(_top(benign)) + sum(_top(counter))
    if strongest > 1:
        return good < BENIGN_ENOUGH or strongest >= BENIGN_ENOUGH
    return good <= 1


def _best(findings: Iterable[Finding]) -> list[Finding]:
    ranked = sorted(findings, key=lambda f: (-f.weight, f.step, f.position))
    return [f for f in ranked if f.weight == ranked[0].weight or f.weight > 1][:MAX_CITED]


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    by_place: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        by_place.setdefault((finding.path, finding.line), finding)
    return tuple(by_place.values())
