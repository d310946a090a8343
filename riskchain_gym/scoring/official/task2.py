"""The published Task 2 and gated figures of paired rows, with their paired bootstrap (protocol C.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.scoring.bootstrap import counts, percentile_interval, resampled
from riskchain_gym.scoring.decision_figures import DecisionColumns, decision_figures
from riskchain_gym.scoring.official.paired import Label, read_paired
from riskchain_gym.scoring.official.rows import check_settings

TASK2_SEED = 20260727
"""The published base seed: each model's is this plus its place in the order of names."""

REPORTED = ("decision_accuracy", "decision_macro_f1", "hierarchical_exact_match", "violation_type_macro_f1")
Multiplicities = NDArray[np.int32]

WEB_METRICS = tuple(f"web_{name}" for name in REPORTED)
PUBLISHED_METRICS = tuple(sorted(("entry_gate_pass", "gate_loss", *WEB_METRICS, *(f"gated_{n}" for n in REPORTED))))
"""The published metric keys."""

CONTROLS_NOTE = (
    "Constant answers and the oracle, computed from the gold of these rows. Landing-only, which looks at the landing "
    "page and no further, needs the sites and cannot be computed from rows."
)


def score_task2(
    paired_rows: Iterable[Mapping[str, Any]], *, replicates: int = 2000, seed: int = TASK2_SEED
) -> dict[str, Any]:
    """Score paired rows as the published scorer does.

    Rows are grouped by ``display_model`` (``model`` where there is none), each model's sorted by ordinal. A replicate
    draws websites, the web report and the gate of each together, with the seed ``seed`` plus the model's place among
    the sorted names. The interval ends are order statistics (method ``nearest``). The gated report is derived from
    ``gate_pass``. INSUFFICIENT_EVIDENCE with NONE is read as UNKNOWN, in the gold and in reports.

    Args:
        paired_rows: Objects with ``ordinal``, ``model`` or ``display_model``, ``gold_decision``, ``gold_type``,
            ``web_pred_decision``, ``web_pred_type`` and ``gate_pass``; ``gated_pred_*`` must agree where given. Any
            number of models, all with the same websites; ⊥ is ``__BOTTOM__``.
        replicates: Bootstrap replicates.
        seed: The base seed.

    Returns:
        ``models``, by name: ``seed``, ``website_count``, ``point`` and ``ci95`` with the published keys, and the same
        two of balanced accuracy under ``beyond_published``. ``type_labels``: the types of the gold violations, over
        which the type macro-F1 is the mean; where there is none, that figure is ``None``. ``controls``: the web figures
        of constant answers and of the oracle, drawn with the base seed, and ``violation_type``, the most frequent type,
        which always answering VIOLATION names. ``notes``: ``normalised_rows``. ``bootstrap``.

    Raises:
        OfficialRowError: Rows are missing, wrong or do not fit each other; it names row, field and value.
        ConfigError: ``replicates`` or ``seed`` cannot be honoured.
    """
    check_settings(replicates=replicates, seed=seed)
    table = read_paired(paired_rows)
    gold = table.gold
    base = _drawn(len(gold), replicates=replicates, seed=seed)
    models: dict[str, Any] = {}
    for offset, name in enumerate(table.models):
        drawn = _drawn(len(gold), replicates=replicates, seed=seed + offset) if offset else base
        points, intervals = _scored(table.columns(name), drawn)
        beyond = sorted(points.keys() - set(PUBLISHED_METRICS))
        models[name] = {
            "seed": seed + offset,
            "website_count": len(gold),
            "point": _picked(points, PUBLISHED_METRICS),
            "ci95": _picked(intervals, PUBLISHED_METRICS),
            "beyond_published": {"point": _picked(points, beyond), "ci95": _picked(intervals, beyond)},
        }
    return {
        "models": models,
        "type_labels": sorted(_violation_types(gold)),
        "controls": _controls(gold, base, seed=seed),
        "notes": {"normalised_rows": table.normalised_rows},
        "bootstrap": {"base_seed": seed, "replicates": replicates, "unit": "website", "percentile_method": "nearest"},
    }


def _controls(gold: Sequence[Label], drawn: Multiplicities, *, seed: int) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name, reports in _control_reports(gold).items():
        points, intervals = _scored(DecisionColumns.of(gold, reports), drawn)
        keys = sorted({*WEB_METRICS, *points})
        rows[name] = {"seed": seed, "point": _picked(points, keys), "ci95": _picked(intervals, keys)}
    return {"rows": rows, "note": CONTROLS_NOTE, "violation_type": _commonest_type(gold)}


def _control_reports(gold: Sequence[Label]) -> dict[str, Sequence[Label]]:
    # Without a gold violation no type is the most frequent; the answer is wrong everywhere in any case.
    commonest = _commonest_type(gold) or ""
    reports: dict[str, Sequence[Label]] = {
        f"always {decision}": [(str(decision), str(PSEUDO_TYPES.get(decision, commonest)))] * len(gold)
        for decision in Decision
    }
    return reports | {"oracle": gold}


def _commonest_type(gold: Sequence[Label]) -> str | None:
    types = _violation_types(gold)
    return min(types, key=lambda kind: (-types[kind], kind), default=None)


def _violation_types(gold: Sequence[Label]) -> Counter[str]:
    return Counter(kind for decision, kind in gold if decision == Decision.VIOLATION)


def _drawn(n: int, *, replicates: int, seed: int) -> Multiplicities:
    return counts(resampled(n, seed=seed, replicates=replicates), n)


def _scored(columns: DecisionColumns, drawn: Multiplicities) -> tuple[dict[str, float], dict[str, list[float]]]:
    # Every website is a cluster of its own, so that multiplicities are case weights.
    points = {name: float(value) for name, value in decision_figures(columns).items()}
    figures = decision_figures(columns, drawn)
    return points, {name: list(percentile_interval(values, method="nearest")) for name, values in figures.items()}


def _picked(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: values.get(name) for name in names}
