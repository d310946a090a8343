"""What is in an observation, phase by phase, and what must never be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, report_text, stop_text

from riskchain_gym.protocol.codebook import COVERAGE_OBJECTIVES, Decision
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import TEXT_LIMIT, ObservedElement
from riskchain_gym.protocol.shown import BrowseElements, ReportElements

KEYS = {"phase", "text", "elements", "feedback", "steps_left"}


def make(split: str, env_id: str = "RiskChain-v0", **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", **{"split": split, "backend": "text", **kwargs})


def test_restore_shows_the_message_code_point_by_code_point(split: str) -> None:
    env = make(split)
    obs, _ = env.reset(options={"chain": "chaina"})
    message = make_chain(0)[0].variants["v000"]
    assert Message.model_validate_json(obs["text"]) == message
    assert "\u3000" in obs["text"]
    assert "0️⃣" in obs["text"]
    assert (int(obs["phase"]), obs["elements"], obs["feedback"], int(obs["steps_left"])) == (0, "", "", 30)
    assert set(obs) == KEYS
    assert "chaina" not in obs["text"], "no id is shown"


def test_browse_shows_the_page_and_nothing_of_the_message(split: str) -> None:
    env = make(split)
    env.reset(options={"chain": "chaina"})
    obs, *_ = env.step(commit_text(entry_of(0)))
    shown = json.loads(obs["elements"])
    assert int(obs["phase"]) == 1
    assert obs["text"].split("\n")[:2] == ["示例站0", "随便看看"]
    assert (shown["step"], shown["path"], shown["title"]) == (0, "/", "首页")
    assert shown["progress"] == {"executed_action_count": 0, "observed_state_count": 1}
    assert shown["coverage_objectives"] == list(COVERAGE_OBJECTIVES)
    elements = [ObservedElement.model_validate(e) for e in shown["elements"]]
    assert [e.element_id for e in elements] == [f"e{i}" for i in range(1, len(elements) + 1)]
    everything = obs["text"] + obs["elements"] + obs["feedback"]
    for secret in (entry_of(0), "akw000", ".test", "m001", "微", "site0", "chaina"):
        assert secret not in everything
    obs, *_ = env.step(action_text("click", "e1"))
    assert json.loads(obs["elements"])["progress"]["executed_action_count"] == 1
    assert int(obs["steps_left"]) == 29


def test_a_wrong_commit_looks_like_a_right_one(split: str) -> None:
    seen = []
    for entry in (entry_of(0), "wrong.pw.test"):
        env = make(split)
        env.reset(options={"chain": "chaina"})
        seen.append(env.step(commit_text(entry)))
    (right, *_, right_info), (wrong, *_, wrong_info) = seen
    assert right == wrong
    assert right_info == wrong_info


def test_the_scaffold_can_be_left_out(split: str, tmp_path: Path) -> None:
    path = tmp_path / "bare.toml"
    path.write_text("scaffold = false", encoding="utf-8")
    env = make(split, "RiskChainBrowse-v0", config=str(path))
    obs, _ = env.reset()
    assert "coverage_objectives" not in json.loads(obs["elements"])


def test_report_lists_what_was_observed(split: str) -> None:
    env = make(split, "RiskChainBrowse-v0")
    env.reset(options={"chain": "chaina"})
    page, *_ = env.step(action_text("click", "e2"))
    obs, *_ = env.step(stop_text())
    assert int(obs["phase"]) == 2
    assert obs["text"] == page["text"]
    assert json.loads(obs["elements"]) == {
        "observed_steps": [{"step": 0, "path": "/", "title": "首页"}, {"step": 1, "path": "/offer", "title": "活动"}]
    }


@pytest.mark.parametrize("backend", ["text", "fake"])
@pytest.mark.parametrize("scaffold", ["true", "false"])
def test_the_public_models_read_the_elements_and_leave_nothing_out(
    split: str, tmp_path: Path, backend: str, scaffold: str
) -> None:
    def shows(model: type[Frozen], obs: dict[str, Any]) -> None:
        read = model.model_validate_json(obs["elements"])
        assert read.model_dump(mode="json", exclude_unset=True, exclude_none=True) == json.loads(obs["elements"])

    path = tmp_path / "mine.toml"
    path.write_text(f"scaffold = {scaffold}", encoding="utf-8")
    env = make(split, "RiskChainBrowse-v0", backend=backend, config=str(path))
    obs, _ = env.reset(options={"chain": "chaina"})
    shows(BrowseElements, obs)
    shows(BrowseElements, env.step(action_text("click", "e2"))[0])
    shows(ReportElements, env.step(stop_text())[0])


def test_modalities_have_one_shape_in_every_phase(split: str) -> None:
    env = make(split, backend="fake", observe=["screenshot", "axtree"])
    obs, _ = env.reset()
    assert set(obs) == KEYS | {"screenshot", "axtree"}
    assert obs["screenshot"].shape == (900, 1280, 3)
    assert not obs["screenshot"].any()
    assert obs["axtree"] == ""
    browse, *_ = env.step(commit_text("x.pw.test"))
    assert browse["screenshot"].any()
    assert "[e1] link" in browse["axtree"]
    again, *_ = env.step(action_text("scroll_down"))
    assert not np.shares_memory(browse["screenshot"], again["screenshot"])
    report, *_ = env.step(stop_text())
    assert not report["screenshot"].any()
    assert report in env.observation_space


def test_time_left_is_shown_only_with_a_budget(split: str) -> None:
    env = make(split, max_seconds=60)
    obs, _ = env.reset()
    assert obs["seconds_left"].dtype == np.float32
    assert float(obs["seconds_left"]) == 60
    obs, *_ = env.step(commit_text("x.pw.test"))
    assert 0 < float(obs["seconds_left"]) <= 60
    assert obs in env.observation_space


def test_long_pages_are_cut(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskchain_gym.protocol.page.TEXT_LIMIT", 10)
    obs, _ = make(split, "RiskChainBrowse-v0").reset()
    assert len(obs["text"]) == 10
    assert TEXT_LIMIT == 20_000


def test_feedback_helps(split: str) -> None:
    env = make(split)
    obs, _ = env.reset()
    obs, _, _, _, info = env.step('{"entry_candidate": []}')
    assert "Did you mean 'entry_candidates'?" in obs["feedback"]
    assert "Strike 1 of 3" in obs["feedback"]
    assert (info["action_result"], info["strikes"], info["valid"]) == ("invalid", 1, True)
    obs, *_ = env.step(action_text("click", "e1"))
    assert "This is the restore phase" in obs["feedback"]


def test_info_counts_the_strikes_of_the_phase(split: str) -> None:
    env = make(split)
    env.reset()
    told = [env.step("bad")[4] for _ in range(4)]
    assert [(info["phase"], info["strikes"]) for info in told] == [
        ("restore", 1),
        ("restore", 2),
        ("browse", 0),
        ("browse", 1),
    ]


def test_info_is_scalars_and_the_outcome_comes_last(split: str) -> None:
    env = make(split)
    _, info = env.reset(options={"chain": "chaina"})
    infos = [info]
    for action in (commit_text(entry_of(0)), stop_text(), report_text(Decision.VIOLATION, "欢迎")):
        *_, info = env.step(action)
        infos.append(info)
    for info in infos[:-1]:
        assert set(info) == {"status", "phase", "valid", "strikes", "action_result"}
        assert all(isinstance(value, (str, int, float, bool)) for value in info.values())
    outcome = infos[-1]["outcome"]
    assert all(isinstance(value, (str, int, float, bool)) for value in outcome.values())
    assert (outcome["end_to_end_correct"], outcome["gate.passed"]) == (1, True)
    assert [i["phase"] for i in infos] == ["restore", "browse", "report", "report"]


def test_without_gold_nothing_of_it_is_read_or_told(tmp_path: Path) -> None:
    from chain_builder import write_split

    split = write_split(tmp_path / "public")
    (tmp_path / "public" / "gold.jsonl").unlink()
    env = make(split, reward="none")
    env.reset()
    rewards = [env.step(a)[1] for a in (commit_text(entry_of(0)), stop_text())]
    *_, reward, _, _, info = env.step(report_text(Decision.VIOLATION, "欢迎"))
    assert [*rewards, reward] == [0, 0, 0]
    known = {"chain_id", "status", "validator.valid", "validator.problems", "validator.unverifiable"}
    known |= {"failures", "judge.status", "routing"}
    assert set(info["outcome"]) == known


def test_schemas_are_public(split: str) -> None:
    assert list(make(split).unwrapped.action_schema()) == ["restore", "browse", "report"]
    assert list(make(split, "RiskChainRestore-v0").unwrapped.action_schema()) == ["restore"]
    schema = make(split, "RiskChainBrowse-v0").unwrapped.action_schema()
    assert list(schema) == ["browse", "report"]
    assert json.loads(json.dumps(schema))["browse"]["properties"]["action"]


@pytest.mark.parametrize("backend", ["text", "fake"])
@pytest.mark.parametrize("env_id", ["RiskChain-v0", "RiskChainRestore-v0", "RiskChainBrowse-v0"])
def test_sampled_actions_are_always_valid(split: str, env_id: str, backend: str) -> None:
    env = make(split, env_id, backend=backend, max_steps=12)
    env.action_space.seed(7)
    for episode in range(4):
        env.reset(seed=episode)
        ended = False
        while not ended:
            action = env.unwrapped.sample_action()
            assert action in env.action_space
            *_, ended, truncated, info = env.step(action)
            assert not truncated
            assert info["action_result"] != "invalid"
