"""The HTML report of one or more runs: one file, no server, no network, nothing of a page can run in it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.report_data import episode_data
from riskchain_gym.evaluation.score import load_scores
from riskchain_gym.evaluation.store import MEDIA, RunFolder
from riskchain_gym.evaluation.table import COLUMNS, cells, status_text
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically


def write_report(runs: Sequence[RunFolder], path: Path) -> Path:
    """Write the report of scored runs on one split.

    Args:
        runs: Run folders; each must have been scored.
        path: The HTML file to write.

    Returns:
        The path written.

    Raises:
        ConfigError: There are no runs, or they are of different splits.
        InputFileError: A run is not scored, or a file of it is missing or damaged.
    """
    splits = {(run.manifest.split, run.manifest.split_sha256) for run in runs}
    if len(splits) != 1:
        raise ConfigError(f"A report needs runs of one split, got {len(splits)}: report them one split at a time.")
    split = runs[0].manifest.split
    public = {chain.chain_id: chain for chain in load_public(split)}
    gold = load_gold(split)
    rows: list[dict[str, Any]] = []
    episodes: list[dict[str, Any]] = []
    images: dict[str, str] = {}
    for run in runs:
        scores = load_scores(run)
        outcomes = {outcome.chain_id: outcome for outcome in scores.outcomes}
        rows.append(
            {
                "agent": run.manifest.agent,
                "kind": run.manifest.agent_kind,
                "mark": {"baseline": "", "control": "control", "oracle": "upper bound"}[run.manifest.agent_kind],
                "cells": cells(scores.summary),
                "status": status_text(scores.summary),
                "versions": run.manifest.versions,
            }
        )
        for record in sorted(run.records(), key=lambda r: r.trajectory.chain_id):
            chain = record.trajectory.chain_id
            episodes.append(episode_data(run.manifest.agent, record, outcomes[chain], public[chain], gold[chain]))
            for name in record.media.values():
                if name not in images:
                    images[name] = _data_uri(run.path / MEDIA / name)
    write_atomically(path, _render(runs[0], rows, episodes, images).encode())
    return path


def _render(
    run: RunFolder, rows: Sequence[dict[str, Any]], episodes: Sequence[dict[str, Any]], images: dict[str, str]
) -> str:
    environment = Environment(
        loader=PackageLoader("riskchain_gym.evaluation"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["sha256"] = _csp_hash
    source = environment.loader
    assert source is not None
    style, script = (source.get_source(environment, name)[0] for name in ("report.css", "report.js"))
    return environment.get_template("report.html.j2").render(
        manifest=run.manifest,
        columns=COLUMNS,
        rows=rows,
        chains=len({episode["chain"] for episode in episodes}),
        style=style,
        script=script,
        data=_embed({"episodes": episodes, "viewport": _viewport(run)}),
        images=_embed(images),
    )


def _embed(value: object) -> str:
    """Return JSON that cannot close the script element it stands in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _viewport(run: RunFolder) -> Iterable[int]:
    """Return the pixel size of the run's screenshots, ``[0, 0]`` without any."""
    from PIL import Image

    for path in sorted((run.path / MEDIA).glob("*.webp")):
        with Image.open(path) as image:
            return list(image.size)
    return [0, 0]


def _data_uri(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}): the run folder is damaged") from error
    return "data:image/webp;base64," + base64.b64encode(data).decode()
