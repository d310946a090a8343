"""What the rewards do to a policy's gradient, exactly: every trajectory of the real environment is played once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from chain_builder import action_text, commit_text, entry_of, report_text, stop_text
from chain_player import make
from numpy.typing import NDArray

from riskchain_gym.protocol.codebook import Decision

CHOICES: tuple[tuple[str, ...], ...] = (
    (commit_text(entry_of(0)), commit_text("wrong.pw.test")),
    (stop_text(), action_text("reload")),
    (report_text(Decision.VIOLATION, "欢迎"), report_text(Decision.NON_VIOLATION, "欢迎")),
)
"""What a policy may do in each phase: right and wrong commits, going on and looking again, right and wrong reports."""

CHAIN = "chaina"
MAX_STEPS = 3
W_HAT = 0.35

State = tuple[int, ...]
"""Everything that was chosen so far."""


@dataclass(frozen=True)
class Walked:
    """One trajectory: the state before each choice, its phase, the choice, and what it was paid."""

    states: tuple[State, ...]
    phases: tuple[int, ...]
    chosen: tuple[int, ...]
    rewards: tuple[float, ...]
    end_to_end: float


def walks(env: Any) -> Iterator[Walked]:
    """Play every trajectory that the choices allow, each from the start."""
    pending: list[State] = [()]
    while pending:
        prefix = pending.pop()
        observation, info = env.reset(options={"chain": CHAIN})
        states: list[State] = []
        phases: list[int] = []
        chosen: list[int] = []
        rewards: list[float] = []
        terminated = False
        while not terminated:
            phase = int(observation["phase"])
            at = len(chosen)
            choice = prefix[at] if at < len(prefix) else 0
            if at >= len(prefix):
                pending += [(*chosen, other) for other in range(1, len(CHOICES[phase]))]
            states.append(tuple(chosen))
            phases.append(phase)
            chosen.append(choice)
            observation, reward, terminated, truncated, info = env.step(CHOICES[phase][choice])
            assert not truncated
            rewards.append(float(reward))
        paid = float(info["outcome"]["end_to_end_correct"])
        yield Walked(tuple(states), tuple(phases), tuple(chosen), tuple(rewards), paid)


def played(split: str, reward: str, discount: float = 1.0) -> dict[State, Walked]:
    with make(split, reward=reward, web_outcomes=W_HAT, max_steps=MAX_STEPS, discount=discount) as env:
        return {walk.chosen: walk for walk in walks(env)}


@pytest.fixture(scope="module")
def of(split: str) -> dict[str, dict[State, Walked]]:
    return {name: played(split, name) for name in ("gated", "delta_gate", "delta_gate_shaped")}


class Policy:
    """A softmax over the choices in every state, with logits of its own in each of them."""

    def __init__(self, walked: dict[State, Walked], seed: int) -> None:
        self.states = sorted({state for walk in walked.values() for state in walk.states})
        self.logits = np.random.default_rng(seed).normal(size=(len(self.states), 2))

    def probabilities(self) -> NDArray[np.float64]:
        raised = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def gradient(self, walked: dict[State, Walked], *, to_go: bool, gamma: float = 1.0) -> NDArray[np.float64]:
        """Return the expectation of the Monte-Carlo estimate: sum over trajectories of P · Σ_t ∇log π(a_t) · G_t."""
        shares = self.probabilities()
        total = np.zeros_like(self.logits)
        for walk in walked.values():
            rows = [self.states.index(state) for state in walk.states]
            weight = float(np.prod([shares[row, choice] for row, choice in zip(rows, walk.chosen, strict=True)]))
            for t, (row, choice) in enumerate(zip(rows, walk.chosen, strict=True)):
                first = t if to_go else 0
                paid = sum(gamma ** (k - first) * reward for k, reward in enumerate(walk.rewards) if k >= first)
                score = -shares[row].copy()
                score[choice] += 1.0
                total[row] += weight * paid * score
        return total


def test_every_trajectory_is_played_and_the_gate_matters(of: dict[str, dict[State, Walked]]) -> None:
    gated = of["gated"]
    assert len(gated) == 2 * (MAX_STEPS + 1) * 2
    assert {walk.end_to_end for walk in gated.values()} == {0.0, 1.0}
    assert Policy(gated, 0).gradient(gated, to_go=False).any()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("to_go", [False, True])
def test_gated_and_shaped_have_one_gradient(of: dict[str, dict[State, Walked]], seed: int, to_go: bool) -> None:
    policy = Policy(of["gated"], seed)
    gated = policy.gradient(of["gated"], to_go=to_go)
    np.testing.assert_allclose(policy.gradient(of["delta_gate_shaped"], to_go=to_go), gated, rtol=0, atol=1e-12)
    assert np.abs(policy.gradient(of["delta_gate"], to_go=to_go) - gated).max() > 1e-3


def test_shaped_rewards_from_a_step_on_are_gated_ones_less_the_potential(of: dict[str, dict[State, Walked]]) -> None:
    for chosen, walk in of["delta_gate_shaped"].items():
        gated = of["gated"][chosen].rewards
        right = chosen[0] == 0
        for t in range(len(walk.rewards)):
            potential = 0.0 if t == 0 or right else -W_HAT
            assert sum(walk.rewards[t:]) == pytest.approx(sum(gated[t:]) - potential, abs=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 0.9])
def test_a_discounted_shaped_return_is_that_of_gated(split: str, gamma: float) -> None:
    gated, shaped = played(split, "gated"), played(split, "delta_gate_shaped", gamma)
    for chosen, walk in shaped.items():
        paid = sum(gamma**t * reward for t, reward in enumerate(walk.rewards))
        assert paid == pytest.approx(gamma ** (len(chosen) - 1) * walk.end_to_end, abs=1e-12)
    policy = Policy(gated, 0)
    np.testing.assert_allclose(
        policy.gradient(shaped, to_go=False, gamma=gamma),
        policy.gradient(gated, to_go=False, gamma=gamma),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("w_hat", [0.0, W_HAT, 1.0])
def test_on_the_one_step_environment_rewards_differ_by_a_constant(split: str, w_hat: float) -> None:
    paid: dict[str, list[float]] = {}
    for reward in ("gated", "delta_gate"):
        with make(split, "RiskChainRestore-v0", reward=reward, web_outcomes=w_hat) as env:
            for commit in CHOICES[0]:
                env.reset(options={"chain": CHAIN})
                paid.setdefault(reward, []).append(float(env.step(commit)[1]))
    assert np.subtract(paid["gated"], paid["delta_gate"]) == pytest.approx([w_hat, w_hat], abs=1e-12)
    assert paid["gated"] == pytest.approx([w_hat, 0.0])
