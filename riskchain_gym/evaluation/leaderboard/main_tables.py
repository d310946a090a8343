"""The main tables of one split: decisions, restoration, first failures, the gate curve, models and what they took."""

from __future__ import annotations

from collections.abc import Callable

from riskchain_gym.evaluation.columns import count, fraction, percent
from riskchain_gym.evaluation.leaderboard.board import Control, Entry, Figure, Section
from riskchain_gym.evaluation.leaderboard.table_value import (
    Cell,
    Heading,
    Table,
    figure_cell,
    figures_of,
    line_of,
    mark_best,
    number_cell,
    slug_of,
)
from riskchain_gym.protocol.failures import FailureStage
from riskchain_gym.scoring.figures import LOOKUPS

INTERVALS = "Below a figure: its 95 % bootstrap interval over websites, 2,000 samples."

Shown = tuple[Heading, Callable[[float], str]]

DECISIONS: tuple[Shown, ...] = (
    (Heading("entry_top1", "Gate pass", "Share of chains whose rank-1 entry opens the gate, in percent."), percent),
    (Heading("web_accuracy", "Acc^w", "Right decisions under correct routing, in percent.", "web only"), percent),
    (Heading("decision_macro_f1", "Macro F1", "Mean F1 of the three decisions.", "web only"), fraction),
    (Heading("type_macro_f1", "Type F1", "Mean F1 of the violation types, on gold violations.", "web only"), fraction),
    (Heading("exact_match", "H-EM", "Decision and type both right, in percent.", "web only"), percent),
    (Heading("end_to_end_accuracy", "Acc^e", "Right decisions with an open gate, in percent.", "gated"), percent),
    (Heading("gated_macro_f1", "Macro F1", "Macro F1 of what the gate leaves.", "gated"), fraction),
    (Heading("gated_type_macro_f1", "Type F1", "Type F1 of what the gate leaves.", "gated"), fraction),
    (Heading("gated_exact_match", "H-EM", "Decision and type both right, with an open gate.", "gated"), percent),
    (
        Heading("gate_loss", "Δ_gate", "Acc^w − Acc^e: what wrong entries cost, in points.", "cost", lower=True),
        percent,
    ),
    (
        Heading("citation_f1", "Cite F1", "Citations against the lines that decide, mean over chains.", "cited"),
        fraction,
    ),
)
"""Web-only figures beside gated ones."""

RESTORATION: tuple[Shown, ...] = (
    (Heading("entry_top1", "Top-1", "Right rank-1 entry, historical policy, in percent.", "entry"), percent),
    (Heading("entry_top1_strict", "strict", "The same by the strict policy.", "entry"), percent),
    (Heading("entry_top1_handoff", "handoff", "The same by the handoff policy.", "entry"), percent),
    (Heading("recall_at_2", "R@2", "Right entry among the first two candidates.", "entry"), percent),
    (Heading("recall_at_5", "R@5", "Right entry among the first five candidates.", "entry"), percent),
    (Heading("message_exact", "Exact", "Every text restored letter by letter, in percent.", "message"), percent),
    (Heading("full", "Full", "Texts, intent, platform and rank-1 entry all right.", "message"), percent),
    (Heading("intent_accuracy", "Intent", "The right intent.", "message"), percent),
    (
        Heading("cer", "CER", "Edits over characters, pooled and unclipped, in percent.", "message", lower=True),
        percent,
    ),
    (
        Heading("token_error", "Token err", "Mixed token error rate, pooled, in percent.", "message", lower=True),
        percent,
    ),
    (Heading("abstain_rate", "Abstain", "Messages on which the agent abstains.", "message"), percent),
    (Heading("all_variants", "All variants", "Sessions with the right entry in every variant.", "variants"), percent),
)
"""Figures of restoration over all variants that were restored."""

_STAGES: dict[str, str] = {
    FailureStage.SUCCESS: "Success",
    FailureStage.TYPE_WRONG: "Type wrong",
    FailureStage.DECISION_WRONG: "Decision wrong",
    FailureStage.MISSING_REPORT: "Missing report",
    FailureStage.EXECUTION_FAILURE: "Execution failure",
}
STAGES = tuple(_STAGES.items())
"""Where a case first goes wrong, from success backwards, and what that is called."""


