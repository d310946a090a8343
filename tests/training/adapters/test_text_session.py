"""A text session: observations and strikes as text, the plain environment's rewards, no score for a lost episode."""

from __future__ import annotations

import json

import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_player import NOWHERE, SPLIT, STORIES, Infrastructure, Story, assert_says_nothing, by_heart, chains

from riskchain_gym.llm.fence import blocks_in
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.training.adapters.session import OVER, EpisodeLostError, TextSession

KEPT: dict[str, TextSession] = {}


def session_for(reward: str = "gated") -> TextSession:
    """One session for each reward, used again and again as trainers do."""
    if reward not in KEPT:
        needs = {"web_outcomes": 0.5} if reward.startswith("delta") else {}
        KEPT[reward] = TextSession(split=SPLIT, backend="text", reward=reward, **needs)
    return KEPT[reward]


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped", "web"])
@pytest.mark.parametrize("story", STORIES)
def test_calls_earn_what_the_same_actions_earn_in_gymnasium(reward: str, story: Story) -> None:
    session = session_for(reward)
    for chain in chains()[:3]:
        play = by_heart(chain, story, reward)
        session.reset(chain=chain)
        for name, arguments in play.calls:
            session.call(name, arguments)
        assert session.done == (story != "silent")
        assert session.settle() == session.reward == pytest.approx(play.reward)
        assert session.valid
        session.reset(chain=chain)
        for action in play.actions:
            session.act(action)
        assert session.settle() == pytest.approx(play.reward)


def test_the_rewards_differ_so_that_the_test_above_says_something() -> None:
    assert {by_heart(chains()[0], story, "delta_gate").reward for story in STORIES} == {1.0, 0.5, 0.0}


def test_no_text_tells_whether_the_gate_is_open() -> None:
    session = session_for("delta_gate")
    for chain in chains():
        told = []
        for story in ("right", "wrong"):
            first = session.reset(chain=chain)
            texts = [session.call(*call) for call in by_heart(chain, story).calls]
            assert session.outcome["gate.passed"] is (story == "right")
            assert_says_nothing([session.system_prompt, first, *texts], chain)
            assert NOWHERE not in "".join(texts)
            told.append(texts)
        assert told[0] == told[1]


def test_the_message_arrives_code_point_by_code_point() -> None:
    session = session_for()
    for chain in chains():
        shown = session.reset(chain=chain)
        observation, _ = session.env.reset(options={"chain": chain})
        assert blocks_in(shown)["message"] == json.loads(observation["text"])


def test_a_page_arrives_with_its_lines_elements_and_objectives() -> None:
    session = session_for()
    session.reset(chain=chains()[0])
    shown = blocks_in(session.call(*by_heart(chains()[0], "right").calls[0]))
    landing = session.env.trajectory.page_at(0)
    assert landing is not None
    assert shown["page"]["lines"] == [line.text for line in landing.lines]
    assert [each["element_id"] for each in shown["page"]["elements"]] == [e.element_id for e in landing.elements]
    assert len(shown["coverage_objectives"]) == 6


def test_what_fits_no_tool_is_told_and_a_strike() -> None:
    session = session_for()
    session.reset(chain=chains()[0])
    assert "no place in this phase" in blocks_in(session.call("click", {"element_id": "e1"}))["feedback"]
    told = blocks_in(session.call("comit", {}))["feedback"]
    assert "Did you mean 'commit'?" in told
    assert told.endswith("Strike 2 of 3.")
    assert session.phase is Phase.RESTORE
    session.call(*by_heart(chains()[0], "right").calls[0])
    told = blocks_in(session.call("click", {"element": "e1"}))["feedback"]
    assert "no argument 'element'" in told
    assert "element_id" in told
    assert told.endswith("Strike 1 of 3.")
    session.call("click", "e1")  # no object
    assert session.env.trajectory.steps[-1].strikes == 2
    assert "report now" in blocks_in(session.call("press", {"element_id": "e1", "key": "Tab"}))["feedback"]
    assert session.phase is Phase.REPORT


