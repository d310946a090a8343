"""How long a reset and a step take, per backend, on the same chains and actions.

Usage: python benchmarks/browse.py [--repeats 5] [--json]

Each repetition walks the same chains by their certified paths, the backends in turn (A B A B …), so that a change of
the machine's speed meets both alike. Prints medians in milliseconds and the ratio of chromium to text.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from itertools import pairwise

import gymnasium as gym

import riskchain_gym  # noqa: F401 - registers the ids
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.benchmark.splits import load_gold, load_public

VARIANTS = {
    "text": {"backend": "text"},
    "chromium": {"backend": "chromium"},
    "chromium+screenshot": {"backend": "chromium", "observe": ["screenshot"]},
}
CHAINS = 4


def walk(env: gym.Env, chain: str, times: dict[str, list[float]]) -> None:
    """Time one reset and every browse step of an oracle's walk, in milliseconds."""
    agent = OracleAgent()
    agent.prepare(load_gold("mini")[chain])
    agent.reset(build_instructions())
    marks = [time.perf_counter()]
    observation, _ = env.reset(options={"chain": chain})
    marks.append(time.perf_counter())
    times["reset"].append(marks[1] - marks[0])
    ended = False
    while not ended:
        action = agent.act(observation)
        start = time.perf_counter()
        observation, _, ended, _, _ = env.step(action)
        if int(observation["phase"]) == 1 and not ended:
            times["step"].append(time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chains = [chain.chain_id for chain in load_public("mini")][:CHAINS]
    times: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in VARIANTS}
    envs = {name: gym.make("RiskChainBrowse-v0", reward="none", **kwargs) for name, kwargs in VARIANTS.items()}
    try:
        for env in envs.values():
            walk(env, chains[0], defaultdict(list))
        for _ in range(arguments.repeats):
            for chain in chains:
                for name, env in envs.items():
                    walk(env, chain, times[name])
    finally:
        for env in envs.values():
            env.close()
    medians = {n: {k: 1000 * statistics.median(v) for k, v in parts.items()} for n, parts in times.items()}
    ratios = {f"{b}/{a}": {k: medians[b][k] / medians[a][k] for k in medians[a]} for a, b in pairwise(VARIANTS)}
    if arguments.json:
        print(json.dumps({"median_ms": medians, "ratio": ratios}, indent=1))
        return
    for name, parts in medians.items():
        print(f"{name:<22}" + "".join(f"{part} {value:8.2f} ms   " for part, value in parts.items()))
    for name, parts in ratios.items():
        print(f"{name:<32}" + "".join(f"{part} {value:8.1f} x   " for part, value in parts.items()))


if __name__ == "__main__":
    main()
