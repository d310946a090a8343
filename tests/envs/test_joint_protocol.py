"""The joint protocol: what the report phase shows again, and the one revision that it takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, stop_text
from chain_player import make
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_player import GOOD, RIGHT, WRONG, feed, kinds, last_result, machine

from riskchain_gym.agents.llm.notes import Notes
from riskchain_gym.envs.config import EnvConfig, RewardTerms, check_combination
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.revision import REVISED, REVISED_ONCE, TOLD
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.validator import validate

STOP = stop_text()


def played(*actions: object, revision: str = "told") -> Any:
    return feed(machine(revision=revision), *actions)


@pytest.mark.parametrize(("commit", "right"), [(RIGHT, True), (WRONG, False)])
def test_the_report_phase_shows_message_and_restoration_again_and_says_one_bit(commit: str, right: bool) -> None:
    m = played(commit, STOP)

    shown, restoration, told, *page = str(observe(m)["text"]).split("\n")

    case = m.episode.case
    assert Message.model_validate_json(shown) == case.chain.variants[case.variant]
    assert Commit.model_validate_json(restoration) == Commit.model_validate_json(commit)
    assert told == TOLD[right]
    assert "\n".join(page) == m.browsing.page.shown_text
    assert json.loads(observe(m)["elements"])["revision"] == {"lines": 3, "open": True}


def test_what_a_page_says_stands_below_and_cannot_pass_for_feedback() -> None:
    blind = played(WRONG, STOP, revision="blind")
    told = {"lines": 2, "open": True}

    assert json.loads(observe(blind)["elements"])["revision"] == told
    assert not any(sentence in observe(blind)["text"] for sentence in TOLD.values())


@given(st.lists(st.sampled_from([action_text("scroll_down"), action_text("reload"), "{}", RIGHT, "x"]), max_size=5))
@settings(max_examples=30, deadline=None)
def test_the_browse_phase_is_what_it_is_without_the_protocol(actions: list[str]) -> None:
    joint, usual = played(WRONG), feed(machine(), WRONG)
    for action in actions:
        assert joint.phase is usual.phase
        if joint.phase is not Phase.BROWSE:
            break
        assert {k: str(v) for k, v in observe(joint).items()} == {k: str(v) for k, v in observe(usual).items()}
        joint.act(action)
        usual.act(action)


def test_one_revision_is_kept_beside_the_commit_and_a_second_is_a_strike() -> None:
    m = played(WRONG, STOP, RIGHT)
    assert (last_result(m), m.strikes, m.phase, m.feedback) == (ActionStatus.EXECUTED, 0, Phase.REPORT, REVISED)
    assert json.loads(observe(m)["elements"])["revision"]["open"] is False

    feed(m, RIGHT)
    assert (last_result(m), m.strikes) == (ActionStatus.INVALID, 1)
    assert REVISED_ONCE in m.feedback
    assert kinds(m)[-1] is FailureKind.MALFORMED_ACTION

    feed(m, GOOD)
    trajectory = m.recorder.trajectory()
    assert trajectory.status is EpisodeStatus.REPORTED
    assert (trajectory.commit, trajectory.revised_commit) == tuple(map(Commit.model_validate_json, (WRONG, RIGHT)))
    assert validate(trajectory, max_steps=30, strikes=3).problems == ()


def test_a_revision_changes_no_other_figure() -> None:
    usual = feed(machine(), WRONG, STOP, GOOD)
    joint = played(WRONG, STOP, RIGHT, GOOD)
    assert usual.outcome is not None
    assert joint.outcome is not None
    assert joint.outcome.revised is not None

    assert joint.outcome.model_copy(update={"revised": None, "failures": ()}) == usual.outcome.model_copy(
        update={"failures": ()}
    )
    assert (joint.outcome.benchmark_score, joint.outcome.gate_loss) == (0, 1)
    assert joint.outcome.revised.gate.passed
    assert joint.outcome.revised.end_to_end_correct == 1
    flat = joint.outcome.flat()
    assert (flat["revised_end_to_end_correct"], flat["revised_gate.passed"], flat["gate.passed"]) == (1, True, False)
    assert not any(name.startswith("revised") for name in usual.outcome.flat())


def test_a_revision_pays_nothing() -> None:
    def paid(*actions: str) -> float:
        m = machine(revision="told")
        return sum(m.act(action) for action in actions)

    assert paid(WRONG, STOP, RIGHT, GOOD) == paid(WRONG, STOP, GOOD) == 0
    assert paid(RIGHT, STOP, WRONG, GOOD) == paid(RIGHT, STOP, GOOD) == 1


def test_who_restored_nothing_may_revise_too() -> None:
    m = feed(machine(revision="told"), "x", "x", "x", STOP)
    assert TOLD[False] in observe(m)["text"]
    feed(m, RIGHT, GOOD)
    assert m.outcome is not None
    assert m.outcome.revised is not None
    assert (m.outcome.benchmark_score, m.outcome.revised.end_to_end_correct) == (0, 1)


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ('{"entry_candidates":[{"rank":9,"value":"a"}]}', "entry_candidates.0.rank"),
        (commit_text(entry_of(0), message_id="m009"), "m001"),
        ('{"intent":"OPEN_SITE","intend":1}', "intend"),
        ('{"decision":"VIOLATION","intent":"OPEN_SITE"}', "intent"),
    ],
)
def test_a_revision_that_is_none_is_a_strike_that_helps(sent: str, says: str) -> None:
    m = played(WRONG, STOP, sent)
    assert (last_result(m), m.strikes) == (ActionStatus.INVALID, 1)
    assert says in m.feedback
    assert "restore phase" not in m.feedback
    assert m.recorder.revised_commit is None


def test_notes_on_the_last_page_hold_nothing_of_the_message() -> None:
    """The budget ends with a page that only the report phase shows, below message and restoration."""
    m = feed(machine(revision="told", max_steps=1), WRONG, action_text("click", "e1"))
    notes = Notes()
    notes.end(observe(m))
    page = m.recorder.pages[1]
    assert notes.pages[1].lines == tuple(line.text for line in page.lines)


def test_without_the_protocol_a_commit_is_no_report() -> None:
    m = feed(machine(), WRONG, STOP, RIGHT)
    assert (last_result(m), kinds(m)[-1]) == (ActionStatus.INVALID, FailureKind.INVALID_REPORT)
    assert observe(m)["text"] == m.browsing.page.shown_text  # type: ignore[union-attr]
    assert "revision" not in json.loads(observe(m)["elements"])


def test_json_of_an_episode_without_a_revision_does_not_name_it() -> None:
    trajectory = feed(machine(), RIGHT, STOP, GOOD).recorder.trajectory()
    assert "revised" not in canonical_json(trajectory)
    assert "revis" not in machine().config.model_dump_json()
    assert "revised" not in canonical_json(score_episode(trajectory, make_chain(0)[1]))
    assert Trajectory.model_validate_json(canonical_json(trajectory)) == trajectory


def test_a_revision_is_part_of_the_trajectory_and_of_its_hash() -> None:
    trajectory = played(WRONG, STOP, RIGHT, GOOD).recorder.trajectory()
    assert Trajectory.model_validate_json(canonical_json(trajectory)) == trajectory
    without = trajectory.model_copy(update={"revised_commit": None})
    other = trajectory.model_copy(update={"revised_commit": trajectory.commit})
    assert len({each.trajectory_hash() for each in (trajectory, without, other)}) == 3
    for forged in (without, other):
        assert "revised_commit: it is not the one that was sent" in validate(forged).problems


def test_told_needs_someone_who_knows_the_gate(split: str) -> None:
    env = make(split, config="joint", reward="none")
    with pytest.raises(ConfigError, match=r"revision='told'.*inject_gate"):
        env.reset(seed=0)

    env.unwrapped.inject_gate(lambda chain, commit: True)
    env.reset(seed=0)
    env.step(WRONG)
    observation, *_ = env.step(STOP)
    assert TOLD[True] in observation["text"]


def test_blind_needs_no_gold(split: str) -> None:
    env = make(split, config="joint-blind", reward="none")
    env.reset(options={"chain": "chaina"})
    for action in (WRONG, STOP, RIGHT, GOOD.replace("欢迎来到首页", "欢迎")):
        _, _, terminated, _, info = env.step(action)
    assert terminated
    assert not any(name.startswith("revised") for name in info["outcome"])
    assert env.unwrapped.trajectory.revised_commit is not None


def test_the_schema_of_the_report_phase_has_both(split: str) -> None:
    schema = make(split, config="joint").unwrapped.action_schema()["report"]
    names = {each["$ref"].rpartition("/")[2] for each in schema["anyOf"]}
    assert names == {"Report", "Commit"}
    assert names <= schema["$defs"].keys()


@pytest.mark.parametrize(
    ("env_id", "settings"),
    [("RiskChainRestore-v0", {}), ("RiskChainBrowse-v0", {}), ("RiskChain-v0", {"routing": "committed"})],
)
def test_there_is_nothing_to_revise_elsewhere(split: str, env_id: str, settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"revision='told'.*RiskChain-v0"):
        make(split, env_id, config="joint", **settings)


def test_it_is_part_of_a_protocol_and_no_keyword(split: str) -> None:
    with pytest.raises(ConfigError, match="part of a protocol"):
        make(split, revision="told")


@pytest.mark.parametrize(
    ("commit", "revision", "paid"), [(WRONG, RIGHT, 0.5), (RIGHT, WRONG, 0.5), (RIGHT, None, 1.0), (WRONG, WRONG, 0.0)]
)
def test_a_term_pays_what_a_revision_changes_end_to_end(commit: str, revision: str | None, paid: float) -> None:
    m = machine(revision="told", terms={"revised": 0.5})

    total = sum(m.act(action) for action in (commit, STOP, *([revision] if revision else []), GOOD))

    assert total == paid
    assert m.terms == {"revised": paid - int(commit == RIGHT)}
    assert m.outcome is not None
    assert m.outcome.benchmark_score == int(commit == RIGHT)


def test_a_term_for_revisions_needs_a_protocol_that_allows_them() -> None:
    with pytest.raises(ConfigError, match=r"terms\.revised rates a revision"):
        check_combination(EnvConfig(terms=RewardTerms(revised=0.5)), "chain")
