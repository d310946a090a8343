"""Rules of forms: those that a long answer could keep busy are refused, and those that content needs are not."""

from __future__ import annotations

import re

import pytest

from riskchain_gym.sites.rules import rule_problem


@pytest.mark.parametrize(
    "rule", [".{1,20}", "[^@ ]+@[^@ ]+", ".+", "(?:aa|a)x", "(?i)(yes|no|maybe)", r"\d{4}-\d{2}(-\d{2})?", "(a|b)(c|d)"]
)
def test_what_content_needs_is_possible(rule: str) -> None:
    assert rule_problem(rule) is None


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("(?:aa|a)" * 30 + "x", "too many .* branches"),
        ("(?:a|aa|aaa)" * 12 + "b", "too many .* branches"),
        ("((a|aa)|(?:b|bb|bbb))" * 9 + "x", "too many .* branches"),
        ("(?:" + "|".join(["a"] * 12) + ")" + ".*.*", "too many .* branches"),
        (".*.*.*", "too many open-ended repetitions"),
        ("(a|aa)+x", "repeats what repeats or branches"),
        ("(a+)+x", "repeats what repeats or branches"),
        (r"(a)\1", "refers back"),
        ("(?=a)a", "looks around"),
        ("(?x)a # )", "flag x"),
        ("(?ix:a #)\n)", "flag x"),
        ("((", "does not parse"),
    ],
)
def test_what_a_long_answer_could_keep_busy_is_refused(rule: str, said: str) -> None:
    problem = rule_problem(rule)
    assert problem is not None
    assert problem.startswith(f"'{rule}'")
    assert re.search(said, problem), problem
