"""The HTML report of one or more runs: one file, no server, no network, nothing of a page can run in it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.columns import COLUMNS, FURTHER
from riskchain_gym.evaluation.controls import ControlRow, controls_beside
from riskchain_gym.evaluation.details import details
from riskchain_gym.evaluation.naming import folder_names, run_names
from riskchain_gym.evaluation.report_data import Json, episode_data
from riskchain_gym.evaluation.score import Scores, check_split, leave_out_empty, load_scores
from riskchain_gym.evaluation.store import SCORES, RunFolder
from riskchain_gym.evaluation.table import cells, interval_cells, remarks, status_text, title
from riskchain_gym.evaluation.usage import USAGE_LEGEND, usage_of
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.scoring.summary import Summary

_MARKS = {"baseline": "", "control": "control", "oracle": "upper bound"}


def write_report(runs: Sequence[RunFolder], path: Path, controls: Sequence[ControlRow] | None = None) -> Path:
    """Write the report of scored runs on one split; runs without an episode are named on it and left out.

    Args:
        runs: Run folders; each must have been scored.
        path: The HTML file to write.
        controls: Rows to print beside the runs; the control rows of their chains by default.

    Returns:
        The path written.

    Raises:
        ConfigError: There are no runs, or they are of different splits.
        InputFileError: A run is not scored, a file of it is missing or damaged, or its split is not the one here.
    """
    splits = {(run.manifest.split, run.manifest.split_sha256) for run in runs}
    if len(splits) != 1:
        raise ConfigError(f"A report needs runs of one split, got {len(splits)}: report them one split at a time.")
    held, skipped = leave_out_empty(runs)
    check_split(held[0])
    scored = [(run.manifest, load_scores(run)) for run in held]
    labels = run_names(held)
    images: dict[str, str | None] = {}
    episodes: list[Json] = []
    for run, label, (_, scores) in zip(held, labels, scored, strict=True):
        episodes += _episodes(run, label, scores, images)
    beside = controls_beside([manifest for manifest, _ in scored]) if controls is None else controls
    rows = [
        _row(label, manifest.agent_kind, scores.summary, status_text(scores.summary), notes)
        for label, (manifest, scores), notes in zip(labels, scored, remarks(scored, computed=bool(beside)), strict=True)
    ]
    rows += [_row(control.name, control.kind, control.summary, "computed, not run", []) for control in beside]
    page = _render(
        manifest=held[0].manifest,
        title=title(scored),
        columns=COLUMNS,
        further=FURTHER,
        rows=rows,
        details=[
            details(label, scores.summary, usage_of(run))
            for run, label, (_, scores) in zip(held, labels, scored, strict=True)
        ],
        usage_legend=USAGE_LEGEND,
        skipped=skipped,
        folders=list(zip(labels, folder_names(held), strict=True)),
        versions=_versions(held, labels),
        data=_embed(episodes),
        images=_embed(images),
    )
    write_atomically(path, page.encode())
    return path


def _row(agent: str, kind: str, summary: Summary, status: str, notes: Sequence[str]) -> Json:
    return {
        "agent": agent,
        "kind": kind,
        "mark": _MARKS[kind],
        "cells": list(zip(cells(summary), interval_cells(summary), strict=True)),
        "status": status,
        "remarks": notes,
    }


def _episodes(run: RunFolder, label: str, scores: Scores, images: dict[str, str | None]) -> list[Json]:
    """Return a run's episodes by chain id, and add their screenshots, ``None`` for a missing file, to ``images``."""
    split = run.manifest.split
    public = {chain.chain_id: chain for chain in load_public(split)}
    gold = load_gold(split)
    outcomes = {outcome.chain_id: outcome for outcome in scores.outcomes}
    episodes: list[Json] = []
    for record in run.records():
        chain = record.trajectory.chain_id
        if chain not in outcomes:
            raise InputFileError(run.path / SCORES, "outcomes", f"has none of chain '{chain}': score the run again")
        episodes.append(episode_data(label, run.manifest, record, outcomes[chain], public[chain], gold[chain]))
        for name in record.media.values():
            if images.get(name) is None:
                images[name] = _data_uri(run.media(name))
    return sorted(episodes, key=lambda episode: str(episode["chain"]))


def _versions(runs: Sequence[RunFolder], labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return with which versions the runs were made: one line if all were made alike, else one a run."""
    lines = [", ".join(f"{name} {value}" for name, value in run.manifest.versions.items()) for run in runs]
    return [("All runs", lines[0])] if len(set(lines)) == 1 else list(zip(labels, lines, strict=True))


def _render(**content: Any) -> str:
    environment = Environment(
        loader=PackageLoader("riskchain_gym.evaluation"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters.update(sha256=_csp_hash, heading=_heading)
    source = environment.loader
    assert source is not None
    style, script = (source.get_source(environment, name)[0] for name in ("report.css", "report.js"))
    return environment.get_template("report.html.j2").render(style=style, script=script, **content)


def _embed(value: Sequence[object] | Mapping[str, object]) -> str:
    """Return JSON that cannot close the script element it stands in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _heading(label: str) -> Markup:
    """Return a column's label with its index raised or lowered: ``Acc^w``, ``Δ_gate``."""
    for mark, tag in (("^", "sup"), ("_", "sub")):
        name, found, index = label.partition(mark)
        if found:
            return Markup("{0}<{2}>{1}</{2}>").format(name, index, Markup(tag))  # noqa: S704 - a constant template
    return Markup.escape(label)


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data_uri(data: bytes | None) -> str | None:
    return None if data is None else "data:image/webp;base64," + base64.b64encode(data).decode()
