"""The rule judge on sense: what plainly contradicts falls, telling words stand, the rest is left open."""

from __future__ import annotations

import pytest
from judged_episodes import (
    CLAIM,
    DEPOSIT,
    GOOD,
    HOME,
    PAYMENT,
    PROMISE,
    RULES,
    adverse,
    bundle_of,
    cited,
    reported,
    rulings_of,
    seen,
)

from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.scoring.judge.episode import judged
from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.judge.rules_cues import cues, folded

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.CANNOT_TELL
BENIGN, COUNTER = AnchorType.BENIGN_SERVICE_CONSISTENCY, AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER
LIMIT, DOWNLOAD = AnchorType.ENVIRONMENT_LIMITATION, AnchorType.DOWNLOAD_OR_INSTALL_REQUEST
ORDINARY, DENIAL = "本店免费登记，不满意全额退还，开发票", "本站不承担责任，请自行判断"
GOOD_LINES = PROMISE, DEPOSIT
OFFER = "今晚开盘下注，每注先付款转入账户"


def on_rules(*lines: str) -> dict[int, object]:
    return {1: seen("/rules", "规则", *lines)}


@pytest.mark.parametrize(
    ("line", "anchor", "answer"),
    [
        (DEPOSIT, PAYMENT, YES),
        ("请先轉入保證金", PAYMENT, YES),
        ("Deposit 900 yuan first", PAYMENT, YES),
        ("清晨的河边很安静", PAYMENT, NO),
        ("清晨的河边很安静", DOWNLOAD, NO),
        ("清晨的河边很安静", AnchorType.CREDENTIAL_OR_IDENTITY_REQUEST, NO),
        ("清晨的河边很安静", AnchorType.CONTACT_OR_PLATFORM_MIGRATION, NO),
        ("清晨的河边很安静", CLAIM, YES),
        ("清晨的河边很安静", AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER, OPEN),
        ("Velnira шолунт орумит брюмен", AnchorType.LANGUAGE_LIMITATION, YES),
        ("本页维护中，内容暂时无法查看", LIMIT, YES),
        (ORDINARY, BENIGN, YES),
        (DENIAL, COUNTER, YES),
        (DENIAL, BENIGN, OPEN),
        (f"{ORDINARY}，押金先转账", BENIGN, OPEN),
        (f"{OFFER}，没有人输过", BENIGN, OPEN),
        (f"{OFFER}，取消不退", LIMIT, OPEN),
        ("价目还在整理，现在没有可看的内容，也不收费", BENIGN, OPEN),
    ],
)
def test_does_the_kind_fit(line: str, anchor: AnchorType, answer: Answer) -> None:
    rulings = rulings_of(reported(cited(1, line, anchor)), on_rules(line))  # type: ignore[arg-type]
    assert rulings["anchor_fits.evidence.0"].answer is answer


def test_both_parts_of_a_violation_must_be_shown() -> None:
    assert adverse(reported(*GOOD)) == ()
    assert adverse(reported(GOOD[0])) == ("part.action",)


def test_an_invented_quote_shows_no_part_and_is_of_no_kind() -> None:
    for invented in (cited(1, "先转入保证金 900 元到另一个账户", PAYMENT), cited(9, DEPOSIT, PAYMENT)):
        rulings = rulings_of(reported(GOOD[0], invented))
        for key in ("anchor_fits.evidence.1", "speaks_for.evidence.1", "shows_part.part.action.evidence.1"):
            assert rulings[key].answer is OPEN, key


@pytest.mark.parametrize(
    "kind", [ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE, ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD]
)
def test_a_type_of_which_nothing_is_cited_is_over_claimed(kind: ViolationType) -> None:
    assert "part.claim" in adverse(reported(*GOOD, kind=kind))


def test_the_opposite_decision_does_not_follow_from_the_same_citations() -> None:
    ordinary = on_rules(ORDINARY)
    benign = reported(cited(1, ORDINARY, BENIGN), decision=Decision.NON_VIOLATION)
    assert adverse(benign, ordinary) == ()  # type: ignore[arg-type]
    against = adverse(reported(cited(1, ORDINARY, BENIGN)), ordinary)  # type: ignore[arg-type]
    assert {"speaks_for.evidence.0", "follows", "part.claim", "part.action"} <= set(against)
    limited = adverse(
        reported(cited(1, ORDINARY, BENIGN), decision=Decision.INSUFFICIENT_EVIDENCE),
        ordinary,  # type: ignore[arg-type]
    )
    assert {"speaks_for.evidence.0", "follows"} <= set(limited)
    readable = adverse(reported(*GOOD, decision=Decision.INSUFFICIENT_EVIDENCE, environment_status="PARTIAL"))
    assert "part.limitation" in readable


