"""What was asked of models is added up whole: what is unknown stays unknown, and no failure goes without its name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import CALLS, CallLog, ChainCalls
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import dollars, listed, paid_in, usage_cells, usage_of, usage_remarks
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.trajectory import Phase


def call(**changes: Any) -> CallRecord:
    usage = Usage(input_tokens=100, output_tokens=10)
    answered = {"usage": usage, "cost": 0.5, "model": "m-1", "answers": 1}
    return CallRecord(**{"phase": Phase.BROWSE, "seconds": 1.0, "attempts": 1, "characters": 9, **answered, **changes})


def unanswered(failure: CallFailure, **changes: Any) -> CallRecord:
    return call(**{"failure": failure, "usage": None, "cost": None, "model": "", "answers": 0, **changes})


@pytest.fixture
def run(frozen: dict[str, RunFolder], tmp_path: Path) -> RunFolder:
    shutil.copytree(frozen["rules+explorer"].path, tmp_path / "run")
    return RunFolder.open(tmp_path / "run")


def told(run: RunFolder, *calls: CallRecord, **entry: Any) -> ChainCalls:
    made = ChainCalls(**{"chain_id": run.manifest.chains[0], "calls": calls, **entry})
    CallLog(run.path).add(made)
    return made


def test_a_run_that_asked_nothing_has_no_usage(run: RunFolder) -> None:
    assert usage_of(run) is None


def test_calls_tokens_cost_and_latency_are_added_up(run: RunFolder) -> None:
    second = run.manifest.chains[1]
    fast = [call(seconds=s) for s in (1.0, 2.0, 3.0)]
    told(run, *fast, call(cached=True, attempts=0, seconds=0.0), call(repair=True, seconds=9.0, model="m-2"))
    told(run, unanswered(CallFailure.TIMEOUT, seconds=300.0), call(failure=CallFailure.REFUSED), chain_id=second)
    usage = usage_of(run)
    assert usage is not None
    assert (usage.models, usage.chains, usage.calls) == (("m-1", "m-2"), 2, 7)
    assert (usage.repairs, usage.cached) == (1, 1)
    assert (usage.input_tokens, usage.output_tokens, usage.cost, usage.paid) == (600, 60, 3.0, 2.5)
    assert (usage.latency_median, usage.latency_p95) == (2.0, 9.0), "neither cached calls nor a server that hangs"
    assert usage.call_failures == {"refused": 1, "timeout": 1}
    assert usage.events == {str(k): v for k, v in sorted(events(run).items())}


def events(run: RunFolder) -> dict[str, int]:
    kinds = [failure.kind for record in run.records() for failure in record.trajectory.failures]
    return {kind: kinds.count(kind) for kind in kinds}


@pytest.mark.parametrize("failure", [None, CallFailure.INVALID_JSON, CallFailure.EMPTY])
def test_an_answer_of_unknown_cost_makes_the_sum_unknown(run: RunFolder, failure: CallFailure | None) -> None:
    told(run, call(), call(failure=failure, usage=None, cost=None))
    usage = usage_of(run)
    assert usage is not None
    assert (usage.cost, usage.paid, usage.input_tokens) == (None, None, None)
    cells = usage_cells(usage)
    assert (cells["Cost USD"], cells["Tokens in"]) == ("unknown", "unknown")


def test_a_call_that_nobody_answered_costs_nothing_that_is_known_or_not(run: RunFolder) -> None:
    told(run, call(), unanswered(CallFailure.TRANSPORT), unanswered(CallFailure.OVER_COST, attempts=0))
    usage = usage_of(run)
    assert usage is not None
    assert usage.cost == 0.5


def test_of_two_attempts_at_a_chain_the_later_one_counts_and_both_were_paid(run: RunFolder) -> None:
    told(run, call(), unanswered(CallFailure.TIMEOUT), lost="model_lost", detail="'m' gave no answer")
    told(run, call(cached=True, attempts=0, seconds=0.0), call())
    usage = usage_of(run)
    assert usage is not None
    assert (usage.calls, usage.cost, usage.paid, usage.call_failures, usage.lost) == (2, 1.0, 1.0, {}, {})


def test_a_lost_chain_is_told_with_the_failure_of_its_last_call(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", frozen["noop"].manifest)
    chains = run.manifest.chains
    told(run, unanswered(CallFailure.TIMEOUT, detail="the reply did not end"), lost="model_lost")
    told(run, unanswered(CallFailure.OVER_COST), lost="over_cost", chain_id=chains[1])
    told(run, call(), lost="stopped", chain_id=chains[2])
    usage = usage_of(run)
    assert usage is not None
    assert usage.lost == {"model_lost: timeout": 1, "over_cost": 1, "stopped": 1}
    assert usage_remarks(usage)[-2:] == [
        "no result: model_lost: timeout 1, over_cost 1, stopped 1",
        "model_lost: timeout, e.g. the reply did not end",
    ]
    assert usage_cells(usage)["Model"] == "m-1"


def test_a_model_that_has_not_answered_is_named_as_it_was_asked_for(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    config: dict[str, Any] = {"models": [{"model": "asked-for"}]}
    run = RunFolder.create(tmp_path / "run", frozen["noop"].manifest.model_copy(update={"agent_config": config}))
    told(run, unanswered(CallFailure.TRANSPORT), lost="model_lost")
    usage = usage_of(run)
    assert usage is not None
    assert usage_cells(usage)["Model"] == "asked-for (as asked for)"


def test_what_was_paid_since_is_known_though_what_was_paid_before_is_not(run: RunFolder) -> None:
    told(run, call(cost=None))
    log = CallLog(run.path)
    assert (paid_in(log), paid_in(log, 1)) == (None, 0)
    told(run, call(cost=0.25), chain_id=run.manifest.chains[1])
    assert (paid_in(log), paid_in(log, 1)) == (None, 0.25)


def test_a_line_that_was_never_finished_is_left_out_and_a_wrong_one_named(run: RunFolder) -> None:
    told(run, call(detail="half \ud800 a pair"))
    with (run.path / CALLS).open("ab") as file:
        file.write(b'{"chain_id":')
    assert [entry.calls[0].detail for entry in CallLog(run.path).entries()] == ["half ? a pair"]
    told(run, call())
    assert len(list(CallLog(run.path).entries())) == 2
    with (run.path / CALLS).open("ab") as file:
        file.write(b'{"chain_id": 3}\n')
    with pytest.raises(InputFileError, match=r"00000\.jsonl: line 3: is no record of calls"):
        usage_of(run)


@given(st.floats(min_value=0, max_value=1e6))
@settings(derandomize=True)
def test_what_costs_something_is_never_shown_as_nothing(cost: float) -> None:
    assert (dollars(cost) == "0.0000") == (cost == 0)
    assert dollars(None) == "unknown"


def test_counts_are_told_largest_first() -> None:
    assert listed({"b": 1, "a": 1, "c": 7}) == "c 7, a 1, b 1"
