"""A long job ends when its model can no longer answer, and not before."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fuse import IN_A_ROW, FuseBlownError, FusedModel, ModelUnaskableError
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.errors import ConfigError


class Scripted:
    model = "m"

    def __init__(self, failures: Iterable[CallFailure | None]) -> None:
        self._replies = [
            Reply(failure=failure, detail="why", attempts=n, seconds=n / 2) for n, failure in enumerate(failures, 1)
        ]

    def complete(self, request: ChatRequest) -> Reply:
        return self._replies.pop(0)


REQUEST = ChatRequest(messages=(Message(role="user", text="?"),))


@pytest.mark.parametrize("failure", [CallFailure.TRANSPORT, CallFailure.TIMEOUT, CallFailure.RATE_LIMITED])
def test_a_server_that_is_out_of_reach_ends_the_job_and_one_answer_in_between_does_not(failure: CallFailure) -> None:
    almost = [failure] * (IN_A_ROW - 1)
    fused = FusedModel(Scripted([*almost, None, *almost, failure]))
    seen = [fused.complete(REQUEST).failure for _ in range(2 * IN_A_ROW - 1)]
    assert seen == [*almost, None, *almost]
    with pytest.raises(FuseBlownError, match=r"model_lost.*5 calls in a row.*start it") as blown:
        fused.complete(REQUEST)
    last = blown.value.reply
    assert (last.failure, last.attempts, last.seconds) == (failure, 2 * IN_A_ROW, IN_A_ROW), "and not an invented one"


@pytest.mark.parametrize("failure", [CallFailure.AUTH, CallFailure.MODEL_NOT_FOUND])
def test_a_wrong_key_or_name_ends_it_at_once(failure: CallFailure) -> None:
    said = rf"'m' cannot be asked \({failure}: why\): check address, model name and key"
    with pytest.raises(ModelUnaskableError, match=said) as error:
        FusedModel(Scripted([failure])).complete(REQUEST)
    assert error.value.reply.failure is failure
    assert isinstance(error.value, ConfigError)


def test_a_spent_budget_ends_it_and_says_that_nothing_is_lost() -> None:
    with pytest.raises(FuseBlownError, match=r"over_cost.*answers so far are kept") as blown:
        FusedModel(Scripted([CallFailure.OVER_COST])).complete(REQUEST)
    assert blown.value.reply.failure is CallFailure.OVER_COST


def test_what_the_model_says_wrong_never_ends_it() -> None:
    words = [CallFailure.REFUSED, CallFailure.TRUNCATED, CallFailure.INVALID_JSON, CallFailure.SCHEMA] * 5
    fused = FusedModel(Scripted(words))
    assert [fused.complete(REQUEST).failure for _ in words] == words
