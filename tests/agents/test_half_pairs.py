"""Half a surrogate pair in what is shown: no agent breaks on one, and none writes one down."""

from __future__ import annotations

import pytest
from fake_site import Ctl, FakeSite, Page

from riskchain_gym.agents.base import Investigator, Restorer
from riskchain_gym.agents.controls import AlwaysViolation, LandingOnly
from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.explore.random_walk import RandomInvestigator
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.restore.copying import CopyRestorer
from riskchain_gym.agents.restore.rules import RulesRestorer, Rung
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.report import Region, Report

HALF = "\ud83d"
INVESTIGATORS = (Explorer, RandomInvestigator, LandingOnly, AlwaysViolation)


def reported(investigator: Investigator, lines: list[str]) -> Report:
    """Let an investigator walk a site whose lines, names and options hold halves; return its report."""
    controls = [
        Ctl("link", f"下一页{HALF}", to="/b"),
        Ctl("textbox", f"称呼{HALF}"),
        Ctl("combobox", f"城市{HALF}", options=("北方", f"南方{HALF}")),
        Ctl("button", f"提交{HALF}", do=lambda site: site.refuse(f"称呼{HALF}不正确")),
    ]
    site = FakeSite({path: Page(lines, controls, f"页{HALF}") for path in ("/a", "/b")})
    site.values = {"/a#2": True}
    investigator.reset(build_instructions())
    while not site.stopped and site.left > 0:
        site.act(investigator.investigate(site.observe()))
    assert not any(HALF in (action.option or "") for action in site.actions)
    return Report.model_validate_json(investigator.investigate(site.report_observation()))


@pytest.mark.parametrize("make", INVESTIGATORS)
def test_lines_that_cannot_be_quoted_are_passed_over(make: type[Investigator]) -> None:
    report = reported(make(), [f"垫付做单返佣{HALF}，先转入保证金", f"{HALF}", "第二行"])
    cited = [citation.quote for citation in (*report.evidence, *report.counterevidence)]
    assert cited
    assert all(quote and HALF not in quote for quote in cited)
    if make is not RandomInvestigator:
        assert "第二行" in cited


@pytest.mark.parametrize("make", INVESTIGATORS)
def test_where_no_line_can_be_quoted_the_landing_view_is_cited(make: type[Investigator]) -> None:
    report = reported(make(), [f"垫付做单返佣{HALF}，先转入保证金"])
    (citation,) = report.evidence
    assert (citation.step, citation.quote, type(citation.region)) == (0, "", Region)
    if make is not AlwaysViolation:
        assert report.decision is Decision.INSUFFICIENT_EVIDENCE


@pytest.mark.parametrize("restorer", [CopyRestorer(), *(RulesRestorer(rung) for rung in Rung)])
def test_a_restored_message_can_be_written_down(restorer: Restorer) -> None:
    part = ChatMessage(message_id="m001", content=f"打开{HALF} https://abc.de.test/ 看看{HALF}")
    message = Message(platform=Platform.WEIBO, surface=Surface.COMMENT, messages=(part,))
    commit = restorer.restore(message)
    assert Commit.model_validate_json(commit.model_dump_json()) == commit
    assert HALF not in commit.reconstructed_messages[0].text
    assert "打开\ufffd" in commit.reconstructed_messages[0].text
    assert commit.entry_candidates[0].value == "abc.de.test"
