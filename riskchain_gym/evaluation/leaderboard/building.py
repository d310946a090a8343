"""The board, built once from run folders; writers only format it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import riskchain_gym
from riskchain_gym.benchmark.splits import load_gold, load_manifest
from riskchain_gym.evaluation.controls import ControlRow, control_rows
from riskchain_gym.evaluation.leaderboard.board import Board, Control, Entry, Figure, Section
from riskchain_gym.evaluation.leaderboard.cards import Cards
from riskchain_gym.evaluation.leaderboard.gathering import SplitRuns, by_split, check_runs
from riskchain_gym.evaluation.leaderboard.published import Published
from riskchain_gym.evaluation.leaderboard.rows import make_entry
from riskchain_gym.evaluation.leaderboard.samples import Sampled, Sampler, compare_all, rank_ends
from riskchain_gym.evaluation.leaderboard.standing import in_order, ranks, why_unranked
from riskchain_gym.evaluation.naming import folder_names
from riskchain_gym.evaluation.prefix import told_beside_prefix
from riskchain_gym.evaluation.score import clusters
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.strata import strata_of
from riskchain_gym.protocol.control_characters import show_controls
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError
from riskchain_gym.protocol.hints import hint

DIMENSIONS = ("recipe", "severity", "platform", "decision", "type", "depth", "gate", "track", "difficulty", "language")
"""What chains are told apart by on a board."""


def build_board(
    runs: Sequence[RunFolder],
    *,
    cards: Cards | None = None,
    published: Published | None = None,
    baseline: str = "",
    left_out: Sequence[str] = (),
) -> Board:
    """Build the board of any number of runs, on any number of splits.

    Runs are put together by the content of their split; repeats of one agent make one row. Every run is checked
    against its seal, and scored where it was not.

    Args:
        runs: The run folders.
        cards: What no run can know of models and agents.
        published: Published aggregates to show beside.
        baseline: Name of a row that others are to be compared with.
        left_out: What was given and is no run, in sentences.

    Raises:
        ConfigError: There are no runs, or runs on the same chains were scored against different golds.
        InputFileError: A run is damaged, is not what it was frozen as, or cannot be scored here.
        UnknownNameError: There is no row of the baseline's name, or no split of a run here.
    """
    if not runs:
        raise ConfigError("There is no run to put on a board: give at least one run folder.")
    checked, empty = check_runs(runs, folder_names(runs))
    sections = tuple(_section(split, cards or Cards()) for split in by_split(checked))
    names = list(dict.fromkeys(entry.name for section in sections for entry in section.entries))
    if baseline and baseline not in names:
        raise UnknownNameError(f"There is no row '{baseline}' to compare others with: {hint(baseline, names)}")
    return Board(
        package=riskchain_gym.__version__,
        sections=sections,
        baseline=baseline,
        published=published,
        left_out=tuple(map(show_controls, (*left_out, *empty))),
    )


def _section(split: SplitRuns, cards: Cards) -> Section:
    manifest = split.manifest
    gold_sha256 = _one_gold(split)
    gold = load_gold(manifest.split)
    split_chains = load_manifest(manifest.split).chains
    sampler = Sampler(clusters(gold)["website"])
    known = strata_of(manifest.split)
    strata = {name: known[name] for name in DIMENSIONS if name in known}
    sampled = {row.name: sampler.sample([run.scores.outcomes for run in row.runs]) for row in split.rows}
    manifests = {row.name: row.manifest for row in split.rows}
    entries = [make_entry(row, sampled[row.name], cards, strata) for row in split.rows]
    entries = [
        entry.model_copy(
            update={
                "unranked": why_unranked(entry, manifests[entry.name], split_chains=split_chains),
                "whole": entry.chains == split_chains,
            }
        )
        for entry in entries
    ]
    if manifest.origin == "sealed":
        entries = _ranked(entries, sampled)
    entries.sort(key=in_order)
    compared = {entry.name: sampled[entry.name] for entry in entries if entry.kind != "oracle"}
    pairs, critical = compare_all(compared)
    chains = [chain for row in split.rows for chain in row.manifest.chains]
    held = [run for row in split.rows for run in row.runs]
    beside = control_rows(manifest.split, chains, {entry.agent for entry in entries})
    return Section(
        name=split.name,
        split_sha256=manifest.split_sha256,
        gold_sha256=gold_sha256,
        origin=manifest.origin,
        split_chains=split_chains,
        entries=tuple(entries),
        controls=tuple(_control(row) for row in beside),
        pairs=pairs,
        told=told_beside_prefix([run.run for run in held], {run.run.identity: run.scores.outcomes for run in held}),
        critical=critical,
    )


def _one_gold(split: SplitRuns) -> str:
    """Return the hash of the gold that all runs on a split were scored against."""
    runs = [run for row in split.rows for run in row.runs]
    golds = {run.scores.gold_sha256: run.folder for run in runs}
    if len(golds) > 1:
        first, second = list(golds.values())[:2]
        raise ConfigError(
            f"The runs on '{split.name}' were scored against different golds, e.g. {first} and {second}: "
            "their splits have the same chains and other labels, put them on boards of their own."
        )
    return runs[0].scores.gold_sha256


def _ranked(entries: Sequence[Entry], sampled: Mapping[str, Sampled]) -> list[Entry]:
    able = [entry for entry in entries if not entry.unranked]
    if not able:
        return list(entries)
    place, on_web = ranks(able, "end_to_end_accuracy"), ranks(able, "web_accuracy")
    between = rank_ends({entry.name: sampled[entry.name] for entry in able}, "end_to_end_accuracy")
    return [
        entry.model_copy(
            update={
                "rank": place[entry.name],
                "rank_low": between[entry.name][0],
                "rank_high": between[entry.name][1],
                "web_rank": on_web[entry.name],
            }
        )
        if entry.name in place
        else entry
        for entry in entries
    ]


def _control(row: ControlRow) -> Control:
    summary = row.summary.model_dump(exclude={"intervals", "judge", "curve"})
    figures = {name: Figure(value=value) for name, value in summary.items() if isinstance(value, float)}
    curve = {
        name: Figure(value=value)
        for point in row.summary.curve
        for name, value in (
            (f"recall_at_{point.k}", point.entry_recall),
            (f"end_to_end_at_{point.k}", point.end_to_end_accuracy),
            (f"lookups_at_{point.k}", point.lookups),
        )
        if value is not None
    }
    return Control(
        name=row.name,
        kind=row.kind,
        figures=figures | curve,
        first_failures={stage: float(n) for stage, n in row.summary.first_failures.items()},
    )
