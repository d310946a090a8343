"""What the four rewards teach: one learner on the whole chain, the same steps, several seeds.

Usage: ./dev rllib python benchmarks/rewards.py [--steps 20480] [--seeds 3] [--jobs 2] [--out runs/rewards] [--json]

PPO of RLlib learns ``RiskChainSelect-v0`` (``RiskChain-v0`` on the text backend, seen as rows of features: choose a
reading, move about the site, choose a report) on the sites of ``train``, γ = 1. Arms differ in nothing but the reward,
λ of generalised advantage estimation (0.9 or 1) and ŵ: a constant, or a number for each chain. ŵ is how often policies
trained on ``web`` are right about the chain's site, over the seeds; the constant is the mean of that. Greedy policies
are then played on ``dev`` and ``hard``, which no arm has seen, each chain once, episodes of any return alike.

All arms of a seed begin with the same weights: browsing and reporting cloned from the scripted explorer, every reading
of a message as likely as any other. What restoring comes to is learned from the reward alone.

Two more arms play the joint protocol, where one revised commit may be sent after browsing and what it changes is paid:
``told`` says whether the committed entry was right, ``blind`` says nothing. Their ``Acc^joint`` counts the revision;
``Acc^e`` is that of the commit made before browsing, to be compared with ``gated`` at the same λ.

Runs are kept under ``--out`` and not made again; the sites are built there if ``--sites`` names none. Results:
``rewards.md``, ``rewards.json``, and ``rewards.png`` and ``.svg``: curves in training, bands from the worst seed to the
best.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from rewarding.plan import Setting, first_arms, other_arms
from rewarding.running import clone_starts, run_all, write_outcomes
from rewarding.telling import draw, markdown, rows_of

from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.training.sites_at_hand import sites_at_hand

EVALUATED = ("dev", "hard")
LEARNER = {
    "num_envs_per_env_runner": 16,
    "lr": 5e-4,
    "hidden": [64, 64],
    "batch": 1024,
    "minibatch": 256,
    "epochs": 4,
    "critic_first": 2,
    "evaluate_chains": 200,
}
"""The learner of all arms; of each split so many chains are played."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20_480, help="environment steps of a run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one processor each")
    parser.add_argument("--max-steps", type=int, default=16, help="browse actions allowed")
    parser.add_argument("--out", type=Path, default=Path("runs/rewards"))
    parser.add_argument("--sites", type=Path, default=Path("runs/sites"), help="splits, built there if missing")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.seeds)
    setting = Setting(
        sites=sites_at_hand(arguments.sites, ("train", *EVALUATED)),
        steps=arguments.steps,
        max_steps=arguments.max_steps,
        evaluate=EVALUATED,
        values=LEARNER,
        starts=arguments.out / "starts",
    )
    clone_starts(seeds, setting)
    first, other = first_arms(), other_arms()
    run_all(first, seeds, setting, arguments.out, arguments.jobs)
    outcomes = arguments.out / "web-outcomes.jsonl"
    constant = write_outcomes(first[0], seeds, setting, arguments.out, outcomes)
    setting = replace(setting, constant=round(constant, 3), outcomes=outcomes)
    run_all(other, seeds, setting, arguments.out, arguments.jobs)
    rows = rows_of([*first, *other], seeds, EVALUATED, arguments.out)
    found = {"steps": arguments.steps, "max_steps": arguments.max_steps, "w_hat": setting.constant, "rows": rows}
    write_atomically(arguments.out / "rewards.json", (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())
    write_atomically(arguments.out / "rewards.md", markdown(rows).encode())
    draw([*first, *other], seeds, arguments.out)
    print(json.dumps(found, ensure_ascii=False) if arguments.json else markdown(rows))


if __name__ == "__main__":
    main()