@pytest.mark.parametrize(
    ("decision", "status", "anchor"),
    [
        (Decision.NON_VIOLATION, "COMPLETE", BENIGN),
        (Decision.NON_VIOLATION, "COMPLETE", COUNTER),
        (Decision.INSUFFICIENT_EVIDENCE, "PARTIAL", LIMIT),
    ],
)
def test_a_wrong_report_gains_nothing_by_calling_its_citations_by_the_kind_that_it_needs(
    decision: Decision, status: str, anchor: AnchorType
) -> None:
    claimed = reported(cited(1, OFFER, anchor), decision=decision, environment_status=status)
    rulings = rulings_of(claimed, on_rules(OFFER))  # type: ignore[arg-type]
    about = ("anchor_fits.evidence.0", "speaks_for.evidence.0")
    assert YES not in {rulings[key].answer for key in about}
    assert not [key for key in rulings if key.startswith("shows_part") and rulings[key].answer is YES]
    for_it = reported(*GOOD, against=(cited(1, OFFER, anchor),))
    assert rulings_of(for_it, on_rules(PROMISE, OFFER))["speaks_for.counterevidence.0"].answer is OPEN  # type: ignore[arg-type]


def test_an_offer_that_keeps_something_back_is_neither_a_limitation_nor_plainly_none() -> None:
    offer = cited(1, f"{OFFER}，内页仅限会员", CLAIM)
    report = reported(offer, decision=Decision.INSUFFICIENT_EVIDENCE, environment_status="PARTIAL")
    assert rulings_of(report, on_rules(offer.quote))["shows_part.part.limitation.evidence.0"].answer is OPEN  # type: ignore[arg-type]


def test_counterevidence_speaks_against() -> None:
    rulings = rulings_of(reported(*GOOD, against=(cited(1, DENIAL, COUNTER),)), on_rules(PROMISE, DENIAL))  # type: ignore[arg-type]
    assert rulings["speaks_for.counterevidence.0"].answer is YES
    hidden = cited(1, "本页维护中，内容暂时无法查看", LIMIT)
    rulings = rulings_of(reported(*GOOD, against=(hidden,)), on_rules(PROMISE, hidden.quote))  # type: ignore[arg-type]
    assert rulings["speaks_for.counterevidence.0"].answer is YES


def test_a_denial_that_a_report_of_a_violation_is_silent_about_was_left_out() -> None:
    pages = on_rules(PROMISE, DENIAL)
    assert adverse(reported(*GOOD), pages) == ("left_out.view.1",)  # type: ignore[arg-type]
    assert adverse(reported(*GOOD, against=(cited(1, DENIAL, COUNTER),)), pages) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("quote", "left_out"), [("，", True), ("责任", True), (DENIAL[2:9], False), (f"{PROMISE}\n{DENIAL}", False)]
)
def test_a_line_is_cited_by_a_part_that_points_at_it_or_by_a_quote_that_holds_it(quote: str, left_out: bool) -> None:
    report = reported(*GOOD, against=(cited(1, quote, COUNTER),))
    assert ("left_out.view.1" in adverse(report, on_rules(PROMISE, DENIAL))) is left_out  # type: ignore[arg-type]


def test_a_line_that_many_views_show_was_left_out_once() -> None:
    pages = {step: seen(f"/{step}", f"第 {step} 页", DENIAL, *GOOD_LINES) for step in (0, 1, 2)}
    assert adverse(reported(*GOOD), pages) == ("left_out.view.0",)


@pytest.mark.parametrize(
    ("line", "left_out"),
    [
        (OFFER, True),
        (f"骗子常说：“{OFFER}”", False),
        (f"谨防骗局：{OFFER}", False),
        ("窗口每天开放", False),
    ],
)
def test_an_offer_that_a_report_of_no_violation_is_silent_about_was_left_out(line: str, left_out: bool) -> None:
    report = reported(cited(0, "欢迎", BENIGN), decision=Decision.NON_VIOLATION)
    assert ("left_out.view.1" in adverse(report, on_rules(line))) is left_out  # type: ignore[arg-type]


