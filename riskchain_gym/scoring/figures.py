"""The figures of a set of outcomes, for the set as it is and for any number of reweighted samples of it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import EvidenceResult, Outcome, RestorationResult
from riskchain_gym.scoring.decision_figures import DecisionColumns, decision_figures

LOOKUPS = (1, 2, 3, 5)
"""The k of the gate curve: how many candidates are looked up, in order of rank, until one resolves."""

Samples = NDArray[np.float64]

_RENAMED = {
    "web_decision_accuracy": "web_accuracy",
    "web_decision_macro_f1": "decision_macro_f1",
    "web_violation_type_macro_f1": "type_macro_f1",
    "web_hierarchical_exact_match": "exact_match",
    "web_balanced_accuracy": "balanced_accuracy",
    "gate_loss": "gate_loss",
    "gated_decision_accuracy": "end_to_end_accuracy",
    "gated_decision_macro_f1": "gated_macro_f1",
    "gated_violation_type_macro_f1": "gated_type_macro_f1",
    "gated_hierarchical_exact_match": "gated_exact_match",
    "gated_balanced_accuracy": "gated_balanced_accuracy",
}
"""The published names and ours; the gate is counted with its policies, as it needs no site."""

_WEB = ("web_accuracy", "decision_macro_f1", "type_macro_f1", "exact_match", "balanced_accuracy", "gate_loss")


def _found_within(k: int) -> Callable[[RestorationResult], float]:
    return lambda r: r.entry_rank is not None and r.entry_rank <= k


_RESTORED: dict[str, Callable[[RestorationResult], float]] = {
    "message_exact": lambda r: r.message_exact,
    "intent_accuracy": lambda r: r.intent_correct,
    "full": lambda r: r.full,
    **{f"recall_at_{k}": _found_within(k) for k in LOOKUPS},
}
_CITED: dict[str, Callable[[EvidenceResult], float]] = {
    "citation_precision": lambda e: e.precision,
    "citation_recall": lambda e: e.recall,
    "citation_f1": lambda e: e.f1,
    "evidence_seen": lambda e: e.seen,
    "evidence_sufficient": lambda e: e.sufficient,
}
_OF_CITATIONS: dict[str, Callable[[EvidenceResult], float]] = {
    "evidence_contradiction": lambda e: e.contradiction,
    "over_citation": lambda e: e.over_citation,
}
"""Faults that citations have: a report without any has none of them, and is no example of good ones either."""


@dataclass(frozen=True, eq=False)
class Ratio:
    """A figure that is a sum over cases divided by another: a mean, a share, an error rate.

    Attributes:
        over: What each case adds above the line, of shape (n,).
        under: What it adds below, of shape (n,).
    """

    over: Samples
    under: Samples


class OutcomeFigures:
    """The outcomes of one agent as columns.

    Episodes lost to infrastructure, and cases that ended as ⊥, stay in every denominator as failures; where nothing but
    lost episodes is there, nothing is known. To the look-ups, which are of what was restored, a lost episode adds
    nothing. What nobody could have known is in none: there is no gate without a restore
    phase, no a^e where no site was scored, no evidence score on a site without atoms, and no a^w where wrong entries
    kept sites closed.

    Args:
        outcomes: One a chain, at least one, all of one routing and all with or all without a site.

    Raises:
        ValueError: They are not.
    """

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        routings = sorted({outcome.routing for outcome in outcomes})
        if len(routings) != 1:
            raise ValueError(f"Outcomes of one routing are summarised together, got {', '.join(routings) or 'none'}.")
        labelled = [
            outcome.label is not None for outcome in outcomes if outcome.status is not EpisodeStatus.INFRA_ERROR
        ]
        if any(labelled) and not all(labelled):
            raise ValueError("Some outcomes have a site and some have none: summarise them apart.")
        self._n = len(outcomes)
        self._committed = routings == ["committed"]
        self._decisions: DecisionColumns | None = None
        self._ratios: dict[str, Ratio] = {}
        if all(outcome.status is EpisodeStatus.INFRA_ERROR for outcome in outcomes):
            return
        self._decisions = _decisions(outcomes)
        self._ratios = _policies(outcomes) | _restored(outcomes) | _curve(outcomes) | _cited(outcomes)

    def evaluated(self, weights: NDArray[np.int32] | None = None) -> dict[str, Samples]:
        """Return every known figure of every sample; NaN where a sample has nothing to divide by.

        Args:
            weights: Integer weights of shape (..., n); ``None``: one each.

        Returns:
            Name to figures of shape (...).
        """
        found: dict[str, Samples] = {}
        if self._decisions is not None:
            figures = decision_figures(self._decisions, weights)
            found = {ours: figures[name] for name, ours in _RENAMED.items() if name in figures}
            if self._committed:
                found = {name: values for name, values in found.items() if name not in _WEB}
        given = np.ones(self._n, dtype=np.float64) if weights is None else weights.astype(np.float64)
        for name, ratio in self._ratios.items():
            under = given @ ratio.under
            over = given @ ratio.over
            found[name] = np.divide(over, under, out=np.full_like(under, np.nan, dtype=np.float64), where=under > 0)
        return found

    def points(self) -> dict[str, float]:
        """Return every figure of the set that is known."""
        points = {name: float(value) for name, value in self.evaluated().items()}
        return {name: value for name, value in points.items() if not np.isnan(value)}


def _decisions(outcomes: Sequence[Outcome]) -> DecisionColumns | None:
    labels = [outcome.label for outcome in outcomes]
    if any(label is None for label in labels):
        return None
    known = [label for label in labels if label is not None]
    # Without a single gate nobody had anything to restore; a case that has none beside others did not pass it.
    gates = [outcome.gate for outcome in outcomes]
    return DecisionColumns.of(
        [(label.gold_decision, label.gold_type) for label in known],
        [(label.predicted_decision, label.predicted_type) for label in known],
        [gate is not None and gate.passed for gate in gates] if any(gates) else None,
    )


def _restored(outcomes: Sequence[Outcome]) -> dict[str, Ratio]:
    results = [outcome.restoration for outcome in outcomes]
    if not any(results):
        return {}
    everyone = np.ones(len(outcomes))
    ratios = {name: Ratio(_column(results, rate), everyone) for name, rate in _RESTORED.items()}
    lost = np.array([outcome.lost_length for outcome in outcomes], dtype=np.float64)
    edits, length = _column(results, lambda r: r.edit_distance), _column(results, lambda r: r.reference_length)
    ratios["cer"] = Ratio(edits + lost, length + lost)
    return ratios


def _policies(outcomes: Sequence[Outcome]) -> dict[str, Ratio]:
    gates = [outcome.gate for outcome in outcomes]
    if not any(gates):
        return {}
    everyone = np.ones(len(outcomes))
    return {
        "entry_top1": Ratio(_column(gates, lambda g: g.passed), everyone),
        "entry_top1_strict": Ratio(_column(gates, lambda g: g.strict), everyone),
        "entry_top1_handoff": Ratio(_column(gates, lambda g: g.handoff), everyone),
    }


def _curve(outcomes: Sequence[Outcome]) -> dict[str, Ratio]:
    """Return a^e when the first k candidates are looked up, where there are sites, and the look-ups that takes."""
    if not any(outcome.restoration for outcome in outcomes) or any(o.routing == "committed" for o in outcomes):
        return {}
    everyone, restored = np.ones(len(outcomes)), [outcome.restoration for outcome in outcomes]
    has_sites = all(outcome.label for outcome in outcomes)
    curve: dict[str, Ratio] = {}
    for k in LOOKUPS:
        if has_sites:
            reached = np.array([_reached(outcome, k) for outcome in outcomes], dtype=np.float64)
            curve[f"end_to_end_at_{k}"] = Ratio(reached, everyone)
        spent = _column(restored, lambda r, k=k: min(r.entry_rank or r.candidates, k))
        curve[f"lookups_at_{k}"] = Ratio(spent, _column(restored, lambda _: 1.0))
    return curve


def _reached(outcome: Outcome, k: int) -> bool:
    rank = outcome.restoration.entry_rank if outcome.restoration else None
    return rank is not None and rank <= k and bool(outcome.web_correct)


def _cited(outcomes: Sequence[Outcome]) -> dict[str, Ratio]:
    results = [outcome.evidence for outcome in outcomes]
    if not any(results):
        return {}
    # A site without atoms has no evidence to cite; a case that was lost, or never got to its site, has cited nothing.
    got_nowhere = [o.web_correct is None and o.label is not None for o in outcomes]
    cited = [result is not None for result in results]
    asked = np.array([one or other for one, other in zip(cited, got_nowhere, strict=True)], dtype=np.float64)
    citing = _column(results, lambda e: e.citations > 0)
    ratios = {name: Ratio(_column(results, rate), asked) for name, rate in _CITED.items()}
    return ratios | {name: Ratio(_column(results, rate), citing) for name, rate in _OF_CITATIONS.items()}


def _column(results: Sequence[object], rate: Callable[..., float]) -> Samples:
    return np.array([0.0 if result is None else rate(result) for result in results], dtype=np.float64)
