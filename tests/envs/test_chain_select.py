"""The whole chain as a masked choice: readings, rewards, what is hidden while browsing, and the one revision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browse_array_cases import CHAIN, SMALL, digest, make, play, text
from chain_builder import VARIANTS, entry_of
from gymnasium.utils.env_checker import check_env

from riskchain_gym.envs.wrappers import chain_select
from riskchain_gym.envs.wrappers.browse_features import TYPES
from riskchain_gym.envs.wrappers.proposing import Proposals
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.message import Message

RIGHT, WRONG = 1, 2
TINY = "test_chain_select:two_readings"
REWARDS: tuple[dict[str, Any], ...] = (
    {"reward": "gated"},
    {"reward": "delta_gate", "web_outcomes": 0.4},
    {"reward": "delta_gate_shaped", "web_outcomes": 0.7, "discount": 0.9},
    {"reward": "web"},
    {"reward": "none"},
    {"reward": "gated", "routing": "committed"},
    {"reward": "gated", "routing": "curriculum", "p_reference": 0.5},
)


def two_readings(message: Message, _limit: int) -> Proposals:
    """Propose the right entry of a chain of the tiny split, then a wrong one; row and message have odd features."""
    number = next((n for n in range(4) if f"00{n}" in message.messages[0].content), 0)
    entries = (None, entry_of(number), "wrong.pw.test")

    def commit(row: int) -> Commit:
        named = entries[row]
        return Commit(entry_candidates=() if named is None else (EntryCandidate(rank=1, value=named),))

    spelling = float(sum(map(ord, message.messages[0].content)))
    return Proposals(
        np.array([spelling, 0.25], np.float32),
        np.array([[9.0], [0.5], [-9.0]], np.float32),
        entries,
        commit,
        ("spelling", "quarter"),
        ("odd",),
    )


def make_tiny(split: str, **kwargs: Any) -> Any:
    return make(CHAIN, split, proposer=TINY, candidates=4, **SMALL, **kwargs)


def last_rows(env: Any) -> tuple[int, range]:
    """The row that stops, and those that report."""
    end = int(env.action_space.n)
    return end - len(TYPES) - 1, range(end - len(TYPES), end)


def to_the_report(env: Any, reading: int, **reset: Any) -> tuple[dict[str, Any], list[float]]:
    env.reset(**reset)
    rewards = [env.step(reading)[1]]
    observation, reward, *_ = env.step(last_rows(env)[0])
    return observation, [*rewards, reward]


@pytest.mark.parametrize("given", REWARDS)
@pytest.mark.parametrize("seed", range(3))
def test_every_reward_is_that_of_the_text_environment(split: str, given: dict[str, Any], seed: int) -> None:
    ours = play(make_tiny(split, **given), seed, masked=0.1)
    env = text(CHAIN, split, **given)
    env.reset(seed=seed)
    theirs = [env.step(step.action) for step in ours["trajectory"].steps]
    assert [reward for _, reward, *_ in theirs] == ours["rewards"]
    assert theirs[-1][2]
    assert theirs[-1][4] == ours["info"]
    assert env.unwrapped.trajectory.trajectory_hash() == ours["trajectory"].trajectory_hash()


@pytest.mark.parametrize(
    ("given", "right", "wrong"),
    [
        ({"reward": "gated"}, [0, 0, 1], [0, 0, 0]),
        ({"reward": "delta_gate", "web_outcomes": 0.4}, [0, 0, 1], [-0.4, 0, 1]),
        ({"reward": "delta_gate_shaped", "web_outcomes": 0.4}, [0, 0, 1], [-0.4, 0, 0.4]),
        ({"reward": "web"}, [0, 0, 1], [0, 0, 1]),
        ({"reward": "none"}, [0, 0, 0], [0, 0, 0]),
    ],
)
def test_what_a_right_report_behind_each_reading_is_paid(
    split: str, given: dict[str, Any], right: list[float], wrong: list[float]
) -> None:
    env = make_tiny(split, chains=["chaina"], **given)
    for reading, wanted in ((RIGHT, right), (WRONG, wrong)):
        _, rewards = to_the_report(env, reading)
        row = last_rows(env)[1][TYPES.index(ViolationType.FRAUD_DECEPTIVE_INDUCEMENT)]
        _, reward, terminated, _, info = env.step(row)
        assert [*rewards, reward] == pytest.approx(wanted)
        assert terminated
        assert info["outcome"].get("gate.passed", given["reward"] == "none" or None) in (True, reading == RIGHT)


def test_readings_can_be_chosen_first_and_only_then(split: str) -> None:
    env = make_tiny(split)
    observation, _ = env.reset(seed=0)
    assert observation["action_mask"].tolist()[:5] == [1, 1, 1, 0, 0], "two readings and the one without an entry"
    assert not observation["action_mask"][5:].any()
    assert observation in env.observation_space, "what a proposer gives beyond the bounds is cut"
    assert observation["options"][:3, 2].tolist() == [1.0, 0.5, -1.0]
    observation, *_ = env.step(0)
    assert not observation["action_mask"][:5].any()
    assert observation["action_mask"][5:].any()


def test_browsing_shows_nothing_of_the_message_nor_of_the_reading(split: str) -> None:
    shown = set()
    for variant in VARIANTS:
        for reading in (0, RIGHT, WRONG):
            env = make_tiny(split, reward="delta_gate", web_outcomes=0.5)
            first, _ = env.reset(options={"chain": "chaina", "variant": variant})
            assert first["context"][3:5].any()
            seen = [env.step(row)[0] for row in (reading, 6, 5, last_rows(env)[0])]
            shown.add(digest(seen))
    assert len(shown) == 1


@pytest.mark.parametrize("config", ["joint", "joint-blind"])
@pytest.mark.parametrize("reading", [RIGHT, WRONG])
def test_one_revision_may_be_chosen_before_the_report(split: str, config: str, reading: int) -> None:
    env = make_tiny(split, config=config, chains=["chaina"])
    observation, _ = to_the_report(env, reading)
    told = config == "joint"
    assert observation["action_mask"][:3].all()
    assert observation["action_mask"][last_rows(env)[1].start :].all()
    assert observation["context"][:3].tolist() == [1.0, told and reading == RIGHT, told and reading == WRONG]
    assert observation["context"][4] == 0.25, "the message is shown again"
    assert observation["options"][:3, 1].tolist() == [row == reading for row in range(3)]
    observation, *_ = env.step(RIGHT)
    assert not observation["action_mask"][:5].any()
    assert observation["context"][0] == 0.0
    *_, info = env.step(RIGHT)
    assert info["strikes"] == 1
    *_, terminated, _, info = env.step(last_rows(env)[1][0])
    assert terminated
    assert info["outcome"]["revised_gate.passed"]
    assert info["outcome"]["gate.passed"] == (reading == RIGHT)


def test_joint_environments_satisfy_gymnasium(split: str) -> None:
    check_env(make_tiny(split, config="joint").unwrapped)


def test_commits_and_rows_are_one(split: str) -> None:
    env = make_tiny(split).unwrapped
    env.reset(seed=0)
    for row in range(3):
        assert env.row_of(env.action_text(row)) == row
    named = Commit(entry_candidates=(EntryCandidate(rank=1, value="nowhere.test"),))
    assert env.row_of(named.model_dump_json()) is None


def test_the_default_proposer_opens_the_gate_of_some_chain_of_mini() -> None:
    env = make(CHAIN, proposer=chain_select.PROPOSER, candidates=8, order="sequential", **SMALL)
    passed = 0
    for _ in range(3):
        to_the_report(env, 1)
        *_, info = env.step(last_rows(env)[1][0])
        passed += info["outcome"]["gate.passed"]
    assert passed


def test_a_struck_out_restoration_is_no_reading(split: str) -> None:
    env = make_tiny(split, config="joint")
    env.reset(seed=0)
    for _ in range(3):
        *_, info = env.step(-1)
    assert info["phase"] == "browse"
    observation, *_ = env.step(last_rows(env)[0])
    assert not observation["options"][:5, 1].any()
    assert observation["context"][:3].tolist() == [1.0, 0.0, 1.0]
