"""The parts of the pool: the splits beside ``test`` have host families of their own, ``test`` is selected of the rest.

It is settled before a site is built. Labels are then dealt out within each part, blind to host families, so that in no
split a label has to do with how often an operator is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riskchain_gym.benchmark.pool_plan import DEMO, OUT_OF_DISTRIBUTION, PoolPlan
from riskchain_gym.benchmark.shares import largest_remainder
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError

CANDIDATES = "candidates"
"""The part of the pool that ``test`` is selected from."""


@dataclass(frozen=True)
class Part:
    """A part of the pool.

    Attributes:
        name: Name of the split that it is, or ``candidates``.
        decisions: Its sites by label.
        held_out: Share of its host families that are held out.
        sizes: How often a host family of it has 1, 2, … sites, in parts.
    """

    name: str
    decisions: Mapping[Decision, int]
    held_out: float
    sizes: tuple[int, ...]

    @property
    def sites(self) -> int:
        """Number of its sites."""
        return sum(self.decisions.values())


def parts_of(plan: PoolPlan) -> list[Part]:
    """Return the parts of the pool: the splits beside ``test``, then the candidates, which get all that is left.

    Every host family of the demonstration split has one site, so that it shows as many operators as it can.

    Args:
        plan: The plan; without splits, all sites are candidates.

    Raises:
        ConfigError: The splits need more sites with some label than the pool has.
    """
    left = dict(largest_remainder(plan.sites, {decision: plan.decisions.get(decision, 0) for decision in Decision}))
    parts = []
    for name, decisions in plan.splits.items():
        held_out = 1.0 if name == OUT_OF_DISTRIBUTION else 0.0
        parts.append(Part(name, decisions, held_out, (1,) if name == DEMO else plan.hosts.sizes))
        for decision, count in decisions.items():
            left[decision] -= count
    if short := [decision for decision, count in left.items() if count < 0]:
        raise ConfigError(
            f"The splits beside test need {-left[short[0]]} more sites labelled {short[0]} than a pool of {plan.sites} "
            "has: lower their numbers in pool.toml, raise 'sites', or change the shares in 'decisions'."
        )
    return [*parts, Part(CANDIDATES, left, plan.held_out.share, plan.hosts.sizes)]
