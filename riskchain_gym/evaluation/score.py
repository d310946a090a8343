"""Scoring frozen runs, offline: the same bytes each time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue, ValidationError

from riskchain_gym.benchmark.splits import GOLD, PUBLIC, load_gold, load_manifest
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.prefix import Course, PrefixScore, budgets_of, course_of, prefixes, websites
from riskchain_gym.evaluation.records import CODEBOOK
from riskchain_gym.evaluation.restored import RestorationScores, Restored, restoration_scores, restored
from riskchain_gym.evaluation.seal import Seal
from riskchain_gym.evaluation.store import MANIFEST, SCORES, SEAL, RunFolder
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.files import write_if_changed
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.intervals import intervals
from riskchain_gym.scoring.judge.episode import judge_episode
from riskchain_gym.scoring.judge.questions import Judge
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.summary import Summary, summarize

NO_EPISODE = "holds no finished episode yet"


class Scores(Frozen):
    """What scoring found.

    Attributes:
        run: Identity of the run that was scored.
        last: Hash of its last record; another one means that episodes were added since.
        last_restoration: Hash of the last variant that was restored on its own, likewise.
        planned: Episodes the run was to hold.
        gold_sha256: Hash of the gold it was scored against.
        summary: Headline figures.
        restoration: Figures of every message that was restored, all variants; ``None`` where none was to be.
        prefixes: What the run had come to after fewer browse steps than it was told; empty where there is no site.
        outcomes: One a chain, sorted by chain id.
    """

    schema_version: Literal["riskchain-scores/v3"] = "riskchain-scores/v3"
    run: str
    last: str
    last_restoration: str
    planned: int
    gold_sha256: str
    summary: Summary
    restoration: RestorationScores | None
    prefixes: tuple[PrefixScore, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def complete(self) -> bool:
        """Whether every planned episode was scored."""
        return len(self.outcomes) >= self.planned

    def encoded(self) -> bytes:
        """Return the bytes of ``scores.json``."""
        return self.model_dump_json(indent=1).encode() + b"\n"


@dataclass(frozen=True)
class ScoredRun:
    """A run folder and its scores."""

    run: RunFolder
    scores: Scores


def check_split(run: RunFolder) -> None:
    """Refuse a run whose split or codebook is not the one on this machine: its gold would be the wrong one.

    Raises:
        UnknownNameError: There is no such split here.
        InputFileError: The split here has other chains than the run was made on, or its agent was told another codebook
            than this package has.
    """
    _check_codebook(run)
    here = load_manifest(run.manifest.split).sha256.get(PUBLIC, "missing")
    if here != run.manifest.split_sha256:
        raise InputFileError(
            run.path / MANIFEST,
            "split_sha256",
            f"the run was made on another '{run.manifest.split}' ({run.manifest.split_sha256[:12]}…) than the one here "
            f"({here[:12]}…): restore that split to score it, or run it again",
        )


def _check_codebook(run: RunFolder) -> None:
    """Refuse a run whose agent was told another codebook than gold follows here."""
    if run.manifest.codebook != CODEBOOK_VERSION:
        raise InputFileError(
            run.path / MANIFEST,
            f"versions.{CODEBOOK}",
            f"the agent was told the codebook {run.manifest.codebook}, and gold is read by {CODEBOOK_VERSION} here: "
            "score the run with the riskchain-gym that made it, or run the agent again",
        )


def check_seal(run: RunFolder) -> None:
    """Refuse a run that was frozen and is not what it was frozen as; every record is read.

    Raises:
        InputFileError: It is not, its seal is malformed, or a record is damaged.
    """
    seal = run.seal
    if seal is None or seal == (found := run.found()):
        return
    changed = [name for name in Seal.model_fields if getattr(seal, name) != getattr(found, name)]
    raise InputFileError(
        run.path / SEAL,
        ", ".join(changed),
        "the run is not what it was frozen as: take it from where it was made, or run the agent again",
    )


def score_run(run: RunFolder, judge: Judge | None = None) -> Scores:
    """Score a run as :func:`score` does and write ``scores.json``, unless it is that already.

    Args:
        run: The run folder.
        judge: Who is asked how reports relate to what was observed; the rule-based judge by default.

    Raises:
        InputFileError: As :func:`score` does.
        UnknownNameError: As :func:`score` does.
        OSError: The scores cannot be written.
    """
    scores = score(run, judge)
    _write(run, scores.encoded())
    return scores


def score(run: RunFolder, judge: Judge | None = None) -> Scores:
    """Return the scores of every episode of a run against the gold of its split; nothing is written.

    Intervals are drawn over websites, over the skeletons of messages, and over the operators that sites are of.

    Args:
        run: The run folder.
        judge: Who is asked how reports relate to what was observed; the rule-based judge by default.

    Raises:
        InputFileError: The run or the gold is missing, empty or damaged, the run is not what it was frozen as, or the
            split is not the one of the run.
        UnknownNameError: The run holds a chain that the split does not have.
    """
    check_split(run)
    check_seal(run)
    gold = load_gold(run.manifest.split)
    judge = judge or RuleJudge()
    rules = run.manifest.environment
    outcomes: list[Outcome] = []
    messages: list[Restored] = []
    courses: list[Course] = []
    restores = run.manifest.env_id != ENV_IDS["browse"]
    last = run.identity
    for record in run.records():
        chain = gold.get(record.trajectory.chain_id)
        if chain is None:
            raise UnknownNameError(
                f"{run.path} holds chain '{record.trajectory.chain_id}', split '{run.manifest.split}' does not: "
                "score the run against the split it was made on."
            )
        outcome = score_episode(record.trajectory, chain, max_steps=rules.max_steps, strikes=rules.strikes)
        messages += [restored(record.trajectory, chain.message, outcome)] if restores else []
        courses.append(course_of(record.trajectory, chain, outcome))
        outcomes.append(outcome.model_copy(update={"judge": judge_episode(record.trajectory, judge)}))
        last = record.hash
    outcomes.sort(key=lambda outcome: outcome.chain_id)
    if not outcomes:
        raise InputFileError(run.path, "", f"{NO_EPISODE}: there is nothing to score")
    drawn = clusters(gold)
    return Scores(
        run=run.identity,
        last=last,
        last_restoration=run.last_restoration,
        planned=len(run.manifest.chains),
        gold_sha256=load_manifest(run.manifest.split).sha256[GOLD],
        summary=summarize(outcomes, [intervals(outcomes, unit, of) for unit, of in drawn.items()]),
        restoration=restoration_scores(run, gold, messages),
        prefixes=prefixes(courses, budgets_of(run.manifest), drawn["website"]),
        outcomes=tuple(outcomes),
    )


def scores_of(run: RunFolder) -> Scores:
    """Return what scoring gives a run now: what its folder says of itself counts for nothing, and nothing is written.

    Raises:
        InputFileError: As :func:`score` does; or the folder holds scores of just these episodes and this gold that are
            others.
        UnknownNameError: As :func:`score` does.
    """
    scores = score(run)
    try:
        load_scores(run)
    except InputFileError:
        return scores
    if not _borne_out(json.loads(run.scores()), json.loads(scores.encoded())):
        raise InputFileError(
            run.path / SCORES,
            "",
            "is not what scoring gives now: it was changed, or written by another version; `riskchain runs verify "
            "--rescore` compares it, `riskchain score` writes it anew",
        )
    return scores


def _borne_out(said: JsonValue, found: JsonValue) -> bool:
    """Return whether all that is said is found; what an earlier version did not say yet counts for nothing."""
    if isinstance(said, dict) and isinstance(found, dict):
        return all(name in found and _borne_out(value, found[name]) for name, value in said.items())
    if isinstance(said, list) and isinstance(found, list):
        return len(said) == len(found) and all(map(_borne_out, said, found))
    return said == found


def _write(run: RunFolder, data: bytes) -> None:
    """Write the scores, unless they are there: a folder that is up to date is left alone, and may be read-only."""
    write_if_changed(run.path / SCORES, data)


def clusters(gold: Mapping[str, GoldChain]) -> dict[str, dict[str, str]]:
    """Return by what chains hang together: the cluster of each chain, by unit, the published unit first.

    Args:
        gold: Gold bundles by chain id.
    """
    return {
        "website": websites(gold),
        "skeleton": {chain: bundle.message.skeleton for chain, bundle in gold.items()},
        "operator": {chain: bundle.site.host_family or bundle.site.site_id for chain, bundle in gold.items()},
    }


def score_runs(runs: Sequence[RunFolder]) -> tuple[list[ScoredRun], list[str]]:
    """Score the runs that hold episodes.

    Returns:
        The scored runs, and a sentence for each run that was left out because it holds no episode yet.

    Raises:
        InputFileError: No run holds an episode, or as :func:`score_run` does.
        UnknownNameError: As :func:`score_run` does.
    """
    held, skipped = leave_out_empty(runs)
    return [ScoredRun(run, score_run(run)) for run in held], skipped


def leave_out_empty(runs: Sequence[RunFolder]) -> tuple[list[RunFolder], list[str]]:
    """Return the runs that hold episodes, and a sentence for each that does not.

    Raises:
        ConfigError: There are no runs.
        InputFileError: No run holds an episode.
    """
    if not runs:
        raise ConfigError("There is no run to score: give at least one run folder.")
    held = [run for run in runs if not run.empty]
    if not held:
        raise InputFileError(runs[0].path, "", f"{NO_EPISODE}: there is nothing to score")
    return held, [f"{run.path} {NO_EPISODE}: it was left out." for run in runs if run not in held]


def load_scores(run: RunFolder) -> Scores:
    """Return the scores of a run that was scored before.

    Raises:
        InputFileError: It was not scored, its scores are malformed or of another run, episodes or another gold have
            come since, or its agent was told another codebook.
    """
    _check_codebook(run)
    path = run.path / SCORES
    try:
        scores = Scores.model_validate_json(run.scores())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputFileError(path, ".".join(map(str, first["loc"])), f"{first['msg']}: score the run again") from error
    if scores.run != run.identity:
        raise InputFileError(path, "run", "belongs to another run: score this one again")
    if (scores.last, scores.last_restoration) != (run.last_hash, run.last_restoration):
        raise InputFileError(path, "last", "is older than the run's last episode: score the run again")
    if scores.gold_sha256 != load_manifest(run.manifest.split).sha256.get(GOLD):
        raise InputFileError(path, "gold_sha256", "is not the gold of the split here: score the run again")
    return scores
