"""What is asked: the same for the same bundle, one narrow claim each, the codebook's parts as groups."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_episodes import DEPOSIT, GOOD, PROMISE, RULES, bundle_of, cited, reported, seen

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Decision, ViolationType
from riskchain_gym.scoring.judge.enquiry import ANCHORS, questions_about
from riskchain_gym.scoring.judge.questions import Answer, ClaimKind, Question


def asked(*evidence: object, **more: object) -> tuple[Question, ...]:
    return questions_about(bundle_of(reported(*(evidence or GOOD), **more)))  # type: ignore[arg-type]


def test_every_citation_view_and_part_is_asked_about_once() -> None:
    questions = asked(*GOOD, cited(2, DEPOSIT[:6], observation="要求先付款"), against=(cited(0, "窗口时间"),))
    assert Counter(question.kind for question in questions) == {
        ClaimKind.SHOWN: 4,
        ClaimKind.BORNE_OUT: 1,
        ClaimKind.ANCHOR_FITS: 4,
        ClaimKind.SPEAKS_FOR: 4,
        ClaimKind.ADDS: 3,
        ClaimKind.SHOWS_PART: 6,
        ClaimKind.LEFT_OUT: 3,
        ClaimKind.UNTRIED: 3,
        ClaimKind.FOLLOWS: 1,
        ClaimKind.STATUS_FITS: 1,
    }
    keys = [question.key for question in questions]
    assert len(set(keys)) == len(keys)
    assert {"shown.evidence.0", "adds.counterevidence.0", "left_out.view.2", "follows"} <= set(keys)
    assert {question.step for question in questions if question.place == "counterevidence.0"} == {0}


def test_equal_bundles_are_asked_the_same_and_equal_states_once() -> None:
    assert asked() == asked()
    again = questions_about(bundle_of(reported(*GOOD), {2: seen("/rules", *RULES)}))
    assert [q.place for q in again if q.kind is ClaimKind.LEFT_OUT] == ["view.0", "view.1"]


@pytest.mark.parametrize(
    ("more", "groups"),
    [
        ({}, ["part.claim", "part.action"]),
        ({"decision": Decision.NON_VIOLATION}, ["part.benign"]),
        ({"decision": Decision.INSUFFICIENT_EVIDENCE}, ["part.limitation"]),
        ({"kind": ViolationType.OTHER_PROHIBITED_ACTIVITY, "note": "forged papers for sale"}, ["part.fact"]),
    ],
)
def test_parts_are_groups_that_one_citation_settles(more: dict[str, object], groups: list[str]) -> None:
    parts = [question for question in asked(**more) if question.kind is ClaimKind.SHOWS_PART]
    assert list(dict.fromkeys(question.group for question in parts)) == groups
    assert [q.place for q in parts] == ["evidence.0", "evidence.1"] * len(groups)
    empty = bundle_of(reported(*GOOD, **more))  # type: ignore[arg-type]
    bare = empty.model_copy(update={"report": empty.report.model_copy(update={"citations": ()})})
    parts = [question for question in questions_about(bare) if question.kind is ClaimKind.SHOWS_PART]
    assert [(question.place, question.group) for question in parts] == [("report", group) for group in groups]


def test_claims_hold_what_was_redacted_between_quotation_marks() -> None:
    questions = questions_about(
        bundle_of(
            reported(cited(1, "电话 13800138000", observation="它给出电话 13800138000")),
            {1: seen("/rules", "规则", "电话 138 0013 8000")},
        )
    )
    claims = {question.key: question.claim for question in questions}
    assert claims["shown.evidence.0"] == "View 1 shows the quoted text: “电话 [PHONE-1]”."
    assert "“它给出电话 [PHONE-1]”" in claims["borne_out.evidence.0"]
    assert not any("138" in claim or "规则" in claim for claim in claims.values())


@pytest.mark.parametrize("kind", CONCRETE_TYPES)
def test_the_rule_of_the_reported_type_is_in_the_claim(kind: ViolationType) -> None:
    parts = [q for q in asked(kind=kind, note="a note of ten characters") if q.kind is ClaimKind.SHOWS_PART]
    assert parts
    assert all(kind in q.claim or q.group == "part.fact" for q in parts)


def test_every_anchor_has_words_and_every_kind_an_answer_that_speaks_for_the_report() -> None:
    assert set(ANCHORS) == set(AnchorType)
    good = {question.kind: question.good for question in asked(*GOOD, cited(0, "窗口", observation="x"))}
    assert set(good) == set(ClaimKind)
    assert {kind for kind, answer in good.items() if answer is Answer.NO} == {ClaimKind.LEFT_OUT, ClaimKind.UNTRIED}


def test_citations_without_a_quote_are_asked_about_by_element_or_region() -> None:
    questions = asked(cited(1, element_id="e/rules"), cited(1, region={"x": 1, "y": 2, "width": 3, "height": 4.5}))
    claims = {question.key: question.claim for question in questions}
    assert claims["shown.evidence.0"] == "View 1 has the element “e/rules”."
    assert claims["shown.evidence.1"] == "View 1 has the region x 1, y 2, width 3, height 4.5."


texts = st.text(min_size=1, max_size=30).filter(str.strip)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), texts, texts, st.sampled_from(list(AnchorType))), min_size=1, max_size=4))
def test_keys_are_unique_whatever_is_cited(citations: list[tuple[int, str, str, AnchorType]]) -> None:
    try:
        report = reported(*(cited(step, quote, anchor, observation=said) for step, quote, said, anchor in citations))
    except ValueError:  # the report itself refuses addresses in what it says
        return
    questions = questions_about(bundle_of(report))
    assert len({question.key for question in questions}) == len(questions)
    assert PROMISE not in "".join(question.claim for question in questions if question.place.startswith("view"))
