"""The score table: which columns there are, what they mean, and one row a run."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.evaluation.columns import COLUMNS, fraction, percent
from riskchain_gym.evaluation.controls import ControlRow
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.score import Scores
from riskchain_gym.evaluation.usage import RunUsage
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.scoring.judged import MIN_COVERAGE, JudgedDimension
from riskchain_gym.scoring.summary import Summary

Row = tuple[RunManifest, Scores]
"""What a row is made from."""


KIND_MARKS = {"baseline": "", "control": "°", "oracle": "*"}
"""How a row is marked: controls and the oracle are there to read the others by."""

COMPUTED = "†"
"""The mark of a row that nobody ran."""

LEGEND = (
    "° control, * oracle (upper bound), † computed for this table; percent but for the F1 columns. "
    "rep reported, miss missing report, ⊥ ended by the protocol, infra lost to infrastructure (no score)."
)
"""What the marks and the short status names mean."""

INTERVAL_LEGEND = "[ ] 95 % bootstrap interval over websites, 2,000 samples."
"""How the intervals are read."""

JUDGE_LEGEND = (
    "Mean over reports, 0 to 1, of the share of points settled for the report; in brackets how many were settled. "
    f"n/i: not interpretable, less than {100 * MIN_COVERAGE:.0f} % were. "
    "Whoever quotes word for word is faithful, whatever the decision; runs without a report are not here."
)
"""How the judge's table is read."""

JOINT_LEGEND = (
    "Acc^joint: Acc^e with the gate of the last restoration sent, be it from before the site was seen or after; "
    "recovered: Acc^joint − Acc^e. In brackets the gates that revisions opened and closed. No other figure counts them."
)
"""How the table of revisions is read."""

_SHORT = {
    EpisodeStatus.REPORTED: "rep",
    EpisodeStatus.MISSING_REPORT: "miss",
    EpisodeStatus.BOTTOM: "⊥",
    EpisodeStatus.INFRA_ERROR: "infra",
}
_WORDS = {
    EpisodeStatus.MISSING_REPORT: "without a report",
    EpisodeStatus.BOTTOM: "ended as ⊥",
    EpisodeStatus.INFRA_ERROR: "lost to infrastructure",
}


def title(rows: Sequence[Row]) -> str:
    """Return the heading of a table, e.g. ``split mini · open gold · 4 of 24 chains``.

    Raises:
        ValueError: There are no rows.
    """
    if not rows:
        raise ValueError("A table needs at least one row.")
    first, planned = rows[0][0], _planned(rows)
    chains = f"{planned} chains" if planned == first.split_chains else f"{planned} of {first.split_chains} chains"
    return f"split {first.split} · {first.origin} gold · {chains}"


def remarks(rows: Sequence[Row], *, computed: bool = False) -> list[list[str]]:
    """Return for each row what must be read beside its figures: chains that are missing, episodes that were lost.

    Rows of different sets of chains must not be compared, and an episode lost to infrastructure has no score: the
    figures count it as ⊥, so the best and the worst a^e that it could have had are told.

    Args:
        rows: All rows of the table that were run.
        computed: Whether there are computed rows beside them, which are over all chains.
    """
    planned = _planned(rows)
    return [_remarks(scores, planned, computed=computed) for _, scores in rows]


def _planned(rows: Sequence[Row]) -> int:
    return len({chain for manifest, _ in rows for chain in manifest.chains})


def _remarks(scores: Scores, planned: int, *, computed: bool = False) -> list[str]:
    done, summary = len(scores.outcomes), scores.summary
    found: list[str] = []
    beside = f" (computed rows are over all {planned} chains)" if computed else ""
    if not scores.complete:
        found.append(f"{done}/{scores.planned}, incomplete{beside}")
    elif done < planned:
        found.append(f"{done} of {planned} chains{beside}")
    if summary.lost and summary.worst_case is not None and summary.best_case is not None:
        worst, best = percent(summary.worst_case), percent(summary.best_case)
        found.append(f"Acc^e {worst} at worst, {best} at best: {summary.lost} lost to infrastructure")
    broken = sum(not outcome.validator.valid for outcome in scores.outcomes)
    if broken:
        found.append(f"protocol broken in {broken} episode{'s' if broken > 1 else ''}")
    return found


def cells(summary: Summary) -> list[str]:
    """Return a row's cells; an unknown figure is a dash, never a zero."""
    values = [getattr(summary, column.key) for column in COLUMNS]
    return ["–" if v is None else c.show(v) for c, v in zip(COLUMNS, values, strict=True)]


def interval_cells(summary: Summary) -> list[str]:
    """Return the intervals of a row's cells, over the first unit that was drawn; ``""`` where there is none."""
    ends = summary.intervals[0].ends if summary.intervals else {}
    return [f"[{c.show(ends[c.key][0])}, {c.show(ends[c.key][1])}]" if c.key in ends else "" for c in COLUMNS]


def judge_cell(dimension: JudgedDimension, between: str = " ") -> str:
    """Return a dimension's mean and coverage; a mean that must not be interpreted is left out."""
    if dimension.coverage is None:
        return "–"
    shown = fraction(dimension.score) if dimension.interpretable and dimension.score is not None else "n/i"
    return f"{shown}{between}({percent(dimension.coverage)} %)"


def marked(kind: str, *, computed: bool = False) -> str:
    """Return the mark behind a row's name."""
    return KIND_MARKS[kind] + (COMPUTED if computed else "")


def status_text(summary: Summary) -> str:
    """Return the status counts in words, e.g. ``2 without a report, 22 reported``."""
    return ", ".join(f"{n} {_WORDS.get(EpisodeStatus(status), status)}" for status, n in summary.statuses.items())


def status_short(summary: Summary) -> str:
    """Return the status counts in short, e.g. ``22 rep 2 miss``."""
    return " ".join(f"{n} {_SHORT.get(EpisodeStatus(status), status)}" for status, n in summary.statuses.items())


def as_json(manifest: RunManifest, scores: Scores, usage: RunUsage | None = None) -> dict[str, object]:
    """Return one row for machines: the run, whether it is complete, its whole summary, and what it asked of models."""
    return {
        "agent": manifest.agent,
        "kind": manifest.agent_kind,
        "computed": False,
        "split": manifest.split,
        "origin": manifest.origin,
        "planned": scores.planned,
        "complete": scores.complete,
        "remarks": _remarks(scores, scores.planned),
        "summary": scores.summary.model_dump(mode="json"),
        "usage": None if usage is None else usage.model_dump(mode="json"),
    }


def control_as_json(control: ControlRow) -> dict[str, object]:
    """Return one computed row for machines."""
    summary = control.summary.model_dump(mode="json")
    return {"agent": control.name, "kind": control.kind, "computed": True, "summary": summary}