def test_a_view_without_anything_telling_left_nothing_out() -> None:
    assert rulings_of(reported(*GOOD))["left_out.view.1"].answer is NO, "one more fee does not speak against it"
    warned = on_rules(PROMISE, "谨防冒充派单站的骗子")
    assert rulings_of(reported(*GOOD), warned)["left_out.view.1"].answer is OPEN  # type: ignore[arg-type]
    limited = reported(cited(0, HOME[0]), decision=Decision.INSUFFICIENT_EVIDENCE, environment_status="PARTIAL")
    rulings = rulings_of(limited, on_rules("清晨的河边很安静"))  # type: ignore[arg-type]
    assert [rulings[f"left_out.view.{step}"].answer for step in (0, 1, 2)] == [NO, NO, OPEN]


def test_deciding_without_a_look_leaves_the_site_untried() -> None:
    bundle = bundle_of(reported(cited(0, HOME[0]), decision=Decision.NON_VIOLATION))
    landing = bundle.views[0]
    controls = (landing.controls[0], landing.controls[0].model_copy(update={"element_id": "e1"}))
    only = {"views": (landing.model_copy(update={"controls": controls}),), "ledger": ()}
    assert "untried.view.0" in judged(bundle.model_copy(update=only), RuleJudge())[0].adverse
    closed = (controls[0].model_copy(update={"disabled": True}),)
    disabled = {"views": (landing.model_copy(update={"controls": closed}),), "ledger": ()}
    nothing_to_follow = judged(bundle.model_copy(update=disabled), RuleJudge())[2]
    assert next(ruling.answer for ruling in nothing_to_follow if ruling.key == "untried.view.0") is NO
    assert rulings_of(reported(*GOOD))["untried.view.2"].answer is NO, "both parts of the violation are shown"
    assert rulings_of(reported(GOOD[0]))["untried.view.2"].answer is OPEN
    benign = reported(cited(0, HOME[0], BENIGN), decision=Decision.NON_VIOLATION)
    assert rulings_of(benign)["untried.view.2"].answer is OPEN


@pytest.mark.parametrize(
    ("status", "answer"),
    [("COMPLETE", YES), ("PARTIAL", OPEN), ("INACCESSIBLE", NO), ("INVALID", NO)],
)
def test_does_the_environment_status_fit(status: str, answer: Answer) -> None:
    long = {step: seen(f"/{step}", f"第 {step} 页", "这里写着许多可以阅读的内容，" * 5) for step in range(3)}
    assert rulings_of(reported(cited(1, "可以阅读"), environment_status=status), long)["status_fits"].answer is answer


@pytest.mark.parametrize("status", ["INACCESSIBLE", "INVALID"])
def test_one_readable_page_may_be_what_stands_in_for_a_site(status: str) -> None:
    pages = {0: seen("/", "这里写着许多可以阅读的内容，" * 5)} | {step: seen("/", "空") for step in (1, 2)}
    assert rulings_of(reported(cited(1, "空"), environment_status=status), pages)["status_fits"].answer is OPEN


def test_a_complete_look_rests_on_no_limitation() -> None:
    limit = cited(1, "本页维护中，内容暂时无法查看", LIMIT)
    pages = on_rules(limit.quote)
    given = {"decision": Decision.INSUFFICIENT_EVIDENCE}
    complete = adverse(reported(limit, environment_status=EnvironmentStatus.COMPLETE, **given), pages)  # type: ignore[arg-type]
    assert complete == ("status_fits",)
    partial = adverse(reported(limit, environment_status=EnvironmentStatus.PARTIAL, **given), pages)  # type: ignore[arg-type]
    assert partial == ()


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        ("先收保证金再返利，属于诈骗。", OPEN),
        ("未发现违规，是正常服务。", NO),
        ("This is a legitimate shop, no violation was seen.", NO),
        ("See above.", OPEN),
    ],
)
def test_does_the_reason_lead_to_the_decision(reason: str, answer: Answer) -> None:
    assert rulings_of(reported(*GOOD, risk_reason=reason))["follows"].answer is answer


def test_traditional_text_is_read_as_simplified() -> None:
    assert folded("請下載並執行元件，聯絡專屬客服，軟體註冊") == "请下载并运行组件,联系专属客服,软件注册"
    for text in ("專屬客服", "保證金", "驗證碼", "賠率", "維護中", "無法查看", "無從知道", "謹防詐騙"):
        assert any(pattern.search(folded(text)) for pattern in cues().telling.values()), text


def test_latin_words_begin_words() -> None:
    assert cues().holds("a bet on the match", "gambling")
    assert not cues().holds("the alphabet", "gambling")
    assert RULES[1] == PROMISE
