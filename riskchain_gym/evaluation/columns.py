"""Every figure that tables show: what it is called, what it means, how it is written, and which way is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riskchain_gym.scoring.figures import LOOKUPS
from riskchain_gym.scoring.written import percent

__all__ = ["COLUMNS", "CURVE", "FURTHER", "Column", "count", "fraction", "percent"]


def fraction(value: float) -> str:
    """Write a rate with three decimals."""
    return f"{value:.3f}"


def count(value: float) -> str:
    """Write a mean count with two decimals."""
    return f"{value:.2f}"


@dataclass(frozen=True)
class Column:
    """One figure.

    Attributes:
        key: Machine-readable name, as in :class:`~riskchain_gym.scoring.summary.Summary`.
        label: Heading.
        meaning: One sentence for a legend.
        show: How a value is written: F1 figures as fractions, all other rates in percent.
        lower: Whether less is better.
    """

    key: str
    label: str
    meaning: str
    show: Callable[[float], str] = percent
    lower: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("entry_top1", "Entry Top-1", "Share of chains whose rank-1 entry opens the gate, in percent."),
    Column("message_exact", "Msg exact", "Share of messages restored letter by letter, in percent."),
    Column("web_accuracy", "Acc^w", "Right decisions under correct routing, in percent of all chains."),
    Column("end_to_end_accuracy", "Acc^e", "Right decisions with an open gate, in percent of all chains."),
    Column("gate_loss", "Δ_gate", "Acc^w − Acc^e: what wrong entries cost, in points.", lower=True),
    Column("decision_macro_f1", "Macro F1", "Mean F1 of the three decisions, web only.", fraction),
    Column("exact_match", "H-EM", "Hierarchical exact match: decision and type both right, in percent, web only."),
    Column("citation_f1", "Cite F1", "Citations against evidence atoms, mean over chains.", fraction),
)
"""The headline figures, in order."""

FURTHER: tuple[Column, ...] = (
    Column("entry_top1_strict", "Entry Top-1, strict policy", "The entry must be the canonical one, letter by letter."),
    Column("entry_top1_handoff", "Entry Top-1, handoff policy", "The first listed entry; abstaining closes the gate."),
    Column("intent_accuracy", "Intent", "Share of messages whose intent is right; UNKNOWN is an answer like others."),
    Column("full", "Full restoration", "Messages, intent, platform and rank-1 entry all right."),
    Column("cer", "Character error rate", "Edits over characters of the canonical messages, pooled.", lower=True),
    Column(
        "balanced_accuracy", "Balanced accuracy", "Mean recall of the decisions, web: a constant answer has a third."
    ),
    Column("type_macro_f1", "Type macro F1", "Mean F1 of the violation types, on gold violations, web.", fraction),
    Column("gated_macro_f1", "Macro F1, gated", "Macro F1 of what the gate leaves.", fraction),
    Column("gated_type_macro_f1", "Type macro F1, gated", "Type macro F1 of what the gate leaves.", fraction),
    Column("gated_exact_match", "H-EM, gated", "Decision and type both right, with an open gate."),
    Column("evidence_seen", "Deciding evidence seen", "Mean share of the deciding lines that were shown at all."),
    Column(
        "evidence_sufficient", "Citations sufficient", "Share of chains whose citations contain a minimal deciding set."
    ),
    Column(
        "evidence_contradiction",
        "Citations contradict",
        "Share of reports with citations of which one supports another decision than the report's.",
        lower=True,
    ),
    Column(
        "over_citation",
        "Over-citation",
        "Mean share of citations that hit nothing, or what an earlier one hit, over reports with citations.",
        lower=True,
    ),
)
"""Figures beside the headline, in order."""

CURVE: tuple[Column, ...] = tuple(
    column
    for k in LOOKUPS[1:]
    for column in (
        Column(f"recall_at_{k}", f"Recall@{k}", "Share of chains whose entry is among the first k candidates."),
        Column(f"end_to_end_at_{k}", f"Acc^e at k = {k}", "Acc^e when the first k candidates are looked up."),
        Column(f"lookups_at_{k}", f"Look-ups at k = {k}", "Mean number of look-ups of a message.", count, lower=True),
    )
)
"""The gate curve beyond k = 1, which is the headline."""
