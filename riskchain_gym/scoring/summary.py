"""A set of outcomes as one row of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import LabelResult, Outcome


class Summary(Frozen):
    """The headline figures over a set of chains; rates are 0 to 1, ``None`` where nothing of the kind was run.

    Episodes lost to infrastructure stay in every denominator as ⊥ and are counted apart, with the best and the worst
    a^e they could have had; they are never scored as zeros of their own.

    Attributes:
        chains: Episodes in the set.
        entry_top1: Share of episodes whose gate passed.
        message_exact: Share of episodes whose messages were restored exactly.
        cer: Character error rate, pooled and unclipped.
        web_accuracy: Acc^w.
        end_to_end_accuracy: Acc^e.
        gate_loss: Δ_gate = Acc^w − Acc^e.
        decision_macro_f1: Mean F1 of the three decisions, an absent label counts 0 (protocol C.10).
        type_macro_f1: Mean F1 over the gold types that occur, on gold violations only (protocol C.10).
        exact_match: H-EM, decision and type both right.
        citation_precision: Mean over episodes; a missing report counts 0.
        citation_recall: As above.
        citation_f1: As above.
        worst_case: Acc^e if every lost episode had failed.
        best_case: Acc^e if every lost episode had succeeded.
        statuses: Episodes by status.
        first_failures: Episodes by first failure.
        failures: Events of every kind, recovered ones included.
    """

    chains: int
    entry_top1: float | None = None
    message_exact: float | None = None
    cer: float | None = None
    web_accuracy: float | None = None
    end_to_end_accuracy: float | None = None
    gate_loss: float | None = None
    decision_macro_f1: float | None = None
    type_macro_f1: float | None = None
    exact_match: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    citation_f1: float | None = None
    worst_case: float | None = None
    best_case: float | None = None
    statuses: dict[str, int]
    first_failures: dict[str, int]
    failures: dict[str, int]

    @property
    def lost(self) -> int:
        """Episodes lost to infrastructure."""
        return self.statuses.get(EpisodeStatus.INFRA_ERROR, 0)


def summarize(outcomes: Sequence[Outcome]) -> Summary:
    """Return the headline figures of a set of outcomes.

    Raises:
        ValueError: The set is empty, or a chain occurs twice.
    """
    if not outcomes:
        raise ValueError("There is no outcome to summarise: run at least one chain.")
    repeated = [chain for chain, n in Counter(o.chain_id for o in outcomes).items() if n > 1]
    if repeated:
        raise ValueError(f"Chain '{repeated[0]}' occurs more than once: summarise one run of each chain at a time.")
    n = len(outcomes)
    gates = [o.gate for o in outcomes if o.gate is not None]
    restored = [o.restoration for o in outcomes if o.restoration is not None]
    labels = [o.label for o in outcomes if o.label is not None]
    evidence = [o.evidence for o in outcomes if o.evidence is not None]
    lost = sum(o.status is EpisodeStatus.INFRA_ERROR for o in outcomes)
    gated = [o.end_to_end_correct for o in outcomes if o.end_to_end_correct is not None]
    loss = [o.gate_loss for o in outcomes if o.gate_loss is not None]
    web = [o.web_correct for o in outcomes if o.web_correct is not None]
    reference = sum(r.reference_length for r in restored)
    return Summary(
        chains=n,
        entry_top1=sum(g.passed for g in gates) / n if gates else None,
        message_exact=sum(r.message_exact for r in restored) / n if restored else None,
        cer=sum(r.edit_distance for r in restored) / reference if reference else None,
        web_accuracy=sum(web) / n if web else None,
        end_to_end_accuracy=sum(gated) / n if gated else None,
        gate_loss=sum(loss) / n if loss else None,
        decision_macro_f1=decision_macro_f1(labels) if labels else None,
        type_macro_f1=type_macro_f1(labels) if labels else None,
        exact_match=sum(label.exact for label in labels) / n if labels else None,
        citation_precision=sum(e.precision for e in evidence) / n if evidence else None,
        citation_recall=sum(e.recall for e in evidence) / n if evidence else None,
        citation_f1=sum(e.f1 for e in evidence) / n if evidence else None,
        worst_case=sum(gated) / n if gated or lost else None,
        best_case=(sum(gated) + lost) / n if gated or lost else None,
        statuses=_counts(o.status for o in outcomes),
        first_failures=_counts(o.first_failure for o in outcomes if o.first_failure is not None),
        failures=_counts(f.kind for o in outcomes for f in o.failures),
    )


def decision_macro_f1(labels: Sequence[LabelResult]) -> float:
    """Return the mean F1 over the three fixed decisions; a decision that never occurs counts 0 (protocol C.10)."""
    pairs = [(label.gold_decision, label.predicted_decision) for label in labels]
    return sum(_f1(pairs, decision) for decision in Decision) / len(Decision)


def type_macro_f1(labels: Sequence[LabelResult]) -> float | None:
    """Return the mean F1 over the gold types that occur, on gold violations only; ``None`` if there are none.

    A predicted type counts only with a predicted VIOLATION (protocol C.10).
    """
    rows = [label for label in labels if label.gold_decision is Decision.VIOLATION]
    violation = Decision.VIOLATION
    pairs = [(r.gold_type, r.predicted_type if r.predicted_decision is violation else None) for r in rows]
    supported = [t for t in ViolationType if any(gold is t for gold, _ in pairs)]
    return sum(_f1(pairs, t) for t in supported) / len(supported) if supported else None


def _f1(pairs: Sequence[tuple[object, object]], label: object) -> float:
    true = sum(g is label and p is label for g, p in pairs)
    wrong = sum((g is label) != (p is label) for g, p in pairs)
    return 2 * true / (2 * true + wrong) if true else 0.0


def _counts(values: Iterable[str]) -> dict[str, int]:
    return {str(k): v for k, v in sorted(Counter(values).items())}
