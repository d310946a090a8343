"""Evidence shaping: it pays for what was shown, and adds the same to every trajectory that begins alike."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, entry_of, report_text, stop_text
from chain_player import make
from gymnasium.wrappers import TimeLimit
from hypothesis import given, settings
from hypothesis import strategies as st
from lossy_backend import LossyBackend

from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.wrappers.evidence_shaping import EvidenceShaping
from riskchain_gym.envs.wrappers.options import mask_of
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.evidence import score_evidence

OFFER = action_text("click", "e2")
COMMIT, WRONG, STOP = commit_text(entry_of(0)), commit_text("wrong.pw.test"), stop_text()
REPORT = report_text(Decision.VIOLATION, "欢迎")
FIRST = {"options": {"chain": "chaina"}}


Paid = list[float]


def played(env: Any, actions: list[str], **reset: Any) -> tuple[Paid, list[Any], dict[str, Any]]:
    """Rewards, what was shown, and the last info; the episode is ended if the actions do not."""
    observation, info = env.reset(**{**FIRST, **reset})
    rewards, seen = [], [observation]
    for action in (*actions, STOP, *["x"] * 6):
        observation, reward, terminated, truncated, info = env.step(action)
        rewards.append(float(reward))
        seen.append(observation)
        if terminated or truncated:
            break
    return rewards, seen, info


def discounted(rewards: Paid, gamma: float) -> float:
    return sum(reward * gamma**t for t, reward in enumerate(rewards))


actions = st.lists(
    st.one_of(
        st.sampled_from([action_text(name) for name in ("back", "reload", "scroll_down")]),
        st.builds(
            action_text, st.sampled_from(["click", "fill", "check", "submit"]), st.integers(1, 12).map("e{}".format)
        ),
        st.sampled_from([OFFER, OFFER, "{}", STOP, REPORT]),
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None)
@given(sent=actions, gamma=st.floats(0.5, 1), scale=st.floats(-2, 2), right=st.booleans(), routing=st.booleans())
def test_it_adds_nothing_to_any_return_of_the_whole_chain(
    split: str, sent: list[str], gamma: float, scale: float, right: bool, routing: bool
) -> None:
    kwargs: dict[str, Any] = {"routing": "committed" if routing else "reference", "max_steps": 6}
    plain = make(split, **kwargs)
    shaped = EvidenceShaping(make(split, **kwargs), scale, gamma)
    script = [COMMIT if right else WRONG, *sent]

    (one, seen, info), (other, seen_too, info_too) = played(plain, script), played(shaped, script)

    assert discounted(other, gamma) == pytest.approx(discounted(one, gamma), abs=1e-9)
    assert str(seen) == str(seen_too)
    assert info == info_too


@settings(max_examples=25, deadline=None)
@given(sent=actions, gamma=st.floats(0.5, 1), chain=st.sampled_from(["chaina", "chainb"]))
def test_of_a_site_that_is_opened_at_reset_it_takes_what_was_shown_there(
    split: str, sent: list[str], gamma: float, chain: str
) -> None:
    shaped = EvidenceShaping(make(split, "RiskChainBrowse-v0"), 1.0, gamma)
    reset = {"options": {"chain": chain}}
    one, _, _ = played(make(split, "RiskChainBrowse-v0"), sent, **reset)
    other, _, _ = played(shaped, sent, **reset)
    assert discounted(other, gamma) == pytest.approx(discounted(one, gamma), abs=1e-9)


def test_every_deciding_line_pays_once_when_it_is_first_shown(split: str) -> None:
    env: Any = EvidenceShaping(make(split), scale=0.5)
    rewards, _, info = played(env, [COMMIT, OFFER, action_text("back"), OFFER])
    # The claim is one of two deciding lines; the second is never come to, and the end takes back what was paid.
    assert rewards[:4] == [0, 0.25, 0, 0]
    assert rewards[-1] == -0.25
    assert info["outcome"]["evidence.seen"] == 0.5


def test_what_counts_as_shown_is_what_the_evidence_score_counts() -> None:
    env: Any = EvidenceShaping(gym.make("riskchain_gym:RiskChainBrowse-v0", split="mini", backend="text"))
    explorer = Explorer()
    for chain, gold in list(load_gold("mini").items())[:6]:
        observation, _ = env.reset(options={"chain": chain})
        explorer.reset(build_instructions())
        shown = score_evidence(None, env.unwrapped.machine.recorder.pages, gold.site).seen
        while observation["phase"] == 1:
            observation, reward, *_ = env.step(explorer.investigate(observation))
            shown += reward
            pages = env.unwrapped.machine.recorder.pages
            assert shown == pytest.approx(score_evidence(None, pages, gold.site).seen)
        assert shown > 0


def test_an_episode_that_was_lost_is_paid_nothing_at_its_end(split: str) -> None:
    env: Any = EvidenceShaping(make(split))
    env.unwrapped.backend = LossyBackend(env.unwrapped.backend, fail_at={3})
    env.reset(**FIRST)
    env.step(COMMIT)
    assert env.step(OFFER)[1] == 0.5
    _, reward, terminated, truncated, info = env.step(action_text("reload"))
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, True, False)
    env.reset(**FIRST)
    assert [env.step(action)[1] for action in (COMMIT, OFFER)] == [0, 0.5]


def test_an_episode_that_a_time_limit_cuts_off_has_not_ended(split: str) -> None:
    env: Any = EvidenceShaping(TimeLimit(make(split), 2))
    env.reset(**FIRST)
    env.step(COMMIT)
    _, reward, terminated, truncated, _ = env.step(OFFER)
    assert (reward, terminated, truncated) == (0.5, False, True)


def test_it_is_made_again_from_its_spec_and_takes_the_discount_of_the_environment(split: str) -> None:
    env: Any = EvidenceShaping(make(split, discount=0.5), scale=2.0)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert isinstance(again, EvidenceShaping)
    sent = [COMMIT, OFFER, action_text("reload")]
    assert played(again, sent)[0] == played(env, sent)[0]
    assert played(env, sent)[0][1:3] == [0.5, -0.5]


def test_a_vector_takes_it_as_a_wrapper(split: str) -> None:
    envs = gym.make_vec(
        "RiskChain-v0", 2, vectorization_mode="sync", wrappers=[EvidenceShaping], split=split, backend="text"
    )
    envs.reset(options={"chain": "chaina"})
    envs.step([COMMIT, WRONG])
    _, rewards, *_ = envs.step([OFFER, action_text("reload")])
    assert list(np.asarray(rewards)) == [0.5, 0.0]
    envs.close()


def test_what_it_cannot_shape_is_refused(split: str) -> None:
    with pytest.raises(ConfigError, match="RiskChainRestore-v0"):
        EvidenceShaping(make(split, "RiskChainRestore-v0"))
    with pytest.raises(ConfigError, match="reward='none'"):
        EvidenceShaping(make(split, reward="none"))
    with pytest.raises(ConfigError, match="CartPole"):
        EvidenceShaping(gym.make("CartPole-v1"))
    for arguments in ((float("nan"),), ("1",), (1.0, 0), (1.0, 1.5), (True,), (10**400,), (1.0, 10**400)):
        with pytest.raises(ConfigError, match="give a"):
            EvidenceShaping(make(split), *arguments)


@pytest.mark.parametrize("env_id", ["RiskChainBrowseSelect-v0", "RiskChainSelect-v0"])
def test_nothing_is_shaped_twice(split: str, env_id: str) -> None:
    shaped = make(split, env_id, evidence_shaping=1.0)
    for env in (shaped, TimeLimit(shaped, 5), TimeLimit(EvidenceShaping(make(split, env_id)), 5)):
        with pytest.raises(ConfigError, match="paid evidence shaping already"):
            EvidenceShaping(env)
    EvidenceShaping(make(split, env_id, evidence_shaping=0))
    with pytest.raises(ConfigError, match="paid evidence shaping already"):
        EvidenceShaping(EvidenceShaping(make(split)))
    for scale in (10**400, [], None, True):
        with pytest.raises(ConfigError, match="give a finite number"):
            make(split, env_id, evidence_shaping=scale)


@pytest.mark.parametrize("env_id", ["RiskChainBrowseSelect-v0", "RiskChainSelect-v0"])
def test_array_ids_take_it_as_a_wrapper_and_as_a_keyword(split: str, env_id: str) -> None:
    def rewards(env: Any) -> Paid:
        observation, _ = env.reset(**FIRST)
        paid = [] if env_id == "RiskChainBrowseSelect-v0" else [float(env.step(mask_of(observation).argmax())[1])]
        return paid + [float(env.step(env.unwrapped.row_of(sent))[1]) for sent in (OFFER, STOP, REPORT)]

    plain = rewards(make(split, env_id))
    wrapped = rewards(EvidenceShaping(make(split, env_id), 0.5))
    keyword = rewards(make(split, env_id, evidence_shaping=0.5))
    assert wrapped == keyword
    assert [one - other for one, other in zip(wrapped, plain, strict=True)][-3:] == [0.25, 0, -0.25]
    with pytest.raises(ConfigError, match="reward='none'"):
        make(split, env_id, evidence_shaping=0.5, reward="none")
