"""Browsing as a masked choice: what the rows do, what they tell, and what they never tell."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import chain_builder
import gymnasium as gym
import numpy as np
import pytest
from browse_array_cases import BROWSE, CHAIN, SMALL, digest, draw, make, play, text
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from lossy_backend import LossyBackend

from riskchain_gym.agents.base import Instructions
from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.wrappers.browse_features import CONTEXT_FEATURES, FIXED_FEATURES, HISTORY_FEATURES, TYPES
from riskchain_gym.envs.wrappers.report_rows import CITED, cite_rare_lines
from riskchain_gym.envs.wrappers.text_hashing import TextHasher
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.page import ObservedPage

IDS = (BROWSE, CHAIN)
RNG_SEEDS = range(4)
PINNED = ([14, 23, 50, 9, 3, 51, 48, 34, 28], [1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
"""Places and sums of a text in 64 places."""


def rows_of(kind: str, env: Any) -> range:
    sizes, first = env.unwrapped.sizes, env.unwrapped.first_row
    ends = {"controls": (0, sizes.controls), "free": (sizes.controls, sizes.controls + 3)}
    start, stop = ends.get(kind, (sizes.controls + 3, sizes.rows))
    return range(first + start, first + stop)


def past_the_commit(env: Any, seed: int = 0) -> dict[str, Any]:
    observation, _ = env.reset(seed=seed)
    return observation if env.unwrapped.first_row == 0 else env.step(0)[0]


@pytest.mark.contract
@pytest.mark.parametrize("env_id", IDS)
def test_check_env_has_nothing_to_say(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(env_id).unwrapped)


@pytest.mark.contract
@pytest.mark.parametrize("env_id", IDS)
def test_specs_survive_json(env_id: str) -> None:
    env = make(env_id, order="sequential", shard=(1, 2), controls=9, hash_seed=3, max_steps=7)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    assert again.observation_space == env.observation_space
    assert again.unwrapped.config == env.unwrapped.config


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_the_text_environment_plays_the_same_episode(env_id: str, seed: int) -> None:
    ours = play(make(env_id), seed, masked=0.2)
    env, sent = text(env_id), ours["trajectory"]
    env.reset(seed=seed)
    rewards = []
    for step in sent.steps:
        *_, reward, terminated, _, info = env.step(step.action)
        rewards.append(reward)
    assert terminated
    assert env.unwrapped.trajectory.trajectory_hash() == sent.trajectory_hash()
    assert rewards == ours["rewards"]
    assert info == ours["info"]


@pytest.mark.parametrize("env_id", IDS)
def test_every_observation_lies_in_the_space_and_offers_something(env_id: str) -> None:
    env = make(env_id, **SMALL)
    for seed in RNG_SEEDS:
        for observation in play(env, seed, masked=0.1)["seen"]:
            assert observation in env.observation_space
            assert observation["action_mask"].any()
            hidden = observation["options"][observation["action_mask"] == 0]
            assert not hidden.any()


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("action", [-1, 10_000, "stop", None, 2.5, "masked"])
def test_what_may_not_be_chosen_is_a_strike(env_id: str, action: object) -> None:
    env = make(env_id).unwrapped
    observation = past_the_commit(env)
    if action == "masked":
        action = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    after, reward, terminated, truncated, info = env.step(action)
    assert (info["strikes"], info["action_result"], reward, terminated, truncated) == (1, "invalid", 0.0, False, False)
    context = after["context"][-env.sizes.context :]
    assert context[CONTEXT_FEATURES.index("strikes")] == pytest.approx(1 / 3)
    env.step(action)
    *_, info = env.step(action)
    assert info["phase"] == "report"


@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_rows_and_actions_of_the_text_environment_are_one(seed: int) -> None:
    env = make(BROWSE).unwrapped
    rng = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    for _ in range(12):
        for row in np.flatnonzero(observation["action_mask"]):
            assert env.row_of(env.action_text(int(row))) == row
        observation, *_, info = env.step(draw(observation, rng))
        if "outcome" in info:
            break
    assert env.row_of('{"action":"scroll_down"}') is None
    assert env.row_of("{") is None


@pytest.mark.parametrize("kind", TYPES)
def test_a_report_row_files_a_valid_report_of_its_type(kind: ViolationType) -> None:
    env = make(BROWSE).unwrapped
    observation, _ = env.reset(seed=1)
    for _ in range(4):
        observation, *_ = env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    reports = rows_of("reports", env)
    assert not observation["action_mask"][reports.start :].any()
    observation, *_ = env.step(rows_of("free", env)[-1])
    assert observation["action_mask"].sum() == len(TYPES)
    _, _, terminated, _, info = env.step(reports[TYPES.index(kind)])
    assert terminated
    assert info["outcome"]["validator.valid"]
    assert info["outcome"]["label.predicted_type"] == kind
    assert env.trajectory.report.evidence


def test_a_report_can_be_filed_of_a_site_without_text() -> None:
    env = make(BROWSE, backend="fake").unwrapped
    env.reset()
    page = env.text.machine.recorder.pages[0]
    env.text.machine.recorder.pages[0] = page.model_copy(update={"lines": (), "elements": ()})
    env.step(rows_of("free", env)[-1])
    *_, info = env.step(rows_of("reports", env)[0])
    assert info["status"] == "reported"


def test_an_exhausted_budget_opens_the_reports() -> None:
    env = make(BROWSE, max_steps=2).unwrapped
    observation, _ = env.reset(seed=0)
    for _ in range(2):
        assert not observation["action_mask"][rows_of("reports", env).start :].any()
        observation, *_ = env.step(rows_of("free", env)[1])
    assert observation["action_mask"][rows_of("reports", env).start :].all()


def test_another_reporter_writes_the_reports_and_a_bad_one_is_struck() -> None:
    env = make(BROWSE, reporter="browse_array_cases:no_report").unwrapped
    env.reset()
    env.step(rows_of("free", env)[-1])
    *_, info = env.step(rows_of("reports", env)[0])
    assert info["strikes"] == 1
    with pytest.raises(ConfigError, match="cannot be loaded"):
        make(BROWSE, reporter="browse_array_cases:nobody")


def test_rows_tell_what_was_tried_and_what_came_of_it(split: str) -> None:
    env = make(BROWSE, split, chains=["chaina"]).unwrapped
    column = {name: i - len(HISTORY_FEATURES) for i, name in enumerate(HISTORY_FEATURES)}
    observation, _ = env.reset()
    names = [move.element.name for move in env._features.seen.moves]
    offer = names.index("进入活动")
    assert not observation["options"][offer, column["used_anywhere"]]
    observation, *_ = env.step(offer)
    back = rows_of("free", env)[0]
    observation, *_ = env.step(back)
    row = observation["options"][offer]
    told = ("used_on_state", "used_on_path", "used_anywhere", "changed_page", "leads_to_seen")
    assert all(row[column[name]] > 0 for name in told)
    assert not any(row[column[name]] for name in ("no_effect", "failed", "leads_here", "new_element"))
    home = observation["options"][names.index("首页")]
    assert home[column["leads_to_seen"]], "a page with that title was seen"
    assert not observation["context"][CONTEXT_FEATURES.index("fresh_state")]


def test_a_list_has_a_row_for_each_option(split: str) -> None:
    env = make(BROWSE, split, chains=["chaina"]).unwrapped
    env.reset()
    names = [move.element.name for move in env._features.seen.moves]
    env.step(names.index("进入活动"))
    options = [move.option for move in env._features.seen.moves if move.option]
    assert options == ["甲城", "乙城"]
    row = next(i for i, move in enumerate(env._features.seen.moves) if move.option == "乙城")
    _, *_, info = env.step(row)
    assert info["action_result"] == "executed"
    assert '"option":"乙城"' in env.trajectory.steps[-1].action


def test_the_memory_keeps_what_other_pages_said() -> None:
    env = make(BROWSE).unwrapped
    size = env.sizes.memory_size
    observation, _ = env.reset(seed=2)
    kept, lines = observation["context"][-size:], set(env.text.machine.browsing.page.shown_text.split("\n"))
    assert np.count_nonzero(kept)
    for row in range(4):
        if not observation["action_mask"][row]:
            break
        observation, *_ = env.step(row)
        new = set(env.text.machine.browsing.page.shown_text.split("\n")) - lines
        lines |= new
        changed = not np.array_equal(observation["context"][-size:], kept)
        assert changed == bool(new)
        kept = observation["context"][-size:]
    before = kept
    observation, *_ = env.step(rows_of("free", env)[-1])
    np.testing.assert_array_equal(observation["context"][-size:], before)


def test_features_are_the_same_in_another_process() -> None:
    played = "digest(play(make(env_id), 3)['seen']) for env_id in (BROWSE, CHAIN)"
    code = f"from browse_array_cases import *; print(*({played}))"
    here = [digest(play(make(env_id), 3)["seen"]) for env_id in IDS]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(Path(__file__).parent)}
    there = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert there.stdout.split() == here


def test_hashing_is_pinned() -> None:
    places, sums = TextHasher(64).sparse("加微信 7")
    assert (places.tolist(), sums.tolist()) == PINNED
    assert TextHasher(64).sparse("加微信 3")[0].tolist() == places.tolist(), "digits are all the same"
    assert TextHasher(64, seed=1).sparse("加微信 7")[0].tolist() != places.tolist()


@pytest.mark.parametrize("env_id", IDS)
def test_neither_gold_nor_chain_id_is_observed(
    env_id: str, split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = chain_builder.make_chain

    def relabelled(ordinal: int = 0) -> Any:
        public, gold = made(ordinal)
        other = f"other{ordinal}"
        decision, kind = Decision.INSUFFICIENT_EVIDENCE, ViolationType.UNKNOWN
        site = gold.site.model_copy(update={"decision": decision, "violation_type": kind, "atoms": ()})
        message = gold.message.model_copy(update={"entry": "elsewhere.pw.test"})
        return public.model_copy(update={"chain_id": other}), gold.model_copy(
            update={"chain_id": other, "site": site, "message": message}
        )

    monkeypatch.setattr(chain_builder, "make_chain", relabelled)
    twin = chain_builder.write_split(tmp_path / "tiny")
    for seed in range(4):
        ours, theirs = (play(make(env_id, name, order="sequential"), seed)["seen"] for name in (split, twin))
        assert digest(ours) == digest(theirs)


@pytest.mark.contract
@pytest.mark.parametrize("env_id", IDS)
def test_shared_memory_carries_the_arrays(env_id: str) -> None:
    made = []
    for kind in (SyncVectorEnv, AsyncVectorEnv):
        envs: Any = kind([lambda: make(env_id, **SMALL)] * 2)
        observation, _ = envs.reset(seed=4)
        assert observation in envs.observation_space
        actions = observation["action_mask"].argmax(axis=1)
        made.append([observation, envs.step(actions)])
        envs.close()
    for first, second in zip(*made, strict=True):
        np.testing.assert_equal(first, second)


@pytest.mark.parametrize("env_id", IDS)
def test_a_vector_deals_its_cases_out(env_id: str, split: str) -> None:
    quick = {"proposer": "array_cases:spelled"} if env_id == CHAIN else {}
    envs: Any = gym.make_vec(env_id, 2, split=split, backend="text", order="sequential", **SMALL, **quick)
    envs.reset(seed=0)
    assert [env.unwrapped.trajectory.chain_id for env in envs.envs] == ["chaina", "chainb"]
    envs.reset(options={"chains": ["chaind", "chainc"]})
    assert [env.unwrapped.trajectory.chain_id for env in envs.envs] == ["chaind", "chainc"]


@pytest.mark.parametrize(("env_id", "fail_at"), [(BROWSE, 1), (BROWSE, 3), (CHAIN, 1), (CHAIN, 3)])
def test_a_lost_backend_ends_the_episode_uncounted(env_id: str, fail_at: int) -> None:
    env = make(env_id, backend="fake").unwrapped
    env.text.backend = LossyBackend(env.text.backend, [fail_at])
    observation, info = env.reset()
    rewards, truncated = [], False
    while not truncated:
        assert observation["action_mask"].any()
        observation, reward, terminated, truncated, info = env.step(int(observation["action_mask"].argmax()))
        rewards.append(reward)
        assert not terminated
    assert observation in env.observation_space
    assert not info["valid"]
    assert info["outcome"]["status"] == "infra_error"
    assert "web_correct" not in info["outcome"]
    assert not any(rewards)


def test_the_explorer_can_be_cloned_from() -> None:
    env = make(BROWSE).unwrapped
    known = asked = 0
    for seed in range(3):
        agent = Explorer()
        agent.reset(Instructions({}, {}))
        env.reset(seed=seed)
        ended = False
        while not ended:
            action = agent.investigate(observe(env.text.machine))
            row = env.row_of(action)
            asked, known = asked + 1, known + (row is not None)
            *_, terminated, truncated, info = env.step(row)
            ended = terminated or truncated
        assert info["outcome"]["web_correct"] == 1
    assert known == asked


def test_a_step_needs_an_episode() -> None:
    env = make(BROWSE, **SMALL).unwrapped
    with pytest.raises(ResetNeeded):
        env.step(0)
    play(env)
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.close()
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()


@pytest.mark.parametrize("env_id", [BROWSE, CHAIN])
def test_rows_and_actions_need_an_episode(env_id: str) -> None:
    env = make(env_id, **SMALL).unwrapped
    questions = [lambda: env.action_text(0), lambda: env.action_text(40), lambda: env.row_of("{}")]
    questions += [
        lambda: env.row_of(chain_builder.stop_text()),
        lambda: env.row_of("no action"),
        lambda: env.row_of(chain_builder.commit_text("a.b.test")),
    ]
    for question in questions:
        with pytest.raises(ResetNeeded):
            question()
    observation, _ = env.reset(seed=1)
    masked = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    for row in (masked, -1, 10**6, "0"):
        with pytest.raises(ConfigError, match="may not be chosen now"):
            env.action_text(row)
    env.close()
    for question in questions:
        with pytest.raises(ResetNeeded):
            question()


@pytest.mark.parametrize(
    ("kwargs", "hint"),
    [
        ({"control": 3}, "Did you mean 'controls'"),
        ({"controls": 0}, "controls: give a whole number from 1"),
        ({"memory_size": 1.5}, "memory_size: give a whole number"),
        ({"hash_seed": -1}, "hash_seed: give a whole number"),
        ({"observe": ["screenshot"]}, "so no 'observe'"),
    ],
)
def test_bad_arguments_are_sentences(kwargs: dict[str, Any], hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        make(BROWSE, **kwargs)
    with pytest.raises(ConfigError, match=hint):
        gym.make_vec(BROWSE, 2, backend="text", **kwargs)


def test_the_rows_are_as_wide_as_their_names_say() -> None:
    env = make(BROWSE).unwrapped
    sizes = env.sizes
    assert env.observation_space["options"].shape == (
        sizes.controls + 3 + len(TYPES),
        len(FIXED_FEATURES) + sizes.control_size + len(HISTORY_FEATURES),
    )
    assert env.observation_space["context"].shape == (len(CONTEXT_FEATURES) + sizes.page_size + sizes.memory_size,)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["首页", "活动", "返利", "转账", " ", "客服"]), max_size=5), min_size=1, max_size=5
    )
)
def test_the_lines_cited_are_the_rarest_and_of_these_the_latest(pages: list[list[str]]) -> None:
    shown = {i: ObservedPage(path=f"/{i}", title="", lines=[{"text": t} for t in each]) for i, each in enumerate(pages)}
    lines = list(dict.fromkeys(line for each in reversed(pages) for line in each if line.strip()))
    first = {line: next(i for i, each in enumerate(pages) if line in each) for line in lines}
    wanted = sorted((sum(line in each for each in pages), -first[line]) for line in lines)[:CITED]
    cited = [c for c in cite_rare_lines(ViolationType.NONE, shown).evidence if c.quote]
    assert [(sum(c.quote in each for each in pages), -c.step) for c in cited] == wanted
    assert all(first[c.quote] == c.step for c in cited)
