"""How far two splits from different keys are apart for the same agent.

Usage: python benchmarks/fresh_keys.py [--keys 11,12] [--agents …] [--workers 2] [--keep DIR] [--check]

Two ``test`` splits of 600 chains are built from two seeds and played by the same agents on the text backend. For each
agent the difference of Acc^w, Acc^e and H-EM is printed with a 95 % interval: 2,000 bootstrap draws of sites within
each archetype (the archetypes' numbers are part of the difference, not of the noise around it). ``--check`` ends with
status 1 when an interval reaches beyond 6 points.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.outcome import Outcome

AGENTS = ("noop", "always_violation", "copy+landing_only", "landing_only", "rules+explorer")
MEASURES = ("Acc^w", "Acc^e", "H-EM")
DRAWS = 2000
LIMIT = 6.0
"""Points by which a score may differ, interval included."""


def values(outcome: Outcome) -> tuple[float, float, float]:
    """Return a^w, a^e and whether decision and type are right."""
    assert outcome.web_correct is not None, f"{outcome.chain_id} was lost to infrastructure: run it again"
    assert outcome.end_to_end_correct is not None
    assert outcome.label is not None
    return float(outcome.web_correct), float(outcome.end_to_end_correct), float(outcome.label.exact)


def by_archetype(outcomes: tuple[Outcome, ...], split: str) -> list[NDArray[np.float64]]:
    """Return the values of the sites of each archetype."""
    gold = load_gold(split)
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for outcome in outcomes:
        found[gold[outcome.chain_id].site.archetype].append(values(outcome))
    return [np.array(found[name]) for name in sorted(found)]


def means(strata: list[NDArray[np.float64]], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean of each measure in every draw, shape (draws, measures)."""
    total = np.zeros((DRAWS, len(MEASURES)))
    for rows in strata:
        total += rows[rng.integers(len(rows), size=(DRAWS, len(rows)))].sum(axis=1)
    return total / sum(map(len, strata))


def played(split: str, agents: list[str], out: Path, workers: int) -> dict[str, list[NDArray[np.float64]]]:
    """Run agents over a split and return their values, by agent and archetype."""
    settings = RunSettings(split=split, backend="text", observe=(), workers=workers)
    runs = run_agents(agents, out, settings)
    return {run.manifest.agent: by_archetype(score_run(run).outcomes, split) for run in runs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", default="11,12", help="two seeds")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for splits and runs; a temporary one by default")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        broken = compare(options, options.keep or Path(scratch))
    sys.exit(1 if options.check and broken else 0)


def compare(options: argparse.Namespace, folder: Path) -> bool:
    """Print the differences; return whether one reaches beyond the limit."""
    results = []
    for seed in (int(key) for key in options.keys.split(",")):
        place = folder / f"key{seed}"
        if not (place / "test" / "manifest.json").is_file():
            release = build_release(key_from_seed(seed), only=["test"], worker_count=options.workers)
            write_release(place, release, seed=seed, key_sha256=None)
        results.append(played(f"{place}/test", options.agents, place / "runs", options.workers))
    first, second = results
    broken = False
    print(f"{'agent':<24}{'score':<8}{'key 1':>8}{'key 2':>8}{'diff':>8}  95 % interval (points)")
    for agent in first:
        rng = np.random.default_rng(0)
        gap = 100 * (means(first[agent], rng) - means(second[agent], rng))
        points = [100 * np.concatenate(strata).mean(axis=0) for strata in (first[agent], second[agent])]
        for number, measure in enumerate(MEASURES):
            low, high = np.percentile(gap[:, number], [2.5, 97.5])
            one, two = points[0][number], points[1][number]
            beyond = max(abs(low), abs(high)) > LIMIT
            broken |= beyond
            mark = "  beyond the limit" if beyond else ""
            print(f"{agent:<24}{measure:<8}{one:>8.1f}{two:>8.1f}{one - two:>+8.1f}  [{low:+.1f}, {high:+.1f}]{mark}")
    return broken


if __name__ == "__main__":
    main()
