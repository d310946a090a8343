"""Environments and agents in processes of their own: apart, watched, replaced, and gone when their parent is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from model_cases import Script, settings_for
from odd_agents import CHAINS, PROCESSES, TROUBLE, children, trouble, write_odd_agent
from odd_runs import ONE, incidents, sealed

from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.evaluation.calls import CallLog
from riskchain_gym.evaluation.engine.pool import EpisodePool
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.seal import Seal
from riskchain_gym.evaluation.settings import ISOLATION_VARIABLE, RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import FakeReply, Hang
from riskchain_gym.llm.settings import API_KEY_VARIABLE
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus

psutil = pytest.importorskip("psutil")

PARENT = """
import sys
from pathlib import Path
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.settings import RunSettings
settings = RunSettings(backend="text", observe=(), workers=2, chains=tuple(sys.argv[3:]))
run_agent(sys.argv[1], Path(sys.argv[2]), settings)
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_odd_agent(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def undisturbed(odd: str, tmp_path_factory: pytest.TempPathFactory) -> Seal:
    """What a run comes to that nothing happens to, and that is in one process."""
    return sealed(run_agent(odd, tmp_path_factory.mktemp("whole") / "run", replace(PROCESSES, isolation="none")))


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    assert children() == []


# -- apart ------------------------------------------------------------------------------------------------------------


def test_agent_and_environment_are_apart_and_the_key_is_the_agents(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, "secret")
    monkeypatch.setenv("IMPORTED", str(tmp_path / "imported"))
    monkeypatch.setenv(TROUBLE, trouble("look_about", 1, tmp_path / "t"))
    run_agent(odd, tmp_path / "run", ONE)
    seen = json.loads((tmp_path / "t" / "seen.json").read_text())
    assert len({seen["agent"], seen["worker"], seen["parent"]}) == 3
    assert seen["parent"] == os.getpid()
    assert seen["key"] is False
    imported = {int(line) for line in (tmp_path / "imported").read_text().split()}
    assert seen["agent"] in imported
    assert seen["worker"] not in imported, "no code of an agent is run beside an environment"


def test_where_nothing_is_said_episodes_are_played_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ISOLATION_VARIABLE)
    assert RunSettings().isolation == "process"
    monkeypatch.setenv(ISOLATION_VARIABLE, "thread")
    with pytest.raises(ConfigError, match="'process' or 'none', not 'thread'"):
        RunSettings()


# -- lost -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "phase", "cause"),
    [
        pytest.param("kill_worker", 0, "worker_died", marks=pytest.mark.slow),
        ("kill_worker", 1, "worker_died"),
        pytest.param("kill_worker", 2, "worker_died", marks=pytest.mark.slow),
        pytest.param("exit", 1, "agent_died", marks=pytest.mark.slow),
        pytest.param("flood", 2, "agent_died", marks=pytest.mark.slow),
        pytest.param("hang", 0, "agent_late", marks=pytest.mark.slow),
        pytest.param("stop_worker", 1, "worker_late", marks=pytest.mark.slow),
    ],
)
def test_what_is_lost_is_replaced_and_the_episode_run_again(
    odd: str, undisturbed: Seal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, phase: int, cause: str
) -> None:
    monkeypatch.setenv(TROUBLE, trouble(what, phase, tmp_path / "t"))
    hurried = {"agent_late": {"agent_seconds": 10.0}, "worker_late": {"worker_seconds": 10.0}}
    run = run_agent(odd, tmp_path / "run", replace(PROCESSES, **hurried.get(cause, {})))
    (incident,) = incidents(run)
    assert (incident.cause, incident.counted) == (cause, True)
    assert incident.chain_id in CHAINS
    assert sealed(run) == undisturbed


