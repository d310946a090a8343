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
    a limitation that outweighs the evidence for an honest service makes it INSUFFICIENT_EVIDENCE.

    Args:
        findings: What the lines say.
    """
    loops = {kind: _risk_loop(findings, kind) for kind in CONCRETE_TYPES}
    found = sorted((k for k in CONCRETE_TYPES if loops[k]), key=lambda k: -_weight(_strongest(loops[k])))
    benign = [f for f in findings if f.component is Component.BENIGN]
    limits = [f for f in findings if f.component is Component.LIMITATION]
    denials = _denials(findings)
    if found:
        against = _best(_side(findings, found[0], Component.COUNTER))
        return Verdict(Decision.VIOLATION, found[0], tuple(found[1:3]), _distinct(loops[found[0]]), _distinct(against))
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


def _risk_loop(findings: Sequence[Finding], kind: ViolationType) -> list[Finding]:
    """Return the claims and actions of a type, or nothing if they do not establish it: both must be said, apart."""
    claims = [f for f in _side(findings, kind, Component.CLAIM) if f.weight >= STRONG]
    actions = _side(findings, kind, Component.ACTION)
    pairs = [(c, a) for c in claims for a in actions if not _same_place(c, a) and c.weight + a.weight >= ESTABLISHED]
    if not pairs:
        return []
    claim, action = max(pairs, key=_weight)
    cited = _best([claim, *(c for c in claims if not _same_place(c, action))])
    return [*cited, *_best([action, *(a for a in actions if not any(_same_place(a, c) for c in cited))])]


def _strongest(loop: Sequence[Finding]) -> list[Finding]:
    """Return the strongest claim and the strongest action of a risk loop."""
    parts = (Component.CLAIM, Component.ACTION)
    return [max((f for f in loop if f.component is part), key=lambda f: f.weight) for part in parts]


def _weight(findings: Iterable[Finding]) -> int:
    return sum(f.weight for f in findings)


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
