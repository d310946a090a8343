"""Training of the arms, each run a process and a folder of its own; a run that is there is not made again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from rewarding.plan import Arm, Setting, settings_of
from riskchain_gym.envs.web_outcomes import WebOutcome
from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.training.playing import chain_ids
from riskchain_gym.training.rllib.algorithm import env_name
from riskchain_gym.training.rllib.cloning import CloneSettings, cloned_weights
from riskchain_gym.training.rllib.curves import Curves
from riskchain_gym.training.rllib.demonstrations import demonstrations
from riskchain_gym.training.rllib.evaluate import greedy_policy, play_split
from riskchain_gym.training.rllib.run import WEIGHTS, train

TEACHER = "rules+explorer"
"""Whose doings every arm begins with."""

DOUBT = 0.3
"""Weight of the entropy in cloning: without it nothing else is ever tried."""

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


def clone_starts(seeds: Iterable[int], setting: Setting, chains: int) -> None:
    """Write the weights that all arms of a seed begin with: cloned from the rules and the explorer, with some doubt."""
    wanted = [seed for seed in seeds if not setting.start(seed).exists()]
    if not wanted:
        return
    settings = settings_of(Arm("web", 1.0), 0, setting, initial=False)
    env_id = env_name(settings.env_id)
    pairs = demonstrations(TEACHER, env_id, settings.env, chains=chain_ids(env_id, settings.env)[:chains], reports=4)
    make_folder(setting.starts)
    for seed in wanted:
        own = settings.model_copy(update={"seed": seed})
        cloned_weights(own, pairs, CloneSettings(epochs=6, entropy=DOUBT, seed=seed), setting.start(seed))


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
