"""What pages tried to reach outside stands in the trajectory, outside its hash, and is shown to nobody."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from chain_builder import action_text, commit_text, entry_of, report_text, stop_text

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.trajectory import Trajectory

TRIED = {"websocket": 7919, "fetch": 7907}


def played(split: str, monkeypatch: pytest.MonkeyPatch, tried: dict[str, int]) -> tuple[Trajectory, str]:
    """Return the trajectory of an episode whose pages tried so much, and all that the agent was given."""
    env = gym.make("riskchain_gym:RiskChain-v0", split=split, backend="fake", order="sequential")
    shown: list[Any] = [env.reset(options={"chain": "chaina"})]
    monkeypatch.setattr(env.unwrapped.backend, "egress", lambda: dict(tried))  # type: ignore[attr-defined]
    report = report_text(Decision.VIOLATION, "欢迎来到首页")
    shown += [env.step(action) for action in (commit_text(entry_of(0)), action_text("reload"), stop_text(), report)]
    return env.unwrapped.trajectory, repr(shown)  # type: ignore[attr-defined]


def test_attempts_are_recorded_outside_the_hash(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet, _ = played(split, monkeypatch, {})
    loud, shown = played(split, monkeypatch, TRIED)
    assert (quiet.egress, loud.egress) == ({}, TRIED)
    assert quiet.trajectory_hash() == loud.trajectory_hash()
    assert not any(word in shown for word in ("egress", "websocket", "7919", "7907"))
    assert Trajectory.model_validate_json(loud.model_dump_json()) == loud
