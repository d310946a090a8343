"""Episodes of ``mini`` byte for byte: nothing that makes the environment faster may change what it shows or records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fixed_player import make_env, play

pytestmark = pytest.mark.contract

PINS: dict[str, list[str]] = json.loads((Path(__file__).parent / "pinned_episodes.json").read_text())


@pytest.fixture(scope="module")
def env() -> Any:
    return make_env()


def test_every_chain_of_mini_is_pinned(env: Any) -> None:
    assert list(PINS) == list(env.unwrapped.chain_ids)


@pytest.mark.parametrize("chain", PINS)
def test_the_same_actions_give_the_pinned_episode(env: Any, chain: str) -> None:
    assert [*play(env, chain)] == PINS[chain]


def test_what_was_kept_of_earlier_episodes_shows_in_none(env: Any) -> None:
    """Pages are kept between episodes; a visit that comes after many others is like the first."""
    chains = list(PINS)
    for chain in [*chains, *reversed(chains)]:
        assert [*play(env, chain)] == PINS[chain]
