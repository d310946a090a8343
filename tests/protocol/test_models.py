"""The words that cross boundaries: what they accept, what they refuse and what they say about it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Decision, ViolationType, canonical_type
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed, keyed_id
from riskchain_gym.protocol.model import canonical_json, sha256_of
from riskchain_gym.protocol.report import Report


def report(**change: object) -> dict[str, object]:
    base: dict[str, object] = {
        "environment_status": "COMPLETE",
        "decision": "VIOLATION",
        "primary_violation_type": "GAMBLING_BETTING_PROMOTION",
        "evidence": [{"step": 0, "quote": "x", "anchor_type": "VISIBLE_TEXT_OR_CLAIM"}],
        "risk_reason": "r",
        "confidence": 3,
        "evidence_sufficiency": "SUFFICIENT",
    }
    return {**base, **change}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"primary_violation_type": "NONE"}, "primary_violation_type"),
        ({"decision": "NON_VIOLATION"}, "goes with NONE"),
        ({"decision": "INSUFFICIENT_EVIDENCE", "primary_violation_type": "UNKNOWN"}, "evidence_sufficiency"),
        ({"evidence_sufficiency": "INSUFFICIENT"}, "evidence_sufficiency"),
        ({"secondary_violation_types": ["GAMBLING_BETTING_PROMOTION"]}, "secondary_violation_types"),
        ({"secondary_violation_types": ["UNKNOWN"]}, "secondary_violation_types"),
        ({"evidence": []}, "evidence"),
        ({"confidence": 6}, "confidence"),
        ({"primary_violation_type": "OTHER_PROHIBITED_ACTIVITY", "note": "short"}, "note"),
        ({"risk_reason": "see alpha.beta.test"}, "no URL"),
        ({"note": "10.0.0.1"}, "no URL"),
        ({"note": "mail me@example.org"}, "no URL"),
        ({"note": "x" * 1001}, "note"),
        ({"surprise": 1}, "surprise"),
        ({"evidence": [{"step": 0, "quote": " ", "anchor_type": "VISIBLE_TEXT_OR_CLAIM"}]}, "quote"),
        ({"evidence": [{"step": -1, "quote": "x", "anchor_type": "VISIBLE_TEXT_OR_CLAIM"}]}, "step"),
    ],
)
def test_a_report_that_breaks_a_rule_is_refused_by_the_rules_name(change: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Report.model_validate(report(**change))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"decision": "NON_VIOLATION", "primary_violation_type": "NONE"},
        {"note": "版本 1.2.3，金额 3.5 元"},
        {"primary_violation_type": "OTHER_PROHIBITED_ACTIVITY", "note": "账号租借属于平台禁止项目"},
    ],
)
def test_reports_within_the_rules_are_accepted(change: dict[str, object]) -> None:
    assert Report.model_validate(report(**change))


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ({"action": "click"}, "needs the id"),
        ({"action": "reload", "element_id": "e1"}, "takes no element"),
        ({"action": "stop"}, "stop_status"),
        ({"action": "click", "element_id": "e1", "stop_status": "COMPLETE"}, "stop_status"),
        ({"action": "click", "element_id": "e1", "option": "x"}, "option"),
        ({"action": "goto", "element_id": "e1"}, "action"),
        ({"action": "fill", "element_id": "e1", "value": "my own text"}, "value"),
        ({"action": "press", "element_id": "e1"}, "give Enter or Escape"),
        ({"action": "press", "key": "Enter"}, "needs the id"),
        ({"action": "click", "element_id": "e1", "key": "Enter"}, "no other action"),
        ({"action": "press", "element_id": "e1", "key": "Space"}, "click or check"),
        ({"action": "press", "element_id": "e1", "key": "PageDown"}, "scroll_down"),
        ({"action": "press", "element_id": "e1", "key": "Tab"}, "not needed"),
        ({"action": "press", "element_id": "e1", "key": "a"}, "fill"),
    ],
)
def test_actions_outside_the_vocabulary_are_refused(action: dict[str, str], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        BrowserAction.model_validate(action)


def test_a_commit_has_unique_ranks_and_ids_and_at_most_five_candidates() -> None:
    one = {"rank": 1, "value": "a.b.test"}
    with pytest.raises(ValidationError, match="ranks must be unique"):
        Commit.model_validate({"entry_candidates": [one, one]})
    with pytest.raises(ValidationError, match="ids must be unique"):
        Commit.model_validate({"reconstructed_messages": [{"message_id": "m", "text": ""}] * 2})
    with pytest.raises(ValidationError, match="entry_candidates"):
        Commit.model_validate({"entry_candidates": [{"rank": i, "value": "x"} for i in range(1, 7)]})


def test_the_codebook_has_three_decisions_nine_types_and_twelve_anchors() -> None:
    assert (len(Decision), len(CONCRETE_TYPES), len(AnchorType)) == (3, 9, 12)
    assert canonical_type(Decision.INSUFFICIENT_EVIDENCE, ViolationType.NONE) is ViolationType.UNKNOWN


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_canonical_json_is_one_text_for_one_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


def test_canonical_json_refuses_what_json_does_not_have() -> None:
    with pytest.raises(ValueError, match="JSON"):
        sha256_of({"x": float("nan")})


def test_keyed_draws_are_pinned_for_ever() -> None:
    key = key_from_seed(2026)
    rng = KeyedRandom(key, "test", "vector")
    assert [rng.below(1000) for _ in range(6)] == [988, 480, 826, 525, 218, 870]
    assert keyed_id(key, "test") == "xrsk9kpg4m6e"


def test_labels_and_keys_separate_streams() -> None:
    draws = [
        KeyedRandom(key_from_seed(s), *label).below(1 << 60) for s in (1, 2) for label in (("a", "b"), ("ab",), ("a",))
    ]
    assert len(set(draws)) == len(draws)


@given(st.integers(1, 50), st.integers(0, 1 << 32))
def test_draws_stay_in_range(n: int, seed: int) -> None:
    rng = KeyedRandom(key_from_seed(seed))
    assert 0 <= rng.below(n) < n
    items = list(range(n))
    rng.shuffle(items)
    assert sorted(items) == list(range(n))
    assert len(set(rng.sample(range(n), n // 2))) == n // 2
