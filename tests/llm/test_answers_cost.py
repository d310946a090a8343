"""Every answer has its price, also one that is of no use: none is left out, and one that is unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_calls import Colour, asking, calling

from riskchain_gym.llm.budget import Budget
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fake_replies import Fail, FakeReply, Raw, Say, say_json
from riskchain_gym.llm.prices import Price, PriceTable
from riskchain_gym.llm.reply import MAX_TOKENS, Usage

pytest.importorskip("openai")

PRICES = PriceTable(as_of="2026-01-01", source="this test", models={"scripted": Price(input=1, output=1)})
GREEN = say_json({"colour": "green"}, usage=(10, 4, 5))
SILENT = Say("", usage=(20, 0, 1))
UNCOUNTED = Say("", usage=None)


def test_the_answers_before_the_last_one_are_in_its_tokens_and_its_cost() -> None:
    budget = Budget(1.0)
    with calling([SILENT, Fail(500), GREEN], prices=PRICES, budget=budget) as (client, _, _):
        reply = client.complete(asking(form=Colour))
    assert reply.usage == Usage(input_tokens=30, cached_input_tokens=4, output_tokens=6)
    assert (reply.failure, reply.attempts, reply.answers) == (None, 3, 2)
    assert reply.cost == pytest.approx(36e-6) == pytest.approx(budget.spent)


def test_one_answer_of_unknown_cost_makes_the_sum_unknown() -> None:
    with calling([UNCOUNTED, GREEN], prices=PRICES) as (client, _, _):
        reply = client.complete(asking(form=Colour))
    assert (reply.failure, reply.answers, reply.usage, reply.cost) == (None, 2, None, None)


def test_a_budget_that_is_spent_between_two_attempts_loses_none_of_them() -> None:
    with calling([SILENT, GREEN], prices=PRICES, budget=Budget(20e-6)) as (client, endpoint, _):
        reply = client.complete(asking(form=Colour))
        assert len(endpoint.requests) == 1
    assert (reply.failure, reply.attempts, reply.answers) == (CallFailure.OVER_COST, 1, 1)
    assert reply.cost == pytest.approx(21e-6)


@pytest.mark.parametrize(
    ("said", "failure", "answers"),
    [
        (Say("x" * 5000), CallFailure.TOO_LARGE, 1),
        (Say("", refusal="I will not.", usage=None), CallFailure.REFUSED, 1),
        (Raw(b"<html>welcome</html>"), CallFailure.BAD_RESPONSE, 1),
        (Fail(400, "no", "content_filter"), CallFailure.REFUSED, 0),
        (Fail(501, "no"), CallFailure.BAD_RESPONSE, 0),
    ],
    ids=["too large", "refused", "no completion", "refused by a status", "a status"],
)
def test_what_was_answered_without_a_count_is_unknown_and_a_completion_closes_a_budget(
    said: FakeReply, failure: CallFailure, answers: int, tmp_path: Path
) -> None:
    setup = {"prices": PRICES, "budget": Budget(1.0), "max_reply_bytes": 4096, "cache": ReplyCache(tmp_path)}
    with calling([said, GREEN], **setup) as (client, _, _):
        first, again = client.complete(asking("a", Colour)), client.complete(asking("a", Colour))
        other = client.complete(asking("b", Colour))
    assert (first.failure, first.answers, first.usage, first.cost) == (failure, answers, None, None)
    if again.cached:
        assert (again.failure, again.answers, again.cost) == (failure, answers, None)
    closes = answers and failure is not CallFailure.BAD_RESPONSE  # which nothing but a proxy may have said
    assert other.failure is (CallFailure.COST_UNKNOWN if closes else None)


@given(st.lists(st.none() | st.integers(min_value=0, max_value=MAX_TOKENS), max_size=4))
@settings(derandomize=True)
def test_tokens_are_added_up_or_unknown(counts: list[int | None]) -> None:
    parts = [None if n is None else Usage(input_tokens=n, output_tokens=0) for n in counts]
    found, total = Usage.together(parts), sum(n or 0 for n in counts)
    known = bool(counts) and None not in counts and total <= MAX_TOKENS
    assert found == (Usage(input_tokens=total, output_tokens=0) if known else None)
