"""Writing the report of one or more runs: a folder that needs no server and no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.columns import COLUMNS, FURTHER
from riskchain_gym.evaluation.controls import ControlRow, controls_beside
from riskchain_gym.evaluation.naming import run_names
from riskchain_gym.evaluation.report.details import details, headings
from riskchain_gym.evaluation.report.episode_data import asked_for_entry
from riskchain_gym.evaluation.report.episode_files import EpisodeFiles
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.report.page import render_index
from riskchain_gym.evaluation.report.pairs import UNIT, pairs_data
from riskchain_gym.evaluation.report.parts_data import prefix_rows, restored_rows
from riskchain_gym.evaluation.report.publishing import ReportFolder
from riskchain_gym.evaluation.report.run_data import run_rows, version_lines
from riskchain_gym.evaluation.report.strata_data import strata_data
from riskchain_gym.evaluation.score import check_split, clusters, leave_out_empty, load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.table import cells, interval_cells, remarks, status_text, title
from riskchain_gym.evaluation.usage import USAGE_LEGEND, usage_of
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.scoring.summary import Summary

SCHEMA = "riskchain-report/v1"

_MARKS = {"baseline": "", "control": "control", "oracle": "upper bound"}


def write_report(runs: Sequence[RunFolder], path: Path, controls: Sequence[ControlRow] | None = None) -> Path:
    """Write the report of scored runs on one split; runs without an episode are named on it and left out.

    Args:
        runs: Run folders; each must have been scored.
        path: The folder to write; an earlier report in it is replaced.
        controls: Rows to print beside the runs; the control rows of their chains by default.

    Returns:
        The index of the report.

    Raises:
        ConfigError: There are no runs, they are of different splits, or the folder holds something else.
        InputFileError: A run is not scored, a file of it is missing or damaged, or its split is not the one here.
    """
    ReportFolder.check(path)
    splits = {(run.manifest.split, run.manifest.split_sha256) for run in runs}
    if len(splits) != 1:
        raise ConfigError(f"A report needs runs of one split, got {len(splits)}: report them one split at a time.")
    held, skipped = leave_out_empty(runs)
    check_split(held[0])
    scored = [(run.manifest, load_scores(run)) for run in held]
    labels = run_names(held)
    beside = controls_beside([manifest for manifest, _ in scored]) if controls is None else controls
    rows = [
        _row(label, manifest.agent_kind, scores.summary, status_text(scores.summary), notes)
        for label, (manifest, scores), notes in zip(labels, scored, remarks(scored, computed=bool(beside)), strict=True)
    ]
    rows += [_row(control.name, control.kind, control.summary, "computed, not run", []) for control in beside]
    split = held[0].manifest.split
    gold = load_gold(split)
    folder = ReportFolder(path)
    folder.begin()
    index = EpisodeFiles(folder, split).write(held, [scores for _, scores in scored])
    told = run_rows(held, labels)
    strata = strata_data(split, [scores for _, scores in scored])
    pairs = pairs_data(labels, [scores for _, scores in scored], clusters(gold)[UNIT])
    shown = [{"label": run["label"], "kind": run["kind"], "asked": asked_for_entry(each.manifest)}
             for run, each in zip(told, held, strict=True)]  # fmt: skip
    figures = {
        "schema_version": SCHEMA,
        "title": title(scored),
        "split": split,
        "origin": held[0].manifest.origin,
        "runs": told,
        "summaries": {
            label: scores.summary.model_dump(mode="json") for label, (_, scores) in zip(labels, scored, strict=True)
        },
        "controls": {control.name: control.summary.model_dump(mode="json") for control in beside},
        "differences": pairs,
        "strata": strata,
        **index,
    }
    behind = [
        details(label, scores.summary, usage_of(run))
        for run, label, (_, scores) in zip(held, labels, scored, strict=True)
    ]
    page = render_index(
        manifest=held[0].manifest,
        title=title(scored),
        columns=COLUMNS,
        further=FURTHER,
        rows=rows,
        **headings(behind),
        usage_legend=USAGE_LEGEND,
        skipped=skipped,
        runs=told,
        versions=version_lines(told),
        strata=strata,
        prefixes=prefix_rows(labels, [scores for _, scores in scored]),
        restored=restored_rows(labels, [scores for _, scores in scored]),
        index={"runs": shown, "pairs": pairs, **index},
    )
    return folder.finish(canonical_json(figures).encode("utf-8", "replace") + b"\n", page)


def _row(agent: str, kind: str, summary: Summary, status: str, notes: Sequence[str]) -> Json:
    return {
        "agent": agent,
        "kind": kind,
        "mark": _MARKS[kind],
        "cells": list(zip(cells(summary), interval_cells(summary), strict=True)),
        "status": status,
        "remarks": notes,
    }
