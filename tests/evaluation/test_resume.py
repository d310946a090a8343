"""A run that was ended goes on where it was: no finished chain again, no finished call again, the same result."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from model_cases import CHAINS, MODEL, PRICES, Script, broken, hashes, repeated, settings_for

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.calls import CALLS, REPLIES, CallLog
from riskchain_gym.evaluation.resume import differences
from riskchain_gym.evaluation.run import run_agent, run_agents
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.evaluation.usage import losses, usage_of
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import Fail, FakeReply
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError

pytest.importorskip("openai")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """A run that nothing went wrong in, and how many requests it took."""
    path = tmp_path_factory.mktemp("whole") / "run"
    with FakeEndpoint(Script()) as endpoint:
        run_agent("llm", path, settings_for(endpoint))
        yield path, len(endpoint.requests)


def interrupt(agent: str, done: int) -> None:
    raise KeyboardInterrupt


def test_a_finished_chain_is_not_run_again(undisturbed: tuple[Path, int], tmp_path: Path) -> None:
    whole, requests = undisturbed
    with FakeEndpoint(Script()) as endpoint:
        with pytest.raises(KeyboardInterrupt):
            run_agent("llm", tmp_path / "run", settings_for(endpoint), interrupt)
        begun = hashes(tmp_path / "run")
        assert 1 <= len(begun) < len(CHAINS)
        seen: list[int] = []
        run_agent("llm", tmp_path / "run", settings_for(endpoint), lambda _, done: seen.append(done))
        assert seen[0] == len(begun) + 1
        assert hashes(tmp_path / "run") == hashes(whole)
        # The call in flight when the run was ended may have been answered to nobody.
        assert repeated(endpoint) <= 1
        before = len(endpoint.requests)
        run_agent("llm", tmp_path / "run", settings_for(endpoint))
        assert len(endpoint.requests) == before <= requests + 1


def test_an_answer_is_kept_whatever_port_the_model_is_served_at(tmp_path: Path) -> None:
    with FakeEndpoint(Script()) as first:
        run_agent("llm", tmp_path / "run", settings_for(first, chains=CHAINS[:1]))
    for file in (tmp_path / "run" / "shards").iterdir():
        file.unlink()
    with FakeEndpoint(Script()) as second:
        run_agent("llm", tmp_path / "run", settings_for(second, chains=CHAINS[:1]))
        assert second.requests == []
    usage = usage_of(RunFolder.open(tmp_path / "run"))
    assert usage is not None
    assert usage.calls == usage.cached > 0


def test_another_run_in_the_folder_is_refused_with_what_differs(undisturbed: tuple[Path, int]) -> None:
    path, _ = undisturbed
    before = (path / MANIFEST).read_bytes()
    with FakeEndpoint(Script()) as endpoint:
        settings = settings_for(endpoint)
        other = settings.asking.overrides["llm"].model_copy(update={"model": "another", "options": {"language": "zh"}})
        changed = replace(settings.asking, overrides={"llm": other})
        with pytest.raises(ConfigError, match="holds another run") as refused:
            run_agent("llm", path, replace(settings, asking=changed, chains=CHAINS[:2]))
        assert endpoint.requests == []
    said = str(refused.value)
    assert f"agent_config.models.0.model: {MODEL} → another" in said
    assert "agent_config.identities.0.options.language: en → zh" in said
    assert "agent_sha256" not in said
    manifest = RunFolder.open(path).manifest
    assert differences(manifest, manifest) == []
    told = differences(manifest, manifest.model_copy(update={"chains": CHAINS[:2], "split_sha256": "0" * 64}))
    assert [field.partition(":")[0] for field in told] == ["split_sha256", "chains"]
    assert (path / MANIFEST).read_bytes() == before


def test_what_is_no_run_is_not_run_into(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ConfigError, match="not empty"):
        run_agent("noop", tmp_path, RunSettings(backend="text", observe=(), chains=CHAINS))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_a_crash_left_of_a_manifest_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".{MANIFEST}.a1b2").write_text("{")
    run = run_agent("noop", tmp_path, RunSettings(backend="text", observe=(), chains=CHAINS[:1]))
    assert len(hashes(run.path)) == 1


def test_two_runs_in_one_folder_at_once_are_refused(tmp_path: Path) -> None:
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(ConfigError, match="Another run is at work in"):
        run_agent("noop", tmp_path, RunSettings(backend="text", observe=(), chains=CHAINS))
    os.close(held)
    assert run_agent("noop", tmp_path, RunSettings(backend="text", observe=(), chains=CHAINS[:1])).holds(CHAINS[0])


def test_a_chain_whose_model_gave_no_answer_is_lost_alone_and_run_again(tmp_path: Path) -> None:
    with FakeEndpoint(Script({2: broken})) as endpoint:
        run = run_agent("llm", tmp_path / "run", settings_for(endpoint))
        assert [record.trajectory.chain_id for record in run.records()] == list(CHAINS[1:])
        assert losses(run) == {"model_lost: transport": 1}
        lost = CallLog(run.path).standing()[CHAINS[0]]
        assert [call.failure for call in lost.calls] == [None, "transport"]
        again = run_agent("llm", tmp_path / "run", settings_for(endpoint))
        assert {record.trajectory.chain_id for record in again.records()} == set(CHAINS)
        assert losses(again) == {}
        assert repeated(endpoint) == 1, "only the call that nobody answered"
    assert [call.cached for call in CallLog(run.path).standing()[CHAINS[0]].calls][:2] == [True, False]


def test_a_model_that_answers_no_more_ends_the_run_and_what_came_of_it_stays(tmp_path: Path) -> None:
    chains = tuple(chain.chain_id for chain in load_public("mini"))[:11]
    with FakeEndpoint(Script(dict.fromkeys(range(10, 40), broken))) as endpoint:
        with pytest.raises(InfrastructureError, match="5 calls in a row"):
            run_agent("llm", tmp_path / "run", settings_for(endpoint, chains=chains))
        assert len(endpoint.requests) == 9 + 5
    assert 1 <= len(hashes(tmp_path / "run")) <= len(chains) - 5


@pytest.mark.parametrize("reply", [Fail(401, "no such key", "invalid_api_key"), Fail(404, "no such model")])
def test_a_model_that_cannot_be_asked_at_all_leaves_nothing_that_blocks_the_right_command(
    tmp_path: Path, reply: FakeReply
) -> None:
    with FakeEndpoint(Script(always=reply)) as endpoint:
        with pytest.raises(ConfigError, match="cannot be asked"):
            run_agent("llm", tmp_path / "run", settings_for(endpoint))
        assert len(endpoint.requests) == 1
    assert not (tmp_path / "run").exists()


def test_a_limit_holds_over_all_starts_of_a_run(undisturbed: tuple[Path, int], tmp_path: Path) -> None:
    whole, requests = undisturbed
    with FakeEndpoint(Script()) as endpoint:
        limited = settings_for(endpoint, prices=PRICES, max_cost=0.01)
        for _ in range(2):
            with pytest.raises(InfrastructureError, match=r"over_cost.*\$0\.01 are spent"):
                run_agent("llm", tmp_path / "run", limited)
        asked = len(endpoint.requests)
        assert 0 < asked < requests, "the second start paid nothing"
        run = run_agent("llm", tmp_path / "run", settings_for(endpoint, prices=PRICES, max_cost=10))
        assert len(endpoint.requests) == requests
    assert hashes(run.path) == hashes(whole)
    usage = usage_of(run)
    assert usage is not None
    assert usage.cost == pytest.approx(usage.paid)
    assert usage.cost == pytest.approx((usage.input_tokens + usage.output_tokens) / 1e6)  # type: ignore[operator]


def test_what_a_killed_process_paid_counts_too(tmp_path: Path) -> None:
    """Answers in the run's own folder that no line tells of were paid all the same."""
    run, episodes = tmp_path / "run", tmp_path / "run" / "shards" / "00000.jsonl"
    with FakeEndpoint(Script()) as endpoint:
        settings = settings_for(endpoint, chains=CHAINS[:2], prices=PRICES, max_cost=10)
        usage = usage_of(run_agent("llm", run, settings))
        assert usage is not None
        assert usage.cost is not None
        asked = len(endpoint.requests)
        (run / CALLS).unlink()
        episodes.unlink()
        run_agent("llm", run, settings)
        assert len(endpoint.requests) == asked
        episodes.unlink()
        for reply in (run / REPLIES).rglob("*.json"):
            reply.unlink()
        with pytest.raises(InfrastructureError, match="over_cost"):
            run_agent("llm", run, settings_for(endpoint, chains=CHAINS[:2], prices=PRICES, max_cost=0.9 * usage.cost))
        assert len(endpoint.requests) == asked


def test_the_demo_runs_agents_with_and_without_models_by_one_path(tmp_path: Path) -> None:
    settings = RunSettings(backend="text", observe=(), workers=2, chains=CHAINS[:1])
    scripted, noop = run_agents(["scripted_llm", "noop"], tmp_path, settings)
    assert usage_of(noop) is None
    usage = usage_of(scripted)
    assert usage is not None
    assert (usage.models, usage.cost) == (("scripted",), None)
    assert scripted.manifest.agent_kind == "control"
