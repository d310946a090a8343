"""Further variants of the messages are restored beside the episodes, and longer or shorter budgets are told."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from model_cases import CHAINS, Script, settings_for

from riskchain_gym.evaluation.calls import CallLog
from riskchain_gym.evaluation.estimate import estimate
from riskchain_gym.evaluation.incidents import IncidentLog
from riskchain_gym.evaluation.resume import differences
from riskchain_gym.evaluation.run import plan_run, run_agent
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import usage_of
from riskchain_gym.evaluation.writing import UnwrittenError
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory

BESIDE = RunSettings(backend="text", observe=(), workers=2, chains=CHAINS[:2], restored=("v002", "v001"))


def order(run: RunFolder) -> list[tuple[str, str]]:
    return [(each.trajectory.chain_id, each.trajectory.variant) for each in run.restorations()]


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return run_agent("noop", tmp_path_factory.mktemp("beside") / "run", BESIDE)


def test_every_variant_is_restored_on_its_own_in_the_planned_order(beside: RunFolder) -> None:
    assert order(beside) == [(chain, variant) for chain in CHAINS[:2] for variant in ("v002", "v001")]
    for record in beside.restorations():
        restored = record.trajectory
        assert (restored.status, restored.protocol) == (EpisodeStatus.COMMITTED, "riskchain-restore-v0")
        assert (len(restored.steps), restored.landing, record.media) == (1, None, {})
    assert [record.trajectory.variant for record in beside.records()] == ["v000", "v000"]
    assert beside.seal is not None
    assert (beside.seal.episodes, beside.seal.restorations) == (2, 4)


@pytest.mark.slow
def test_processes_restore_the_same(beside: RunFolder, tmp_path: Path) -> None:
    run = run_agent("noop", tmp_path / "run", replace(BESIDE, isolation="process"))
    assert run.seal == beside.seal


def test_what_is_restored_and_which_repeat_it_is_tells_runs_apart(beside: RunFolder, tmp_path: Path) -> None:
    plain = plan_run("noop", tmp_path / "other", replace(BESIDE, restored=(), repeat=3, max_steps=15))
    told = differences(beside.manifest, plain)
    assert sorted(each.partition(":")[0] for each in told) == ["environment.max_steps", "repeat", "restored"]
    assert plain.env_kwargs["max_steps"] == 15


@pytest.mark.parametrize(
    ("restored", "says"),
    [
        (("v001", "v001"), "named more than once"),
        (("v000",), "is what the episodes restore"),
        (("v099",), "2 of 2 chains of split 'mini' have no variant 'v099'"),
    ],
)
def test_variants_that_cannot_be_are_refused(tmp_path: Path, restored: tuple[str, ...], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        run_agent("noop", tmp_path / "run", replace(BESIDE, restored=restored))
    assert not (tmp_path / "run").exists()


def test_the_agent_is_told_the_budget_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "told_steps.py").write_text(
        "from riskchain_gym.agents.controls import Noop\n"
        "class Told(Noop):\n"
        "    def reset(self, instructions):\n"
        "        self.told = instructions.max_steps\n"
        "    def act(self, observation):\n"
        "        assert self.told == 7\n"
        "        assert int(observation['phase']) != 1 or int(observation['steps_left']) <= 7\n"
        "        return '{}'\n"
    )
    (tmp_path / "agent.toml").write_text('name = "told"\nagent = "told_steps:Told"\n')
    settings = replace(BESIDE, max_steps=7)
    assert run_agent(str(tmp_path / "agent.toml"), tmp_path / "run", settings).seal is not None


def test_what_is_asked_for_a_variant_is_counted_and_estimated(tmp_path: Path) -> None:
    with FakeEndpoint(Script()) as endpoint:
        settings = replace(settings_for(endpoint, chains=CHAINS[:2]), restored=("v001",))
        plain = replace(settings, restored=())
        guessed = [estimate("llm", plan_run("llm", tmp_path / "run", s), s, CHAINS[:2]) for s in (settings, plain)]
        assert endpoint.requests == []
        run = run_agent("llm", tmp_path / "run", settings)
        asked = len(endpoint.requests)
        run_agent("llm", tmp_path / "run", settings)
        assert len(endpoint.requests) == asked
    lines = [json.loads(line) for line in (run.path / "calls" / "00000.jsonl").read_text().splitlines()]
    assert [(line["chain_id"], line["variant"]) for line in lines] == [
        *((chain, "v001") for chain in CHAINS[:2]),
        *((chain, "") for chain in CHAINS[:2]),
    ]
    assert set(CallLog(run.path).standing()) == set(CHAINS[:2])
    usage = usage_of(run)
    assert usage is not None
    assert usage.calls == asked
    whole, less = guessed
    assert whole is not None
    assert less is not None
    assert (whole.about.calls, whole.about.calls - less.about.calls) == (asked, 2)
    assert whole.used_up.calls > less.used_up.calls


# -- a full disk ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("isolation", ["none", pytest.param("process", marks=pytest.mark.slow)])
def test_a_full_disk_ends_the_run_in_good_order_and_it_goes_on(
    beside: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    append, room = RunFolder.append, [1]

    def filling(self: RunFolder, trajectory: Trajectory, *rest: object) -> object:
        if not room.pop():
            raise OSError(errno.ENOSPC, "No space left on device")
        room.append(0)
        return append(self, trajectory, *rest)  # type: ignore[arg-type]

    settings = replace(BESIDE, isolation=isolation, workers=1)  # type: ignore[arg-type]
    with monkeypatch.context() as full:
        full.setattr(RunFolder, "append", filling)
        with pytest.raises(UnwrittenError, match=r"disk_full: Nothing more can be written to .*make room there"):
            run_agent("noop", tmp_path / "run", settings)
    begun = RunFolder.open(tmp_path / "run")
    assert (begun.complete, begun.torn, begun.seal) == (False, False, None)
    assert len(list(begun.records())) == 1
    assert list(IncidentLog(begun.path).entries()) == []
    assert run_agent("noop", tmp_path / "run", settings).seal == beside.seal
