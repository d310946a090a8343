"""Observations: numbers, quoted parts and words against the cited view; other words are left open."""

from __future__ import annotations

import pytest
from judged_episodes import DEPOSIT, FEE, GOOD, PAYMENT, PROMISE, cited, reported, rulings_of, seen

from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.scoring.judge.rules_numbers import numbers_in, numbers_said

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.CANNOT_TELL


def said(observation: str, quote: str = DEPOSIT, step: int = 2) -> Answer | None:
    report = reported(cited(1, PROMISE), cited(step, quote, PAYMENT, observation=observation))
    return rulings_of(report)["borne_out.evidence.1"].answer


@pytest.mark.parametrize(
    "observation",
    [
        "页面要求先转入保证金 498 元到派单员账户",
        "The page asks for “保证金 498 元” before anything is settled",
        "The page says: “请先转入保证金 …… 未转入不能结算”",
        "A deposit of 498 yuan is asked for at step 2",
        "要求“先转入保证金”",
    ],
)
def test_what_the_view_has_is_borne_out(observation: str) -> None:
    assert said(observation) is YES


@pytest.mark.parametrize(
    "observation",
    [
        "页面要求先转入保证金 488 元到派单员账户",
        "A deposit of 499 yuan is asked for",
        "The page asks for “保证金 498 块”",
        "The page says “提现必须审核” to visitors",
        "请拨打 [PHONE-7] 办理",
    ],
)
def test_a_number_or_a_quoted_part_that_the_view_lacks_is_not(observation: str) -> None:
    assert said(observation) is NO


@pytest.mark.parametrize(
    "observation",
    [
        "The visitor is led to send money first.",
        "明显是骗人的",
        "可疑",
        "The site looks unsafe, see view 2",
        "“先转入保证金”，可见这里是赌博窝点，主犯在逃，骗走了许多人的积蓄",
        "498 yuan: wanted criminals run this gambling den and stole the savings of many families",
    ],
)
def test_what_is_said_in_other_words_is_left_open(observation: str) -> None:
    assert said(observation) is OPEN


def test_numbers_must_stand_near_what_is_quoted() -> None:
    page = {1: seen("/rules", PROMISE, FEE, "第二笔手续费 58 元")}
    report = reported(cited(1, FEE, PAYMENT, observation="专属客服另收手续费 58 元，付款以后当天到账"), GOOD[1])
    assert rulings_of(report, page)["borne_out.evidence.0"].answer is NO


def test_an_observation_of_another_citation_is_not_borne_out() -> None:
    swapped = [
        cited(1, PROMISE, observation="专属客服另收手续费，付款以后当天到账"),
        cited(1, FEE, PAYMENT, observation="做完一单当天连本带佣返还，人人稳赚"),
    ]
    rulings = rulings_of(reported(*swapped, GOOD[1]))
    assert [rulings[f"borne_out.evidence.{i}"].answer for i in (0, 1)] == [NO, NO]
    assert rulings["borne_out.evidence.0"].why == "It describes what evidence.1 quotes."
    elsewhere = rulings_of(reported(cited(1, PROMISE, observation="请先转入保证金到派单员账户，未转入不能结算")))
    assert elsewhere["borne_out.evidence.0"].why == "It describes view 2."


def test_masked_numbers_are_compared_as_tokens() -> None:
    page = {1: seen("/rules", "电话 138 0013 8000", "传真 010-6234 5678")}
    for number, answer in (("13800138000", YES), ("13800138001", NO)):
        report = reported(cited(1, "电话 138 0013 8000", observation=f"页面给出“电话 {number}”"), GOOD[1])
        assert rulings_of(report, page)["borne_out.evidence.0"].answer is answer


def test_nothing_is_asked_of_a_citation_that_observes_nothing() -> None:
    assert "borne_out.evidence.0" not in rulings_of(reported(*GOOD))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,200 元和 3.50", {1200, 3.5}),
        ("１２８ 名", {128}),
        ("两万元，三百六十五天，十二个", {20000, 365, 12}),
        ("1.6 万次", {1.6, 16000}),
        ("3k", {3, 3000}),
        ("没有数，千分之，万一", {1}),
    ],
)
def test_numbers_are_read_in_digits_and_in_chinese(text: str, numbers: set[float]) -> None:
    assert numbers_in(text) == numbers


def test_numbers_that_say_where_something_stands_are_not_said() -> None:
    assert numbers_said("at step 3 of view 2, evidence.0, 第 5 页 has 2 lines: 498 元") == (498,)


@pytest.mark.parametrize("text", ["九" * 400, "9" * 400, "亿" * 50, "1," * 200, "万千百十" * 30])
def test_absurd_numbers_do_no_harm(text: str) -> None:
    assert isinstance(numbers_in(text), frozenset)
    assert isinstance(numbers_said(text), tuple)
