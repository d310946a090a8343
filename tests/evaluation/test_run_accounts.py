"""What a run writes down of its calls: in time, once, and by the right name."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from model_cases import CHAINS, PRICES, Script, broken, settings_for

import riskchain_gym.benchmark.splits as splits_module
from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.resume import differences
from riskchain_gym.evaluation.run import plan_run, run_agent
from riskchain_gym.evaluation.run_models import Asking, RunModels
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import losses, usage_of
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import Fail, FakeReply, Hang
from riskchain_gym.llm.fuse import ModelUnaskableError
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.trajectory import Phase

pytest.importorskip("openai")


def test_calls_are_on_disk_before_their_episode_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    early: list[str] = []
    append = RunFolder.append

    def watched(self: RunFolder, trajectory: object, *rest: object) -> object:
        chain = trajectory.chain_id  # type: ignore[attr-defined]
        early.extend([chain] if chain not in CallLog(self.path).standing() else [])
        return append(self, trajectory, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(RunFolder, "append", watched)
    with FakeEndpoint(Script()) as endpoint:
        run = run_agent("llm", tmp_path / "run", settings_for(endpoint, chains=CHAINS[:1]))
    assert run.holds(CHAINS[0])
    assert early == []


def test_a_call_that_the_budget_did_not_let_pass_is_written_down(tmp_path: Path) -> None:
    with FakeEndpoint(Script()) as endpoint:
        limited = settings_for(endpoint, chains=CHAINS[:1], prices=PRICES, max_cost=0.002)
        with pytest.raises(InfrastructureError, match="over_cost"):
            run_agent("llm", tmp_path / "run", limited)
        asked = len(endpoint.requests)
    (entry,) = CallLog(tmp_path / "run").entries()
    assert [str(call.failure) for call in entry.calls] == ["None"] * asked + ["over_cost"]
    assert (entry.lost, entry.calls[-1].answers, entry.calls[-1].attempts) == ("over_cost", 0, 0)


def test_an_answer_is_paid_once_in_all_starts_of_a_run(tmp_path: Path) -> None:
    """Both chains lose their fifth call: what came before is in the cache, and has a line that tells of its cost."""
    with FakeEndpoint(Script({5: broken, 10: broken})) as endpoint:
        first = settings_for(endpoint, chains=CHAINS[:2], prices=PRICES, max_cost=10)
        paid = usage_of(run_agent("llm", tmp_path / "run", first))
        assert paid is not None
        assert paid.lost == {"model_lost: transport": 2}
        whole = usage_of(run_agent("llm", tmp_path / "other", first))
    assert whole is not None
    assert whole.cost is not None
    with FakeEndpoint(Script()) as endpoint:
        limited = settings_for(endpoint, chains=CHAINS[:2], prices=PRICES, max_cost=1.01 * whole.cost)
        again = run_agent("llm", tmp_path / "run", limited)
    usage = usage_of(again)
    assert usage is not None
    assert usage.paid == pytest.approx(whole.cost)


class Answering:
    """A model that says the same to whatever is asked, from a cache."""

    model = "m"

    def complete(self, request: ChatRequest) -> Reply:
        return Reply(text="x", raw="x", cost=1.0, cached=True, answers=1, attempts=0, seconds=0)


def test_equal_answers_to_different_questions_are_paid_one_by_one(tmp_path: Path) -> None:
    """A start that was killed before it could write a line has left its answers in the cache."""
    models = RunModels(Asking(max_cost=10.0), tmp_path, workers=1)
    asked = AskedModel(Answering())
    for question in ("a", "b", "b"):
        asked.ask(ChatRequest(messages=(Message(role="user", text=question),)), phase=Phase.RESTORE)
    models.count(asked.episode_calls)
    models.count(asked.episode_calls)
    assert models._budget is not None
    assert models._budget.spent == 2.0


def test_answers_of_a_shared_folder_cost_the_second_run_nothing(tmp_path: Path) -> None:
    shared = {"prices": PRICES, "cache": tmp_path / "shared"}
    with FakeEndpoint(Script()) as endpoint:
        first = usage_of(run_agent("llm", tmp_path / "a", settings_for(endpoint, chains=CHAINS[:2], **shared)))
        assert first is not None
        assert first.cost is not None
        limited = settings_for(endpoint, chains=CHAINS, max_cost=first.cost, **shared)
        second = usage_of(run_agent("llm", tmp_path / "b", limited))
    assert second is not None
    assert second.cached == first.calls
    assert second.paid == pytest.approx((second.cost or 0) - first.cost)


def test_a_call_that_the_end_of_a_run_cuts_is_stopped_and_not_lost(tmp_path: Path) -> None:
    hanging = threading.Event()

    def hang() -> FakeReply:
        hanging.set()
        return Hang()

    def interrupt(agent: str, done: int) -> None:
        assert hanging.wait(60)
        raise KeyboardInterrupt

    with FakeEndpoint(Script()) as endpoint:
        run_agent("llm", tmp_path / "whole", settings_for(endpoint, chains=CHAINS[:1]))
        needed = len(endpoint.requests)
    with FakeEndpoint(Script({needed + 2: hang})) as endpoint, pytest.raises(KeyboardInterrupt):
        run_agent("llm", tmp_path / "run", settings_for(endpoint, chains=CHAINS[:2]), interrupt)
    entry = CallLog(tmp_path / "run").standing()[CHAINS[1]]
    assert (entry.lost, [str(call.failure) for call in entry.calls]) == ("stopped", ["None", "transport"])
    assert losses(RunFolder.open(tmp_path / "run")) == {"stopped": 1}


def test_a_key_that_is_refused_on_the_way_is_named_by_what_the_server_said(tmp_path: Path) -> None:
    with FakeEndpoint(Script(dict.fromkeys(range(3, 9), lambda: Fail(401, "expired")))) as endpoint:
        with pytest.raises(ModelUnaskableError, match="auth"):
            run_agent("llm", tmp_path / "run", settings_for(endpoint, chains=CHAINS[:2]))
        assert len(endpoint.requests) == 3
    entry = CallLog(tmp_path / "run").standing()[CHAINS[0]]
    assert [str(call.failure) for call in entry.calls] == ["None", "None", "auth"]
    assert losses(RunFolder.open(tmp_path / "run")) == {"auth": 1}


def test_a_chain_that_is_frozen_is_not_lost_whatever_happened_to_it_before(tmp_path: Path) -> None:
    """An agent that raised and played on the second try writes no further line where it asks no model."""
    settings = RunSettings(backend="text", observe=(), chains=CHAINS[:1])
    run = run_agent("noop", tmp_path / "run", settings)
    CallLog(run.path).add(ChainCalls(chain_id=CHAINS[0], lost="RuntimeError", detail="it broke"))
    assert losses(run) == {}
    later = run.manifest.model_copy(update={"versions": {**run.manifest.versions, "gymnasium": "99"}})
    assert [told.partition(":")[0] for told in differences(run.manifest, later)] == ["versions.gymnasium"]


def test_as_many_calls_are_in_flight_as_there_are_workers(tmp_path: Path) -> None:
    together = threading.Barrier(6, timeout=20)

    def script(_: object) -> FakeReply:
        together.wait()
        return Fail(401, "no")

    chains = tuple(chain.chain_id for chain in splits_module.load_public("mini"))[:6]
    with FakeEndpoint(script) as endpoint, pytest.raises(ModelUnaskableError):
        run_agent("llm", tmp_path / "run", replace(settings_for(endpoint, chains=chains), workers=6))
    assert not together.broken


def test_gold_is_not_read_before_the_last_episode_is_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("gold was read")

    monkeypatch.setattr(splits_module, "_gold", refused)
    settings = RunSettings(backend="text", observe=(), workers=1, chains=CHAINS[:1])
    assert run_agent("rules+explorer", tmp_path / "run", settings).holds(CHAINS[0])
    with pytest.raises(AssertionError, match="gold was read"):
        run_agent("oracle", tmp_path / "oracle", settings)


def test_a_manifest_tells_the_version_of_what_sounds_the_message(tmp_path: Path) -> None:
    def versions(**options: bool) -> dict[str, str]:
        asked = Overrides(model="m", base_url="http://127.0.0.1:9/v1", options=dict(options))
        settings = RunSettings(backend="text", observe=(), chains=CHAINS[:1], asking=Asking({"llm": asked}))
        return plan_run("llm", tmp_path / "run", settings).versions

    assert versions(pinyin=True).keys() - versions().keys() == {"pypinyin"}
