"""What a judge is shown: everything that was observed, redacted, and nothing that says who or where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_episodes import DEPOSIT, GOOD, PAYMENT, PROMISE, RULES, bundle_of, cited, episode, reported, seen

from riskchain_gym.protocol.action import ActionKind, ActionResult, ActionStatus
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.failures import Failure, FailureKind
from riskchain_gym.protocol.page import ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.scoring.judge.episode import judge_episode, judged
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.redaction.audit import RedactionError, audit_redaction

CONTACT = "加微信 abc_123456 领取，电话 138 0013 8000"


def test_without_a_report_there_is_nothing_to_show() -> None:
    assert present(episode(None)) is None
    assert judge_episode(episode(None), RuleJudge()).status == "not_run"


def test_views_ledger_and_report_are_all_there() -> None:
    bundle = bundle_of(reported(*GOOD, against=(cited(0, "窗口时间"),)))
    assert [(view.step, view.state, len(view.lines)) for view in bundle.views] == [(0, 0, 2), (1, 1, 3), (2, 2, 2)]
    assert [item.place for item in bundle.report.citations] == ["evidence.0", "evidence.1", "counterevidence.0"]
    assert [(entry.step, entry.action) for entry in bundle.ledger] == [
        (0, ActionKind.CLICK),
        (1, ActionKind.RELOAD),
        (2, ActionKind.STOP),
    ]
    assert bundle.ending == "stopped"
    assert bundle.masked == 0


def test_equal_pages_are_one_state() -> None:
    again = bundle_of(reported(*GOOD), {2: seen("/rules", *RULES)})
    assert [view.state for view in again.views] == [0, 1, 1]


def test_nothing_hidden_is_in_it() -> None:
    whole = episode(reported(*GOOD, confidence=1))
    secret = '{"action": "reload", "reason": "SECRET-THOUGHT", "visual_observations": ["SECRET-SIGHT"]}'
    steps = [
        step.model_copy(update={"action": secret, "feedback": "SECRET-FEEDBACK"}) if step.browse_step == 2 else step
        for step in whole.steps
    ]
    bundle = present(whole.model_copy(update={"steps": tuple(steps), "chain_id": "SECRET-CHAIN"}))
    assert bundle is not None
    text = bundle.model_dump_json()
    hidden = ("SECRET", "alpha.beta.test", "/rules", "/mine", "confidence", "images", *whole.pages, whole.steps[1].hash)
    assert [word for word in hidden if word in text.replace('"e/rules"', "").replace('"e/mine"', "")] == []


def test_pages_and_report_share_one_table_of_tokens() -> None:
    report = reported(
        cited(1, "abc_123456", observation="它要求加微信 abc_123456"),
        cited(1, "电话 138 0013 8001"),
        risk_reason="电话 13800138000 在页面上",
    )
    bundle = bundle_of(report, {1: seen("/rules", "规则", CONTACT)})
    assert bundle.views[1].lines == ("规则", "加微信 [ACCOUNT-1] 领取，电话 [PHONE-1]")
    assert bundle.views[1].controls[0].name == bundle.views[1].lines[1]
    true, false = bundle.report.citations
    assert (true.quote, true.observation) == ("[ACCOUNT-1]", "它要求加微信 [ACCOUNT-1]")
    assert false.quote == "电话 [PHONE-2]"
    assert bundle.report.risk_reason == "电话 [PHONE-1] 在页面上"
    assert bundle.masked > 0


def test_names_in_the_ledger_and_the_note_are_masked_like_pages() -> None:
    report = reported(*GOOD, kind=ViolationType.OTHER_PROHIBITED_ACTIVITY, note="它给出电话 13800138000")
    whole = episode(report, {0: seen("/", "首页", CONTACT)})
    steps = tuple(s.model_copy(update={"action": s.action.replace('"e0"', '"e/"')}) for s in whole.steps)
    bundle = present(whole.model_copy(update={"steps": steps}))
    assert bundle is not None
    assert [entry.name for entry in bundle.ledger if entry.element_id] == ["加微信 [ACCOUNT-1] 领取，电话 [PHONE-1]"]
    assert bundle.report.note == "它给出电话 [PHONE-1]"


def test_the_brand_of_the_titles_is_masked_everywhere() -> None:
    pages = {0: seen("/", "欢迎来到青禾窗", title="青禾窗"), 1: seen("/rules", *RULES, title="规则 - 青禾窗")}
    bundle = bundle_of(reported(*GOOD, risk_reason="青禾窗要求转入保证金"), pages)
    assert "青禾窗" not in bundle.model_dump_json()
    assert bundle.report.risk_reason == "[OPERATOR-1]要求转入保证金"


def test_a_region_frames_the_lines_that_it_covers_half_of() -> None:
    alt = ObservedPicture(key="k1", alt="先付\n后返", box=Region(x=0, y=400, width=100, height=100))
    pages = {1: seen("/rules", *RULES, pictures=(alt,))}
    regions = [(0, 0, 400, 39), (0, 0, 400, 41), (170, 0, 300, 100), (0, 400, 100, 60), (0, 900, 100, 60)]
    framed = [
        bundle_of(reported(cited(1, region={"x": x, "y": y, "width": w, "height": h})), pages)
        .report.citations[0]
        .region_lines
        for x, y, w, h in regions
    ]
    assert framed == [(RULES[0],), RULES[:2], RULES, ("先付", "后返"), ()]
    assert bundle_of(reported(*GOOD)).report.citations[0].region_lines is None


@pytest.mark.parametrize(
    ("kind", "strikes", "ending"),
    [(FailureKind.STEP_BUDGET, 0, "step_budget"), (FailureKind.TIME_BUDGET, 1, "time_budget"), (None, 3, "strikes")],
)
def test_how_browsing_ended(kind: FailureKind | None, strikes: int, ending: str) -> None:
    whole = episode(reported(*GOOD))
    invalid = {"action": "nonsense", "result": ActionResult(status=ActionStatus.INVALID), "strikes": strikes}
    steps = [step.model_copy(update=invalid) if "stop" in step.action else step for step in whole.steps]
    failures = (Failure(kind=kind, step=3),) if kind is not None else ()
    bundle = present(whole.model_copy(update={"steps": tuple(steps), "failures": failures}))
    assert bundle is not None
    assert bundle.ending == ending
    assert [entry.action for entry in bundle.ledger] == [ActionKind.CLICK, ActionKind.RELOAD]


def test_ids_given_out_by_the_environment_stay_and_invented_ones_are_masked() -> None:
    picture = ObservedPicture(key="k13800138000", alt="")
    pages = {1: seen("/rules", *RULES, pictures=(picture,))}
    bundle = bundle_of(reported(cited(1, element_id="k13800138000"), cited(1, element_id="打 13800138001")), pages)
    assert [item.element_id for item in bundle.report.citations] == ["k13800138000", "打 [PHONE-1]"]


def test_the_audit_finds_what_is_left_and_nothing_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = bundle_of(reported(*GOOD))
    assert audit_redaction(bundle) == ()
    view = bundle.views[1].model_copy(update={"lines": ("规则", CONTACT)})
    leaking = bundle.model_copy(update={"views": (bundle.views[0], view)})
    assert audit_redaction(leaking) == ("views.1.lines.1",)
    titles = ("青禾窗", "规则 - 青禾窗", "我的任务")
    named = tuple(view.model_copy(update={"title": t}) for view, t in zip(bundle.views, titles, strict=True))
    assert audit_redaction(bundle.model_copy(update={"views": named})) == ("views.title",)
    told = bundle.report.model_copy(update={"note": "见 wk3.bh.test"})
    assert audit_redaction(bundle.model_copy(update={"report": told})) == ("report.note",)
    monkeypatch.setattr("riskchain_gym.scoring.redaction.text.Redactor.mask", lambda self, text: text)
    bad = episode(reported(*GOOD), {1: seen("/rules", *RULES, CONTACT)})
    with pytest.raises(RedactionError, match=r"views\.1\.lines\.3") as raised:
        present(bad)
    assert "13800" not in str(raised.value)
    result = judge_episode(bad, RuleJudge())
    assert (result.status, result.judge, result.adverse) == ("judge_error", "rules/1", ())


hostile = st.text(max_size=40) | st.text("0123456789一三８0点.。@:/ 微信[PHONE-1]©公司", max_size=40)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(hostile, min_size=1, max_size=4), st.data())
def test_a_quote_of_any_page_is_masked_as_the_page(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    if not quote.strip():
        return
    bundle = bundle_of(reported(cited(1, quote), GOOD[1]), {1: seen("/rules", *lines, title="t")})
    ruling = next(r for r in judged(bundle, RuleJudge())[2] if r.key == "shown.evidence.0")
    assert ruling.answer == "yes", (bundle.views[1].lines, bundle.report.citations[0].quote)


def test_a_right_report_is_shown_and_judged() -> None:
    result = judge_episode(episode(reported(cited(1, PROMISE), cited(2, DEPOSIT, PAYMENT))), RuleJudge())
    assert (result.status, result.adverse, result.faithfulness.score) == ("scored", (), 1.0)