def test_a_refused_restoration_is_not_quoted_once_it_is_frozen() -> None:
    session = session_for()
    session.reset(chain=chains()[0])
    secret = "SEEN-IN-THE-MESSAGE"
    texts = [session.call("commit", {"intent": secret}) for _ in range(3)]
    assert secret in texts[1]
    assert session.phase is Phase.BROWSE
    assert secret not in texts[2]


@pytest.mark.parametrize("name", [None, 5, ["a"], {}, b"commit", object()])
def test_a_name_or_an_answer_that_is_no_text_is_a_strike(name: object) -> None:
    session = session_for()
    session.reset(chain=chains()[0])
    told = blocks_in(session.call(name, {}))["feedback"]
    assert told.startswith("The name of a tool is a text, got ")
    assert told.endswith("Tools here: commit. Strike 1 of 3.")
    told = blocks_in(session.act(name))["feedback"]
    assert told.startswith("An answer is a text, got ")
    assert told.endswith("Strike 2 of 3.")
    assert session.reward == 0.0


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=80), st.recursive(st.none() | st.text(max_size=9) | st.integers(), st.lists))
def test_whatever_is_sent_is_an_observation_and_pays_nothing(name: str, arguments: object) -> None:
    session = session_for()
    session.reset(chain=chains()[0])
    for _ in range(5):
        assert isinstance(session.call(name, arguments), str)
        assert isinstance(session.act(name), str)
    assert session.done
    assert session.reward == 0.0
    assert session.call("stop", {}) == OVER
    assert session.last_reward == 0.0


@pytest.mark.parametrize("after", range(4))
def test_a_lost_episode_has_no_reward_and_the_next_one_has(infrastructure: Infrastructure, after: int) -> None:
    session = session_for("delta_gate")
    chain = chains()[1]
    calls = by_heart(chain, "wrong", "delta_gate").calls
    session.reset(chain=chain)
    for call in calls[:after]:
        session.call(*call)
    infrastructure.lose()
    texts = [session.call(*call) for call in calls[after:]]
    assert infrastructure.lost == 1
    assert (session.lost, session.valid, session.done) == ("browser_lost", False, True)
    assert (session.reward, session.last_reward, session.settle(), session.outcome) == (None, None, None, {})
    assert "does not count" in texts[0]
    assert_says_nothing(texts, chain)
    with pytest.raises(EpisodeLostError, match="browser_lost"):
        session.check()
    session.reset(chain=chain)
    session.check()
    assert session.reward == 0.0
    for call in calls:
        session.call(*call)
    assert session.reward == pytest.approx(by_heart(chain, "wrong", "delta_gate").reward)


def test_an_error_of_the_environment_itself_is_no_score_either(monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_for()
    session.reset(chain=chains()[0])

    def broken(action: str) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(session.env, "step", broken)
        with pytest.raises(ZeroDivisionError):
            session.act("{}")
    assert (session.reward, session.lost) == (None, "ZeroDivisionError")
    assert session.act("{}") == OVER


def test_a_failure_while_resetting_is_known_before_the_first_step(infrastructure: Infrastructure) -> None:
    session = TextSession("RiskChainBrowse-v0", split=SPLIT, backend="text")
    infrastructure.lose()
    assert "does not count" in session.reset(seed=1)
    assert (session.lost, session.reward, session.done) == ("browser_lost", None, True)
    assert session.reset(seed=1).startswith("Phase: browse")


def test_closing_twice_and_using_it_again() -> None:
    session = TextSession(split=SPLIT, backend="text")
    with pytest.raises(ResetNeeded):
        session.act("{}")
    assert session.reward is None
    session.reset(seed=3)
    session.close()
    session.close()
    assert session.reward is None
    with pytest.raises(ResetNeeded):
        session.call("stop", {})
    assert session.reset(seed=3).startswith("Phase: restore")
    session.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"env_id": "RiskChain-v1"}, "Did you mean 'RiskChain-v0'?"),
        ({"env_id": 5}, "got 5: give it as text"),
        ({"env_id": ["RiskChain-v0"]}, "give it as text"),
        ({"env_id": None}, "got None: give it as text"),
        ({"actions": "browsergym", "backend": "text"}, "actions='browsergym'"),
        ({"observe": ["screenshot"], "backend": "fake"}, "shows no pictures"),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        TextSession(**wrong)  # type: ignore[arg-type]
