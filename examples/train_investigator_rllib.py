"""An investigator learns to browse and to decide: cloned from the explorer, then PPO on whether the decision is right.

The training sites and those of `dev` and `ood` are those of the public seed; they are built first (half a minute) and
kept. No browser is needed. In the end the macro-F1 of the decisions on sites that were not seen is printed for chance,
for the landing page alone, for the cloned start and for what PPO made of it, with 95 % intervals over websites.

Usage: python examples/train_investigator_rllib.py [--seed 0] [--steps N] [--out FOLDER] [--sites FOLDER] [--resume]
"""

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path

from riskchain_gym.training.figures import Figure, figures_between, figures_of
from riskchain_gym.training.playing import Flat, play_agent, random_policy
from riskchain_gym.training.rllib.evaluate import EVALUATION, clusters, compare, evaluation_kwargs, greedy_policy
from riskchain_gym.training.rllib.investigator import START, cloned_start, investigator_values
from riskchain_gym.training.rllib.run import started, train
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings
from riskchain_gym.training.sites_at_hand import sites_at_hand

FIGURE = "decision_macro_f1"

BEGAN = time.perf_counter()

Outcomes = dict[str, dict[str, list[Flat]]]
"""Outcomes by split and policy, one a chain."""


def say(what: str) -> None:
    """Print what is done, and how long it took since the beginning."""
    print(f"{time.perf_counter() - BEGAN:6.0f} s  {what}", flush=True)


def on_iteration(row: Mapping[str, float]) -> None:
    """Print how an iteration went."""
    say(f"{row['env_steps']:7,} steps: Acc^w {row['acc_w']:.3f}, {row['length']:.1f} actions an episode")


def play(settings: TrainSettings, start: Path, trained: Path) -> Outcomes:
    """Play the splits that were not trained on, with what there is to compare."""
    policies = {
        "random": random_policy(settings.seed),
        "cloned": greedy_policy(settings, start),
        "trained": greedy_policy(settings, trained),
    }
    played: Outcomes = {}
    for split, folder in settings.evaluate.items():
        landing = play_agent("landing_only", evaluation_kwargs(settings, folder)).outcomes
        others = {name: each.outcomes for name, each in compare(settings, folder, policies).items()}
        played[split] = {"landing_only": landing, **others}
        say(f"{split} played")
    return played


def shown(figure: Figure, sign: str = "") -> str:
    """Return a figure in per cent with its interval."""
    return f"{100 * figure.value:{sign}.1f} [{100 * (figure.low or 0):{sign}.1f}, {100 * (figure.high or 0):{sign}.1f}]"


def tell(settings: TrainSettings, played: Outcomes) -> dict[str, dict[str, object]]:
    """Print the tables and return all figures."""
    report: dict[str, dict[str, object]] = {split: {} for split in played}
    print(f"\n{'macro-F1 of the decisions, %':42}" + "".join(f"{split:>26}" for split in played))
    for name in ("random", "landing_only", "cloned", "trained"):
        cells = []
        for split, found in played.items():
            figures = figures_of(found[name], clusters(settings.evaluate[split]))
            report[split][name] = {key: figure.model_dump() for key, figure in figures.items()}
            cells.append(shown(figures[FIGURE]))
        print(f"{name:42}" + "".join(f"{cell:>26}" for cell in cells))
    for other in ("random", "landing_only", "cloned"):
        cells = []
        for split, found in played.items():
            gap = figures_between(found["trained"], found[other], clusters(settings.evaluate[split]))[FIGURE]
            report[split][f"trained - {other}"] = gap.model_dump()
            cells.append(shown(gap, "+"))
        print(f"{'trained − ' + other:42}" + "".join(f"{cell:>26}" for cell in cells))
    return report


def main() -> None:
    """Build or find the sites, clone, train, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, help="environment steps of PPO")
    parser.add_argument("--out", type=Path, default=Path("runs/investigator"))
    parser.add_argument("--sites", type=Path, default=Path("runs/sites"))
    parser.add_argument("--resume", action="store_true", help="go on where an earlier call was broken off")
    given = parser.parse_args()
    sites = sites_at_hand(given.sites)
    say(f"sites: {given.sites}")
    values = investigator_values(sites) | {"seed": given.seed} | ({"steps": given.steps} if given.steps else {})
    wanted, start = make_settings(values), given.out / START
    settings = started(wanted, given.out, start, resume=given.resume)
    if settings is None:
        settings, cloned = cloned_start(wanted, given.out)
        say(f"cloned from {cloned.pairs:,} moves and reports; {cloned.agreement:.0%} of those held out are the same")
    result = train(settings, given.out, resume=given.resume, on_iteration=on_iteration)
    report = tell(settings, play(settings, start, result.weights))
    (given.out / EVALUATION).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    say(f"curves: {given.out / 'curves.jsonl'}, figures: {given.out / EVALUATION}, weights: {result.weights}")


if __name__ == "__main__":  # processes that build the sites import this file
    main()
