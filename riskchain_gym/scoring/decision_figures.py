"""Decision and type figures of many weighted samples of the same cases at once (protocol C.10).

A sample is a vector of integer case weights: all ones for the point, multiplicities for a bootstrap replicate. Every
figure is a ratio of integer counts, so that the sums are exact however many samples are evaluated in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.codebook import Decision

Codes = NDArray[np.int64]
Figures = dict[str, NDArray[np.float64]]

BOTTOM = -1
"""The code of ⊥: no decision, or no type."""

DECISIONS = tuple(str(decision) for decision in Decision)
"""The three fixed decisions; a decision's code is its place here."""

_VIOLATION = DECISIONS.index(Decision.VIOLATION)
_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class DecisionColumns:
    """One agent's reports on n cases beside the gold, as integer codes of shape (n,).

    Attributes:
        gold_decision: Codes of :data:`DECISIONS`.
        gold_type: Codes of the types, 0 or more; which type has which code is the caller's business.
        decision: Codes of the decisions of the web reports, or ``BOTTOM``.
        type: Codes of the types of the web reports, or ``BOTTOM``.
        gate: Whether the gate let the case through; ``None`` where no gate was looked at.
        supported: Codes of the types that the type macro-F1 is the mean over, in order of summation.
    """

    gold_decision: Codes
    gold_type: Codes
    decision: Codes
    type: Codes
    gate: NDArray[np.bool_] | None
    supported: tuple[int, ...]

    @classmethod
    def of(
        cls,
        gold: Sequence[tuple[str, str]],
        reports: Sequence[tuple[str | None, str | None]],
        gate: Sequence[bool] | None = None,
    ) -> DecisionColumns:
        """Return the columns of labels given as names.

        The supported types are those of the gold violations, sorted by name.

        Args:
            gold: Decision and type of each case.
            reports: Decision and type of each case's web report; ``None`` is ⊥.
            gate: Whether each case passed the gate.

        Raises:
            ValueError: There is no case, the lengths differ, or a decision is unknown.
        """
        if not gold or len(reports) != len(gold) or (gate is not None and len(gate) != len(gold)):
            raise ValueError(f"Give one report and one gate a gold case, at least one: {len(gold)} cases were given.")
        code_of = {name: code for code, name in enumerate(DECISIONS)}
        if unknown := [
            d for d in [*(d for d, _ in gold), *(d for d, _ in reports if d is not None)] if d not in code_of
        ]:
            raise ValueError(f"A decision is one of {', '.join(DECISIONS)}, got {unknown[0]!r}.")
        names = sorted({t for _, t in gold} | {t for _, t in reports if t is not None})
        types = {name: code for code, name in enumerate(names)}
        supported = {types[t] for d, t in gold if d == Decision.VIOLATION}
        return cls(
            gold_decision=_coded([code_of[d] for d, _ in gold]),
            gold_type=_coded([types[t] for _, t in gold]),
            decision=_coded([BOTTOM if d is None else code_of[d] for d, _ in reports]),
            type=_coded([BOTTOM if t is None else types[t] for _, t in reports]),
            gate=None if gate is None else np.array(gate, dtype=np.bool_),
            supported=tuple(sorted(supported)),
        )

    def __len__(self) -> int:
        return len(self.gold_decision)


def case_weights(cluster_counts: NDArray[np.int32], cluster_of_case: Codes) -> NDArray[np.int32]:
    """Return the weights of cases whose clusters were drawn so many times.

    Args:
        cluster_counts: Multiplicities, of shape (..., clusters).
        cluster_of_case: Each case's cluster, of shape (n,).

    Returns:
        Weights, of shape (..., n).
    """
    return cluster_counts[..., cluster_of_case]


def decision_figures(columns: DecisionColumns, weights: NDArray[np.int32] | None = None) -> Figures:
    """Return every figure of every sample.

    Of the web reports, with ``web_`` before, and of what the gate leaves of them, with ``gated_`` before:
    ``decision_accuracy``; ``decision_macro_f1``, over the three fixed decisions, an absent one counting 0;
    ``violation_type_macro_f1``, over gold violations and the supported types, an absent one counting 0, the predicted
    type being ⊥ unless the predicted decision is VIOLATION; ``hierarchical_exact_match``, decision and type both right;
    ``balanced_accuracy``, the mean recall of the decisions that occur in the sample's gold. Beside them
    ``entry_gate_pass`` and ``gate_loss``, the web minus the gated decision accuracy.

    Without a gate only the ``web_`` figures are there, without supported types no ``violation_type_macro_f1``.

    Args:
        columns: The n cases.
        weights: Integer weights, of shape (..., n), none negative and no sample all zeros; ``None``: one each.

    Returns:
        Name to figures, 0 to 1, each of shape (...).

    Raises:
        ValueError: The weights do not fit the cases, or a sample has none.
    """
    n = len(columns)
    given = np.ones(n, dtype=np.int32) if weights is None else weights
    if given.shape[-1] != n:
        raise ValueError(f"There must be one weight a case, {n}, got {given.shape[-1]}.")
    profiles, weights_of_profiles = _folded(columns, given.reshape(-1, n))
    figures = _figures(profiles, weights_of_profiles)
    return {name: values.reshape(given.shape[:-1]) for name, values in figures.items()}


