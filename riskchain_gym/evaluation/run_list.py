"""What runs there are in a folder, and how far each is."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.store import SCORES, SEAL, SHARD, RunFolder, find_runs
from riskchain_gym.protocol.line_file import LineFile
from riskchain_gym.protocol.model import Frozen


class ListedRun(Frozen):
    """One run as a list shows it.

    Attributes:
        run: Its folder.
        agent: The agent.
        agent_kind: ``baseline``, ``control`` or ``oracle``.
        models: The models it asks, the restorer's first.
        split: The split.
        gold: ``open`` or ``sealed``, as the split says.
        done: Episodes that are frozen, counted and not read.
        planned: Episodes that were to be run.
        split_chains: Chains of the split.
        max_steps: Browse actions that the agent was told.
        repeat: Which of several runs of the same agent it is, from 0.
        frozen: Whether it has ended and bears a seal; whether that fits, ``riskchain runs verify`` tells.
        scored: Whether there are scores; likewise.
    """

    run: str
    agent: str
    agent_kind: Literal["baseline", "control", "oracle"]
    models: tuple[str, ...]
    split: str
    gold: Literal["open", "sealed"]
    done: int
    planned: int
    split_chains: int
    max_steps: int
    repeat: int
    frozen: bool
    scored: bool


def listed(folder: Path) -> tuple[ListedRun, ...]:
    """Return the runs at or below a folder, by name.

    Raises:
        InputFileError: It is not there, there is none, or the manifest of one is malformed.
    """
    return tuple(_row(RunFolder.open(path)) for path in find_runs(folder))


def _row(run: RunFolder) -> ListedRun:
    manifest = run.manifest
    return ListedRun(
        run=str(run.path),
        agent=manifest.agent,
        agent_kind=manifest.agent_kind,
        models=models_of(manifest),
        split=manifest.split,
        gold=manifest.origin,
        done=sum(1 for _ in LineFile(run.path / SHARD).lines()),
        planned=len(manifest.chains),
        split_chains=manifest.split_chains,
        max_steps=manifest.environment.max_steps,
        repeat=manifest.repeat,
        frozen=(run.path / SEAL).is_file(),
        scored=(run.path / SCORES).is_file(),
    )
