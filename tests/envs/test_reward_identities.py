"""The reward identities of the design, over random commits, outcomes, strikes, routings and ŵ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, report_text, stop_text
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import REWARDS, EnvConfig, Kind, RewardName, check_combination
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.scoring.gate import gate

CASES: list[tuple[Kind, RewardName, str]] = [
    (kind, reward, routing)
    for kind, rewards in REWARDS.items()
    for reward in rewards
    for routing in (("reference", "committed") if kind == "chain" and reward in ("gated", "none") else ("reference",))
]


@dataclass
class Played:
    machine: Machine
    rewards: list[float]

    @property
    def total(self) -> float:
        return sum(self.rewards)

    def discounted(self, gamma: float) -> float:
        return sum(reward * gamma**t for t, reward in enumerate(self.rewards))


def play(kind: Kind, config: EnvConfig, routing: str, w_hat: float, actions: list[object], **fake: Any) -> Played:
    check_combination(config, kind)
    public, gold = make_chain(0)
    with_gold = config.reward != "none"
    episode = Episode(
        case=Case(public, "v000"),
        routing=routing,
        reward=make_reward(config, kind, w_hat),
        gold=(gold.message if kind == "restore" else gold) if with_gold else None,
        gate=lambda commit: gate(commit, gold.message.entry).passed,
    )
    machine = Machine(kind, config, episode, None if kind == "restore" else FakeBackend(**fake))
    rewards = []
    for action in actions:
        if machine.over:
            break
        rewards.append(machine.act(action))
    return Played(machine, rewards)


@st.composite
def scripts(draw: st.DrawFn) -> list[object]:
    """Actions of a whole episode, invalid ones among them; enough at the end to reach an end in any phase."""
    entries = [entry_of(0), f"https://{entry_of(0).upper()}/", "wrong.pw.test", ""]
    invalid = st.sampled_from(["", "{}!", '{"action":"click"}', None, '{"action":"click","element_id":"e999"}'])
    actions: list[object] = draw(st.lists(invalid, max_size=3))
    if draw(st.booleans()) or len(actions) < 3:
        actions.append(commit_text(draw(st.sampled_from(entries))))
    browse = ["reload", "back", "scroll_down", *(f"click e{i}" for i in range(1, 6))]
    for step in draw(st.lists(st.one_of(st.sampled_from(browse), invalid), max_size=6)):
        verb, _, target = step.partition(" ") if isinstance(step, str) and step in browse else (step, "", "")
        actions.append(action_text(verb, target or None) if step in browse else step)
    actions.append(stop_text())
    actions += draw(st.lists(invalid, max_size=2))
    actions.append(report_text(draw(st.sampled_from(list(Decision))), "欢迎来到首页"))
    return [*actions, "bad", "bad", "bad", "bad", "bad", "bad", "bad", "bad", "bad"]


probabilities = st.floats(0, 1, allow_nan=False)


@pytest.mark.parametrize(("kind", "reward", "routing"), CASES)
@settings(max_examples=40, deadline=None)
@given(
    actions=scripts(),
    w_hat=probabilities,
    max_steps=st.integers(1, 8),
    strict=st.sampled_from([(3, "advance", "report"), (1, "bottom", "bottom"), (2, "bottom", "report")]),
)
def test_sums(
    kind: Kind,
    reward: RewardName,
    routing: str,
    actions: list[object],
    w_hat: float,
    max_steps: int,
    strict: tuple[int, Any, Any],
) -> None:
    strikes, on_strikes, on_budget = strict
    config = EnvConfig(
        reward=reward,
        routing=routing,  # type: ignore[arg-type]
        web_outcomes=w_hat,
        max_steps=max_steps,
        strikes=strikes,
        on_strikes=on_strikes,
        on_budget=on_budget,
    )
    played = play(kind, config, routing, w_hat, actions)
    machine, total = played.machine, played.total
    assert machine.over
    assert machine.valid
    outcome = machine.outcome
    assert outcome is not None
    g = int(bool(machine.gate))
    if kind == "restore":
        paid = {"gated": g * w_hat, "delta_gate": -(1 - g) * w_hat, "none": 0.0}
        assert total == pytest.approx(paid[reward])
        return
    if reward == "none":
        assert total == 0
        assert outcome.web_correct is None
        assert outcome.end_to_end_correct is None
        return
    web, end_to_end = outcome.web_correct, outcome.end_to_end_correct
    assert (end_to_end is None) == (kind == "browse")
    if routing == "committed" and not g:
        assert outcome.status is EpisodeStatus.BOTTOM
        assert web is None
    elif kind == "chain":
        assert web is not None
        assert end_to_end == g * web
    expected = {
        "gated": lambda: end_to_end,
        "web": lambda: web,
        "delta_gate": lambda: web - (1 - g) * w_hat,  # type: ignore[operator]
        "delta_gate_shaped": lambda: end_to_end,
    }[reward]()
    assert total == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(actions=scripts(), web=st.sampled_from([0, 1]))
def test_delta_gate_is_the_benchmark_score_when_the_expectation_is_right(actions: list[object], web: int) -> None:
    played = play("chain", EnvConfig(reward="delta_gate", web_outcomes=web), "reference", web, actions)
    outcome = played.machine.outcome
    assert outcome is not None
    if outcome.web_correct == web:
        assert played.total == outcome.benchmark_score


@settings(max_examples=40, deadline=None)
@given(actions=scripts(), w_hat=probabilities, gamma=st.floats(0.5, 1), max_steps=st.integers(1, 8))
def test_shaping_leaves_every_discounted_return_alone(
    actions: list[object], w_hat: float, gamma: float, max_steps: int
) -> None:
    config = EnvConfig(reward="delta_gate_shaped", discount=gamma, web_outcomes=w_hat, max_steps=max_steps)
    shaped = play("chain", config, "reference", w_hat, actions)
    plain = play("chain", EnvConfig(reward="gated", max_steps=max_steps), "reference", 0, actions)
    assert shaped.discounted(gamma) == pytest.approx(plain.discounted(gamma))


@settings(max_examples=40, deadline=None)
@given(actions=scripts(), w_hat=probabilities)
def test_only_the_named_steps_pay(actions: list[object], w_hat: float) -> None:
    played = play("chain", EnvConfig(reward="delta_gate", web_outcomes=w_hat), "reference", w_hat, actions)
    steps = played.machine.recorder.trajectory().steps
    commit_at = next(
        (i for i, step in enumerate(steps) if i + 1 == len(steps) or steps[i + 1].phase != "restore"), len(steps)
    )
    for i, reward in enumerate(played.rewards):
        if i not in (commit_at, len(played.rewards) - 1):
            assert reward == 0


def test_terms_are_added_and_reported_apart() -> None:
    terms = {"citation_f1": 0.5, "exact_type": 0.25, "cer": -1.0, "step_cost": 0.125}
    config = EnvConfig(reward="gated", terms=terms)  # type: ignore[arg-type]
    actions: list[object] = [
        commit_text(entry_of(0)),
        action_text("reload"),
        "bad",
        stop_text(),
        report_text(Decision.VIOLATION, "欢迎来到首页"),
    ]
    played = play("chain", config, "reference", 0, actions)
    outcome = played.machine.outcome
    assert outcome is not None
    assert outcome.restoration is not None
    cer = outcome.restoration.edit_distance / outcome.restoration.reference_length
    expected = {"citation_f1": 0.0, "exact_type": 0.25, "cer": -cer, "step_cost": -0.125}
    assert played.machine.terms == pytest.approx(expected)
    assert played.rewards[1] == -0.125
    assert played.rewards[2] == 0
    assert played.total == pytest.approx(1 + 0.25 - cer - 0.125)
    assert played.total == pytest.approx(1 + sum(played.machine.terms.values()))
    assert outcome.benchmark_score == 1


def test_what_steps_cost_is_reported_however_the_episode_ends() -> None:
    config = EnvConfig(reward="gated", terms={"step_cost": 0.25}, max_steps=2, on_budget="bottom")  # type: ignore[arg-type]
    commit: object = commit_text(entry_of(0))
    played = play("chain", config, "reference", 0, [commit, action_text("reload"), action_text("reload")])
    assert played.machine.recorder.status is EpisodeStatus.BOTTOM
    assert (played.rewards, played.machine.terms) == ([0, -0.25, -0.25], {"step_cost": -0.5})
    played = play(
        "chain", config, "reference", 0, [commit, stop_text(), report_text(Decision.VIOLATION, "欢迎来到首页")]
    )
    assert (played.total, played.machine.terms) == (1, {"step_cost": 0})
    played = play("chain", config, "reference", 0, [commit, action_text("reload")], fail_at={2})
    assert (played.total, played.machine.terms) == (0, {})
