"""The score table: which columns there are, what they mean, and one row a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riskchain_gym.evaluation.score import Scores
from riskchain_gym.evaluation.store import RunManifest
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.scoring.summary import Summary


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        key: Machine-readable name, a field of :class:`~riskchain_gym.scoring.summary.Summary`.
        label: Heading.
        meaning: One sentence for a legend.
        show: How a value is written.
    """

    key: str
    label: str
    meaning: str
    show: Callable[[float], str]


def percent(value: float) -> str:
    """Write a rate in percent with one decimal."""
    return f"{100 * value:.1f}"


def fraction(value: float) -> str:
    """Write a rate with three decimals."""
    return f"{value:.3f}"


COLUMNS: tuple[Column, ...] = (
    Column("entry_top1", "Entry Top-1", "Share of chains whose rank-1 entry opens the gate, in percent.", percent),
    Column("message_exact", "Msg exact", "Share of messages restored letter by letter, in percent.", percent),
    Column("web_accuracy", "Acc^w", "Right decisions under correct routing, in percent of all chains.", percent),
    Column("end_to_end_accuracy", "Acc^e", "Right decisions with an open gate, in percent of all chains.", percent),
    Column("gate_loss", "Δ_gate", "Acc^w − Acc^e: what wrong entries cost, in points.", percent),
    Column("decision_macro_f1", "Macro F1", "Mean F1 of the three decisions, web only.", fraction),
    Column("exact_match", "H-EM", "Decision and type both right, in percent, web only.", percent),
    Column("citation_f1", "Cite F1", "Citations against evidence atoms, mean over chains.", fraction),
)
"""The headline columns, in order."""

KIND_MARKS = {"baseline": "", "control": "°", "oracle": "*"}
"""How a row is marked: controls and the oracle are there to read the others by."""

LEGEND = (
    "° control, * oracle (upper bound); percent but for the F1 columns. "
    "rep reported, miss missing report, ⊥ ended by the protocol, infra lost to infrastructure (no score)."
)
"""What the marks and the short status names mean."""

_SHORT = {
    EpisodeStatus.REPORTED: "rep",
    EpisodeStatus.MISSING_REPORT: "miss",
    EpisodeStatus.BOTTOM: "⊥",
    EpisodeStatus.INFRA_ERROR: "infra",
}


def cells(summary: Summary) -> list[str]:
    """Return a row's cells; an unknown figure is a dash, never a zero."""
    values = [getattr(summary, column.key) for column in COLUMNS]
    return ["–" if v is None else c.show(v) for c, v in zip(COLUMNS, values, strict=True)]


def status_text(summary: Summary) -> str:
    """Return the status counts in words, e.g. ``22 reported, 2 missing_report``."""
    return ", ".join(f"{n} {status}" for status, n in summary.statuses.items())


def status_short(summary: Summary) -> str:
    """Return the status counts in short, e.g. ``22 rep 2 miss``."""
    return " ".join(f"{n} {_SHORT.get(EpisodeStatus(status), status)}" for status, n in summary.statuses.items())


def as_json(manifest: RunManifest, scores: Scores) -> dict[str, object]:
    """Return one row for machines: the run and its whole summary."""
    return {
        "agent": manifest.agent,
        "kind": manifest.agent_kind,
        "split": manifest.split,
        "origin": manifest.origin,
        "summary": scores.summary.model_dump(mode="json"),
    }
