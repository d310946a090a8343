"""Runs as flat tables: a row an episode, or a row a step."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from riskchain_gym.evaluation.calls import CallLog, ChainCalls, was_answered
from riskchain_gym.evaluation.exports.played import outcomes_of
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import total
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.outcome import JUDGE_DIMENSIONS, Outcome, RevisedResult
from riskchain_gym.protocol.trajectory import Phase

Cell = str | int | float | bool | None
Columns = Mapping[str, type]
"""Type of each column, in order; every column may be empty."""

_RUN: Columns = {
    "run": str,
    "agent": str,
    "agent_kind": str,
    "agent_sha256": str,
    "models": str,
    "split": str,
    "split_sha256": str,
    "origin": str,
    "repeat": int,
    "max_steps": int,
    "chain_id": str,
    "variant": str,
}
_EPISODE: Columns = {
    "status": str,
    "routing": str,
    "infra_cause": str,
    "steps": int,
    "browse_steps": int,
    "strikes": int,
    "screenshots": int,
    "seconds": float,
    "hash": str,
    "calls": int,
    "repairs": int,
    "cached": int,
    "input_tokens": int,
    "output_tokens": int,
    "cost": float,
    "call_seconds": float,
}
_STEP: Columns = {
    "index": int,
    "phase": str,
    "browse_step": int,
    "action": str,
    "kind": str,
    "element_id": str,
    "reason": str,
    "result": str,
    "error": str,
    "feedback": str,
    "strikes": int,
    "page": str,
    "path": str,
    "title": str,
    "scroll_y": int,
    "screenshot": str,
    "hash": str,
}
_APART = frozenset({"chain_id", "status", "routing", "failures", "validator", "judge", "lost_length", "revised"})
"""Fields of an outcome that are told elsewhere, or in another form."""


def _outcome_columns() -> Columns:
    columns: dict[str, type] = {}
    for name, field in Outcome.model_fields.items():
        if name not in _APART:
            columns |= _columns_of(name, field.annotation)
    for name, field in RevisedResult.model_fields.items():
        columns |= _columns_of(f"revised_{name}", field.annotation)
    judged = {"judge.status": str, **{f"judge.{name}": float for name in JUDGE_DIMENSIONS}}
    validated: Columns = {"validator.valid": bool, "validator.problems": str, "validator.unverifiable": str}
    return {**columns, **judged, **validated, "failures": str}


def _columns_of(name: str, annotation: Any) -> Columns:
    """Return the columns of a field: one, or those of the fields of a model."""
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (each for each in get_args(annotation) if each is not NoneType)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.items()
        return {
            key: kind for inner, each in fields for key, kind in _columns_of(f"{name}.{inner}", each.annotation).items()
        }
    return {name: annotation if annotation in (int, float, bool) else str}


EPISODE_COLUMNS: Columns = {**_RUN, **_EPISODE, **_outcome_columns()}
"""Columns of the table with a row an episode; those of the outcome are empty where a run was not scored."""

STEP_COLUMNS: Columns = {**_RUN, **_STEP}
"""Columns of the table with a row a step."""


def episode_rows(runs: Sequence[RunFolder]) -> Iterator[dict[str, Cell]]:
    """Yield a row for each episode, lost ones among them: what is unknown is ``None``, and never a zero.

    Raises:
        InputFileError: A run is damaged, or its scores are out of date.
        UnknownNameError: A run was scored, and its split is not here.
    """
    for run in runs:
        outcomes, calls = outcomes_of(run) or {}, CallLog(run.path).standing()
        for record in run.records():
            outcome = outcomes.get(record.trajectory.chain_id)
            scored = {} if outcome is None else outcome.flat()
            row = {**scored, **_of_run(run, record), **_of_episode(record, calls.get(record.trajectory.chain_id))}
            yield {name: row.get(name) for name in EPISODE_COLUMNS}


def step_rows(runs: Sequence[RunFolder]) -> Iterator[dict[str, Cell]]:
    """Yield a row for each step of each episode.

    Raises:
        InputFileError: A run is damaged.
    """
    for run in runs:
        for record in run.records():
            head = _of_run(run, record)
            pages = record.trajectory.pages
            for step in record.trajectory.steps:
                page = pages.get(step.page or "")
                shown = {"path": page.path, "title": page.title} if page is not None else {}
                row: dict[str, Cell] = {
                    **head,
                    **step.model_dump(mode="json", include={"index", "phase", "browse_step", "action", "feedback"}),
                    **_said(step.action if step.phase is Phase.BROWSE else ""),
                    "result": step.result.status,
                    "error": step.result.error,
                    "strikes": step.strikes,
                    "page": step.page,
                    **shown,
                    "scroll_y": step.scroll_y if page is not None else None,
                    "screenshot": record.media.get(str(step.browse_step)),
                    "hash": step.hash,
                }
                yield {name: row.get(name) for name in STEP_COLUMNS}


def _of_run(run: RunFolder, record: EpisodeRecord) -> dict[str, Cell]:
    manifest = run.manifest
    told = ("agent", "agent_kind", "agent_sha256", "split", "split_sha256", "origin", "repeat")
    return {
        "run": run.identity,
        **{name: getattr(manifest, name) for name in told},
        "models": ", ".join(models_of(manifest)),
        "max_steps": manifest.environment.max_steps,
        "chain_id": record.trajectory.chain_id,
        "variant": record.trajectory.variant,
    }


def _of_episode(record: EpisodeRecord, asked: ChainCalls | None) -> dict[str, Cell]:
    trajectory = record.trajectory
    return {
        "status": trajectory.status,
        "routing": trajectory.routing,
        "infra_cause": trajectory.infra_cause or None,
        "steps": len(trajectory.steps),
        "browse_steps": sum(step.browse_step is not None for step in trajectory.steps),
        "strikes": sum(step.result.status is ActionStatus.INVALID for step in trajectory.steps),
        "screenshots": len(record.media),
        "seconds": record.seconds,
        "hash": record.hash,
        **(_of_calls(asked) if asked is not None and asked.calls else {}),
    }


def _of_calls(asked: ChainCalls) -> dict[str, Cell]:
    answered = [call for call in asked.calls if was_answered(call)]
    tokens = [call.usage for call in answered if call.usage is not None]
    counted = len(tokens) == len(answered)
    return {
        "calls": len(asked.calls),
        "repairs": sum(call.repair for call in asked.calls),
        "cached": sum(call.cached for call in asked.calls),
        "input_tokens": sum(each.input_tokens for each in tokens) if counted else None,
        "output_tokens": sum(each.output_tokens for each in tokens) if counted else None,
        "cost": total(answered),
        "call_seconds": math.fsum(call.seconds for call in asked.calls),
    }


def _said(action: str) -> dict[str, Cell]:
    """Return the parts of a browse action; none of a text that is no such thing."""
    try:
        said = json.loads(action)
    except ValueError:
        return {}
    parts = {"kind": "action", "element_id": "element_id", "reason": "reason"}
    told = {name: said.get(part) for name, part in parts.items()} if isinstance(said, dict) else {}
    return {name: value for name, value in told.items() if isinstance(value, str)}
