"""PPO on the gate raises a restorer above the rules that it was cloned from: three seeds, a few minutes each.

Every message of the endless training split comes with candidate entries; the policy chooses one (``--interface edit``:
it keeps, drops or maps each character instead). It first learns by cloning to do as the rules do (``edit``: as the
traces say), then by PPO from the gate alone. Its likeliest choices are then compared on messages of splits that it has
not seen. The untrained policy draws its choices, as it does when training begins: its likeliest ones, an accident of
its first weights, are printed too. Intervals are 95 % over messages, and those of a mean over seeds also over the
seeds; as three seeds say little of all that there could be, each has rows of its own.

Usage: python examples/train_restorer_rllib.py [--interface edit] [--seeds 0 1 2] [--steps N] [--out FOLDER]
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from riskchain_gym.agents.registry import part_names
from riskchain_gym.envs.wrappers.ceilings import candidate_ceiling, edit_ceiling
from riskchain_gym.training.figures import figures_between_runs, figures_of_runs
from riskchain_gym.training.playing import Flat, Policy, chain_ids
from riskchain_gym.training.restoring import SELECT, play_restorer
from riskchain_gym.training.rllib.evaluate import compare, greedy_policy, sampling_policy
from riskchain_gym.training.rllib.restorer import INTERFACES, START, cloned_start, demonstrated, restorer_values
from riskchain_gym.training.rllib.run import started, train
from riskchain_gym.training.rllib.settings import make_settings
from riskchain_gym.training.rllib.usual import usual_values

SPLITS = ("dev", "hard", "ood")
RESTORERS = ("rules", "rules+lm", "learned")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--interface", choices=INTERFACES, default="select")
parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
parser.add_argument("--steps", type=int, help="environment steps of PPO, a message each")
parser.add_argument("--pairs", type=int, help="messages to clone from")
parser.add_argument("--out", type=Path, default=Path("runs/restorer"))
parser.add_argument("--resume", action="store_true", help="go on where an earlier call was broken off")
given = parser.parse_args()

Played = dict[str, list[Flat]]
"""Outcomes by split, one a chain."""


def cell(first: Sequence[Sequence[Flat]], second: Sequence[Sequence[Flat]] | None = None) -> str:
    """Return a gate rate, or by how much one is above another on the same chains, with its 95 % interval.

    Of several runs, one a seed, it is that of their mean, and the interval is over seeds and chains.
    """
    figures = figures_of_runs(first, {}) if second is None else figures_between_runs(first, second, {})
    rate = figures["gate_rate"]
    sign = "" if second is None else "+"
    return f"{100 * rate.value:{sign}.1f} [{100 * (rate.low or 0):{sign}.1f}, {100 * (rate.high or 0):{sign}.1f}]"


def show(rows: Mapping[str, Sequence[str]]) -> None:
    """Print the table."""
    print(f"\n{'gate rate, %':30}" + "".join(f"{split:>22}" for split in SPLITS))
    for name, cells in rows.items():
        print(f"{name:30}" + "".join(f"{each:>22}" for each in cells))


values = usual_values("restorer", {}) | restorer_values(given.interface)
values |= {"evaluate": {}} | ({"steps": given.steps} if given.steps else {})
base = make_settings(values)
began = time.perf_counter()
pairs = demonstrated(base, given.interface, given.pairs)
print(f"{len(pairs)} messages to clone from, {time.perf_counter() - began:.0f} s", flush=True)

policies: dict[str, dict[int, Policy]] = {"untrained": {}, "untrained, likeliest": {}, "cloned": {}, "PPO": {}}
for seed in given.seeds:
    began = time.perf_counter()
    folder = given.out / given.interface / f"seed{seed}"
    wanted = base.with_values({"seed": seed})
    settings = started(wanted, folder, folder / START, resume=given.resume)
    if settings is None:
        settings, cloned = cloned_start(wanted, given.interface, pairs, folder)
        print(f"seed {seed}: cloned, as the teacher on {cloned.agreement:.1%} of {cloned.held_out} held-out messages")
    result = train(
        settings,
        folder,
        resume=given.resume,
        on_iteration=lambda row: print(f"  {row['env_steps']:7} steps, gate rate {row['gate_rate']:.3f}", flush=True),
    )
    print(f"seed {seed}: {time.perf_counter() - began:.0f} s; curves: {', '.join(map(str, result.curves)) or folder}")
    policies["untrained"][seed] = sampling_policy(settings)
    policies["untrained, likeliest"][seed] = greedy_policy(settings)
    policies["cloned"][seed] = greedy_policy(settings, folder / START)
    policies["PPO"][seed] = greedy_policy(settings, result.weights)

named = {f"{name}, seed {seed}": policy for name, each in policies.items() for seed, policy in each.items()}
played = {split: compare(base, f"messages/{split}", named) for split in SPLITS}
runs: dict[str, list[Played]] = {
    name: [{split: played[split][f"{name}, seed {seed}"].outcomes for split in SPLITS} for seed in each]
    for name, each in policies.items()
}
chains = {split: chain_ids(SELECT, {"split": f"messages/{split}"}) for split in SPLITS}
rows: dict[str, list[str]] = {}
for name, each in runs.items():
    for seed, run in zip(given.seeds, each, strict=True):
        rows[f"{name}, seed {seed}"] = [cell([run[split]]) for split in SPLITS]
for name, each in runs.items():
    rows[f"{name}, mean of seeds"] = [cell([run[split] for run in each]) for split in SPLITS]
for name in RESTORERS:
    if name in part_names("restorer"):
        rows[name] = [cell([play_restorer(name, f"messages/{split}", chains[split])]) for split in SPLITS]
ceiling = {"select": candidate_ceiling, "edit": edit_ceiling}[given.interface]
rows["the most that can be reached"] = [f"{100 * ceiling(f'messages/{split}').share:.1f}" for split in SPLITS]
for name in ("cloned", "untrained"):
    for seed, above, below in zip(given.seeds, runs["PPO"], runs[name], strict=True):
        rows[f"PPO - {name}, seed {seed}"] = [cell([above[split]], [below[split]]) for split in SPLITS]
    rows[f"PPO - {name}, mean of seeds"] = [
        cell([run[split] for run in runs["PPO"]], [run[split] for run in runs[name]]) for split in SPLITS
    ]
show(rows)
print(f"\n95 % intervals over messages; those of a mean over the {len(given.seeds)} seeds, too.")
(given.out / given.interface / "figures.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
