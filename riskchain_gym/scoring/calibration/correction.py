"""What a judge's mean would be if it made no mistakes, from the mistakes that it makes on anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.bootstrap import counts, percentile_interval, resampled
from riskchain_gym.scoring.calibration.anchors import Anchor, speaks_against
from riskchain_gym.scoring.calibration.calibrate import Support
from riskchain_gym.scoring.judge.questions import Answer

MAX_UNDEFINED = 0.05
"""A correction that more than this share of the bootstrap samples does not have gets no interval."""

Array = NDArray[np.float64]


class Corrected(Frozen):
    """The share of claims about single citations that hold.

    Attributes:
        raw: Share of the judge's answers of yes or no that speak for the report; ``None`` if it gave none.
        sensitivity: Of the anchors that hold and that it answered with yes or no, the share it says hold.
        specificity: Of those that do not hold, the share it says do not.
        value: ``(raw + specificity - 1) / (sensitivity + specificity - 1)``, clipped to 0 to 1.
        low: Lower end of the 95 % bootstrap interval over anchors and reports; ``None`` where there is none, as of one
            page or one site.
        high: Upper end.
        reason: Why there is no value, else ``""``.
    """

    raw: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def corrected_share(
    anchors: Sequence[Anchor],
    answers: Mapping[str, Answer | None],
    supports: Sequence[Support],
    *,
    seed: int = 0,
    replicates: int = 2000,
) -> Corrected:
    """Correct the share of supported claims for the judge's bias (Rogan & Gladen 1978).

    Anchors whose reference or answer is that nobody can tell do not count, nor do those that several citations settle
    together: the mean has none of these either. In every sample clusters of anchors and sites are drawn with
    replacement, both in order of their names, and the correction is made anew, clipping included.

    Args:
        anchors: The anchors.
        answers: The judge's answer by anchor id, ``None`` where it failed.
        supports: What it said of each report.
        seed: Seed of the draws of anchors; sites are drawn with the next one.
        replicates: Bootstrap samples.
    """
    table = _by_cluster(
        [(anchor.cluster, cell) for anchor in anchors if (cell := _cell(anchor, answers[anchor.id])) is not None]
    )
    reports = _by_cluster([(s.cluster, np.array([s.supported, s.answered], dtype=np.float64)) for s in supports])
    raw, sensitivity, specificity = _rates(table.sum(axis=0)[np.newaxis], reports.sum(axis=0)[np.newaxis])
    point = _corrected(raw, sensitivity, specificity)[0]
    known = Corrected(raw=_known(raw[0]), sensitivity=_known(sensitivity[0]), specificity=_known(specificity[0]))
    if np.isnan(point):
        return known.model_copy(update={"reason": _reason(known)})
    sampled = _corrected(*_rates(_drawn(table, seed, replicates), _drawn(reports, seed + 1, replicates)))
    defined = sampled[~np.isnan(sampled)]
    low, high = None, None
    if min(len(table), len(reports)) > 1 and 1 - len(defined) / replicates <= MAX_UNDEFINED:
        low, high = percentile_interval(defined, method="linear")
    return known.model_copy(update={"value": float(point), "low": low, "high": high})


def _cell(anchor: Anchor, answer: Answer | None) -> Array | None:
    """Return what an anchor counts towards: said and is to hold, to hold, said and is not to hold, not to hold."""
    said = None if answer is None else speaks_against(anchor.question, answer)
    if said is None or anchor.adverse is None or anchor.question.group:
        return None
    right = float(said is anchor.adverse)
    return np.array([0.0, 0.0, right, 1.0] if anchor.adverse else [right, 1.0, 0.0, 0.0])


def _by_cluster(rows: Sequence[tuple[str, Array]]) -> Array:
    names = {name: i for i, name in enumerate(sorted({name for name, _ in rows}))}
    summed = np.zeros((max(1, len(names)), len(rows[0][1]) if rows else 4))
    for name, row in rows:
        summed[names[name]] += row
    return summed


def _drawn(clusters: Array, seed: int, replicates: int) -> Array:
    drawn = counts(resampled(len(clusters), seed=seed, replicates=replicates), len(clusters))
    summed: Array = drawn.astype(np.float64) @ clusters
    return summed


def _rates(anchors: Array, reports: Array) -> tuple[Array, Array, Array]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return reports[:, 0] / reports[:, 1], anchors[:, 0] / anchors[:, 1], anchors[:, 2] / anchors[:, 3]


def _corrected(raw: Array, sensitivity: Array, specificity: Array) -> Array:
    better = sensitivity + specificity - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(better > 0, np.clip((raw + specificity - 1) / better, 0.0, 1.0), np.nan)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _reason(known: Corrected) -> str:
    if known.raw is None:
        return "The judge answered no question about a citation of these reports with yes or no."
    if known.sensitivity is None or known.specificity is None:
        return "The judge needs answers of yes or no to anchors that hold and to anchors that do not."
    return "Sensitivity and specificity sum to 1 or less: the judge tells what holds no better than chance."
