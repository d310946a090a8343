"""Tables of pairs of rows: differences, who overtakes whom, what a baseline is ahead of; and how repeats lie apart."""

from __future__ import annotations

from collections import Counter

from riskchain_gym.evaluation.columns import fraction, percent
from riskchain_gym.evaluation.leaderboard.board import Gap, Section
from riskchain_gym.evaluation.leaderboard.samples import COMPARED
from riskchain_gym.evaluation.leaderboard.table_value import Cell, Heading, Line, Table, slug_of
from riskchain_gym.evaluation.table import KIND_MARKS

FIGURE = "end_to_end_accuracy"
_LABELS = {
    "web_accuracy": "Acc^w",
    "end_to_end_accuracy": "Acc^e",
    "gate_loss": "Δ_gate",
    "exact_match": "H-EM",
    "gated_exact_match": "H-EM, gated",
    "decision_macro_f1": "Macro F1",
    "citation_f1": "Cite F1",
    "entry_top1": "Gate pass",
}
_SPREAD = ("web_accuracy", "end_to_end_accuracy", "exact_match")
_CUT = ("web_accuracy", "end_to_end_accuracy", "exact_match")
MARKS = (
    "* the pair's own interval leaves zero out; ** it still does when the intervals of all pairs are widened so that "
    "they hold together"
)


def pair_tables(section: Section, baseline: str = "") -> tuple[Table, ...]:
    """Return the tables of a split's pairs; one that would be empty is left out."""
    tables = [differences_table(section), order_table(section)]
    tables += [baseline_table(section, baseline)] if baseline else []
    tables += [repeats_table(section), budgets_table(section), told_table(section)]
    return tuple(table for table in tables if table.lines)


def gap_cell(gap: Gap | None, key: str = FIGURE) -> Cell:
    """Return a difference with its interval and its mark."""
    if gap is None:
        return Cell()
    mark = "**" if gap.apart_together else "*" if gap.apart else ""
    below = "" if gap.low is None or gap.high is None else f"[{_signed(gap.low, key)}, {_signed(gap.high, key)}]"
    return Cell(_signed(gap.difference, key) + mark, gap.difference, gap.low, gap.high, below)


def differences_table(section: Section) -> Table:
    """Return the matrix of differences in Acc^e: row minus column, every pair on the same chains."""
    gaps = _gaps(section, FIGURE)
    names = [entry.name for entry in section.entries if any(entry.name in pair for pair in gaps)]
    limit = section.critical.get(FIGURE)
    width = "" if limit is None else f" (±{limit:.2f} standard errors instead of ±1.96, over {len(gaps) // 2} pairs)"
    kinds = {entry.name: entry.kind for entry in section.entries}
    return Table(
        slug=f"{slug_of(section.name)}-differences",
        title="Paired differences in Acc^e",
        caption=f"Row minus column, in points, on the same chains in the same bootstrap samples. {MARKS}{width}. "
        "– pairs that were not run on the same chains.",
        headings=tuple(Heading(slug_of(name), name + KIND_MARKS.get(kinds[name], ""), neutral=True) for name in names),
        lines=tuple(
            Line(
                row,
                tuple(Cell("") if row == other else gap_cell(gaps.get((row, other))) for other in names),
                kinds[row],
            )
            for row in names
        ),
    )


def order_table(section: Section) -> Table:
    """Return the pairs whose order turns between web only and gated: who overtakes whom because of the gate."""
    places = {entry.name: entry for entry in section.entries}
    lines: list[Line] = []
    for pair in section.pairs:
        if not pair.turned:
            continue
        web = pair.gaps["web_accuracy"]
        ahead, behind = (pair.first, pair.second) if web.difference > 0 else (pair.second, pair.first)
        found = [_gaps(section, key).get((ahead, behind)) for key in ("web_accuracy", FIGURE)]
        ranked = [_places(places[name].web_rank, places[name].rank) for name in (ahead, behind)]
        lines.append(Line(ahead, (Cell(behind), *map(gap_cell, found), *map(Cell, ranked)), places[ahead].kind))
    return Table(
        slug=f"{slug_of(section.name)}-order",
        title="Who overtakes whom at the gate",
        caption="Pairs in which who is ahead on the web alone is behind end to end, in points. "
        f"{MARKS}. Ranks are web → gated, of ranked rows.",
        first="Ahead, web only",
        headings=(
            Heading("behind", "Overtaken by", numeric=False),
            Heading("web", "Acc^w ahead by"),
            Heading("gated", "Acc^e ahead by"),
            Heading("rank", "Its ranks", numeric=False),
            Heading("other_rank", "The other's", numeric=False),
        ),
        lines=tuple(lines),
    )


def baseline_table(section: Section, baseline: str) -> Table:
    """Return by how much each row is ahead of one, in every figure that pairs are compared in."""
    gaps = {key: _gaps(section, key) for key in COMPARED}
    return Table(
        slug=f"{slug_of(section.name)}-against-baseline",
        title=f"Against {baseline}",
        caption=f"Row minus {baseline}, paired, F1 figures as fractions, others in points. {MARKS}.",
        headings=tuple(Heading(key, _LABELS[key], lower=key == "gate_loss") for key in COMPARED),
        lines=tuple(
            Line(
                entry.name,
                tuple(gap_cell(gaps[key].get((entry.name, baseline)), key) for key in COMPARED),
                entry.kind,
            )
            for entry in section.entries
            if (entry.name, baseline) in gaps[COMPARED[0]]
        ),
    )


