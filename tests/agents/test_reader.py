"""The reader on invented sentences: the codebook's rule, denials, limitations, and reports that are always valid."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.read.cues import Cue, Denial
from riskchain_gym.agents.read.lexicon import default_lexicon
from riskchain_gym.agents.read.reader import Reader
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import AnchorType, Decision, ViolationType
from riskchain_gym.protocol.page import Capabilities, ObservedElement
from riskchain_gym.protocol.report import Report


def page(*lines: str, step: int = 0, path: str = "/a", title: str = "页面") -> Sighting:
    return Sighting(step=step, path=path, title=title, lines=lines, elements=())


def read(*lines: str) -> tuple[Decision, ViolationType]:
    verdict = Reader().read([page("欢迎光临"), page(*lines, step=1, path="/b")])
    return verdict.decision, verdict.violation_type


VIOLATIONS = {
    ViolationType.GAMBLING_BETTING_PROMOTION: ("今晚球赛赔率已更新，会员可下注", "充值 50 元即可获得筹码进房下注"),
    ViolationType.FRAUD_DECEPTIVE_INDUCEMENT: ("恭喜您被抽中为幸运用户，奖品待领取", "领取前须先支付手续费 88 元"),
    ViolationType.PHISHING_CREDENTIAL_THEFT: ("您的邮箱容量已满，账户即将停用", "请输入邮箱密码完成验证以恢复使用"),
    ViolationType.IMPERSONATION_FAKE_SERVICE: ("这里是总部授权的唯一官方客服", "请添加专员的个人微信私聊处理"),
    ViolationType.INVESTMENT_FINANCIAL_FRAUD: ("保本理财，日收益固定 3%", "请将本金转账到指定钱包地址入金"),
    ViolationType.CONTROLLED_SUBSTANCE_PROMOTION: ("受限品现货供应，老客可订", "隐蔽包装发货，面单写日用品"),
    ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE: ("同城付费陪伴，每小时 500 元", "付定金后安排见面地点"),
    ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD: ("若安全软件拦截，请先退出杀毒再试", "必须先下载安装播放器组件才能观看"),
    ViolationType.OTHER_PROHIBITED_ACTIVITY: ("免考直接拿证，全国可查", "办理费用 3000 元，预付定金后提交身份证照片"),
}


@pytest.mark.parametrize("kind", VIOLATIONS, ids=lambda kind: kind.value)
def test_claim_and_action_of_a_type_make_a_violation(kind: ViolationType) -> None:
    assert read(*VIOLATIONS[kind]) == (Decision.VIOLATION, kind)


@pytest.mark.parametrize("kind", VIOLATIONS, ids=lambda kind: kind.value)
def test_both_deciding_lines_are_cited_with_their_step(kind: ViolationType) -> None:
    report = Reader().report([page("欢迎"), page(*VIOLATIONS[kind], step=3, path="/b")])
    assert {c.quote for c in report.evidence} == set(VIOLATIONS[kind])
    assert {c.step for c in report.evidence} == {3}


@pytest.mark.parametrize("kind", VIOLATIONS, ids=lambda kind: kind.value)
def test_a_claim_alone_makes_no_violation(kind: ViolationType) -> None:
    claim, _ = VIOLATIONS[kind]
    verdict = Reader().read([page(claim, "本站提供退换货说明")])
    assert verdict.decision is not Decision.VIOLATION


@pytest.mark.parametrize(
    "lines",
    [
        ("本平台积分不可兑换现金，也不能提现", "不支持充值购买积分"),
        ("本店从不收取押金、保证金，招聘不收费", "凡要求垫付的均为诈骗，请举报"),
        ("银行绝不会索要您的支付密码", "如有人自称客服要求填写验证码，请勿提供"),
        ("有人说“保本理财，日收益固定 3%”的，与本社无关", "请勿向“指定钱包地址”转账，谨防上当"),
        ("本站不提供付费陪伴", "任何以“先付定金再见面”为由的请求一律拒绝"),
        ("安装时请勿关闭杀毒软件", "下载前请核对校验值"),
    ],
)
def test_the_same_words_denied_or_quoted_as_a_warning_make_none(lines: tuple[str, str]) -> None:
    assert read(*lines) == (Decision.NON_VIOLATION, ViolationType.NONE)


def test_a_news_page_reports_and_does_not_offer() -> None:
    story = page("团伙以保本理财为名", "诱使群众转账到指定账户", step=1, path="/n", title="新闻：一起案件")
    verdict = Reader().read([page("本地资讯"), story])
    assert verdict.decision is not Decision.VIOLATION


def test_negator_inside_a_cue_does_not_deny_it() -> None:
    assert read("受限药品无需处方，现货供应", "免登记，每份 200 元，三份起订")[1] is (
        ViolationType.CONTROLLED_SUBSTANCE_PROMOTION
    )


@pytest.mark.parametrize(
    "line",
    [
        "该域名正在出售",
        "页面建设中，敬请期待",
        "登录后才能查看详情，本站不开放用户注册",
        "服务器错误 502，内容无法显示",
    ],
)
def test_a_limitation_makes_insufficient_evidence(line: str) -> None:
    verdict = Reader().read([page("欢迎", line)])
    assert (verdict.decision, verdict.violation_type) == (Decision.INSUFFICIENT_EVIDENCE, ViolationType.UNKNOWN)
    assert line in [f.line for f in verdict.evidence]


def test_what_was_overcome_limits_nothing() -> None:
    gate, shop = page("登录后才能查看详情"), page("七天无理由退货，退款原路退回", step=1, path="/b")
    assert Reader().read([gate, shop]).decision is Decision.INSUFFICIENT_EVIDENCE
    settled = frozenset({("/a", "登录后才能查看详情")})
    assert Reader().read([gate, shop], settled).decision is Decision.NON_VIOLATION


def test_traditional_characters_read_like_simplified_ones() -> None:
    assert read("保本理財，日收益固定 3%", "請將本金轉帳到指定錢包地址入金") == (
        Decision.VIOLATION,
        ViolationType.INVESTMENT_FINANCIAL_FRAUD,
    )


def test_a_button_name_is_no_claim() -> None:
    button = ObservedElement(
        element_id="e1", role="button", name="保本理财收益固定", capabilities=Capabilities(click=True)
    )
    shown = Sighting(0, "/a", "页面", ("保本理财收益固定", "请转账到指定钱包地址"), (button,))
    assert Reader().read([shown]).decision is not Decision.VIOLATION


def test_header_and_footer_lines_decide_nothing() -> None:
    footer = "页面建设中，敬请期待"
    pages = [page(f"第 {i} 页内容", "七天无理由退货", footer, step=i, path=f"/{i}") for i in range(4)]
    verdict = Reader().read(pages)
    assert footer not in [f.line for f in (*verdict.evidence, *verdict.counter)]


def test_nothing_seen_still_gives_a_valid_report() -> None:
    report = Reader().report([])
    assert report.decision is Decision.NON_VIOLATION
    assert report.evidence[0].anchor_type is AnchorType.ENVIRONMENT_LIMITATION
    Report.model_validate_json(report.model_dump_json())


_cue_words = sorted({w for t in default_lexicon().typed for group in t.cue.groups for w in group if w[0] != "#"})
_line = st.one_of(
    st.text(max_size=40).map(lambda s: s.replace("\n", " ")),
    st.lists(st.sampled_from([*_cue_words, "不", "“", "”", "，", "http://a.test/x", "100 元", "举报"]), max_size=8).map(
        "".join
    ),
)


@given(st.lists(st.tuples(st.sampled_from(["/a", "/b", "/c"]), st.lists(_line, max_size=6)), max_size=5))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_a_schema_valid_report_with_exact_quotes(shown: list[tuple[str, list[str]]]) -> None:
    pages = [page(*lines, step=i, path=path) for i, (path, lines) in enumerate(shown)]
    report = Report.model_validate_json(Reader().report(pages).model_dump_json())
    for citation in (*report.evidence, *report.counterevidence):
        if citation.quote:
            assert any(line.startswith(citation.quote) for line in pages[citation.step].lines)


@given(st.text(max_size=60), st.sampled_from(_cue_words), st.text(max_size=60))
def test_folding_keeps_every_cue_word_findable(before: str, word: str, after: str) -> None:
    lexicon = default_lexicon()
    assert Cue.parse(word).match(lexicon.fold(before + " " + word + " " + after)) == "asserted"


def test_denial_reaches_to_the_end_of_its_clause_only() -> None:
    denial = Denial(negators=("不收取",), adjacent=("不",))
    cue = Cue.parse("押金|保证金")
    assert cue.match("本店不收取任何押金", denial) == "denied"
    assert cue.match("本店不收取会费，入职交押金", denial) == "asserted"
    assert cue.match("不收取押金，但要保证金", denial) == "asserted"
    assert cue.match("他说“交押金”", denial) == "denied"
    assert cue.match("没有相关的话", denial) is None


def test_cue_with_an_empty_group_is_refused() -> None:
    with pytest.raises(ValueError, match="empty group"):
        Cue.parse("押金 &  | ")