def main_tables(section: Section) -> tuple[Table, ...]:
    """Return the main tables of a split."""
    return (
        decisions_table(section),
        restoration_table(section),
        first_failures_table(section),
        gate_curve_table(section),
        models_table(section),
    )


def rank_cell(entry: Entry | Control) -> Cell:
    """Return a row's rank, and the ranks that it has in 95 % of the samples."""
    if isinstance(entry, Control) or entry.rank is None:
        return Cell("–")
    between = f"[{entry.rank_low}, {entry.rank_high}]" if entry.rank_low is not None else ""
    return Cell(str(entry.rank), entry.rank, entry.rank_low, entry.rank_high, between)


def remarks_of(row: Entry | Control) -> tuple[str, ...]:
    """Return what must be read beside a row: why it is not ranked, and what its figures hide."""
    if isinstance(row, Control):
        return ()
    kinds = {"a control", "an oracle, the upper bound"}
    return (*(reason for reason in row.unranked if reason not in kinds), *row.remarks)


def decisions_table(section: Section) -> Table:
    """Return web-only figures beside gated ones, with intervals (the publication's Table 2)."""
    rank = (Heading("rank", "Rank", "By Acc^e; below: the ranks it has in 95 % of the samples.", lower=True),)
    headings = (*(rank if section.sealed else ()), *(heading for heading, _ in DECISIONS))
    keys = [(heading.key, show) for heading, show in DECISIONS]
    lines = [
        line_of(
            row,
            [*([rank_cell(row)] if section.sealed else []), *figures_of(row.figures, keys)],
            remarks_of(row),
        )
        for row in section.rows
    ]
    order = "Ranked by Acc^e" if section.sealed else "Open gold, not ranked; agents by Acc^e"
    parts = any(not entry.whole and entry.kind == "baseline" for entry in section.entries)
    order += ", those on a part of the split below, then controls." if parts else ", controls below."
    return Table(
        slug=f"{slug_of(section.name)}-decisions",
        title="Decisions: web only beside gated",
        caption=f"{order} Rates in percent, F1 as fractions. {INTERVALS}",
        headings=headings,
        lines=mark_best(headings, lines),
    )


def restoration_table(section: Section) -> Table:
    """Return restoration over all variants (the publication's Table 1)."""
    messages = Heading("messages", "Messages", "Restored messages, all variants that were run.", neutral=True)
    headings = (messages, *(heading for heading, _ in RESTORATION))
    keys = [(heading.key, show) for heading, show in RESTORATION]
    ran = [(entry, entry.restorations, entry.restored) for entry in section.entries if entry.restored]
    computed = [(row, sum(row.first_failures.values()), row.figures) for row in section.controls]
    shown: list[tuple[Entry | Control, float, dict[str, Figure]]] = [
        *ran,
        *(r for r in computed if "entry_top1" in r[2]),
    ]
    lines = [
        line_of(row, [number_cell(n, lambda v: f"{v:,.0f}"), *figures_of(figures, keys)], remarks_of(row))
        for row, n, figures in shown
    ]
    alike = len({n for entry, n, _ in ran if entry.kind == "baseline" and entry.whole}) == 1
    return Table(
        slug=f"{slug_of(section.name)}-restoration",
        title="Restoration over all variants",
        caption=f"Rates in percent; the first variant of each message feeds the gate. {INTERVALS} "
        "Rows over different numbers of messages are not comparable; a mean of repeats has no interval here.",
        headings=headings,
        lines=mark_best(headings, lines) if alike else tuple(lines),
    )


def first_failures_table(section: Section) -> Table:
    """Return where cases first go wrong, in percent of the chains."""
    headings = (
        *(Heading(stage, label, lower=stage != FailureStage.SUCCESS) for stage, label in STAGES),
        Heading("lost", "Lost", "Lost to infrastructure: no score.", lower=True),
    )
    lines = []
    for row in section.rows:
        chains = row.chains if isinstance(row, Entry) else sum(row.first_failures.values())
        lost = row.lost if isinstance(row, Entry) else 0.0
        shares = [row.first_failures.get(stage, 0.0) / chains for stage, _ in STAGES]
        cells = [number_cell(share, percent) for share in (*shares, lost)]
        lines.append(line_of(row, cells))
    return Table(
        slug=f"{slug_of(section.name)}-first-failures",
        title="First failures",
        caption="Where a case first went wrong, in percent of the chains, web only; success is H-EM.",
        headings=headings,
        lines=mark_best(headings, lines),
    )


