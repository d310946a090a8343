"""A set of outcomes as one row of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen, without_unsaid
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.figures import OutcomeFigures
from riskchain_gym.scoring.gate_curve import GatePoint, gate_curve
from riskchain_gym.scoring.intervals import Intervals
from riskchain_gym.scoring.joint import Joint, joint
from riskchain_gym.scoring.judged import Judged, judged


class Summary(Frozen):
    """The headline figures over a set of chains; rates are 0 to 1, ``None`` where nothing of the kind was run.

    Episodes lost to infrastructure stay in every denominator as ⊥ and are counted apart, with the best and the worst
    a^e they could have had; they are never scored as zeros of their own.

    Attributes:
        chains: Episodes in the set.
        routing: ``reference``, or ``committed``: there a^w is not known everywhere, and what rests on it is ``None``.
        entry_top1: Share of episodes whose gate passed (historical policy).
        entry_top1_strict: The same under the strict policy.
        entry_top1_handoff: The same under the handoff policy.
        policies_differ: Chains on which the three policies do not agree, sorted.
        message_exact: Share of episodes whose messages were restored exactly.
        intent_accuracy: Share with the right intent.
        full: Share with messages, intent, platform and rank-1 entry all right.
        cer: Character error rate, pooled and unclipped.
        web_accuracy: Acc^w.
        balanced_accuracy: Mean recall of the decisions that occur in the gold, web only: a constant answer gets 1/3.
        decision_macro_f1: Mean F1 of the three decisions, an absent label counts 0 (protocol C.10).
        type_macro_f1: Mean F1 over the gold types that occur, on gold violations only (protocol C.10).
        exact_match: H-EM, decision and type both right.
        end_to_end_accuracy: Acc^e.
        gated_macro_f1: Decision macro-F1 of what the gate leaves.
        gated_type_macro_f1: Type macro-F1 of what the gate leaves.
        gated_exact_match: H-EM of what the gate leaves.
        gate_loss: Δ_gate = Acc^w − Acc^e.
        curve: Acc^e when the first k candidates are looked up.
        citation_precision: Mean over episodes; a missing report counts 0.
        citation_recall: As above.
        citation_f1: As above.
        evidence_seen: Mean share of the deciding atoms that the agent was shown at all.
        evidence_sufficient: Share of episodes whose citations contain a minimal deciding set.
        evidence_contradiction: Share of the reports with citations of which one contradicts the decision.
        over_citation: Mean share of citations that add nothing, over reports with citations.
        judge: What a judge says, with its coverage; ``None`` where none was asked.
        joint: What revised restorations have come to; ``None``, and left out of JSON, where none was sent.
        worst_case: Acc^e if every lost episode had failed; ``None`` where a^e is not asked for, as without sites.
        best_case: Acc^e if every lost episode had succeeded.
        statuses: Episodes by status.
        first_failures: Episodes by first failure; the share of ``success`` is H-EM.
        causes: Episodes by the event that their first failure is put down to, within each stage.
        failures: Events of every kind, recovered ones included.
        intervals: 95 % intervals of the rates above and of the curve, by what was drawn.
    """

    chains: int
    routing: str = "reference"
    entry_top1: float | None = None
    entry_top1_strict: float | None = None
    entry_top1_handoff: float | None = None
    policies_differ: tuple[str, ...] = ()
    message_exact: float | None = None
    intent_accuracy: float | None = None
    full: float | None = None
    cer: float | None = None
    web_accuracy: float | None = None
    balanced_accuracy: float | None = None
    decision_macro_f1: float | None = None
    type_macro_f1: float | None = None
    exact_match: float | None = None
    end_to_end_accuracy: float | None = None
    gated_macro_f1: float | None = None
    gated_type_macro_f1: float | None = None
    gated_exact_match: float | None = None
    gate_loss: float | None = None
    curve: tuple[GatePoint, ...] = ()
    citation_precision: float | None = None
    citation_recall: float | None = None
    citation_f1: float | None = None
    evidence_seen: float | None = None
    evidence_sufficient: float | None = None
    evidence_contradiction: float | None = None
    over_citation: float | None = None
    judge: Judged | None = None
    joint: Joint | None = None
    worst_case: float | None = None
    best_case: float | None = None
    statuses: dict[str, int]
    first_failures: dict[str, int]
    causes: dict[str, dict[str, int]] = Field(default_factory=dict)
    failures: dict[str, int]
    intervals: tuple[Intervals, ...] = ()

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), joint=None)

    @property
    def lost(self) -> int:
        """Episodes lost to infrastructure."""
        return self.statuses.get(EpisodeStatus.INFRA_ERROR, 0)


def summarize(outcomes: Sequence[Outcome], intervals: Sequence[Intervals] = ()) -> Summary:
    """Return the headline figures of a set of outcomes.

    Args:
        outcomes: One a chain, all of one routing, in any order.
        intervals: Intervals of the same set.

    Raises:
        ValueError: The set is empty, a chain occurs twice, or routings are mixed.
    """
    if not outcomes:
        raise ValueError("There is no outcome to summarise: run at least one chain.")
    repeated = [chain for chain, n in Counter(o.chain_id for o in outcomes).items() if n > 1]
    if repeated:
        raise ValueError(f"Chain '{repeated[0]}' occurs more than once: summarise one run of each chain at a time.")
    # Means of fractions depend in their last digit on the order they are summed in.
    outcomes = sorted(outcomes, key=lambda outcome: outcome.chain_id)
    points = OutcomeFigures(outcomes).points()
    known = {name: value for name, value in points.items() if name in Summary.model_fields}
    n, lost = len(outcomes), sum(o.status is EpisodeStatus.INFRA_ERROR for o in outcomes)
    gated = [o.end_to_end_correct for o in outcomes if o.end_to_end_correct is not None]
    # Of nothing but lost episodes with a site, a^e is not known, but it lies somewhere.
    bounded = bool(gated) or all(o.status is EpisodeStatus.INFRA_ERROR and o.label is not None for o in outcomes)
    gates = [(o.chain_id, o.gate) for o in outcomes if o.gate is not None]
    ends = sorted(((o.first_failure, o.cause) for o in outcomes if o.first_failure is not None), key=lambda end: end[0])
    return Summary(
        chains=n,
        routing=outcomes[0].routing,
        **known,
        policies_differ=tuple(sorted(c for c, g in gates if not g.passed == g.strict == g.handoff)),
        curve=gate_curve(points),
        judge=judged(outcomes),
        joint=joint(outcomes),
        worst_case=sum(gated) / n if bounded else None,
        best_case=(sum(gated) + lost) / n if bounded else None,
        statuses=_counts(o.status for o in outcomes),
        first_failures=_counts(stage for stage, _ in ends),
        causes={
            stage: _counts(cause.kind if cause else "none" for at, cause in ends if at == stage)
            for stage in dict.fromkeys(stage for stage, _ in ends)
            if stage != "success"
        },
        failures=_counts(f.kind for o in outcomes for f in o.failures),
        intervals=tuple(intervals),
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return {str(k): v for k, v in sorted(Counter(values).items())}
