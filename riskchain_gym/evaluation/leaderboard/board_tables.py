"""Every table of a board: agents over all splits side by side, each split's own, and what was published elsewhere."""

from __future__ import annotations

from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.leaderboard.board import Board, Entry, Figure, Section
from riskchain_gym.evaluation.leaderboard.main_tables import DECISIONS, RESTORATION, main_tables, remarks_of
from riskchain_gym.evaluation.leaderboard.pair_tables import pair_tables
from riskchain_gym.evaluation.leaderboard.published import End, Published
from riskchain_gym.evaluation.leaderboard.stratum_tables import stratum_tables
from riskchain_gym.evaluation.leaderboard.table_value import Cell, Heading, Line, Table, figure_cell, figures_of

PUBLISHED = "published on other data (arXiv 2609.16900), not comparable, not ranked"
"""What stands above figures of other data."""

_OVERVIEW = (
    ("web_accuracy", "Acc^w", False),
    ("end_to_end_accuracy", "Acc^e", False),
    ("gate_loss", "Δ_gate", True),
    ("gated_exact_match", "H-EM, gated", False),
)


def all_tables(board: Board) -> tuple[Table, ...]:
    """Return every table of a board, in the order of its pages."""
    tables = [overview_table(board)]
    for section in board.sections:
        tables += section_tables(board, section)
    tables += published_tables(board.published) if board.published else []
    return tuple(tables)


def section_tables(board: Board, section: Section) -> tuple[Table, ...]:
    """Return the tables of one split; one that would be empty is left out."""
    tables = (*main_tables(section), *pair_tables(section, board.baseline), *stratum_tables(section))
    return tuple(table for table in tables if table.lines)


def overview_table(board: Board) -> Table:
    """Return every agent with its headline figures on every split."""
    entries = {section.name: {e.name: e for e in section.entries} for section in board.sections}
    names = dict.fromkeys(name for of in entries.values() for name in of)
    first = [next(of[name] for of in entries.values() if name in of) for name in names]
    headings: list[Heading] = []
    for section in board.sections:
        group = f"{section.name} · {section.origin}"
        if section.sealed:
            headings.append(Heading(f"{section.name}_rank", "Rank", group=group, lower=True))
        headings += [Heading(f"{section.name}_{key}", label, "", group, lower=low) for key, label, low in _OVERVIEW]
    lines = [
        Line(
            row.name,
            tuple(cell for section in board.sections for cell in _cells(entries[section.name].get(row.name), section)),
            row.kind,
            remarks=_remarks(board, row.name),
        )
        for row in first
    ]
    return Table(
        slug="overview",
        title="All splits side by side",
        caption="Rates in percent. Only sealed splits are ranked. In the order of the first split that a row is on, "
        "controls below. Figures of two splits are of different chains. "
        "Below a figure: its 95 % bootstrap interval over websites.",
        headings=tuple(headings),
        lines=tuple(sorted(lines, key=lambda line: line.kind != "baseline")),
    )


def _remarks(board: Board, name: str) -> tuple[str, ...]:
    """Return what must be read beside a row, each with the splits that it is said of."""
    said: dict[str, list[str]] = {}
    for section in board.sections:
        for entry in section.entries:
            for remark in remarks_of(entry) if entry.name == name else ():
                said.setdefault(remark, []).append(section.name)
    return tuple(f"{remark} ({', '.join(on)})" for remark, on in said.items())


def _cells(entry: Entry | None, section: Section) -> list[Cell]:
    rank: list[Cell] = []
    if section.sealed:
        rank = [Cell() if entry is None or entry.rank is None else Cell(str(entry.rank), entry.rank)]
    figures: dict[str, Figure] = {} if entry is None else entry.figures
    return [*rank, *(figure_cell(figures.get(key), percent) for key, _, _ in _OVERVIEW)]


def published_tables(published: Published) -> list[Table]:
    """Return the published aggregates as tables like those of a split, marked as what they are."""
    told = (
        f"{PUBLISHED}. {published.source}; {published.license}. {{n:,}} {{what}} a model; intervals as published, "
        "over websites."
    )
    decisions = tuple((heading, show) for heading, show in DECISIONS if heading.key in published.models[0].figures)
    restored = tuple((heading, show) for heading, show in RESTORATION if heading.key in published.models[0].restored)
    return [
        Table(
            slug="published-decisions",
            title="Published models: decisions",
            caption=told.format(n=published.chains, what="websites"),
            first="Model",
            headings=tuple(heading for heading, _ in decisions),
            lines=tuple(
                Line(m.model, tuple(figures_of(_figures(m.figures, m.ends), [(h.key, s) for h, s in decisions])), _KIND)
                for m in published.models
            ),
        ),
        Table(
            slug="published-restoration",
            title="Published models: restoration",
            caption=told.format(n=published.messages, what="messages"),
            first="Model",
            headings=tuple(heading for heading, _ in restored),
            lines=tuple(
                Line(
                    m.model,
                    tuple(figures_of(_figures(m.restored, m.restored_ends), [(h.key, s) for h, s in restored])),
                    _KIND,
                )
                for m in published.models
            ),
        ),
    ]


_KIND = "published"


def _figures(points: dict[str, float], ends: dict[str, End]) -> dict[str, Figure]:
    return {name: Figure(value=v, low=ends[name][0], high=ends[name][1]) for name, v in points.items()}
