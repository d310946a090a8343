"""The chain agent, the controls, the oracle and the instructions, on observations as the environment hands them out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_site import Ctl, FakeSite, Page
from pydantic import ValidationError

from riskchain_gym.agents.base import Agent, Investigator
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.controls import AlwaysViolation, LandingOnly, Noop
from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.oracle import OracleAgent, OracleError
from riskchain_gym.agents.view import sighting_of
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, Intent, ViolationType
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, MessageGold, PathStep, SiteGold
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.report import Report

MESSAGE = Message(
    platform=Platform.WEIBO,
    surface=Surface.COMMENT,
    messages=(ChatMessage(message_id="m001", content="打开 abc.de.test 看看"),),
)


def restore_observation() -> dict[str, Any]:
    return {"phase": 0, "text": MESSAGE.model_dump_json(), "elements": "", "feedback": "", "steps_left": 30}


class EchoRestorer:
    def restore(self, message: Message) -> Commit:
        texts = tuple(RestoredMessage(message_id=m.message_id, text=m.content) for m in message.messages)
        candidate = EntryCandidate(rank=1, value="abc.de.test")
        return Commit(reconstructed_messages=texts, platform=message.platform, entry_candidates=(candidate,))


def small_site() -> FakeSite:
    return FakeSite(
        {
            "/a": Page(["欢迎来到会员中心"], [Ctl("link", "规则", to="/b"), Ctl("link", "规则", to="/c")]),
            "/b": Page(["暂无"], [Ctl("link", "返回", to="/a")]),
            "/c": Page(["充值 10 元得 100 筹码，可下注"], [Ctl("link", "返回", to="/a")]),
        }
    )


def run(agent: Agent | Investigator, site: FakeSite) -> Report:
    act = agent.act if isinstance(agent, Agent) else agent.investigate
    while not site.stopped and site.left > 0:
        site.act(act(site.observe()))
    return Report.model_validate_json(act(site.report_observation()))


def test_chain_agent_restores_browses_and_reports() -> None:
    agent = ChainAgent(EchoRestorer(), Explorer())
    agent.reset(build_instructions(30))
    commit = Commit.model_validate_json(agent.act(restore_observation()))
    assert commit.reconstructed_messages[0].text == MESSAGE.messages[0].content
    site = small_site()
    report = run(agent, site)
    assert set(site.seen) == {"/a", "/b", "/c"}
    assert report.evidence


def test_reset_forgets_the_last_site() -> None:
    agent = ChainAgent(EchoRestorer(), Explorer())
    first = None
    for _ in range(2):
        agent.reset(build_instructions(30))
        site = small_site()
        report = run(agent, site)
        first = first or (report, [a.element_id for a in site.actions])
        assert first == (report, [a.element_id for a in site.actions])


def test_noop_never_files_a_valid_report() -> None:
    agent = Noop()
    agent.reset(build_instructions())
    assert Commit.model_validate_json(agent.act(restore_observation())) == EMPTY_COMMIT
    site = small_site()
    assert BrowserAction.model_validate_json(agent.act(site.observe())).action is ActionKind.STOP
    for _ in range(3):
        with pytest.raises(ValidationError):
            Report.model_validate_json(agent.act(site.report_observation()))


def test_always_violation_cites_the_landing_view() -> None:
    site = small_site()
    report = run(AlwaysViolation("OTHER_PROHIBITED_ACTIVITY"), site)
    assert len(site.actions) == 1
    assert report.primary_violation_type is ViolationType.OTHER_PROHIBITED_ACTIVITY
    assert report.evidence[0].quote == "欢迎来到会员中心"


@pytest.mark.parametrize("name", ["NONE_SUCH", ""])
def test_always_violation_refuses_a_type_that_does_not_exist(name: str) -> None:
    with pytest.raises(ConfigError, match="violation_type"):
        AlwaysViolation(name)


@pytest.mark.parametrize("name", ["NONE", "UNKNOWN"])
def test_always_violation_refuses_pseudo_types(name: str) -> None:
    with pytest.raises(ConfigError, match="violation_type"):
        AlwaysViolation(name)


def test_landing_only_reads_one_page() -> None:
    site = small_site()
    report = run(LandingOnly(), site)
    assert site.seen == ["/a"]
    assert {c.step for c in report.evidence} == {0}


def test_empty_landing_view_still_gives_a_report() -> None:
    empty = FakeSite({"/a": Page([])})
    assert run(AlwaysViolation(), empty).evidence[0].anchor_type is AnchorType.ENVIRONMENT_LIMITATION


def gold(path: tuple[PathStep, ...], text: str = "充值 10 元得 100 筹码，可下注") -> GoldChain:
    atoms = tuple(
        EvidenceAtom(
            atom_id=f"a{i}",
            component=component,
            violation_type=ViolationType.GAMBLING_BETTING_PROMOTION,
            anchor=AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER,
            path="/c",
            text=text,
        )
        for i, component in enumerate((Component.CLAIM, Component.ACTION))
    )
    site = SiteGold(
        site_id="s1",
        archetype="x",
        family="x",
        decision=Decision.VIOLATION,
        violation_type=ViolationType.GAMBLING_BETTING_PROMOTION,
        atoms=atoms,
        path=path,
        depth="D1",
        track="L2_OBSERVATION",
    )
    message = MessageGold(
        entry="abc.de.test",
        messages=(RestoredMessage(message_id="m001", text="打开 abc.de.test 看看"),),
        intent=Intent.OPEN_SITE,
        platform=Platform.WEIBO,
        skeleton="x",
        topic="x",
    )
    return GoldChain(chain_id="c1", message=message, site=site)


def click(name: str, nth: int = 0) -> PathStep:
    return PathStep(action=BrowserAction(action=ActionKind.CLICK, element_id="?"), role="link", name=name, nth=nth)


def test_oracle_commits_walks_and_cites_the_gold() -> None:
    agent = OracleAgent()
    agent.prepare(gold((click("规则", nth=1),)))
    agent.reset(build_instructions(30))
    commit = Commit.model_validate_json(agent.act(restore_observation()))
    assert commit.entry_candidates[0].value == "abc.de.test"
    site = small_site()
    report = run(agent, site)
    assert [a.action for a in site.actions] == [ActionKind.CLICK, ActionKind.STOP]
    assert (report.decision, report.primary_violation_type) == (
        Decision.VIOLATION,
        ViolationType.GAMBLING_BETTING_PROMOTION,
    )
    assert {(c.step, c.quote) for c in report.evidence} == {(1, "充值 10 元得 100 筹码，可下注")}


def test_oracle_says_which_element_is_missing() -> None:
    agent = OracleAgent()
    agent.prepare(gold((click("没有的链接"),)))
    agent.reset(build_instructions())
    with pytest.raises(OracleError, match="没有的链接"):
        run(agent, small_site())


def test_oracle_says_which_atom_was_not_shown() -> None:
    agent = OracleAgent()
    agent.prepare(gold((click("规则", nth=1),), text="别的话"))
    agent.reset(build_instructions())
    with pytest.raises(OracleError, match="别的话"):
        run(agent, small_site())


def test_oracle_without_gold_is_an_error() -> None:
    agent = OracleAgent()
    agent.reset(build_instructions())
    with pytest.raises(ConfigError, match="prepare"):
        agent.act(restore_observation())


def test_instructions_hold_schemas_and_codebook_as_plain_data() -> None:
    told = build_instructions(12)
    assert set(told.schemas) == {"restore", "browse", "report"}
    assert told.max_steps == 12
    json.dumps({"schemas": told.schemas, "codebook": told.codebook})
    assert len(told.codebook["minimum_evidence"]) == 9


@pytest.mark.parametrize("elements", ["", "[]", "{}", '{"step": 0, "path": "/", "title": "", "elements": [{}]}'])
def test_an_observation_that_is_none_is_refused(elements: str) -> None:
    with pytest.raises(ConfigError, match="elements"):
        sighting_of({"phase": 1, "text": "", "elements": elements, "feedback": "", "steps_left": 3})
