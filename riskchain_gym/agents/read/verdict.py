"""The codebook's rule over findings: claim and action of one type, or none of it, or not enough to tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from riskchain_gym.agents.read.findings import Finding
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Component, Decision, ViolationType

STRONG = 2
"""Weight from which a line says something by itself; a claim must be strong, an action need not."""

ESTABLISHED = 4
"""Weight that the best claim and the best action of a type must reach together."""

MAX_CITED = 2
"""Lines cited for each component."""

CLOSE = 0.5
"""Share of the best line's weight that a further line must have to be cited too."""

SAME_PAGE = 0.7
"""What a further line of a page that is cited already counts: facts that decide stand on different pages."""


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

    A type is established by a strong claim and an action of it, unless they are denied or merely reported. Otherwise
    a lasting limitation that outweighs the evidence for an honest service makes it INSUFFICIENT_EVIDENCE.

    Args:
        findings: What the lines say.
    """
    scores = {kind: _score(findings, kind) for kind in CONCRETE_TYPES}
    found = sorted((k for k in CONCRETE_TYPES if scores[k] > 0), key=lambda k: -scores[k])
    benign = [f for f in findings if f.component is Component.BENIGN]
    limits = [f for f in findings if f.component is Component.LIMITATION and f.lasting]
    denials = _denials(findings)
    if found:
        main = found[0]
        claims = _best(_side(findings, main, Component.CLAIM))
        actions = _side(findings, main, Component.ACTION)
        apart = [f for f in actions if not any(_same_place(f, claim) for claim in claims)]
        against = [f for f in findings if f.component is Component.COUNTER and f.violation_type is main]
        evidence = _distinct([*claims, *_best(apart or actions)])
        return Verdict(Decision.VIOLATION, main, tuple(found[1:3]), evidence, _distinct(_best(against)))
    honest = [*denials, *benign]
    if _total(limits) >= STRONG and _total(limits) > _total(denials):
        return _pseudo(Decision.INSUFFICIENT_EVIDENCE, _best(limits), _best(honest))
    if not honest and (limits or findings):
        return _pseudo(Decision.INSUFFICIENT_EVIDENCE, _best(limits or findings), [])
    suspicious = [f for f in findings if f.component in {Component.CLAIM, Component.ACTION} and f.weight >= STRONG]
    return _pseudo(Decision.NON_VIOLATION, _best(honest), _best(suspicious))


def _pseudo(decision: Decision, evidence: list[Finding], counter: list[Finding]) -> Verdict:
    return Verdict(decision, PSEUDO_TYPES[decision], (), _distinct(evidence), _distinct(counter))


def _side(findings: Sequence[Finding], kind: ViolationType, component: Component) -> list[Finding]:
    return [f for f in findings if f.violation_type is kind and f.component is component]


def _score(findings: Sequence[Finding], kind: ViolationType) -> int:
    sides = [_side(findings, kind, component) for component in (Component.CLAIM, Component.ACTION)]
    claim, action = (max((f.weight for f in side), default=0) for side in sides)
    if claim < STRONG or action < 1 or claim + action < ESTABLISHED:
        return 0
    return _total(sides[0]) + _total(sides[1])


def _denials(findings: Sequence[Finding]) -> list[Finding]:
    """Return the lines that deny the type that is denied most."""
    by_type = {kind: _side(findings, kind, Component.COUNTER) for kind in CONCRETE_TYPES}
    return max(by_type.values(), key=_total)


def _total(findings: Iterable[Finding]) -> int:
    return sum(sorted((f.weight for f in findings), reverse=True)[:MAX_CITED])


def _best(findings: Iterable[Finding]) -> list[Finding]:
    """Return the lines to cite, best first: the heaviest, then heavy ones, of other pages rather than of the same."""
    left = _distinct(sorted(findings, key=lambda f: (-f.weight, f.step, f.position)))
    chosen: list[Finding] = []
    while left and len(chosen) < MAX_CITED:
        paths = {f.path for f in chosen}
        worth = [f.weight * (SAME_PAGE if f.path in paths else 1) for f in left]
        best = worth.index(max(worth))
        if chosen and worth[best] < CLOSE * chosen[0].weight:
            break
        chosen.append(left[best])
        left = (*left[:best], *left[best + 1 :])
    return chosen


def _same_place(first: Finding, second: Finding) -> bool:
    return first.path == second.path and first.line == second.line


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    by_place: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        by_place.setdefault((finding.path, finding.line), finding)
    return tuple(by_place.values())