@pytest.mark.slow
def test_after_three_attempts_over_all_starts_the_loss_is_frozen(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    two = replace(PROCESSES, workers=1, chains=CHAINS[:2])
    monkeypatch.setenv(TROUBLE, trouble("exit", 0, tmp_path / "t", 2))
    with monkeypatch.context() as first_start:
        first_start.setattr(EpisodePool, "again", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_agent(odd, tmp_path / "run", two)
    monkeypatch.setenv(TROUBLE, trouble("exit_every_other", 0, tmp_path / "u", 3))
    run = run_agent(odd, tmp_path / "run", two)
    found = incidents(run)
    assert [(each.chain_id, each.cause) for each in found] == [(CHAINS[0], "agent_died")] * 3
    assert found[0].detail == "the process ended with exit code 3"
    first, second = run.records()
    assert (first.trajectory.chain_id, first.trajectory.status) == (CHAINS[0], EpisodeStatus.INFRA_ERROR)
    assert (first.trajectory.infra_cause, first.trajectory.variant, first.seconds) == ("agent_died", "v000", None)
    like = second.trajectory
    assert (first.trajectory.protocol, first.trajectory.modalities) == (like.protocol, like.modalities)
    assert run.seal is not None


def test_an_agent_that_raises_ends_the_run_with_its_own_traceback(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TROUBLE, trouble("raise_error", 1, tmp_path / "t"))
    with pytest.raises(RuntimeError, match="LookupError: no such luck") as raised:
        run_agent(odd, tmp_path / "run", ONE)
    assert "odd_family.py" in str(raised.value)
    assert "raise LookupError" in str(raised.value)
    assert raised.value.__notes__ == [f"(agent '{odd}' on chain '{CHAINS[0]}')"]
    assert not (tmp_path / "run").exists(), "nothing came of it that would stand in the way of the right command"


@pytest.mark.slow
def test_which_of_several_ended_their_process_is_found_out_by_running_each_alone(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    agent = str(Path(odd).with_name("asking.toml"))
    nobody = Overrides(model="m", base_url="http://127.0.0.1:9/v1")
    settings = replace(PROCESSES, chains=CHAINS[:2], asking=Asking({agent: nobody}))
    whole = run_agent(agent, tmp_path / "whole", replace(settings, isolation="none"))
    monkeypatch.setenv(TROUBLE, trouble("exit_beside", 1, tmp_path / "t", 2))
    run = run_agent(agent, tmp_path / "run", settings)
    found = incidents(run)
    assert {each.chain_id for each in found} == set(CHAINS[:2])
    assert [(each.cause, each.counted) for each in found] == [("agent_died", False)] * 2
    assert "ended with exit code 4, which of them it was is not known" in found[0].detail
    assert sealed(run) == sealed(whole)


# -- ended ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("phase", [0, 2])
def test_when_the_parent_is_killed_nothing_is_left_and_the_run_goes_on(
    odd: str, undisturbed: Seal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: int
) -> None:
    monkeypatch.setenv(TROUBLE, trouble("kill_parent", phase, tmp_path / "t"))
    command = [sys.executable, "-c", PARENT, odd, str(tmp_path / "run"), *CHAINS]
    variables = {**os.environ, ISOLATION_VARIABLE: "process"}
    assert subprocess.run(command, env=variables, timeout=60).returncode == -signal.SIGKILL
    pids = json.loads((tmp_path / "t" / "pids.json").read_text())
    assert len(pids) >= 3
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    assert psutil.wait_procs(alive, timeout=10)[1] == []
    assert sealed(run_agent(odd, tmp_path / "run", PROCESSES)) == undisturbed


@pytest.mark.slow
def test_an_interrupt_ends_what_hangs_within_seconds(
    odd: str, undisturbed: Seal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TROUBLE, trouble("hang", 1, tmp_path / "t"))
    began: list[float] = []

    def interrupt(agent: str, done: int) -> None:
        if done == len(CHAINS) - 1:
            began.append(time.monotonic())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_agent(odd, tmp_path / "run", PROCESSES, interrupt)
    assert time.monotonic() - began[0] < 5
    assert (
        incidents(RunFolder.open(tmp_path / "run")) == [] if (tmp_path / "run" / "incidents.jsonl").exists() else True
    )
    assert sealed(run_agent(odd, tmp_path / "run", PROCESSES)) == undisturbed


def test_a_sealed_run_is_only_shown(odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_agent(odd, tmp_path / "run", replace(ONE, isolation="none"))
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr("riskchain_gym.evaluation.run.folder_held", None)
    assert run_agent(odd, tmp_path / "run", ONE).seal == run.seal
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


# -- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_seats_of_an_agent_ask_from_one_process_with_one_account(tmp_path: Path) -> None:
    with FakeEndpoint(Script()) as endpoint:
        whole = run_agent("llm", tmp_path / "whole", settings_for(endpoint))
        asked = len(endpoint.requests)
        settings = replace(settings_for(endpoint), workers=2, isolation="process")
        run = run_agent("llm", tmp_path / "run", settings)
        assert len(endpoint.requests) == 2 * asked
    assert sealed(run) == sealed(whole)
    calls, before = (CallLog(each.path).standing() for each in (run, whole))
    assert {chain: len(entry.calls) for chain, entry in calls.items()} == {c: len(e.calls) for c, e in before.items()}


def test_an_interrupt_ends_a_call_in_flight_and_keeps_account_of_it(tmp_path: Path) -> None:
    hanging = threading.Event()

    def hang() -> FakeReply:
        hanging.set()
        return Hang()

    began: list[float] = []

    def interrupt(agent: str, done: int) -> None:
        assert hanging.wait(60)
        began.append(time.monotonic())
        raise KeyboardInterrupt

    with FakeEndpoint(Script()) as endpoint:
        run_agent("llm", tmp_path / "whole", settings_for(endpoint, chains=CHAINS[:1]))
        needed = len(endpoint.requests)
    with FakeEndpoint(Script({needed + 2: hang})) as endpoint:
        settings = replace(settings_for(endpoint, chains=CHAINS[:2]), isolation="process")
        with pytest.raises(KeyboardInterrupt):
            run_agent("llm", tmp_path / "run", settings, interrupt)
    assert time.monotonic() - began[0] < 5
    entry = CallLog(tmp_path / "run").standing()[CHAINS[1]]
    assert (entry.lost, [str(call.failure) for call in entry.calls]) == ("stopped", ["None", "transport"])