def repeats_table(section: Section) -> Table:
    """Return how far the repeats of an agent lie apart, and how sure their mean is."""
    headings = [Heading("repeats", "Repeats", "How many there are.", neutral=True)]
    for key in _SPREAD:
        headings += [
            Heading(f"{key}_mean", "mean", "Below: the lowest and the highest repeat.", _LABELS[key]),
            Heading(
                f"{key}_error_same_sites", "same sites", "Standard error, other repeats.", _LABELS[key], lower=True
            ),
            Heading(
                f"{key}_error_new_sites", "new sites", "Standard error, other sites too.", _LABELS[key], lower=True
            ),
        ]
    lines: list[Line] = []
    for entry in section.entries:
        if entry.spread is None:
            continue
        cells = [Cell(str(len(entry.spread.repeats)), len(entry.spread.repeats))]
        for key in _SPREAD:
            found = entry.spread.figures.get(key)
            if found is None:
                cells += [Cell()] * 3
                continue
            low, high = min(found.values), max(found.values)
            cells.append(Cell(percent(found.mean), found.mean, low, high, f"{percent(low)} … {percent(high)}"))
            cells += [_error(found.error_same_sites), _error(found.error_new_sites)]
        lines.append(Line(entry.name, tuple(cells), entry.kind))
    return Table(
        slug=f"{slug_of(section.name)}-repeats",
        title="Repeats",
        caption="Mean of the repeats over chains that have a score in each of them, in percent, and its standard "
        "error in points: had the repeats been other ones on the same sites, and had the sites been other ones, too.",
        headings=tuple(headings),
        lines=tuple(lines),
    )


def budgets_table(section: Section) -> Table:
    """Return what runs had come to after fewer steps, and beside it runs that were told so many."""
    cut = {entry.name: {score.k: score for score in entry.prefixes} for entry in section.entries}
    ks = sorted({k for scores in cut.values() for k in scores})
    headings = [
        Heading(f"{key}_after_{k}", f"{k}", f"{_LABELS[key]} of the first {k} browse actions.", f"{_LABELS[key]} after")
        for key in _CUT
        for k in ks
    ]
    lines: list[Line] = []
    for entry in section.entries:
        if not any(score.web_accuracy is not None for score in cut[entry.name].values()):
            continue
        values = [getattr(cut[entry.name].get(k), key, None) for key in _CUT for k in ks]
        cells = [Cell() if value is None else Cell(percent(value), value) for value in values]
        lines.append(Line(f"{entry.name} (told {entry.max_steps})", tuple(cells), entry.kind))
    return Table(
        slug=f"{slug_of(section.name)}-budgets",
        title="After fewer steps",
        caption="In percent. An investigation that had not ended by itself by then counts as without a report, as "
        "with the published budget. An agent that is told a smaller budget hurries: that is another run.",
        headings=tuple(headings),
        lines=tuple(lines),
    )


def told_table(section: Section) -> Table:
    """Return runs that were told a budget beside prefixes of runs of the same agent that were told more."""
    kinds = {entry.agent: entry.kind for entry in section.entries}
    often = Counter((beside.agent, beside.k, beside.long) for beside in section.told)
    lines = []
    for beside in section.told:
        cells = [Cell(str(k), k) for k in (beside.k, beside.long)]
        for key in _CUT:
            found = beside.differences.get(key)
            gap = None
            if found is not None:
                apart = found.low is not None and found.high is not None and (found.low > 0 or found.high < 0)
                gap = Gap(difference=found.difference, low=found.low, high=found.high, apart=apart)
            told, prefix = (getattr(score, key) for score in (beside.told, beside.prefix))
            cells += [Cell() if value is None else Cell(percent(value), value) for value in (told, prefix)]
            cells.append(gap_cell(gap))
        several = often[beside.agent, beside.k, beside.long] > 1
        name = f"{beside.agent} · repeat {beside.repeat + 1}" if several else beside.agent
        lines.append(Line(name, tuple(cells), kinds[beside.agent]))
    return Table(
        slug=f"{slug_of(section.name)}-told",
        title="Told a budget, and cut after as many steps",
        caption="In percent; differences in points, paired over the same samples of websites; * their interval leaves "
        "zero out.",
        headings=(
            Heading("told", "Told", "Browse actions that the agent was told it has.", neutral=True),
            Heading("long", "Cut from", "Browse actions that the longer run was told.", neutral=True),
            *(
                Heading(f"{key}_{name}", name, "", _LABELS[key], neutral=name == "difference")
                for key in _CUT
                for name in ("told", "cut", "difference")
            ),
        ),
        lines=tuple(lines),
    )


def _error(error: float | None) -> Cell:
    return Cell() if error is None else Cell(f"±{percent(error)}", error)


def _gaps(section: Section, key: str) -> dict[tuple[str, str], Gap]:
    """Return the differences in a figure for both orders of every pair."""
    found: dict[tuple[str, str], Gap] = {}
    for pair in section.pairs:
        if key in pair.gaps:
            gap = pair.gaps[key]
            found[pair.first, pair.second] = gap
            low = None if gap.high is None else -gap.high
            high = None if gap.low is None else -gap.low
            turned = {"difference": -gap.difference, "low": low, "high": high}
            found[pair.second, pair.first] = gap.model_copy(update=turned)
    return found


def _places(web: int | None, gated: int | None) -> str:
    return "–" if web is None or gated is None else f"{web} → {gated}"


def _signed(value: float, key: str) -> str:
    show = fraction if key in ("decision_macro_f1", "citation_f1") else percent
    shown = show(abs(value))
    return shown if shown == show(0.0) else f"−{shown}" if value < 0 else f"+{shown}"
