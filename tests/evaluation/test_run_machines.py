"""What machines lose: run again, held back, given up, and never mistaken for what an agent did."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from odd_agents import CHAINS, PROCESSES, children
from odd_runs import ONE, incidents, sealed

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.evaluation.at_work import LOST_IN_A_ROW, MACHINES_LOST
from riskchain_gym.evaluation.engine.local import LocalAgent, LocalEnvironments
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory

psutil = pytest.importorskip("psutil")


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    assert children() == []


def test_where_machines_lose_one_episode_after_another_the_run_is_ended_and_not_frozen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise InfrastructureError("browser_lost", "it is gone")

    settings = replace(PROCESSES, isolation="none")
    with monkeypatch.context() as broken:
        broken.setattr("riskchain_gym.evaluation.at_work.LOST_IN_A_ROW", 4)
        broken.setattr(TextBackend, "open", lost)
        with pytest.raises(InfrastructureError, match=r"4 episodes in a row were lost; .* browser_lost"):
            run_agent("noop", tmp_path / "run", settings)
    run = RunFolder.open(tmp_path / "run")
    assert list(run.records()) == []
    assert [each.counted for each in incidents(run)] == [False] * 4, "machines that do no work use up no attempts"
    mended = run_agent("noop", tmp_path / "run", settings)
    assert sealed(mended) == sealed(run_agent("noop", tmp_path / "whole", settings))


def test_where_no_episode_ends_well_none_is_given_up_whatever_the_number_of_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise SideLostError("worker_late", "the process gave no answer within 0.1 s and was killed")

    settings = replace(PROCESSES, isolation="none")
    with monkeypatch.context() as broken:
        broken.setattr(LocalAgent, "reset", lost)
        for _ in range(2):
            with pytest.raises(InfrastructureError, match=r"3 of .* lost 3 times, .* within 0.1 s") as raised:
                run_agent("noop", tmp_path / "run", settings)
            assert raised.value.cause == MACHINES_LOST
    run = RunFolder.open(tmp_path / "run")
    assert list(run.records()) == []
    assert [each.counted for each in incidents(run)] == [False] * 18
    assert sealed(run_agent("noop", run.path, settings)) == sealed(run_agent("noop", tmp_path / "whole", settings))


def test_what_was_lost_before_an_episode_ended_well_is_given_up_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset, begun = LocalAgent.reset, itertools.count()

    def lost(self: LocalAgent, instructions: Instructions) -> None:
        if next(begun) < 5:
            raise SideLostError("agent_died", "the process ended with exit code 3")
        reset(self, instructions)

    monkeypatch.setattr(LocalAgent, "reset", lost)
    run = run_agent("noop", tmp_path / "run", replace(ONE, isolation="none", chains=CHAINS[:2]))
    given_up, well = run.records()
    assert (given_up.trajectory.status, given_up.trajectory.infra_cause) == (EpisodeStatus.INFRA_ERROR, "agent_died")
    assert well.trajectory.status is not EpisodeStatus.INFRA_ERROR
    assert run.seal is not None


def test_an_episode_that_ends_machines_when_all_others_are_done_is_held_back_once_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(ONE, isolation="none", chains=CHAINS[:2])
    reset = LocalEnvironments.reset
    first, last = CHAINS[:2]
    ended = [first]

    def lost(self: LocalEnvironments, chain: str, variant: str) -> Observation:
        if chain == last and ended:
            raise KeyboardInterrupt if len(ended) == 1 else SideLostError("worker_died", "it was killed")
        return reset(self, chain, variant)

    monkeypatch.setattr(LocalEnvironments, "reset", lost)
    with pytest.raises(RuntimeError, match="KeyboardInterrupt"):
        run_agent("noop", tmp_path / "run", settings)
    ended.append(last)
    with pytest.raises(InfrastructureError, match="1 of the episodes were lost 3 times") as raised:
        run_agent("noop", tmp_path / "run", settings)
    assert raised.value.cause == MACHINES_LOST
    run = run_agent("noop", tmp_path / "run", settings)
    assert [record.trajectory.infra_cause for record in run.records()] == ["", "worker_died"]
    assert run.seal is not None


def test_one_process_that_is_lost_to_many_episodes_is_one_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = LOST_IN_A_ROW + 4
    reset, lost = LocalAgent.reset, itertools.count()

    def shared(self: LocalAgent, instructions: Instructions) -> None:
        if next(lost) < seats:
            raise SideLostError("agent_died", "the process of several episodes was killed", counted=False, alone=True)
        reset(self, instructions)

    monkeypatch.setattr(LocalAgent, "reset", shared)
    settings = replace(PROCESSES, isolation="none", chains=None, workers=seats)
    run = run_agent("noop", tmp_path / "run", settings)
    assert [each.counted for each in incidents(run)] == [False] * seats
    assert run.seal is not None


@pytest.mark.parametrize("restored", [(), ("v001",)])
def test_what_was_given_up_but_not_frozen_any_more_has_no_fourth_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restored: tuple[str, ...]
) -> None:
    reset, begun = LocalAgent.reset, itertools.count()
    name = "append_restoration" if restored else "append"
    append = getattr(RunFolder, name)

    def lost(self: LocalAgent, instructions: Instructions) -> None:
        if next(begun) != 1:
            raise SideLostError("agent_died", "the process ended with exit code 3")
        reset(self, instructions)

    def killed(self: RunFolder, trajectory: Trajectory, *rest: object) -> object:
        if trajectory.status is EpisodeStatus.INFRA_ERROR:
            raise KeyboardInterrupt
        return append(self, trajectory, *rest)

    settings = replace(ONE, isolation="none", restored=restored, chains=CHAINS[: 1 if restored else 2])
    with monkeypatch.context() as broken:
        broken.setattr(LocalAgent, "reset", lost)
        broken.setattr(RunFolder, name, killed)
        with pytest.raises(KeyboardInterrupt):
            run_agent("noop", tmp_path / "run", settings)
    before = incidents(RunFolder.open(tmp_path / "run"))
    run = run_agent("noop", tmp_path / "run", settings)
    assert incidents(run) == before
    record = next(run.restorations() if restored else run.records())
    assert (record.trajectory.status, record.trajectory.infra_cause) == (EpisodeStatus.INFRA_ERROR, "agent_died")
    assert record.trajectory.variant == (restored or ("v000",))[0]
    assert run.seal is not None


def test_what_an_environment_loses_three_times_is_frozen_as_it_left_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works, opened = TextBackend.open, itertools.count()

    def lost(*given: Any) -> Any:
        if next(opened) != 1:
            raise InfrastructureError("browser_lost", "it is gone")
        return works(*given)

    monkeypatch.setattr(TextBackend, "open", lost)
    run = run_agent("noop", tmp_path / "run", replace(ONE, isolation="none", chains=CHAINS[:2]))
    found = incidents(run)
    assert [(each.chain_id, each.cause, each.counted) for each in found] == [(CHAINS[0], "browser_lost", True)] * 3
    record, well = run.records()
    assert well.trajectory.status is not EpisodeStatus.INFRA_ERROR
    assert (record.trajectory.status, record.trajectory.infra_cause) == (EpisodeStatus.INFRA_ERROR, "browser_lost")
    assert record.trajectory.commit is not None
