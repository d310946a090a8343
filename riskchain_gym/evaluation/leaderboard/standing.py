"""Which rows are ranked, and why others are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.leaderboard.board import Entry
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import ENV_ID

MAX_LOST = 0.01
"""A row that lost a larger share of its episodes to infrastructure is not ranked: nothing is gained by a crash."""

RULES = (
    "protocol",
    "variants",
    "routing",
    "max_steps",
    "max_seconds",
    "strikes",
    "on_strikes",
    "on_budget",
    "revision",
    "scaffold",
    "picture_alt",
)
"""The settings of an environment that ranked rows share; what an agent is shown of a page is its own choice."""

_WORDS = {"control": "a control", "oracle": "an oracle, the upper bound"}


def why_unranked(entry: Entry, manifest: RunManifest, *, split_chains: int) -> tuple[str, ...]:
    """Return in sentences what keeps a row from being ranked, whatever the gold is; empty if nothing does.

    Args:
        entry: The row.
        manifest: What was run for it.
        split_chains: How many chains the split has.
    """
    found: list[str] = []
    if entry.kind != "baseline":
        found.append(_WORDS[entry.kind])
    if entry.chains < entry.planned:
        found.append(f"incomplete: {entry.chains} of {entry.planned} chains")
    elif entry.planned < split_chains:
        found.append(f"{entry.planned} of the split's {split_chains} chains")
    elif not all(run.frozen for run in entry.runs):
        found.append("not frozen: the same `riskchain run` command freezes it")
    if entry.lost > MAX_LOST:
        found.append(f"{percent(entry.lost)} % lost to infrastructure, more than {percent(MAX_LOST)} %")
    if entry.broken:
        episodes = "1 episode" if entry.broken == 1 else f"{entry.broken} episodes"
        found.append(f"protocol broken in {episodes}: `riskchain runs verify` says where")
    if entry.accuracy is None:
        found.append("without Acc^e")
    if other := _other_rules(manifest):
        found.append(f"other rules than the benchmark's ({other})")
    return tuple(found)


def ranks(entries: Sequence[Entry], figure: str) -> dict[str, int]:
    """Return the rank of each row by a figure, 1 for the best; rows with the same figure share a rank.

    Args:
        entries: Rows that have the figure.
        figure: Its name; more is better.
    """
    values: Mapping[str, float] = {entry.name: entry.figures[figure].value for entry in entries}
    return {name: 1 + sum(other > value for other in values.values()) for name, value in values.items()}


def in_order(entry: Entry) -> tuple[bool, int, bool, bool, float, str]:
    """Return where a row stands on its split: ranked ones by rank, then other agents, then controls and oracles.

    Among those, rows on the whole split stand before others, by Acc^e, then by name.
    """
    accuracy = -1.0 if entry.accuracy is None else entry.accuracy
    return entry.rank is None, entry.rank or 0, entry.kind != "baseline", not entry.whole, -accuracy, entry.name


def _other_rules(manifest: RunManifest) -> str:
    usual = EnvConfig()
    if manifest.env_id != ENV_ID:
        return manifest.env_id
    changed = [rule for rule in RULES if getattr(manifest.environment, rule) != getattr(usual, rule)]
    return ", ".join(f"{rule} = {getattr(manifest.environment, rule)}" for rule in changed)