def gate_curve_table(section: Section) -> Table:
    """Return Acc^e when the first k candidates are looked up, and what that costs."""
    names = {1: "end_to_end_accuracy"} | {k: f"end_to_end_at_{k}" for k in LOOKUPS[1:]}
    shown: list[tuple[str, Heading, Callable[[float], str]]] = [
        (names[k], Heading(names[k], f"k = {k}", group="Acc^e"), percent) for k in LOOKUPS
    ]
    shown += [(f"recall_at_{k}", Heading(f"recall_at_{k}", f"k = {k}", group="Recall@k"), percent) for k in LOOKUPS]
    shown += [
        (f"lookups_at_{k}", Heading(f"lookups_at_{k}", f"k = {k}", group="look-ups", neutral=True), count)
        for k in LOOKUPS
    ]
    headings = tuple(heading for _, heading, _ in shown)
    rows = [row for row in section.rows if "lookups_at_1" in row.figures]
    lines = [line_of(row, [figure_cell(row.figures.get(key), show) for key, _, show in shown]) for row in rows]
    return Table(
        slug=f"{slug_of(section.name)}-gate-curve",
        title="Gate curve",
        caption="What an agent would gain that may look up its first k candidates until one resolves; k = 1 is the "
        f"benchmark's gate. {INTERVALS}",
        headings=headings,
        lines=mark_best(headings, lines),
    )


def models_table(section: Section) -> Table:
    """Return which model answered, what is known of it, and what its runs took."""
    headings = (
        Heading("asked", "Model", "Model that was asked for.", numeric=False),
        Heading("answered", "Answered as", "Model and version that say they have answered.", numeric=False),
        Heading("cutoff", "Cut-off", "Knowledge cut-off, from the cards file.", numeric=False),
        Heading("provider", "Provider", "From the cards file.", numeric=False),
        Heading("backend", "Sites shown by", "Backend.", numeric=False),
        Heading("max_steps", "Budget", "Browse actions that the agent was told it has.", neutral=True),
        Heading("steps", "Steps", "Mean browse actions.", "mean of an episode", lower=True),
        Heading("input_tokens", "Tokens in", "Tokens sent.", "mean of an episode", lower=True),
        Heading("output_tokens", "Tokens out", "Tokens received.", "mean of an episode", lower=True),
        Heading("cost", "USD", "What its answers cost once.", "mean of an episode", lower=True),
        Heading("total_cost", "USD, all", "What all answers of the row cost once.", lower=True),
        Heading("notes", "Notes", "From the cards file.", numeric=False),
    )
    lines = []
    for entry in section.entries:
        spent, card = entry.spending, entry.card
        words = [
            ", ".join(spent.asked),
            ", ".join(spent.answered),
            (card.cutoff or "") if card else "",
            card.provider if card else "",
            entry.backend,
        ]
        cells = [
            *(Cell(word or "–") for word in words),
            number_cell(entry.max_steps, lambda v: f"{v:.0f}"),
            number_cell(spent.steps, lambda v: f"{v:.1f}"),
            number_cell(spent.input_tokens, lambda v: f"{v:,.0f}"),
            number_cell(spent.output_tokens, lambda v: f"{v:,.0f}"),
            number_cell(spent.cost, dollars),
            number_cell(spent.total_cost, dollars),
            Cell((card.notes if card else "") or "–"),
        ]
        lines.append(line_of(entry, cells))
    return Table(
        slug=f"{slug_of(section.name)}-models",
        title="Models, and what the runs took",
        caption="– where no model is asked, or nothing is known of it.",
        headings=headings,
        lines=tuple(lines),
    )


def dollars(value: float) -> str:
    """Write US dollars; less than the last digit is no zero."""
    return f"{value:,.2f}" if value >= 1 else "<0.0001" if 0 < value < 0.0001 else f"{value:.4f}"