def _folded(columns: DecisionColumns, samples: NDArray[np.int32]) -> tuple[DecisionColumns, NDArray[np.float64]]:
    """Return the different cases, and their weights in each sample: most cases are alike in every column."""
    gate = np.ones(len(columns), dtype=np.bool_) if columns.gate is None else columns.gate
    table = np.stack([columns.gold_decision, columns.gold_type, columns.decision, columns.type, gate], axis=1)
    profiles, inverse = np.unique(table, axis=0, return_inverse=True)
    profile_of_case = inverse.reshape(-1)
    order = np.argsort(profile_of_case, kind="stable")
    first = np.searchsorted(profile_of_case[order], np.arange(len(profiles)))
    # Products of small integers are exact in floating point, and far faster.
    weights = np.empty((len(samples), len(profiles)), dtype=np.float64)
    step = max(1, _CELLS_AT_ONCE // len(columns))
    for start in range(0, len(samples), step):
        weights[start : start + step] = np.add.reduceat(samples[start : start + step, order], first, axis=1)
    gold_decision, gold_type, decision, kind, passed = profiles.T
    folded = DecisionColumns(
        gold_decision=gold_decision,
        gold_type=gold_type,
        decision=decision,
        type=kind,
        gate=None if columns.gate is None else passed.astype(np.bool_),
        supported=columns.supported,
    )
    return folded, weights


def _figures(columns: DecisionColumns, weights: NDArray[np.float64]) -> Figures:
    total = weights.sum(axis=1)
    if not (total > 0).all():
        raise ValueError("A sample has no case of positive weight.")
    figures = _reported("web", columns, columns.decision, columns.type, weights, total)
    if columns.gate is None:
        return figures
    decision = np.where(columns.gate, columns.decision, BOTTOM)
    kind = np.where(columns.gate, columns.type, BOTTOM)
    figures["entry_gate_pass"] = weights @ columns.gate / total
    figures |= _reported("gated", columns, decision, kind, weights, total)
    figures["gate_loss"] = figures["web_decision_accuracy"] - figures["gated_decision_accuracy"]
    return figures


def _reported(
    prefix: Literal["web", "gated"],
    columns: DecisionColumns,
    decision: Codes,
    kind: Codes,
    weights: NDArray[np.float64],
    total: NDArray[np.float64],
) -> Figures:
    right = decision == columns.gold_decision
    exact = right & (kind == columns.gold_type)
    gold, predicted, hit = _matches(weights, columns.gold_decision, decision, range(len(DECISIONS)))
    occurs = gold > 0
    recalls = np.divide(hit, gold, out=np.zeros_like(hit), where=occurs)
    figures = {
        f"{prefix}_decision_accuracy": weights @ right / total,
        f"{prefix}_decision_macro_f1": _macro_f1(gold, predicted, hit),
        f"{prefix}_hierarchical_exact_match": weights @ exact / total,
        f"{prefix}_balanced_accuracy": _summed(recalls) / occurs.sum(axis=0),
    }
    if columns.supported:
        violations = columns.gold_decision == _VIOLATION
        claimed = np.where(decision == _VIOLATION, kind, BOTTOM)[violations]
        of_type = _matches(weights[:, violations], columns.gold_type[violations], claimed, columns.supported)
        figures[f"{prefix}_violation_type_macro_f1"] = _macro_f1(*of_type)
    return figures


def _matches(
    weights: NDArray[np.float64], gold: Codes, predicted: Codes, labels: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return how much weight is gold, predicted and both, each of shape (labels, samples)."""
    codes = np.array(labels)
    is_gold = gold[:, None] == codes
    is_predicted = predicted[:, None] == codes
    together = np.concatenate([is_gold, is_predicted, is_gold & is_predicted], axis=1)
    return tuple(np.split((weights @ together).T, 3))  # type: ignore[return-value]


def _macro_f1(
    gold: NDArray[np.float64], predicted: NDArray[np.float64], hit: NDArray[np.float64]
) -> NDArray[np.float64]:
    either = gold + predicted
    return _summed(np.divide(2 * hit, either, out=np.zeros_like(hit), where=either > 0)) / len(gold)


def _summed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    # Row by row, as a loop over the labels sums them: NumPy's own sum may take another order.
    total = np.zeros(rows.shape[1])
    for row in rows:
        total += row
    return total


def _coded(codes: Sequence[int]) -> Codes:
    return np.array(codes, dtype=np.int64)
