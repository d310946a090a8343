"""What a judge says of a set of reports: the mean of each dimension, and whether enough was settled."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import JUDGE_DIMENSIONS, DimensionResult, JudgeResult, Outcome

MIN_COVERAGE = 0.8
"""A dimension of which less than this share of the points was settled is not to be interpreted."""


class JudgedDimension(Frozen):
    """One dimension over a set of reports.

    Attributes:
        score: Mean over the reports of which any point was settled, 0 to 1; ``None`` if there is none.
        coverage: Share of all points that were settled; ``None`` if none was put.
        interpretable: Whether the coverage is at least :data:`MIN_COVERAGE`.
    """

    score: float | None = None
    coverage: float | None = None
    interpretable: bool = False


class Judged(Frozen):
    """A judge's word on a set of reports; it says nothing of right and wrong.

    Attributes:
        judge: Name and version of the judge.
        reports: Reports that were put to it.
        scored: Those of which it settled any point.
        errors: Questions on which it failed.
        adverse: Reports with a point settled against them.
    """

    judge: str
    reports: int
    scored: int
    errors: int
    adverse: int
    faithfulness: JudgedDimension
    sufficiency: JudgedDimension
    completeness: JudgedDimension
    consistency: JudgedDimension

    @property
    def dimensions(self) -> dict[str, JudgedDimension]:
        """The four dimensions by name."""
        return {name: getattr(self, name) for name in JUDGE_DIMENSIONS}


def judged(outcomes: Sequence[Outcome]) -> Judged | None:
    """Return what a judge says of the reports of a set; ``None`` where it was asked about none.

    Raises:
        ValueError: Results of different judges are mixed.
    """
    return judged_results([outcome.judge for outcome in outcomes])


def judged_results(results: Sequence[JudgeResult]) -> Judged | None:
    """Return what a judge says of a set of reports, from its result on each; ``None`` where it was asked about none.

    Raises:
        ValueError: Results of different judges are mixed.
    """
    results = [result for result in results if result.status != "not_run"]
    names = sorted({result.judge for result in results})
    if not names:
        return None
    if len(names) > 1:
        raise ValueError(f"Results of different judges are never mixed, got {', '.join(names)}: judge the run again.")
    return Judged(
        judge=names[0],
        reports=len(results),
        scored=sum(result.status == "scored" for result in results),
        errors=sum(result.errors for result in results),
        adverse=sum(bool(result.adverse) for result in results),
        **{name: _dimension([result.dimensions[name] for result in results]) for name in JUDGE_DIMENSIONS},
    )


def _dimension(results: Sequence[DimensionResult]) -> JudgedDimension:
    scores = [result.score for result in results if result.score is not None]
    points, settled = sum(result.points for result in results), sum(result.settled for result in results)
    coverage = settled / points if points else None
    return JudgedDimension(
        score=sum(scores) / len(scores) if scores else None,
        coverage=coverage,
        interpretable=coverage is not None and coverage >= MIN_COVERAGE,
    )
