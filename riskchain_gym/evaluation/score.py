"""Scoring a frozen run, offline: the same bytes each time."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from riskchain_gym.benchmark.splits import load_gold, load_manifest
from riskchain_gym.evaluation.store import SCORES, RunFolder
from riskchain_gym.protocol.errors import InputFileError, UnknownChainError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.summary import Summary, summarize


class Scores(Frozen):
    """What scoring found.

    Attributes:
        run: Identity of the run that was scored.
        gold_sha256: Hash of the gold it was scored against.
        summary: Headline figures.
        outcomes: One a chain, sorted by chain id.
    """

    schema_version: Literal["riskchain-scores/v1"] = "riskchain-scores/v1"
    run: str
    gold_sha256: str
    summary: Summary
    outcomes: tuple[Outcome, ...]


def score_run(run: RunFolder) -> Scores:
    """Score every episode of a run against the gold of its split and write ``scores.json``.

    Raises:
        InputFileError: The run or the gold is missing or damaged.
        UnknownChainError: The run holds a chain that the split does not have.
    """
    gold = load_gold(run.manifest.split)
    outcomes: list[Outcome] = []
    for record in run.records():
        chain = gold.get(record.trajectory.chain_id)
        if chain is None:
            raise UnknownChainError(
                f"{run.path} holds chain '{record.trajectory.chain_id}', split '{run.manifest.split}' does not: "
                "score the run against the split it was made on."
            )
        outcomes.append(score_episode(record.trajectory, chain))
    outcomes.sort(key=lambda outcome: outcome.chain_id)
    if not outcomes:
        raise InputFileError(run.path, "", "holds no episode: there is nothing to score")
    scores = Scores(
        run=run.manifest.identity,
        gold_sha256=load_manifest(run.manifest.split).sha256["gold.jsonl"],
        summary=summarize(outcomes),
        outcomes=tuple(outcomes),
    )
    write_atomically(run.path / SCORES, scores.model_dump_json(indent=1).encode() + b"\n")
    return scores


def load_scores(run: RunFolder) -> Scores:
    """Return the scores of a run that was scored before.

    Raises:
        InputFileError: It was not scored, or its scores are malformed or of another run.
    """
    try:
        scores = Scores.model_validate_json(run.scores())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputFileError(run.path / SCORES, ".".join(map(str, first["loc"])), first["msg"]) from error
    if scores.run != run.manifest.identity:
        raise InputFileError(run.path / SCORES, "run", "belongs to another run: score this one again")
    return scores
