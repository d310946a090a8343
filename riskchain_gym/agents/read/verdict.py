"""The codebook's rule over findings: claim and action of one type, or none of it, or not enough to tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from riskchain_gym.agents.read.findings import Finding
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Component, Decision, ViolationType

NOTHING = -150
"""Weight of a line that is not there, in hundredths like all weights."""

CAUTION = 60
"""How much more claim and action must weigh together than what speaks for another decision."""

PAIR = 2
"""Lines that a decision rests on."""

TRIED = 4
"""Heaviest claims and actions that are tried with one another."""

HEARD = -30
"""Weight from which a claim or an action is heard when the type is settled."""

CITED = -40
"""Weight from which a further line is cited."""

MAX_CITED = 4
"""Lines cited."""

ASSERTED = 0
"""Weight from which a line that speaks against the decision is named as counterevidence."""

_RISK = (Component.CLAIM, Component.ACTION)


@dataclass(frozen=True)
class Verdict:
    """A decision and the lines it rests on.

    Attributes:
        decision: The decision.
        violation_type: Its type, canonical.
        evidence: Lines for the decision and their parts, the heaviest first; empty when nothing was read.
        counter: Lines against it and their parts.
        lead: How much more speaks for it than for the next decision.
    """

    decision: Decision
    violation_type: ViolationType
    evidence: tuple[tuple[Finding, Component], ...]
    counter: tuple[tuple[Finding, Component], ...]
    lead: int


def decide(findings: Sequence[Finding]) -> Verdict:
    """Apply the codebook's rule.

    A violation needs a claim and an action, in two lines; no violation, signs of an honest service; insufficient
    evidence, limitations. The decision is the one whose two heaviest lines weigh most together, a violation after
    :data:`CAUTION` has been taken off.

    Args:
        findings: What was read.
    """
    risk = _risk_pair(findings)
    weights = {
        Decision.VIOLATION: _pair_weight(risk) - CAUTION,
        Decision.NON_VIOLATION: _weight_of_two(findings, Component.BENIGN),
        Decision.INSUFFICIENT_EVIDENCE: _weight_of_two(findings, Component.LIMITATION),
    }
    if not findings:
        decision = Decision.INSUFFICIENT_EVIDENCE
        return Verdict(decision, PSEUDO_TYPES[decision], (), (), 0)
    first, second = sorted(weights.values(), reverse=True)[:2]
    decision = next(each for each in Decision if weights[each] == first)
    if decision is Decision.VIOLATION:
        evidence = _with_more(risk, findings, *_RISK)
        counter = _asserted(findings, Component.COUNTER, Component.BENIGN)
        return Verdict(decision, _type_of(risk, findings), evidence, counter, first - second)
    part = Component.BENIGN if decision is Decision.NON_VIOLATION else Component.LIMITATION
    evidence = _with_more(_heaviest(findings, part)[:PAIR], findings, part)
    counter = _asserted(findings, *_RISK, *([Component.BENIGN] if part is Component.LIMITATION else []))
    return Verdict(decision, PSEUDO_TYPES[decision], evidence, counter, first - second)


def _risk_pair(findings: Sequence[Finding]) -> list[Finding]:
    """Return the heaviest claim with an action in another line, or nothing where there are no two lines."""
    claims, actions = (_heaviest(findings, part)[:TRIED] for part in _RISK)
    pairs = [[claim, action] for claim, action in product(claims, actions) if not claim.is_at(action)]
    return max(pairs, key=_pair_weight, default=[])


def _pair_weight(pair: Sequence[Finding]) -> int:
    return pair[0].weight(Component.CLAIM) + pair[1].weight(Component.ACTION) if pair else PAIR * NOTHING


def _weight_of_two(findings: Sequence[Finding], part: Component) -> int:
    weights = [max(each.weight(part), NOTHING) for each in _heaviest(findings, part)[:PAIR]]
    return sum(weights) + NOTHING * (PAIR - len(weights))


def _heaviest(findings: Sequence[Finding], *parts: Component) -> list[Finding]:
    return sorted(findings, key=lambda each: -each.weight(*parts))


def _type_of(risk: Sequence[Finding], findings: Sequence[Finding]) -> ViolationType:
    """Return the type that all claims and actions together speak for most."""
    heard = [each for each in findings if each in risk or each.weight(*_RISK) > HEARD]
    return max(CONCRETE_TYPES, key=lambda kind: sum(each.weights.types[kind] for each in heard))


def _with_more(
    chosen: Sequence[Finding], findings: Sequence[Finding], *parts: Component
) -> tuple[tuple[Finding, Component], ...]:
    """Return the lines chosen and the heaviest of the others that are to be cited, with their parts."""
    more = [each for each in _heaviest(findings, *parts) if each not in chosen and each.weight(*parts) > CITED]
    return tuple((each, _part_of(each, parts)) for each in [*chosen, *more][:MAX_CITED])


def _asserted(findings: Sequence[Finding], *parts: Component) -> tuple[tuple[Finding, Component], ...]:
    lines = [each for each in _heaviest(findings, *parts) if each.weight(*parts) > ASSERTED]
    return tuple((each, _part_of(each, parts)) for each in lines[:MAX_CITED])


def _part_of(finding: Finding, parts: Sequence[Component]) -> Component:
    return max(parts, key=finding.weight)
