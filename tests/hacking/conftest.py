"""The honest control: the rules restore, the explorer looks, and what it cites it has found. Played once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from arena import Arena, Played

from riskchain_gym.agents.registry import load_agent

TERMS = """
[terms]
citation_f1 = 1.0
exact_type = 1.0
"""


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """The whole chain on ``mini``, paid ``gated`` and, beside it, for citations and types."""
    config = tmp_path_factory.mktemp("hacking") / "terms.toml"
    config.write_text(TERMS, encoding="utf-8")
    return Arena(config=str(config))


@pytest.fixture(scope="session")
def honest(arena: Arena) -> Sequence[Played]:
    """Every chain of ``mini`` as ``rules+explorer`` plays it."""
    return arena.play(load_agent("rules+explorer").agent)


@pytest.fixture(scope="session")
def sample(arena: Arena, honest: Sequence[Played]) -> Sequence[Played]:
    """Every third of the honest episodes, for attacks that are played many times over; all decisions are among them."""
    kept = honest[::3]
    assert len({arena.gold[one.trajectory.chain_id].site.decision for one in kept}) == 3
    return kept
