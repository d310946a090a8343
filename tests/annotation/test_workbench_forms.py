"""Whatever a page sends as a form is an answer or a list of problems, and an answer is its form again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.annotation.forms import FormError, PairForm, SiteForm, form_of, pair_answer, site_answer
from riskchain_gym.annotation.refusals import RefusedError
from riskchain_gym.annotation.requests import SaveDraft, read_request
from riskchain_gym.benchmark.labels.answers import PairAnswer, SiteAnswer
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.page import ObservedLine, ObservedPage

PAGES = {0: ObservedPage(path="/", title="x", lines=(ObservedLine(text="充值返利三倍"),), height=900)}
QUICK = settings(derandomize=True, deadline=None, max_examples=200)

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
regions = st.none() | st.fixed_dictionaries(
    dict.fromkeys(("x", "y"), st.floats(0, 100)) | dict.fromkeys(("width", "height"), st.floats(1, 100))
)
pins = st.fixed_dictionaries(
    {
        "id": st.text(max_size=3),
        "side": st.sampled_from(["evidence", "counterevidence"]),
        "step": st.integers(-1, 1),
        "element_id": st.none() | st.just("e9"),
        "region": regions,
        "quote": st.sampled_from(["", "充值返利三倍", "返利", "不在"]),
        "anchor_type": st.sampled_from(AnchorType),
        "observation": st.sampled_from(["", "承诺返利", "见 www.a.cn"]),
        "thumbnail": st.just(""),
    }
)
forms = st.fixed_dictionaries(
    {
        "environment_status": st.none() | st.sampled_from(EnvironmentStatus),
        "decision": st.none() | st.sampled_from(Decision),
        "primary_violation_type": st.none() | st.sampled_from(ViolationType),
        "secondary_violation_types": st.lists(st.sampled_from(CONCRETE_TYPES), max_size=2),
        "confidence": st.none() | st.integers(0, 6),
        "note": st.sampled_from(["", "看过两页", "适用平台的其他规定第三条", "http://a.test"]),
        "pins": st.lists(pins, max_size=3),
    }
)


@QUICK
@given(st.dictionaries(st.sampled_from([*SiteForm.model_fields, *PairForm.model_fields, "other"]), anything))
def test_any_json_is_an_answer_or_problems(form: dict[str, Any]) -> None:
    for read in (lambda: site_answer(form, PAGES), lambda: site_answer(form, {}), lambda: pair_answer(form)):
        try:
            found, problems = read(), None
        except FormError as error:
            found, problems = None, error.problems
        assert isinstance(found, SiteAnswer | PairAnswer) == (problems is None)
        assert problems is None or (problems and all(problem["message"] for problem in problems))


@QUICK
@given(forms)
def test_an_answer_can_be_filed_as_a_report_and_is_its_form_again(form: dict[str, Any]) -> None:
    try:
        answer = site_answer(form, PAGES)
    except FormError:
        return
    report = answer.report()
    assert report.decision == form["decision"]
    assert len(report.evidence) + len(report.counterevidence) == len(form["pins"])
    assert site_answer(form_of(answer, {}), PAGES) == answer


def test_forms_of_that_kind_are_answers_often_enough() -> None:
    good = {
        "environment_status": "COMPLETE",
        "decision": "VIOLATION",
        "primary_violation_type": "GAMBLING_BETTING_PROMOTION",
        "secondary_violation_types": ["OTHER_PROHIBITED_ACTIVITY"],
        "confidence": 3,
        "note": "",
        "pins": [{"side": "evidence", "step": 0, "quote": "返利", "anchor_type": "VISIBLE_TEXT_OR_CLAIM"}],
    }
    answer = site_answer(good, PAGES)
    assert (answer.primary_violation_type, answer.confidence) == (ViolationType.GAMBLING_BETTING_PROMOTION, 3)
    assert site_answer({**good, "decision": "INSUFFICIENT_EVIDENCE"}, PAGES).primary_violation_type == "UNKNOWN"
    assert site_answer({**good, "decision": "NON_VIOLATION"}, PAGES).secondary_violation_types == ()


def test_a_site_that_could_not_be_opened_needs_no_pin_if_it_is_called_so() -> None:
    form = {
        "environment_status": "INACCESSIBLE",
        "decision": "INSUFFICIENT_EVIDENCE",
        "confidence": 5,
    }
    assert site_answer(form, {}).evidence == ()
    for pages, status in ((PAGES, "INACCESSIBLE"), ({}, "PARTIAL")):
        with pytest.raises(FormError) as refused:
            site_answer({**form, "environment_status": status}, pages)
        assert [problem["field"] for problem in refused.value.problems] == ["pins"]


@QUICK
@given(st.binary(max_size=40) | anything.map(lambda value: repr(value).encode("utf-8", "surrogatepass")))
def test_any_body_is_a_request_or_a_sentence(body: bytes) -> None:
    with pytest.raises(RefusedError) as refused:
        read_request(body, SaveDraft)
    assert refused.value.status == 400
    assert refused.value.body["message"]
