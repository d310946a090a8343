"""The failure zoo by name and by count, and the filters that answer with a status of their own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llm_calls import Colour, asking, calling

from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fake import FakeRequest
from riskchain_gym.llm.fake_replies import FakeReply, Raw, Say, say_json
from riskchain_gym.llm.fake_zoo import ZOO, Troubled
from riskchain_gym.protocol.errors import ConfigError

ASKED = FakeRequest(body={}, model="m", texts=("?",))
FINE = Say("fine")
GREEN = say_json({"colour": "green"})

AZURE = {
    "error": {
        "message": "The response was filtered: see the policy on images.",
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"sexual": {"filtered": True}}},
    }
}
FILTERS = {
    "azure": AZURE,
    "dashscope": {"error": {"code": "data_inspection_failed", "message": "Inappropriate.", "type": "x"}},
    "deepseek": {"error": {"message": "Content Exists Risk", "type": "invalid_request_error", "code": "y"}},
}


def outcomes(troubled: Troubled, count: int) -> list[str]:
    return [troubled.next(ASKED)[1] for _ in range(count)]


def fine(_: FakeRequest) -> FakeReply:
    return FINE


def test_every_nth_request_fails() -> None:
    assert outcomes(Troubled(["empty"], every=3, script=fine), 7) == ["", "", "empty", "", "", "empty", ""]


def test_requests_fail_for_good_after_the_first_few() -> None:
    assert outcomes(Troubled(["auth"], after=2, script=fine), 5) == ["", "", "auth", "auth", "auth"]


def test_all_requests_fail_where_nothing_else_is_said() -> None:
    assert outcomes(Troubled(["auth"], script=fine), 2) == ["auth", "auth"]


def test_several_failures_come_in_turn() -> None:
    assert outcomes(Troubled(["auth", "empty"], every=2, script=fine), 6) == ["", "auth", "", "empty", "", "auth"]


def test_without_failures_every_request_is_answered() -> None:
    assert [Troubled([], script=fine)(ASKED) for _ in range(3)] == [FINE] * 3


def test_threads_share_the_count() -> None:
    troubled = Troubled(["empty"], every=4, script=fine)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: troubled.next(ASKED)[1], range(200)))
    assert found.count("empty") == 50


def test_an_unknown_failure_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no failure 'flood'.*rate_limited.*endless_loop"):
        Troubled(["flood"])


def test_every_and_after_do_not_go_together() -> None:
    with pytest.raises(ConfigError, match="not both"):
        Troubled(["auth"], every=2, after=2)


def test_a_failure_has_the_name_that_it_is_asked_for_by() -> None:
    assert all(name == mishap.name and mishap.summary for name, mishap in ZOO.items())
    missing = set(CallFailure) - {mishap.failure for mishap in ZOO.values()}
    assert missing == {CallFailure.BAD_REQUEST, CallFailure.OVER_COST, CallFailure.COST_UNKNOWN}, (
        "each other call failure can be played"
    )


@pytest.mark.parametrize("filter_name", FILTERS)
def test_a_filter_that_answers_400_refuses_and_is_asked_again_another_day(filter_name: str, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    refusal = Raw(json.dumps(FILTERS[filter_name]).encode(), status=400)
    with calling([refusal, GREEN], cache=ReplyCache(tmp_path)) as (client, endpoint, waits):
        assert client.complete(asking(form=Colour)).failure is CallFailure.REFUSED
        assert client.complete(asking(form=Colour)).parsed == {"colour": "green"}, "no error status is kept"
    assert (len(endpoint.requests), waits) == (2, [])
