"""One run as a log of Inspect AI: JSON that ``inspect view`` and ``read_eval_log`` read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, BinaryIO

from riskchain_gym.evaluation.calls import CallLog, ChainCalls, was_answered
from riskchain_gym.evaluation.exports.conversation import conversation, source, status
from riskchain_gym.evaluation.exports.played import Played, outcomes_of, played
from riskchain_gym.evaluation.exports.turns import Questioner, Turn, options_of
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import total
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.protocol.outcome import Outcome

Json = dict[str, Any]

VERSION = 2
CREATED = "1970-01-01T00:00:00+00:00"
"""Stands where Inspect asks for a date: run folders know of none, and the same run gives the same bytes."""

SCORER = "riskchain"

_SCORES: Mapping[str, Callable[[Outcome], float | int | None]] = {
    "a_e": lambda o: o.end_to_end_correct,
    "a_w": lambda o: o.web_correct,
    "gate": lambda o: int(o.gate.passed) if o.gate is not None else None,
    "message_exact": lambda o: int(o.restoration.message_exact) if o.restoration is not None else None,
    "label_exact": lambda o: int(o.label.exact) if o.label is not None else None,
    "citation_f1": lambda o: o.evidence.f1 if o.evidence is not None else None,
    "citation_precision": lambda o: o.evidence.precision if o.evidence is not None else None,
    "citation_recall": lambda o: o.evidence.recall if o.evidence is not None else None,
    "evidence_seen": lambda o: o.evidence.seen if o.evidence is not None else None,
}


def write_log(file: BinaryIO, run: RunFolder) -> int:
    """Write a run's log, a sample at a time.

    Args:
        file: Where to write.
        run: The run.

    Returns:
        The number of samples.

    Raises:
        InputFileError: The run is damaged, its scores are out of date, or the split here is not the one it was made on.
        UnknownNameError: The split is not here.
    """
    calls = CallLog(run.path).standing()
    count = 0
    file.write(_bytes(_head(run))[:-1] + b',"samples":[')
    for sample in _samples(run, calls):
        file.write((b"," if count else b"") + _bytes(sample))
        count += 1
    file.write(b"]}\n")
    return count


def _head(run: RunFolder) -> Json:
    manifest = run.manifest
    outcomes = outcomes_of(run)
    done = [record.trajectory.status is not EpisodeStatus.INFRA_ERROR for record in run.records()]
    model = _model(run)
    return {
        "version": VERSION,
        "status": _status(done, len(manifest.chains)),
        "eval": {
            "eval_id": run.identity[:22],
            "run_id": run.identity[:22],
            "created": CREATED,
            "task": f"riskchain/{manifest.split}",
            "task_id": sha256_of([manifest.split_sha256, manifest.environment.model_dump(mode="json")])[:22],
            "task_version": manifest.versions.get("riskchain-gym", "0"),
            "task_args": manifest.env_kwargs,
            "solver": manifest.agent,
            "dataset": {
                "name": manifest.split,
                "samples": len(manifest.chains),
                "sample_ids": list(manifest.chains),
                "shuffled": False,
            },
            "model": model,
            "config": {"epochs": 1, "continue_on_fail": True},
            "packages": manifest.versions,
            "metadata": {
                "agent": manifest.agent,
                "agent_kind": manifest.agent_kind,
                "agent_sha256": manifest.agent_sha256,
                "origin": manifest.origin,
                "split_sha256": manifest.split_sha256,
                "repeat": manifest.repeat,
                "run": run.identity,
            },
        },
        "plan": {"name": "plan", "steps": [{"solver": manifest.agent, "params": {}}]},
        "results": {
            "total_samples": len(manifest.chains),
            "completed_samples": sum(done),
            "scores": _means(list(outcomes.values())) if outcomes is not None else [],
        },
        "stats": {"started_at": "", "completed_at": "", "model_usage": {}},
    }


def _status(done: Sequence[bool], planned: int) -> str:
    """Return what Inspect says of a log: by default it is in error if a sample is, even if the others went on."""
    if len(done) < planned:
        return "cancelled"
    return "success" if all(done) else "error"


def _means(outcomes: Sequence[Outcome]) -> list[Json]:
    """Return the mean of each score over the episodes that have it; lost ones have none."""
    found: list[Json] = []
    for name, score in _SCORES.items():
        values = [value for outcome in outcomes if (value := _scored(outcome, score)) is not None]
        if values:
            mean = {"name": "mean", "value": fmean(values), "params": {}}
            counts = {"scored_samples": len(values), "unscored_samples": len(outcomes) - len(values)}
            found.append({"name": name, "scorer": SCORER, **counts, "params": {}, "metrics": {"mean": mean}})
    return found


def _scored(outcome: Outcome, score: Callable[[Outcome], float | int | None]) -> float | int | None:
    return None if outcome.status is EpisodeStatus.INFRA_ERROR else score(outcome)


def _samples(run: RunFolder, calls: Mapping[str, ChainCalls]) -> Iterator[Json]:
    questioner = Questioner(options_of(run.manifest), "sent")
    held: set[str] = set()
    for episode in played(run, lost=True):
        held.add(episode.chain_id)
        turns = list(questioner.turns(episode.record.trajectory, run.manifest, episode.message))
        yield _sample(episode, turns, calls.get(episode.chain_id))
    for chain, asked in calls.items():
        if asked.lost and chain not in held:
            yield _lost(run, chain, asked)


def _sample(episode: Played, turns: Sequence[Turn], asked: ChainCalls | None) -> Json:
    trajectory, outcome = episode.record.trajectory, episode.outcome
    model = _model(episode.run)
    messages = [
        {
            "id": sha256_of([episode.record.hash, number])[:22],
            **said.told(),
            **({"model": model, "source": "generate"} if said.role == "assistant" else {}),
            "metadata": {"step": said.turn.index, "phase": said.turn.phase, "valid": said.turn.valid},
        }
        for number, said in enumerate(conversation(turns))
    ]
    last = messages[-1] if messages else None
    usage = _usage(asked)
    chosen = {"choices": [{"message": last, "stop_reason": "stop"}], "completion": turns[-1].answer} if last else {}
    sample: Json = {
        "id": episode.chain_id,
        "epoch": 1,
        "input": episode.message.model_dump_json(),
        "target": str(outcome.label.gold_decision) if outcome is not None and outcome.label is not None else "",
        "messages": messages,
        "output": {"model": model, **chosen, **({"usage": usage} if usage else {})},
        "metadata": {**source(episode), **status(episode), "failures": [f.kind for f in trajectory.failures]},
        "uuid": sha256_of([episode.run.identity, episode.chain_id])[:22],
    }
    if outcome is not None:
        sample["scores"] = _scores(outcome)
    if usage:
        sample["model_usage"] = {model: usage}
    if episode.record.seconds is not None:
        sample["total_time"] = episode.record.seconds
    if trajectory.status is EpisodeStatus.INFRA_ERROR:
        sample["error"] = _error(f"infra_error: {trajectory.infra_cause}")
    return sample


def _lost(run: RunFolder, chain: str, asked: ChainCalls) -> Json:
    """Return a chain whose model gave no answer: an error, and no episode."""
    return {
        "id": chain,
        "epoch": 1,
        "input": "",
        "target": "",
        "messages": [],
        "output": {"model": _model(run)},
        "metadata": {"chain": chain, "lost": asked.loss},
        "uuid": sha256_of([run.identity, chain])[:22],
        "error": _error(f"{asked.loss}: {asked.detail}"),
    }


def _scores(outcome: Outcome) -> Json:
    answer = outcome.label.predicted_decision if outcome.label is not None else None
    values = {name: _scored(outcome, score) for name, score in _SCORES.items()}
    told = {"answer": str(answer)} if answer is not None else {}
    first = {"explanation": str(outcome.first_failure)} if outcome.first_failure is not None else {}
    return {
        name: {"value": value, **(told | first if name in ("a_e", "a_w") else {})}
        for name, value in values.items()
        if value is not None
    }


def _usage(asked: ChainCalls | None) -> Json | None:
    """Return the tokens of a chain; ``None`` where no model was asked or a number is unknown, for it has no zero."""
    answered = [call for call in asked.calls if was_answered(call)] if asked is not None else []
    tokens = [call.usage for call in answered if call.usage is not None]
    if not answered or len(tokens) < len(answered):
        return None
    sent, received = sum(each.input_tokens for each in tokens), sum(each.output_tokens for each in tokens)
    cost = total(answered)
    priced = {"total_cost": cost} if cost is not None and math.isfinite(cost) else {}
    cached = sum(each.cached_input_tokens for each in tokens)
    counts = {"input_tokens": sent, "output_tokens": received, "total_tokens": sent + received}
    return {**counts, "input_tokens_cache_read": cached, **priced}


def _model(run: RunFolder) -> str:
    """Return what stands for the model: those that the agent asks, or else the agent itself."""
    return ", ".join(models_of(run.manifest)) or f"none/{run.manifest.agent}"


def _error(said: str) -> Json:
    return {"message": said, "traceback": "", "traceback_ansi": ""}


def _bytes(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
