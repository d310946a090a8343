"""What commands print of scored runs: scores, and beside them what was asked of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import fill, make_console, print_scores, say

if TYPE_CHECKING:
    from riskchain_gym.evaluation.controls import ControlRow
    from riskchain_gym.evaluation.score import ScoredRun
    from riskchain_gym.evaluation.store import RunFolder
    from riskchain_gym.evaluation.usage import RunUsage

out = make_console()


def place(run: RunFolder) -> tuple[int, str, int, int]:
    """Return where a run stands in tables: the oracle, then controls, then agents, each by name, budget and repeat."""
    manifest = run.manifest
    kind = ("oracle", "control", "baseline").index(manifest.agent_kind)
    return kind, manifest.agent, manifest.environment.max_steps, manifest.repeat


def show_scores(scored: Sequence[ScoredRun], controls: Sequence[ControlRow], as_json: bool) -> None:
    """Print the rows of scored runs, and what they asked of models.

    Args:
        scored: The runs, in the order they are shown in; at least one.
        controls: Rows that were computed for them.
        as_json: Whether to print JSON instead of tables.
    """
    if as_json:
        out.print_json(data=score_rows(scored, controls))
        return
    from riskchain_gym.evaluation.naming import run_names
    from riskchain_gym.evaluation.usage import usage_of

    names = run_names([each.run for each in scored])
    print_scores(out, [(each.run.manifest, each.scores) for each in scored], controls, names)
    used = [(name, usage_of(each.run)) for name, each in zip(names, scored, strict=True)]
    print_usage(out, [(name, usage) for name, usage in used if usage is not None])


def score_rows(scored: Sequence[ScoredRun], controls: Sequence[ControlRow]) -> list[dict[str, object]]:
    """Return the rows for machines."""
    from riskchain_gym.evaluation.naming import run_names
    from riskchain_gym.evaluation.table import as_json, control_as_json
    from riskchain_gym.evaluation.usage import usage_of

    names = run_names([each.run for each in scored])
    ran = [as_json(each.run.manifest, each.scores, usage_of(each.run)) for each in scored]
    computed = [{"name": control.name, **control_as_json(control)} for control in controls]
    return [{"name": name, **row} for name, row in zip(names, ran, strict=True)] + computed


def print_usage(console: Console, usages: Sequence[tuple[str, RunUsage]]) -> None:
    """Print what runs asked of models, if any did.

    Args:
        console: Where to print it.
        usages: Those that did, and what each is called.
    """
    from riskchain_gym.evaluation.event_words import explained
    from riskchain_gym.evaluation.usage import USAGE_LEGEND, usage_cells, usage_remarks

    if not usages:
        return
    table = Table(title="asked of models", box=box.SIMPLE_HEAD, padding=0, show_edge=False, title_justify="left")
    rows = [{**usage_cells(usage), "Agent": name} for name, usage in usages]
    for heading in rows[0]:
        named = heading in ("Agent", "Model")
        words = heading if named else heading.replace(" ", "\n")
        table.add_column(words, overflow="fold", justify="left" if named else "right", no_wrap=not named)
    for row in rows:
        table.add_row(*map(escape, row.values()))
    console.print()
    console.print(table, crop=False)
    for name, usage in usages:
        for remark in usage_remarks(usage):
            say(console, f"{name}: {remark}")
    legend = " ".join(filter(None, (USAGE_LEGEND, explained(kind for _, usage in usages for kind in usage.events))))
    console.print(fill(legend, console.width), style="dim", highlight=False, markup=False, soft_wrap=True)
