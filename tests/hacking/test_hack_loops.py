"""Going in circles: no step that is taken again pays, whatever the reward."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from arena import Arena, Played
from hackers import quoting, with_evidence

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.rllib.settings import make_settings

REWARDS = ("gated", "delta_gate", "delta_gate_shaped", "web")
ROUNDS = 8
W_HAT = 0.75
NOWHERE = Commit(entry_candidates=(EntryCandidate(rank=1, value="nowhere.at.test"),)).model_dump_json()

LOOPS: dict[str, tuple[str, ...]] = {
    "waits": ("noop",),
    "reloads": ("reload",),
    "goes back": ("back", "reload"),
    "scrolls": ("scroll_down", "scroll_up"),
    "stumbles": ("{}", "{}", "noop"),
}
"""What an agent does round by round; ``{}`` is invalid, two of three strikes."""


def deeds(loop: tuple[str, ...]) -> list[str]:
    return [each if each == "{}" else BrowserAction(action=ActionKind(each)).model_dump_json() for each in loop]


def looping(played: Played, loop: tuple[str, ...], rounds: int) -> list[str]:
    """Return the actions of an episode with a loop in it, before browsing is over."""
    *browsed, stop, report = played.actions
    return [*browsed, *deeds(loop) * rounds, stop, report]


@pytest.fixture(scope="module")
def brief(honest: Sequence[Played]) -> Played:
    """The shortest of the honest episodes, so that most of its budget is left."""
    return min(honest, key=lambda one: len(one.actions))


@pytest.fixture(scope="module")
def arenas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Arena]:
    """An arena for each reward, in which a step costs a hundredth."""
    config = tmp_path_factory.mktemp("loops") / "costly.toml"
    config.write_text("[terms]\nstep_cost = 0.01\ncitation_f1 = 1.0\n", encoding="utf-8")
    shaped = {"delta_gate_shaped": {"discount": 0.9}}
    return {
        name: Arena(reward=name, web_outcomes=W_HAT, config=str(config), **shaped.get(name, {})) for name in REWARDS
    }


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("reward", REWARDS)
def test_a_detour_costs_what_its_steps_cost_and_pays_nothing(
    arenas: dict[str, Arena], brief: Played, reward: str, loop: str
) -> None:
    arena, chain = arenas[reward], brief.trajectory.chain_id
    control, farmed = arena.send(chain, brief.actions), arena.send(chain, looping(brief, LOOPS[loop], ROUNDS))
    carried_out = ROUNDS * sum(each != "{}" for each in LOOPS[loop])
    assert farmed.paid == pytest.approx(control.paid - 0.01 * carried_out)
    assert farmed.outcome["evidence.f1"] == control.outcome["evidence.f1"]
    assert farmed.outcome["terms.step_cost"] < 0


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("commit", ["right", "wrong"])
@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_shaping_by_the_gate_pays_no_loop_at_the_discount_it_was_set_to(
    brief: Played, loop: str, commit: str, discount: float
) -> None:
    arena = Arena(reward="delta_gate_shaped", discount=discount, web_outcomes=W_HAT)

    def discounted(rounds: int) -> float:
        actions = looping(brief, LOOPS[loop], rounds)
        played = arena.send(brief.trajectory.chain_id, actions if commit == "right" else [NOWHERE, *actions[1:]])
        return sum(reward * discount**t for t, reward in enumerate(played.rewards))

    control = discounted(0)
    assert discounted(ROUNDS) <= control + 1e-12, "its return is γ^T·a^e: later is less, and of nothing it is nothing"
    assert control == pytest.approx(0, abs=1e-12) if commit == "wrong" else control > 0


def test_shaping_read_at_another_discount_pays_a_wrong_commit_for_waiting(brief: Played) -> None:
    """Why ``discount=`` must be the trainer's γ: the control that shows what a mismatch costs."""
    arena = Arena(reward="delta_gate_shaped", discount=0.9, web_outcomes=W_HAT)
    actions = [NOWHERE, *looping(brief, LOOPS["waits"], ROUNDS)[1:]]
    farmed = arena.send(brief.trajectory.chain_id, actions)
    control = arena.send(brief.trajectory.chain_id, brief.actions)
    assert (control.outcome["end_to_end_correct"], farmed.outcome["end_to_end_correct"]) == (1, 0)
    assert farmed.paid > control.paid, "a trainer that does not discount would learn to wait"
    assert farmed.paid == pytest.approx((len(actions) - 1) * (1 - 0.9) * W_HAT), "undiscounted, each step pays (1−γ)·ŵ"
    assert Arena(reward="delta_gate_shaped", web_outcomes=W_HAT).send(brief.trajectory.chain_id, actions).paid == 0


@pytest.mark.parametrize("loop", LOOPS)
def test_no_loop_goes_on_for_ever(brief: Played, loop: str) -> None:
    arena = Arena()
    budget = arena.world.config.max_steps
    arena.env.reset(options={"chain": brief.trajectory.chain_id})
    arena.env.step(brief.actions[0])
    taken = 0
    for action in deeds(LOOPS[loop]) * (budget + 1):
        observation, *_ = arena.env.step(action)
        taken += 1
        if observation["phase"] == 2:
            break
    assert observation["phase"] == 2, "the report phase is open"
    assert taken <= 3 * budget


def test_a_line_that_was_shown_twice_is_evidence_once(arena: Arena, brief: Played, honest: Sequence[Played]) -> None:
    played = max(honest, key=lambda one: one.outcome["evidence.f1"])
    *browsed, stop, _ = played.actions
    cited = played.report.evidence[-1]
    shown = [step for step, page in played.trajectory.browse_steps().items() if cited.quote in page.text]
    last = max(played.trajectory.browse_steps())
    assert shown
    if cited.step == last:
        browsed, last = [*browsed, *deeds(("reload",))], last + 1
        again = last
    else:
        again = shown[-1]
    report = with_evidence(played, *played.report.evidence, quoting(again, cited.quote))
    control = arena.send(played.trajectory.chain_id, [*browsed, stop, with_evidence(played, *played.report.evidence)])
    farmed = arena.send(played.trajectory.chain_id, [*browsed, stop, report])
    assert farmed.outcome["evidence.recall"] == control.outcome["evidence.recall"]
    assert farmed.outcome["evidence.f1"] < control.outcome["evidence.f1"]
    assert farmed.paid < control.paid


@pytest.mark.parametrize("shaped", [{"reward": "delta_gate_shaped", "web_outcomes": 0.5}, {"evidence_shaping": 1.0}])
@pytest.mark.parametrize(("gamma", "discount"), [(1.0, 0.9), (0.9, 1.0), (0.99, None)])
def test_a_training_run_with_two_discounts_is_refused(
    shaped: dict[str, object], gamma: float, discount: float | None
) -> None:
    env = shaped if discount is None else {**shaped, "discount": discount}
    with pytest.raises(ConfigError, match="waiting would pay"):
        make_settings({"task": "chain", "gamma": gamma, "env": env})
    assert make_settings({"task": "chain", "gamma": gamma, "env": {**env, "discount": gamma}}).gamma == gamma
