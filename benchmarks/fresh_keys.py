"""How far two splits from different keys are apart for the same agent.

Usage: python benchmarks/fresh_keys.py [--keys 2026 11] [--agents ...] [--workers 2] [--keep DIR] [--check]

A ``test`` split of 600 chains is built from each key and played by the same agents on the text backend. Agents and
sites are deterministic, so a score on a split has no error of its own; what a fresh key changes is which sites are
drawn. For each agent and measure are printed the mean over keys, the standard deviation between keys, the largest
difference of two keys, and

- ``keys``: the 95 % interval of the difference of two fresh keys, 0 +- t * sqrt(2) * SD (t: keys - 1 degrees);
- ``held``: for the first two keys, the bootstrap interval of their difference with the numbers of sites of each
  archetype held as they are (2,000 draws of sites within archetypes): what is left when composition is set aside;
- ``free``: the same with operators drawn anew, composition and all; the widest, as every quota is ignored.

``--check`` ends with status 1 when a ``keys`` interval reaches beyond 6 points (three keys or more), or, with two keys,
a ``held`` one. Agents whose score is the same on every key are marked ``=``: they show nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.outcome import Outcome

AGENTS = ("always_violation", "copy+landing_only", "landing_only", "rules+explorer")
MEASURES = ("Acc^w", "Acc^e", "H-EM")
DRAWS = 2000
LIMIT = 6.0
"""Points by which a score may differ, interval included."""

Values = NDArray[np.float64]
Groups = dict[str, Values]
"""Values of the sites of each archetype or operator, shape (sites, measures)."""


def values(outcome: Outcome) -> tuple[float, float, float]:
    """Return a^w, a^e and whether decision and type are right."""
    assert outcome.web_correct is not None, f"{outcome.chain_id} was lost to infrastructure: run it again"
    assert outcome.end_to_end_correct is not None
    assert outcome.label is not None
    return float(outcome.web_correct), float(outcome.end_to_end_correct), float(outcome.label.exact)


def grouped(outcomes: Sequence[Outcome], split: str) -> tuple[Groups, Groups]:
    """Return the values of a run by archetype and by operator."""
    gold = load_gold(split)
    archetypes: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    operators: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for outcome in outcomes:
        site = gold[outcome.chain_id].site
        archetypes[site.archetype].append(values(outcome))
        operators[site.host_family].append(values(outcome))
    return tuple({name: np.array(rows) for name, rows in sorted(found.items())} for found in (archetypes, operators))


def held(strata: Groups, rng: np.random.Generator) -> Values:
    """Return the mean of each measure in draws within archetypes, shape (draws, measures)."""
    total = np.zeros((DRAWS, len(MEASURES)))
    for rows in strata.values():
        total += rows[rng.integers(len(rows), size=(DRAWS, len(rows)))].sum(axis=1)
    return total / sum(map(len, strata.values()))


def free(operators: Groups, rng: np.random.Generator) -> Values:
    """Return the mean of each measure in draws of operators, shape (draws, measures)."""
    sums = np.array([rows.sum(axis=0) for rows in operators.values()])
    sizes = np.array([len(rows) for rows in operators.values()])
    picked = rng.integers(len(sums), size=(DRAWS, len(sums)))
    return sums[picked].sum(axis=1) / sizes[picked].sum(axis=1, keepdims=True)


def played(split: str, agents: Sequence[str], out: Path, workers: int) -> dict[str, tuple[Groups, Groups]]:
    """Run agents over a split and return their values, by agent."""
    settings = RunSettings(split=split, backend="text", observe=(), workers=workers)
    runs = run_agents(agents, out, settings)
    return {run.manifest.agent: grouped(score_run(run).outcomes, split) for run in runs}


def report(results: Sequence[dict[str, tuple[Groups, Groups]]]) -> bool:
    """Print the table; return whether an interval reaches beyond the limit."""
    broken = False
    factor = float(student.ppf(0.975, len(results) - 1)) * 2**0.5
    print(
        f"{'agent':<20}{'score':<7}{'mean':>6}{'SD':>6}{'max diff':>10}  {'keys':<10}{'held':<16}{'free':<16}(points)"
    )
    for agent in results[0]:
        scores = np.array([100 * np.concatenate(list(found[agent][0].values())).mean(axis=0) for found in results])
        rng = np.random.default_rng(0)
        first, second = results[0][agent], results[1][agent]
        gaps = (held(first[0], rng) - held(second[0], rng), free(first[1], rng) - free(second[1], rng))
        for number, measure in enumerate(MEASURES):
            column = scores[:, number]
            spread = float(column.std(ddof=1))
            largest = max(abs(a - b) for a, b in combinations(column, 2))
            bounds = [np.percentile(100 * gap[:, number], [2.5, 97.5]) for gap in gaps]
            reach = factor * spread if len(results) > 2 else float(np.abs(bounds[0]).max())
            beyond, same = reach > LIMIT, spread == 0
            broken |= beyond
            written = [f"[{low:+.1f}, {high:+.1f}]" for low, high in bounds]
            keys = f"+-{factor * spread:.1f}" if len(results) > 2 else "-"
            mark = " BEYOND" if beyond else " =" if same else ""
            print(f"{agent:<20}{measure:<7}{column.mean():>6.1f}{spread:>6.2f}{largest:>10.1f}  "
                  f"{keys:<10}{written[0]:<16}{written[1]:<16}{mark}")  # fmt: skip
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", nargs="+", type=int, default=[2026, 11], help="two seeds or more")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="new folder for splits and runs; a temporary one by default")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if len(set(options.keys)) < 2:
        parser.error("--keys: give two different seeds or more")
    if options.keep is not None and options.keep.exists():
        parser.error(f"--keep: {options.keep} exists already; what is in it may be of another version")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        results = []
        for seed in options.keys:
            place = folder / f"key{seed}"
            release = build_release(key_from_seed(seed), only=["test"], worker_count=options.workers)
            write_release(place, release, seed=seed, key_commitment=None)
            results.append(played(f"{place}/test", options.agents, folder / f"runs{seed}", options.workers))
            print(f"key {seed} played", file=sys.stderr, flush=True)
        broken = report(results)
    sys.exit(1 if options.check and broken else 0)


if __name__ == "__main__":
    main()
