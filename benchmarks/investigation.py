"""How well the baselines investigate sites of which they know nothing, beside what would be perfect.

Usage: python benchmarks/investigation.py [--split PATH|NAME ...] [--agent NAME ...] [--chains N] [--check] [--json]

Plays every site of ``dev`` and ``ood`` (or of the splits named) on the text backend without the restore phase, one
agent after the other in one process: the landing page alone, chance, the explorer with the rule-based reader, and the
oracle. ``dev`` and ``ood`` by name are those of the release of seed 2026, built into a temporary folder first, which
takes minutes; a built split is given by the path of its folder. ``dev`` has operators that ``train`` never shows, in
families that it does show; the families of ``ood`` are new to the reader. Printed are H-EM, Acc^w, the macro-F1 of the
decisions, the F1 of the citations and the share of the deciding lines that were shown at all, over all sites and for
the explorer by language and by family.

``--check`` exits with 1 unless the explorer's H-EM and citation F1 on ``dev`` are 70 % or more, its H-EM on ``ood``
50 % or more, the landing page alone is 25 points behind it, and the oracle's H-EM is 100 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import gymnasium as gym
from rich.console import Console
from rich.progress import track
from rich.table import Table

import riskchain_gym  # noqa: F401 -- registers the environments
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.splits import load_gold, load_manifest, load_public
from riskchain_gym.protocol.gold import GoldChain, SiteGold
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.summary import summarize
from riskchain_gym.sites.library import library

SEED = 2026
SPLITS = ("dev", "ood")
LANDING, RANDOM, EXPLORER, ORACLE = AGENTS = ("landing_only", "rules+random", "rules+explorer", "oracle")
LEAST = {("dev", "exact_match"): 70.0, ("dev", "citation_f1"): 70.0, ("ood", "exact_match"): 50.0}
LEAST_AHEAD = 25.0
FIGURES = ("exact_match", "web_accuracy", "decision_macro_f1", "citation_f1", "evidence_seen")


@dataclass(frozen=True)
class Line:
    """One row of a table; figures in per cent.

    Attributes:
        split: The split.
        agent: The agent.
        group: ``all``, or a language or family.
        sites: Number of sites.
        figures: Figure by name.
        seconds: Wall time; 0 for a group.
    """

    split: str
    agent: str
    group: str
    sites: int
    figures: Mapping[str, float]
    seconds: float = 0.0


def play(env: gym.Env, loaded: LoadedAgent, gold: GoldChain, max_steps: int | None) -> Outcome:
    if loaded.spec.kind == "oracle":
        loaded.prepare(gold)
    loaded.agent.reset(build_instructions(max_steps))
    observation, _ = env.reset(options={"chain": gold.chain_id})
    ended = False
    while not ended:
        observation, _, terminated, truncated, _ = env.step(loaded.agent.act(observation))
        ended = terminated or truncated
    return score_episode(env.unwrapped.trajectory, gold)


def line_of(split: str, agent: str, group: str, outcomes: Sequence[Outcome], seconds: float = 0.0) -> Line:
    summary = summarize(outcomes)
    figures = {name: 100 * (getattr(summary, name) or 0.0) for name in FIGURES}
    return Line(split, agent, group, len(outcomes), figures, seconds)


def measure(folder: str, agents: Iterable[str], count: int | None) -> Iterable[Line]:
    split, gold = load_manifest(folder).split, load_gold(folder)
    chains = [chain.chain_id for chain in load_public(folder)][:count]
    env = gym.make("RiskChainBrowse-v0", split=folder, backend="text", reward="none")
    limit = env.unwrapped.config.max_steps
    for name in agents:
        loaded, started = load_agent(name), time.perf_counter()
        shown = track(chains, f"{split}: {name}", console=Console(stderr=True), transient=True)
        outcomes = [play(env, loaded, gold[chain], limit) for chain in shown]
        loaded.agent.close()
        yield line_of(split, name, "all", outcomes, time.perf_counter() - started)
        if name == EXPLORER:
            for key in (lambda site: site.lang, lambda site: site.family):
                yield from grouped(split, name, outcomes, gold, key)
    env.close()


def grouped(
    split: str,
    agent: str,
    outcomes: Sequence[Outcome],
    gold: Mapping[str, GoldChain],
    key: Callable[[SiteGold], str],
) -> Iterable[Line]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(gold[outcome.chain_id].site), []).append(outcome)
    for group in sorted(groups):
        yield line_of(split, agent, group, groups[group])


def missed(lines: Sequence[Line]) -> list[str]:
    """Return the bounds of the project that are broken, among those that were measured."""
    whole = {(line.split, line.agent): line.figures for line in lines if line.group == "all"}
    broken = []
    for (split, figure), least in LEAST.items():
        if (split, EXPLORER) in whole and (value := whole[split, EXPLORER][figure]) < least:
            broken.append(f"{split}: {figure} of {EXPLORER} is {value:.1f} %, wanted {least:g} %")
    for split in SPLITS:
        if (split, EXPLORER) in whole and (split, LANDING) in whole:
            ahead = whole[split, EXPLORER]["exact_match"] - whole[split, LANDING]["exact_match"]
            if ahead < LEAST_AHEAD:
                broken.append(f"{split}: {EXPLORER} is {ahead:.1f} points ahead of {LANDING}, wanted {LEAST_AHEAD:g}")
        if (split, ORACLE) in whole and whole[split, ORACLE]["exact_match"] < 100:
            broken.append(f"{split}: exact_match of {ORACLE} is below 100 %")
    return broken


def show(lines: Sequence[Line]) -> None:
    table = Table(title="Investigations on the text backend, %", title_justify="left")
    for heading in ("split", "agent", "sites of"):
        table.add_column(heading)
    for heading in ("n", "H-EM", "Acc^w", "macro-F1", "Cite F1", "seen", "s"):
        table.add_column(heading, justify="right")
    for line in lines:
        figures = [f"{line.figures[name]:.1f}" for name in FIGURES]
        took = f"{line.seconds:.0f}" if line.seconds else ""
        table.add_row(line.split, line.agent, line.group, str(line.sites), *figures, took)
    Console(width=120).print(table)


def folders_of(splits: Sequence[str], place: Path) -> list[str]:
    """Return where splits lie; those of the release are built below a folder first."""
    if wanted := [split for split in splits if split in SPLITS]:
        with Console(stderr=True).status(f"Building {' and '.join(wanted)} of seed {SEED}"):
            release = build_release(key_from_seed(SEED), only=wanted)
            write_release(place, release, seed=SEED, key_commitment=None, content=library())
    return [str(place / split) if split in SPLITS else split for split in splits]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", nargs="+", default=SPLITS, help="folders of built splits, or names")
    parser.add_argument("--agent", nargs="+", default=AGENTS, help=f"default: {' '.join(AGENTS)}")
    parser.add_argument("--chains", type=int, help="only the first so many of each split")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = folders_of(arguments.split, Path(place) / "release")
        lines = [line for folder in folders for line in measure(folder, arguments.agent, arguments.chains)]
    if arguments.json:
        print(json.dumps([asdict(line) for line in lines], ensure_ascii=False))
    else:
        show(lines)
    broken = missed(lines)
    for bound in broken:
        print(bound, file=sys.stderr)
    sys.exit(1 if arguments.check and broken else 0)


if __name__ == "__main__":
    main()
