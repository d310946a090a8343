"""An investigator learns to browse and to decide: cloned from the explorer, then PPO on whether the decision is right.

The training sites and those of `dev` and `ood` are those of the public seed; they are built first (half a minute) and
kept. No browser is needed. In the end the macro-F1 of the decisions on sites that were not seen is printed for chance,
for the landing page alone, for the cloned start and for what PPO made of it, with 95 % intervals over websites.

Usage: python examples/train_investigator_rllib.py [--seed 0] [--steps N] [--out FOLDER] [--sites FOLDER] [--resume]
"""

import argparse
import json
import time
from pathlib import Path

from riskchain_gym.training.figures import Figure, figures_between, figures_of
from riskchain_gym.training.playing import Flat, play_agent, random_policy
from riskchain_gym.training.rllib.evaluate import clusters, evaluation_kwargs, greedy_policy, play_split
from riskchain_gym.training.rllib.investigator import START, cloned_start, investigator_values
from riskchain_gym.training.rllib.run import train
from riskchain_gym.training.rllib.settings import make_settings
from riskchain_gym.training.sites_at_hand import sites_at_hand

FIGURE = "decision_macro_f1"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, help="environment steps of PPO")
parser.add_argument("--out", type=Path, default=Path("runs/investigator"))
parser.add_argument("--sites", type=Path, default=Path("runs/sites"))
parser.add_argument("--resume", action="store_true", help="go on where an earlier call was broken off")
given = parser.parse_args()
began = time.perf_counter()


def say(what: str) -> None:
    """Print what is done, and how long it took since the beginning."""
    print(f"{time.perf_counter() - began:6.0f} s  {what}", flush=True)


def shown(figure: Figure, sign: str = "") -> str:
    """Return a figure in per cent with its interval."""
    return f"{100 * figure.value:{sign}.1f} [{100 * (figure.low or 0):{sign}.1f}, {100 * (figure.high or 0):{sign}.1f}]"


sites = sites_at_hand(given.sites)
say(f"sites: {given.sites}")
values = investigator_values(sites) | {"seed": given.seed} | ({"steps": given.steps} if given.steps else {})
settings = make_settings(values)
if given.resume and (given.out / START).exists():
    settings = settings.with_values({"initial": str(given.out / START)})
else:
    settings, cloned = cloned_start(settings, given.out)
    say(f"cloned from {cloned.pairs:,} moves and reports; {cloned.agreement:.0%} of those held out are the same")


def on_iteration(row: dict[str, float]) -> None:
    """Print how an iteration went."""
    say(f"{row['env_steps']:7,} steps: Acc^w {row['acc_w']:.3f}, {row['length']:.1f} actions an episode")


result = train(settings, given.out, resume=given.resume, on_iteration=on_iteration)
report: dict[str, dict[str, object]] = {}
print(f"\nmacro-F1 of the decisions, %{'':14}" + "".join(f"{split:>26}" for split in settings.evaluate))
played: dict[str, dict[str, list[Flat]]] = {}
for split, folder in settings.evaluate.items():
    played[split] = {
        "random": play_split(settings, folder, random_policy(settings.seed)).outcomes,
        "landing_only": play_agent("landing_only", evaluation_kwargs(settings, folder)).outcomes,
        "cloned": play_split(settings, folder, greedy_policy(settings, given.out / START)).outcomes,
        "trained": play_split(settings, folder, greedy_policy(settings, result.weights)).outcomes,
    }
for name in ("random", "landing_only", "cloned", "trained"):
    cells = []
    for split, folder in settings.evaluate.items():
        figures = figures_of(played[split][name], clusters(folder))
        report.setdefault(split, {})[name] = {key: figure.model_dump() for key, figure in figures.items()}
        cells.append(shown(figures[FIGURE]))
    print(f"{name:42}" + "".join(f"{cell:>26}" for cell in cells))
for other in ("random", "landing_only", "cloned"):
    cells = []
    for split, folder in settings.evaluate.items():
        gap = figures_between(played[split]["trained"], played[split][other], clusters(folder))[FIGURE]
        report[split][f"trained - {other}"] = gap.model_dump()
        cells.append(shown(gap, "+"))
    print(f"{'trained − ' + other:42}" + "".join(f"{cell:>26}" for cell in cells))
(given.out / "evaluation.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
say(f"curves: {given.out / 'curves.jsonl'}, figures: {given.out / 'evaluation.json'}, weights: {result.weights}")
