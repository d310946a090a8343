"""Training of the arms, each run a process and a folder of its own; a run that is there is not made again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from rewarding.plan import Arm, Setting, settings_of
from riskchain_gym.envs.web_outcomes import WebOutcome
from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.training.rllib.algorithm import env_name
from riskchain_gym.training.rllib.cloning import CloneSettings, Pairs, cloned_weights
from riskchain_gym.training.rllib.curves import Curves
from riskchain_gym.training.rllib.demonstrations import demonstrations
from riskchain_gym.training.rllib.evaluate import greedy_policy, play_split
from riskchain_gym.training.rllib.run import WEIGHTS, train

TEACHER = "rules+explorer"
"""Whose browsing every arm begins with."""

REPORTS = 8
"""What a report counts in cloning, beside the many moves before it."""

EPOCHS = 6

READINGS = 17
"""Rows of ``RiskChainSelect-v0`` that stand for readings, the one without an entry among them."""

RESULTS = "results.json"
KEPT = (
    "chain_id",
    "gate.passed",
    "web_correct",
    "end_to_end_correct",
    "gate_loss",
    "revised_end_to_end_correct",
    "label.gold_decision",
    "label.predicted_decision",
)
"""What is kept of the outcome of a chain."""

Results = dict[str, list[Mapping[str, Any]]]
"""Outcomes by split."""


def run_all(arms: Sequence[Arm], seeds: Iterable[int], setting: Setting, out: Path, jobs: int) -> None:
    """Train every arm with every seed and play the splits with what was learned."""
    tasks = [(arm, seed) for seed in seeds for arm in arms]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = [pool.submit(run_one, arm, seed, setting, out) for arm, seed in tasks]
        console = Console(stderr=True)
        for done in track(as_completed(waiting), "Runs", total=len(waiting), console=console):
            done.result()


def clone_starts(seeds: Iterable[int], setting: Setting) -> None:
    """Write the weights that all arms of a seed begin with: browsing cloned from the explorer, readings drawn."""
    wanted = [seed for seed in seeds if not setting.start(seed).exists()]
    if not wanted:
        return
    settings = settings_of(Arm("web", 1.0), 0, setting, initial=False)
    pairs = demonstrations(TEACHER, env_name(settings.env_id), settings.env, reports=REPORTS)
    make_folder(setting.starts)
    for seed in wanted:
        own = settings.model_copy(update={"seed": seed})
        how = CloneSettings(epochs=EPOCHS, seed=seed)
        cloned_weights(own, readings_drawn(pairs, READINGS, seed), how, setting.start(seed))


def readings_drawn(pairs: Pairs, readings: int, seed: int) -> Pairs:
    """Return pairs in which any reading that is there is chosen as often as any other: restoring is not cloned.

    Args:
        pairs: What a teacher did in the whole chain.
        readings: Number of the rows that stand for readings; they are the first.
        seed: Seed of the draws.
    """
    there = pairs.observations["action_mask"][:, :readings] > 0
    drawn = np.where(there, np.random.default_rng(seed).random(there.shape), -1.0).argmax(axis=1)
    return replace(pairs, actions=np.where(pairs.actions < readings, drawn, pairs.actions))


def run_one(arm: Arm, seed: int, setting: Setting, out: Path) -> None:
    """Train one arm with one seed, unless that was done."""
    folder = folder_of(arm, seed, out)
    if (folder / RESULTS).exists():
        return
    settings = settings_of(arm, seed, setting)
    train(settings, folder, resume=True)
    policy = greedy_policy(settings, folder / WEIGHTS)
    found: Results = {}
    for name, split in settings.evaluate.items():
        played = play_split(settings, split, policy)
        found[name] = [{key: outcome[key] for key in KEPT if key in outcome} for outcome in played.outcomes]
    write_atomically(folder / RESULTS, json.dumps(found, ensure_ascii=False).encode())


def folder_of(arm: Arm, seed: int, out: Path) -> Path:
    """Return the folder of a run."""
    return out / "runs" / arm.folder / f"seed{seed}"


def results_of(arm: Arm, seed: int, out: Path) -> Results:
    """Return what a run came to."""
    found: Results = json.loads((folder_of(arm, seed, out) / RESULTS).read_text(encoding="utf-8"))
    return found


def curves_of(arm: Arm, seed: int, out: Path) -> list[dict[str, Any]]:
    """Return the curves of a run."""
    return Curves(folder_of(arm, seed, out) / "curves.jsonl").rows()


def write_outcomes(arm: Arm, seeds: Sequence[int], setting: Setting, out: Path, to: Path) -> float:
    """Write ŵ of every training chain: how often the policies of an arm, one a seed, are right about its site.

    Returns:
        The mean over the chains.
    """
    right: dict[str, list[int]] = {}
    for seed in seeds:
        settings = settings_of(arm, seed, setting).model_copy(update={"evaluate_chains": None})
        policy = greedy_policy(settings, folder_of(arm, seed, out) / WEIGHTS)
        for outcome in play_split(settings, setting.sites["train"], policy).outcomes:
            right.setdefault(outcome["chain_id"], []).append(outcome["web_correct"])
    rows = [WebOutcome(chain_id=chain, w_hat=sum(each) / len(each)) for chain, each in sorted(right.items())]
    write_atomically(to, "".join(f"{row.model_dump_json()}\n" for row in rows).encode())
    return sum(row.w_hat for row in rows) / len(rows)
