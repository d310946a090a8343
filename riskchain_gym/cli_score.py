"""The command that scores frozen runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskchain_gym.cli_score_tables import print_prefixes, print_restorations, print_spreads, print_told
from riskchain_gym.cli_scores import place, score_rows, show_scores
from riskchain_gym.console import fill, make_console, say, score_table
from riskchain_gym.places import check_folder

if TYPE_CHECKING:
    from riskchain_gym.evaluation.compose import Composition
    from riskchain_gym.evaluation.controls import ControlRow
    from riskchain_gym.evaluation.prefix import ToldBesidePrefix
    from riskchain_gym.evaluation.repeats import Spread
    from riskchain_gym.evaluation.score import ScoredRun

__all__ = ["score"]

out = make_console()
err = make_console(stderr=True)

_COMPOSED_LEGEND = "Acc^w and citations are of the run, Entry Top-1 and Msg exact of what it is behind."


def score(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    gate: Annotated[
        list[Path] | None,
        typer.Option(
            help="Also put the investigations behind these restorations: a run folder, or JSONL of predictions "
            "(CHAIN--v000); repeat for more.",
            show_default=False,
        ),
    ] = None,
    with_prefixes: Annotated[
        bool, typer.Option("--prefixes", help="Also say what runs had come to after fewer browse steps.")
    ] = False,
    with_variants: Annotated[
        bool,
        typer.Option("--variants", help="Also say how each run restored each variant, as it is said of a single run."),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for what --gate composes (default: the run's).", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of tables.")] = False,
) -> None:
    """Score frozen runs offline: write their scores.json, print the table; the same bytes each time."""
    from riskchain_gym.evaluation.prefix import told_beside_prefix
    from riskchain_gym.evaluation.repeats import repeated, spread
    from riskchain_gym.evaluation.score import score_runs
    from riskchain_gym.evaluation.store import open_runs

    if to is not None:
        check_folder(to)
    folders, left_out = open_runs(runs)
    folders.sort(key=place)
    scored, skipped = score_runs(folders)
    for sentence in (*left_out, *skipped):
        say(err, sentence)
    held = [each.run for each in scored]
    composed = _compose(scored, gate or [], to)
    scores = {each.run.identity: each.scores for each in scored}
    repeats, further = repeated(held)
    for sentence in further:
        say(err, sentence)
    spreads = [spread(runs, [scores[run.identity] for run in runs]) for runs in repeats]
    told = told_beside_prefix(held, {identity: each.outcomes for identity, each in scores.items()})
    by_split = _by_split(scored)
    if as_json:
        out.print_json(
            data={
                "rows": [row for each in by_split for row in score_rows(each, _controls(each))],
                "composed": [each.model_dump(mode="json", exclude={"outcomes"}) for _, each in composed],
                "repeats": [each.model_dump(mode="json") for each in spreads],
                "told_beside_prefix": [each.model_dump(mode="json") for each in told],
            }
        )
        return
    for number, each in enumerate(by_split):
        if number:
            out.print()
        show_scores(each, _controls(each), as_json=False)
    _show_further(scored, composed, spreads, told, with_prefixes=with_prefixes, with_variants=with_variants)


def _by_split(scored: Sequence[ScoredRun]) -> list[list[ScoredRun]]:
    splits: dict[str, list[ScoredRun]] = {}
    for each in scored:
        splits.setdefault(each.run.manifest.split, []).append(each)
    return list(splits.values())


def _controls(scored: Sequence[ScoredRun]) -> list[ControlRow]:
    from riskchain_gym.evaluation.controls import controls_beside

    return controls_beside([each.run.manifest for each in scored])


def _compose(
    scored: Sequence[ScoredRun], gates: Sequence[Path], to: Path | None
) -> list[tuple[ScoredRun, Composition]]:
    from riskchain_gym.evaluation.compose import compose, write_composition
    from riskchain_gym.evaluation.gates import read_gate

    read = cache(read_gate)
    found: list[tuple[ScoredRun, Composition]] = []
    for each, path in product(scored, gates):
        composition = compose(each.run, read(path, each.run.manifest.split), each.scores)
        written = write_composition(composition, to or each.run.path)
        say(err, f"{each.run.path} behind {path}: {written}")
        found.append((each, composition))
    return found


def _show_further(
    scored: Sequence[ScoredRun],
    composed: Sequence[tuple[ScoredRun, Composition]],
    spreads: Sequence[Spread],
    told: Sequence[ToldBesidePrefix],
    *,
    with_prefixes: bool,
    with_variants: bool,
) -> None:
    from riskchain_gym.evaluation.naming import run_names

    names = dict(zip((each.run.identity for each in scored), run_names([each.run for each in scored]), strict=True))
    if composed:
        rows = [(each.run.manifest, composition.scores()) for each, composition in composed]
        labels = [f"{names[each.run.identity]} behind {composition.gate}" for each, composition in composed]
        out.print()
        out.print(score_table(rows, names=labels), crop=False)
        out.print(fill(_COMPOSED_LEGEND, out.width), style="dim", highlight=False, soft_wrap=True)
    restorations = [
        (names[each.run.identity], found)
        for each in scored
        if (found := each.scores.restoration) is not None and len(found.variants) > 1
    ]
    if restorations:
        print_restorations(out, restorations, with_variants=with_variants or len(scored) == 1)
    if with_prefixes:
        print_prefixes(out, [(names[each.run.identity], each.scores.prefixes) for each in scored])
    print_told(out, told)
    print_spreads(out, spreads)
