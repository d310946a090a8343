"""The reader with a small lexicon of its own: parts, types, citations, counterevidence, and reports always valid."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.read.lexicon import ANY_LINE, SAYINGS, Lexicon, default_lexicon
from riskchain_gym.agents.read.reader import Reader
from riskchain_gym.agents.read.verdict import MAX_CITED
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, ViolationType
from riskchain_gym.protocol.page import Capabilities, ObservedElement
from riskchain_gym.protocol.report import Report

FRAUD, GAMBLING = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT, ViolationType.GAMBLING_BETTING_PROMOTION

LEXICON = Lexicon(
    {
        "返佣": {"claim": 200, FRAUD: 300},
        "赔率": {"claim": 200, GAMBLING: 300},
        "保证金": {"action": 200, FRAUD: 200, "PAYMENT_RECHARGE_OR_TRANSFER": 100},
        "加专员": {"action": 150, "CONTACT_OR_PLATFORM_MIGRATION": 100},
        "书面协议": {"benign": 200, "BENIGN_SERVICE_CONSISTENCY": 50},
        "按月发": {"benign": 150},
        "不收": {"action": -200, "claim": -200, "benign": 200, "COUNTEREVIDENCE_OR_DISCLAIMER": 80},
        "盈亏自负": {"counter": 200},
        "看不到": {"limitation": 200},
        "尚未公布": {"limitation": 150},
    },
    any_line=dict.fromkeys(Component, -100),
)


def page(*lines: str, step: int = 0, path: str = "/a", title: str = "页面") -> Sighting:
    return Sighting(step=step, path=path, title=title, lines=lines, elements=())


def report(*pages: Sighting) -> Report:
    return Reader(LEXICON).report(pages)


def quotes(found: Report) -> list[str]:
    return [citation.quote for citation in found.evidence]


RULES = page("做单返佣，当天到账", "每天八点更新", step=2, path="/rules")
MINE = page("请先转入保证金 98 元", step=5, path="/mine")


def test_a_claim_and_an_action_make_a_violation_of_the_type_that_both_speak_for() -> None:
    found = report(page("欢迎光临"), RULES, MINE)
    assert (found.decision, found.primary_violation_type) == (Decision.VIOLATION, FRAUD)
    assert [(c.step, c.quote, c.anchor_type) for c in found.evidence] == [
        (2, "做单返佣，当天到账", AnchorType.VISIBLE_TEXT_OR_CLAIM),
        (5, "请先转入保证金 98 元", AnchorType.PAYMENT_RECHARGE_OR_TRANSFER),
    ]


def test_the_type_is_settled_by_all_claims_and_actions_together() -> None:
    found = report(page("赔率实时更新", "做单返佣", "押注先转入保证金"), page("补足保证金再返佣", path="/b"))
    assert found.primary_violation_type is FRAUD


def test_the_honest_twin_of_the_same_lines_is_none() -> None:
    found = report(page("做单返佣"), page("本站不收保证金", "工资每小时 20 元，按月发，签书面协议", path="/b"))
    assert (found.decision, found.primary_violation_type) == (Decision.NON_VIOLATION, ViolationType.NONE)
    assert quotes(found) == ["工资每小时 20 元，按月发，签书面协议", "本站不收保证金"]
    assert [c.anchor_type for c in found.evidence] == [
        AnchorType.BENIGN_SERVICE_CONSISTENCY,
        AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER,
    ]


def test_a_claim_alone_is_counterevidence_and_no_violation() -> None:
    found = report(page("做单返佣", "签书面协议", "本站不收押金"))
    assert found.decision is Decision.NON_VIOLATION
    assert [c.quote for c in found.counterevidence] == ["做单返佣"]


def test_one_line_is_never_both_claim_and_action() -> None:
    assert report(page("交保证金就返佣", "签书面协议", "按月发")).decision is Decision.NON_VIOLATION


def test_what_cannot_be_seen_is_insufficient() -> None:
    found = report(page("这一栏看不到", "规则尚未公布"), page("转入保证金", path="/b"))
    assert (found.decision, found.primary_violation_type) == (
        Decision.INSUFFICIENT_EVIDENCE,
        ViolationType.UNKNOWN,
    )
    assert quotes(found) == ["这一栏看不到", "规则尚未公布"]
    assert {c.anchor_type for c in found.evidence} == {AnchorType.ENVIRONMENT_LIMITATION}


def test_a_disclaimer_stands_as_counterevidence_of_a_violation() -> None:
    found = report(RULES, MINE, page("任务盈亏自负", path="/c"))
    assert found.decision is Decision.VIOLATION
    assert [c.quote for c in found.counterevidence] == ["任务盈亏自负"]


def test_other_spellings_are_read_alike() -> None:
    assert quotes(report(page("做單返傭"), page("轉入保證金", path="/b"))) == ["做單返傭", "轉入保證金"]


def test_names_of_controls_and_what_stands_on_most_pages_say_nothing() -> None:
    link = ObservedElement(element_id="e1", role="link", name="返佣任务", capabilities=Capabilities(click=True))
    pages = [
        Sighting(i, f"/{i}", "页面", ("返佣任务", "保证金说明", f"第 {i} 页"), (link,)) for i in range(4)
    ]  # the second line is a footer
    assert not {"返佣任务", "保证金说明"} & set(quotes(report(*pages)))


def test_a_line_is_cited_where_it_was_first_shown() -> None:
    again = page("做单返佣，当天到账", step=9, path="/rules")
    assert [c.step for c in report(RULES, MINE, again).evidence] == [2, 5]


def test_few_lines_are_cited() -> None:
    many = page(*(f"第 {i} 条，签书面协议" for i in range(9)))
    assert len(report(many).evidence) == MAX_CITED


def test_nothing_seen_still_gives_a_valid_report() -> None:
    found = report()
    assert found.decision is Decision.INSUFFICIENT_EVIDENCE
    assert found.evidence[0].anchor_type is AnchorType.ENVIRONMENT_LIMITATION
    Report.model_validate_json(found.model_dump_json())


@pytest.mark.parametrize("part", Component)
def test_every_part_has_phrases_for_and_against_it_in_the_lexicon_that_ships(part: Component) -> None:
    lexicon = default_lexicon()
    weights = [said[part] for said in lexicon.phrases.values() if part in said]
    assert min(weights) < 0 < max(weights)
    assert lexicon.any_line[part] < 0, ANY_LINE


_phrases = sorted(default_lexicon().phrases)
_line = st.one_of(
    st.text(max_size=40).map(lambda s: s.replace("\n", " ")),
    st.lists(st.sampled_from([*_phrases[::7], "“", "，", "http://a.test/x", "100 元"]), max_size=8).map("".join),
)


@given(st.lists(st.tuples(st.sampled_from(["/a", "/b", "/c"]), st.lists(_line, max_size=6)), max_size=5))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_text_gives_a_schema_valid_report_with_exact_quotes(shown: list[tuple[str, list[str]]]) -> None:
    pages = [page(*lines, step=i, path=path) for i, (path, lines) in enumerate(shown)]
    found = Report.model_validate_json(Reader().report(pages).model_dump_json())
    for citation in (*found.evidence, *found.counterevidence):
        if citation.quote:
            assert any(line.startswith(citation.quote) for line in pages[citation.step].lines)


def test_sayings_are_told_apart_by_name() -> None:
    assert len(set(SAYINGS)) == len(SAYINGS)
