"""An infrastructure failure is never a score: the episode is masked, and the next one works."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from chain_builder import action_text, commit_text, entry_of, report_text, stop_text
from gymnasium.error import ResetNeeded

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import BrowserUnavailableError

SCORES = ("web_correct", "end_to_end_correct", "gate_loss", "gate.passed", "label.gold_decision", "first_failure")


def make(split: str, env_id: str = "RiskChain-v0", **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", split=split, backend="fake", **kwargs)


def assert_masked(step: tuple[Any, ...]) -> None:
    obs, reward, terminated, truncated, info = step
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["status"], info["valid"]) == ("infra_error", False)
    assert info["outcome"]["status"] == "infra_error"
    for name in SCORES:
        assert name not in info["outcome"]
    assert "does not count" in obs["feedback"]


def plays_through(env: Any) -> None:
    env.reset(options={"chain": "chaina"})
    env.step(commit_text(entry_of(0)))
    env.step(stop_text())
    *_, terminated, truncated, info = env.step(report_text(Decision.VIOLATION, "欢迎来到首页"))
    assert terminated
    assert not truncated
    assert info["outcome"]["end_to_end_correct"] == 1


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped", "web", "none"])
@pytest.mark.parametrize("fail_at", [1, 2, 4])
def test_a_failure_after_commit_masks_the_whole_episode(split: str, reward: str, fail_at: int) -> None:
    needs = {"web_outcomes": 0.5} if reward.startswith("delta") else {}
    env = make(split, reward=reward, **needs)
    env.reset()
    env.unwrapped.backend.fail_at = {fail_at}
    step = env.step(commit_text("wrong.pw.test"))
    while not step[3]:
        assert step[4]["valid"]
        step = env.step(action_text("reload"))
    assert_masked(step)
    assert env.unwrapped.backend.calls == fail_at
    assert env.unwrapped.trajectory.infra_cause == "browser_lost"
    told = step[4]["action_result"]
    assert told == ("executed" if fail_at == 1 else "error:infrastructure"), "the page is not blamed"
    with pytest.raises(ResetNeeded):
        env.step(stop_text())
    if reward == "gated":
        plays_through(env)


def not_starting(site: object) -> None:
    raise BrowserUnavailableError("'x' does not start as a browser (exit: code=1): apt-get install chromium.")


def test_a_browser_that_does_not_start_at_the_commit_loses_the_episode(
    split: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    env = make(split)
    env.reset(options={"chain": "chaina"})
    with monkeypatch.context() as patch:
        patch.setattr(env.unwrapped.backend, "open", not_starting)
        step = env.step(commit_text("wrong.pw.test"))
    assert_masked(step)
    assert "apt-get install chromium" in caplog.text
    assert "apt-get" not in step[0]["feedback"], "why is for people, not for the agent"
    trajectory = env.unwrapped.trajectory
    assert trajectory.infra_cause == "launch"
    assert trajectory.commit.entry_candidates[0].value == "wrong.pw.test"
    with pytest.raises(ResetNeeded):
        env.step(commit_text(entry_of(0)))
    assert env.unwrapped.trajectory.commit == trajectory.commit
    plays_through(env)


def test_a_browser_that_does_not_start_at_reset_is_an_error(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(split, "RiskChainBrowse-v0")
    monkeypatch.setattr(env.unwrapped.backend, "open", not_starting)
    with pytest.raises(BrowserUnavailableError, match="apt-get"):
        env.reset()
    with pytest.raises(ResetNeeded):
        env.unwrapped.step(stop_text())


def test_three_strikes_whose_site_does_not_open(split: str) -> None:
    env = make(split)
    env.reset()
    env.unwrapped.backend.fail_at = {1}
    env.step("a")
    env.step("b")
    assert_masked(env.step("c"))
    plays_through(env)


def test_a_failure_while_resetting_masks_the_episode_at_its_first_step(split: str) -> None:
    env = make(split, "RiskChainBrowse-v0")
    env.unwrapped.backend.fail_at = {1}
    obs, info = env.reset()
    assert obs in env.observation_space
    assert (info["valid"], info["status"]) == (False, "infra_error")
    assert "outcome" not in info
    assert_masked(env.step(stop_text()))
    obs, info = env.reset()
    assert info["valid"]
    assert obs["text"]


def test_a_failing_screenshot_masks_too(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from riskchain_gym.protocol.errors import InfrastructureError

    env = make(split, observe=["screenshot"])
    env.reset()
    env.step(commit_text("x.pw.test"))

    def lost() -> None:
        raise InfrastructureError("deadline", "too slow")

    monkeypatch.setattr(env.unwrapped.backend, "screenshot", lost)
    assert_masked(env.step(action_text("scroll_down")))


def test_the_record_of_a_lost_episode_is_whole(split: str) -> None:
    from riskchain_gym.scoring.validator import validate

    env = make(split)
    env.reset()
    env.unwrapped.backend.fail_at = {3}
    env.step(commit_text("x.pw.test"))
    env.step(action_text("reload"))
    env.step(action_text("back"))
    trajectory = env.unwrapped.trajectory
    assert [len(trajectory.steps), trajectory.steps[-1].page] == [3, None]
    assert validate(trajectory).valid


def test_rendering_a_lost_browser_draws_a_card(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    from riskchain_gym.protocol.errors import InfrastructureError

    env = make(split, "RiskChainBrowse-v0", render_mode="rgb_array")
    env.reset()
    page = env.render()

    def lost() -> None:
        raise InfrastructureError("browser_lost", "gone")

    monkeypatch.setattr(env.unwrapped.backend, "screenshot", lost)
    card = env.render()
    assert card.shape == page.shape
    assert (card != page).any()
