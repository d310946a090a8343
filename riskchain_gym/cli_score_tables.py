"""What `riskchain score` prints beside the score table: restoration of all variants, prefixes, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import fill, say
from riskchain_gym.scoring.written import UNKNOWN, percent

if TYPE_CHECKING:
    from riskchain_gym.evaluation.columns import Column
    from riskchain_gym.evaluation.prefix import PrefixScore, ToldBesidePrefix
    from riskchain_gym.evaluation.repeats import FigureSpread, Spread
    from riskchain_gym.evaluation.restored import RestorationScores
    from riskchain_gym.scoring.intervals import Difference

_RESTORED = {
    "entry_top1": "Entry\nTop-1",
    "entry_top1_strict": "strict",
    "entry_top1_handoff": "handoff",
    "recall_at_5": "Recall\n@5",
    "message_exact": "Msg\nexact",
    "cer": "CER",
    "token_error": "Token\nerror",
    "intent_accuracy": "Intent",
    "full": "Full",
    "abstain_rate": "Ab-\nstain",
}
_PREFIX = {
    "ended": "Ended",
    "web_accuracy": "Acc^w",
    "end_to_end_accuracy": "Acc^e",
    "exact_match": "H-EM",
    "citation_f1": "Cite\nF1",
    "evidence_seen": "Evidence\nseen",
    "evidence_complete": "All\nseen",
}
_BOUNDED = "web_accuracy"
"""The figure of a prefix whose interval is printed."""

_SPREAD = ("Figure", "Mean", "Repeats", "sd\nsites", "sd\nrepeats", "sd\nrest", "± same\nsites", "± new\nsites")
_FRACTIONS = frozenset({"citation_f1"})

PREFIX_LEGEND = (
    "After k browse steps: an episode that had not ended its investigation by itself before the k-th counts as "
    "without a report; what the run came to with all of its steps stands in the table of scores. An agent that is told "
    "k hurries; a prefix does not."
)
REPEATS_LEGEND = (
    "sd: square root of the variance between sites, between repeats on all sites alike, and of the rest (chance on a "
    "site in a repeat), a two-way layout by the method of moments; 0 where the estimate is below zero, – where it is "
    "not known. ± standard error of the mean: for these sites and new repeats, and for new sites, too."
)


def print_restorations(
    console: Console, found: Sequence[tuple[str, RestorationScores]], *, with_variants: bool
) -> None:
    """Print restoration over all variants, a run a line.

    Args:
        console: Where to print it.
        found: Name and scores of each run.
        with_variants: Whether each variant has a line below.
    """
    table = _table("restoration over all variants, in percent", "Agent", "Mes-\nsages", *_RESTORED.values())
    for name, scores in found:
        groups = scores.groups["variant"] if with_variants else ()
        for place, (label, group) in enumerate(
            [(name, scores.overall), *((f"  {each.name}", each) for each in groups)]
        ):
            figures = None if group.scores is None else group.scores.model_dump()
            cells = [percent(None if figures is None else figures[key]) for key in _RESTORED]
            count = "–" if figures is None else f"{figures['messages']:,}"
            table.add_row(escape(label), count, *cells, style="dim" if place else "")
    console.print()
    console.print(table, crop=False)


def print_prefixes(console: Console, found: Sequence[tuple[str, Sequence[PrefixScore]]]) -> None:
    """Print what runs had come to after fewer steps than they were told.

    Args:
        console: Where to print it.
        found: Name and prefixes of each run, the run as it ended last.
    """
    labels = [label for key in _PREFIX for label in (_PREFIX[key], *(("95 %\ninterval",) if key == _BOUNDED else ()))]
    table = _table("after k browse steps", "Agent", "k", *labels)
    for name, scores in found:
        for place, score in enumerate(scores):
            cells = _prefix_cells(score)
            cells.insert([*_PREFIX].index(_BOUNDED) + 1, _ends(score))
            table.add_row("" if place else escape(name), f"{score.k}", *cells)
    console.print()
    console.print(table, crop=False)
    _explain(console, PREFIX_LEGEND)


def print_told(console: Console, found: Sequence[ToldBesidePrefix]) -> None:
    """Print runs that were told a budget beside prefixes of those that were told more, a figure a line.

    Of several repeats the first is printed, and how many pairs there are beside it is said.

    Args:
        console: Where to print it.
        found: The pairs.
    """
    first = min((pair.repeat for pair in found), default=0)
    printed = [pair for pair in found if pair.repeat == first]
    for pair in printed:
        title = f"{pair.agent}: {pair.k} steps, told or taken of {pair.long}"
        headings = ("Figure", f"Told\n{pair.k}", f"First {pair.k}\nof {pair.long}", "Difference,\n95 % interval")
        table = _table(title, *headings)
        told, prefix = (dict(zip(_PREFIX, _prefix_cells(each), strict=True)) for each in (pair.told, pair.prefix))
        for key, label in _PREFIX.items():
            table.add_row(label.replace("\n", " "), told[key], prefix[key], _between(key, pair.differences))
        console.print()
        console.print(table, crop=False)
    if printed:
        _explain(console, PREFIX_LEGEND)
    if further := len(found) - len(printed):
        _explain(console, f"Of repeat {first + 1}; --json has the other repeats, too ({further}).")


def print_spreads(console: Console, found: Sequence[Spread]) -> None:
    """Print the means of repeats and what lies between them.

    Args:
        console: Where to print it.
        found: One an agent.
    """
    from riskchain_gym.evaluation.columns import COLUMNS

    for spread in found:
        title = f"{spread.agent}: {len(spread.repeats)} repeats of {spread.max_steps} steps on {spread.chains} chains"
        table = _table(title, *_SPREAD)
        for column in COLUMNS:
            if column.key in spread.figures:
                table.add_row(*_spread_cells(column, spread.figures[column.key]))
        console.print()
        console.print(table, crop=False)
        if spread.left_out:
            say(console, f"{spread.agent}: {spread.left_out} chains lack a score in some repeat and are left out.")
    if found:
        _explain(console, REPEATS_LEGEND)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=escape(title), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, title_justify="left")
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _explain(console: Console, legend: str) -> None:
    console.print(fill(legend, console.width), style="dim", highlight=False, markup=False, soft_wrap=True)


def _prefix_cells(score: PrefixScore) -> list[str]:
    values = score.model_dump()
    return [_fraction(values[key]) if key in _FRACTIONS else percent(values[key]) for key in _PREFIX]


def _ends(score: PrefixScore) -> str:
    ends = score.ends.get(_BOUNDED)
    return UNKNOWN if ends is None else escape(f"[{percent(ends[0])}, {percent(ends[1])}]")


def _between(key: str, gaps: Mapping[str, Difference]) -> str:
    gap = gaps.get(key)
    if gap is None or gap.low is None or gap.high is None:
        return ""
    if key in _FRACTIONS:
        return escape(f"[{gap.low:+.3f}, {gap.high:+.3f}]")
    return escape(f"[{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]")


def _spread_cells(column: Column, figure: FigureSpread) -> list[str]:
    def deviation(variance: float | None) -> str:
        return "–" if variance is None else column.show(max(0.0, variance) ** 0.5)

    def error(value: float | None) -> str:
        return "–" if value is None else column.show(value)

    return [
        escape(column.label),
        column.show(figure.mean),
        " ".join(map(column.show, figure.values)),
        *map(deviation, (figure.between_sites, figure.between_repeats, figure.residual)),
        *map(error, (figure.error_same_sites, figure.error_new_sites)),
    ]


def _fraction(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
