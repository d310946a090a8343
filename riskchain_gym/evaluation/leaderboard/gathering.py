"""Runs as they come to a board: checked against their seals, scored, and put together by split and by agent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.splits import load_manifest
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.leaderboard.table_value import slug_of
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.sameness import agent_key, run_key
from riskchain_gym.evaluation.score import NO_EPISODE, Scores, check_split, scores_of
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.evaluation.usage import RunUsage, usage_of
from riskchain_gym.protocol.control_characters import show_controls, show_name
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.protocol.trajectory import Phase

_BETWEEN = " · "


@dataclass(frozen=True)
class CheckedRun:
    """A run that was checked and scored.

    Attributes:
        run: The folder.
        folder: The end of its path, as long as it must be to tell the runs of the board apart.
        scores: Its scores.
        frozen: Whether it was frozen.
        steps: Browse actions of all of its episodes.
        usage: What it asked of models, ``None`` if it asked none.
    """

    run: RunFolder
    folder: str
    scores: Scores
    frozen: bool
    steps: int
    usage: RunUsage | None

    @property
    def manifest(self) -> RunManifest:
        """What was run."""
        return self.run.manifest


@dataclass(frozen=True)
class RowRuns:
    """The runs of one row: one, or the repeats of one agent on the same chains.

    Attributes:
        name: What the row is called.
        runs: The runs, by the number of the repeat.
    """

    name: str
    runs: tuple[CheckedRun, ...]

    @property
    def manifest(self) -> RunManifest:
        """What was run first; its repeats differ from it in their number alone."""
        return self.runs[0].manifest


@dataclass(frozen=True)
class SplitRuns:
    """All rows on one split.

    Attributes:
        name: What the split is called.
        rows: The rows, by name.
    """

    name: str
    rows: tuple[RowRuns, ...]

    @property
    def manifest(self) -> RunManifest:
        """That of a run on it."""
        return self.rows[0].manifest


def check_runs(runs: Sequence[RunFolder], folders: Sequence[str]) -> tuple[list[CheckedRun], list[str]]:
    """Check every run that holds episodes against its seal, score it, and return it with its scores.

    Runs may be read-only: nothing is written, and what they say of their scores counts for nothing.

    Args:
        runs: The run folders.
        folders: What each of them is called.

    Returns:
        The runs, and a sentence for each that was left out because it holds no episode yet.

    Raises:
        InputFileError: A run is damaged, is not what it was frozen as, holds scores that are not those that scoring
            gives, or cannot be scored here.
        UnknownNameError: There is no such split here.
    """
    held = [(run, folder) for run, folder in zip(runs, folders, strict=True) if not run.empty]
    if not held:
        raise InputFileError(runs[0].path, "", f"{NO_EPISODE}: there is nothing to put on a board")
    empty = [f"{folder} {NO_EPISODE}: it was left out." for run, folder in zip(runs, folders, strict=True) if run.empty]
    return [_checked(run, folder) for run, folder in held], empty


def _checked(run: RunFolder, folder: str) -> CheckedRun:
    check_split(run)
    here = load_manifest(run.manifest.split).origin
    if run.manifest.origin != here:
        raise InputFileError(
            run.path / MANIFEST,
            "origin",
            f"says that the gold is {run.manifest.origin}, and that of the split here is {here}: only what the split "
            "itself says counts, run the agent on this one",
        )
    scores = scores_of(run)
    steps = sum(step.phase is Phase.BROWSE for record in run.records() for step in record.trajectory.steps)
    return CheckedRun(run, folder, scores, run.seal is not None, steps, usage_of(run))


def by_split(runs: Sequence[CheckedRun]) -> list[SplitRuns]:
    """Put runs together by the content of their split: sealed ones first, then by name.

    Args:
        runs: The runs; names of rows are the same on every split, and tell all agents of the board apart.
    """
    names = _names(runs)
    found: dict[str, list[CheckedRun]] = defaultdict(list)
    for run in runs:
        found[run.manifest.split_sha256].append(run)
    called = {sha: show_name(Path(of[0].manifest.split).name) for sha, of in found.items()}
    often = Counter([slug_of(name) for name in called.values()] + list(_TAKEN))
    splits = [
        SplitRuns(
            name=name if often[slug_of(name)] == 1 else f"{name} {sha[:8]}",
            rows=_rows(found[sha], names),
        )
        for sha, name in called.items()
    ]
    return sorted(splits, key=lambda split: (split.manifest.origin != "sealed", _place(split.name), split.name))


_TAKEN = ("overview", "published", "reading")
"""What files and places of a page are called that are of no split."""

_KNOWN = ("test", "hard", "ood", "dev", "train", "mini")


def _place(name: str) -> int:
    first = name.partition(" ")[0]
    return _KNOWN.index(first) if first in _KNOWN else len(_KNOWN)


def _rows(runs: Sequence[CheckedRun], names: dict[str, str]) -> tuple[RowRuns, ...]:
    """Return the rows of one split; runs that are no repeats of each other are told apart by their folders."""
    rows: list[tuple[str, list[CheckedRun]]] = []
    for key in dict.fromkeys(agent_key(run.manifest) for run in runs):
        alike: dict[str, list[CheckedRun]] = defaultdict(list)
        for run in runs:
            if agent_key(run.manifest) == key:
                alike[_repeat_key(run)].append(run)
        groups: list[list[CheckedRun]] = []
        for group in alike.values():
            distinct = len({run.manifest.repeat for run in group}) == len(group)
            groups += [sorted(group, key=lambda run: run.manifest.repeat)] if distinct else [[run] for run in group]
        told = len(groups) > 1
        rows += [(names[key] + (_BETWEEN + group[0].folder if told else ""), group) for group in groups]
    return tuple(RowRuns(name, tuple(group)) for name, group in sorted(rows, key=lambda row: row[0]))


def _repeat_key(run: CheckedRun) -> str:
    """Return what repeats of one agent on one split share; they have scores on the same chains, too."""
    scored = [outcome.chain_id for outcome in run.scores.outcomes]
    return sha256_of([run_key(run.manifest, but="repeat"), scored])


def _names(runs: Sequence[CheckedRun]) -> dict[str, str]:
    """Return a name for each agent of a board, with no more than it takes to tell them apart."""
    usual = EnvConfig().max_steps
    first = {agent_key(run.manifest): run.manifest for run in runs}
    names = {key: show_name(manifest.agent) for key, manifest in first.items()}
    further = (
        lambda m: show_controls(" + ".join(models_of(m))),
        lambda m: "" if m.environment.max_steps == usual else f"{m.environment.max_steps} steps",
        lambda m: str(m.environment.backend),
        lambda m: m.environment.protocol,
        lambda m: m.env_id,
        lambda m: m.agent_sha256[:8],
        lambda m: agent_key(m)[:8],
    )
    for tell in further:
        shared: dict[str, set[str]] = defaultdict(set)
        for key, name in names.items():
            shared[name].add(tell(first[key]))
        names = {
            key: name + _BETWEEN + tell(first[key]) if len(shared[name]) > 1 and tell(first[key]) else name
            for key, name in names.items()
        }
    return names
