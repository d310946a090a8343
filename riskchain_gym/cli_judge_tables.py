"""Tables of what a judge says of reports, and of what is known of the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say
from riskchain_gym.scoring.written import percent

if TYPE_CHECKING:
    from riskchain_gym.evaluation.calibration import JudgeCalibration
    from riskchain_gym.evaluation.pairing import Comparison
    from riskchain_gym.scoring.agreement import Agreed
    from riskchain_gym.scoring.calibration.anchor_figures import AnchorFigures
    from riskchain_gym.scoring.calibration.calibrate import Detection
    from riskchain_gym.scoring.calibration.correction import Corrected
    from riskchain_gym.scoring.calibration.pair_draw import DrawnPairs
    from riskchain_gym.scoring.calibration.rates import Rate
    from riskchain_gym.scoring.judged import Judged

NAMES = 17
"""Columns that names and remarks have at least."""

out = make_console()


def show_judged(summary: Judged) -> None:
    """Print the four dimensions of a run; of one that too little was settled of no mean, but that it has none."""
    table = _table(f"judge {summary.judge} · {summary.reports} reports · says nothing of right and wrong")
    table.add_column("Dimension")
    for heading in ("Mean", "Coverage"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for name, dimension in summary.dimensions.items():
        score = _number(dimension.score if dimension.interpretable else None)
        doubt = "" if dimension.interpretable else "not interpretable"
        table.add_row(name, score, percent(dimension.coverage, sign="%"), doubt)
    _print(table)
    say(
        out,
        f"{summary.adverse} reports with a point against them, {summary.errors} questions on which the judge failed",
    )


def show_comparison(judge: str, first: str, found: Comparison) -> None:
    """Print wins, ties and losses of one run against another.

    Args:
        judge: Name of the judge.
        first: What the first run is called.
        found: The verdicts.
    """
    from riskchain_gym.scoring.judged import MIN_COVERAGE

    tally = found.tally
    table = _table(f"judge {judge} · says nothing of right and wrong")
    table.add_column("First run", overflow="fold")
    for heading in ("Chains", "Wins", "Ties", "Losses", "Preference", "95 %", "Coverage"):
        table.add_column(heading, justify="right")
    counted = (tally.chains, tally.wins, tally.ties, tally.losses)
    ends = "" if tally.ci95 is None else f"[{tally.ci95[0]:.3f}, {tally.ci95[1]:.3f}]"
    table.add_row(escape(first), *map(str, counted), _number(tally.preference), ends, percent(tally.coverage, sign="%"))
    _print(table)
    if (tally.coverage or 0) < MIN_COVERAGE:
        say(out, "not interpretable: too few chains have a verdict")
    if found.left_out:
        say(out, f"{found.left_out} chains were left out: not both runs have a report on them")


def show_calibration(found: JudgeCalibration) -> None:
    """Print detection by fault, false alarms, answers to anchors, and the corrected share."""
    faults = found.faults
    table = _table(f"judge {faults.judge} · planted faults · split {found.split} · seed {faults.seed}")
    table.add_column("Fault", overflow="fold")
    for heading in ("Planted", "Failed", "Detected", "95 %", "In place"):
        table.add_column(heading, justify="right")
    for kind in faults.kinds:
        table.add_row(str(kind.kind), *_cells(kind))
        variants = [variant for variant in faults.variants if variant.kind is kind.kind]
        for variant in variants if len(variants) > 1 else ():
            table.add_row(f"  {variant.variant}{' (near)' if variant.near else ''}", *_cells(variant), style="dim")
    _print(table)
    alarms = faults.alarms
    kinds = ", ".join(f"{n} {kind}" for kind, n in alarms.kinds.items())
    held = f", points: {kinds}" if kinds else ""
    failed = f"; the judge failed on {alarms.failed}" if alarms.failed else ""
    say(out, f"False alarms: {_rate(alarms.alarmed)} of {alarms.reports} right reports{held}{failed}\n")
    for figures in found.anchors:
        _show_anchors(figures, found.corrected[figures.source])


def show_pairs(drawn: DrawnPairs) -> None:
    """Print how many pairs of each kind of claim were drawn."""
    table = _table(f"{len(drawn.items)} pairs about {drawn.reports} reports")
    table.add_column("Claim")
    for heading in ("Pairs", "About a fault"):
        table.add_column(heading, justify="right")
    for kind, counted in drawn.by_kind().items():
        table.add_row(kind, *map(str, counted))
    _print(table)


def _show_anchors(figures: AnchorFigures, corrected: Corrected) -> None:
    table = _table(f"{figures.anchors} {figures.source} anchors")
    table.add_column("Reference")
    for answer in next(iter(figures.confusion.values())):
        table.add_column(answer.replace("_", " "), justify="right")
    for reference, given in figures.confusion.items():
        table.add_row(reference.replace("_", " "), *map(str, given.values()))
    _print(table)
    for name, rate in (
        ("Accuracy of yes and no", figures.accuracy),
        ("Precision against the report", figures.precision),
        ("Recall against the report", figures.recall),
        ("Cannot tell", figures.abstained),
    ):
        say(out, f"{name}: {_rate(rate)}")
    _show_agreement(figures)
    value = corrected.reason if corrected.value is None else _bounded(corrected)
    say(out, f"Claims about citations of the right reports that hold: {_number(corrected.raw)}; corrected: {value}\n")


def _show_agreement(figures: AnchorFigures) -> None:
    """Print how far the judge agrees with the reference and, of anchors of people, how far these agree themselves."""
    people = figures.people
    table = _table("agreement · 1 is perfect, κ and α are 0 at chance")
    table.add_column("Measure")
    table.add_column("judge – reference", justify="right")
    if people is not None:
        table.add_column(f"{people.people} people among themselves", justify="right")
    for name, measure in (("Equal answers", "percent"), ("Cohen's κ", "kappa"), ("Krippendorff's α", "alpha")):
        cells = [getattr(figures, measure), *([] if people is None else [getattr(people, measure)])]
        table.add_row(name, *("–" if agreed is None else _bounded(agreed) for agreed in cells))
    _print(table)
    if people is not None and people.doubt:
        say(out, people.doubt)


def _table(title: str) -> Table:
    """Print a title, which must not be folded to the width of a narrow table, and return the table to put below."""
    say(out, title, style="italic")
    return Table(box=box.SIMPLE_HEAD, show_edge=False)


def _print(table: Table) -> None:
    """Print a table, no figure cut and no name left out: one that is wider than the terminal runs over its edge."""
    least = 0
    for column in table.columns:
        if column.justify == "right":
            column.no_wrap, least = True, least + max(len(str(text)) for text in (column.header, *column.cells))
        else:
            column.overflow, least = "fold", least + NAMES
    least += len(table.columns) * (sum(table.padding[1::2]) + 1)
    table.width = least if least > out.width else None
    out.print(table, crop=False)


def _cells(each: Detection) -> tuple[str, ...]:
    detected, placed = percent(each.detected.share, sign="%"), percent(each.placed.share, sign="%")
    return str(each.applied), str(each.failed), detected, _ends(each.detected), placed


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _rate(rate: Rate) -> str:
    share = percent(rate.share, sign="%")
    return f"{share} ({rate.hits} of {rate.of}{f', {_ends(rate)}' if rate.of else ''})"


def _ends(rate: Rate) -> str:
    return "" if rate.low is None or rate.high is None else f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]"


def _bounded(figure: Agreed | Corrected) -> str:
    ends = "" if figure.low is None or figure.high is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return f"{_number(figure.value)}{ends}"
