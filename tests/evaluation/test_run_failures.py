"""What goes wrong while agents run: nothing is written too early, nothing that is finished is lost."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

import riskchain_gym.evaluation.versions as versions_module
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.evaluation.report.writing import write_report
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError, MissingExtraError, RiskChainError, UnknownNameError

CHAINS = tuple(chain.chain_id for chain in load_public("mini"))[:4]
TEXT = RunSettings(backend="text", observe=(), workers=1, chains=CHAINS)

CUSTOM = '''
import itertools, threading
from riskchain_gym.agents.controls import Noop

begun, elsewhere = itertools.count(), threading.Event()

class Odd(Noop):
    """Raises in its {nth} episode, once another one has begun its third."""

    def reset(self, instructions):
        self.number = next(begun)
        if self.number == 2:
            elsewhere.set()

    def act(self, observation):
        if self.number == {nth}:
            assert {nth} > 0 or elsewhere.wait(30)
            raise RuntimeError("the agent broke")
        return super().act(observation)
'''


@pytest.fixture
def odd_agent(tmp_path: Path) -> Callable[[int], str]:
    """Write an agent that raises in its n-th episode; every module is imported once only, so each has its own name."""

    def write(nth: int) -> str:
        name = f"odd_{tmp_path.name.replace('-', '_')}_{nth}"
        (tmp_path / f"{name}.py").write_text(CUSTOM.replace("{nth}", str(nth)))
        (tmp_path / f"{name}.toml").write_text(f'name = "odd"\nagent = "{name}:Odd"\n')
        return str(tmp_path / f"{name}.toml")

    return write


def frozen_chains(folder: Path) -> list[str]:
    return [record.trajectory.chain_id for record in RunFolder.open(folder).records()]


def nothing_left(out: Path) -> bool:
    return not out.exists() or not any(out.iterdir())


# -- before the first episode -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agents", "changes", "error", "says"),
    [
        (["noop", "orcle"], {}, UnknownNameError, "orcle"),
        (["noop"], {"split": "minni"}, UnknownNameError, "mini"),
        (["noop"], {"chains": (CHAINS[0], "nowhere")}, UnknownNameError, "nowhere"),
        (["noop"], {"chains": (CHAINS[0], CHAINS[0])}, ConfigError, "named more than once"),
        (["noop"], {"backend": "netscape"}, ConfigError, "netscape"),
        (["noop"], {"observe": ("screenshot",)}, ConfigError, "screenshot"),
        (["noop"], {"workers": 0}, ConfigError, "nothing to run"),
        (["noop", "oracle", "noop"], {}, ConfigError, "The agent 'noop' is named more than once"),
        ([], {}, ConfigError, "nothing to run"),
    ],
)
def test_a_wrong_command_leaves_nothing_that_blocks_the_right_one(
    tmp_path: Path, agents: list[str], changes: dict[str, Any], error: type[RiskChainError], says: str
) -> None:
    settings = RunSettings(**{**vars(TEXT), **changes})
    with pytest.raises(error, match=says):
        run_agents(agents, tmp_path / "out", settings)
    assert nothing_left(tmp_path / "out")


def test_two_agents_of_one_name_are_refused(tmp_path: Path, odd_agent: Callable[[int], str]) -> None:
    with pytest.raises(ConfigError, match="'odd' is named more than once"):
        run_agents([odd_agent(1), odd_agent(2)], tmp_path / "out", TEXT)
    assert nothing_left(tmp_path / "out")


def test_a_run_folder_is_never_overwritten_and_no_other_is_made(frozen: dict[str, RunFolder]) -> None:
    out = frozen["noop"].path.parent
    with pytest.raises(ConfigError, match="not empty"):
        run_agents(["landing_only", "noop"], out, TEXT)
    assert not (out / "landing_only").exists()


@pytest.mark.parametrize("settings", [RunSettings(backend="chromium"), RunSettings(backend="fake")])
def test_a_core_install_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: RunSettings) -> None:
    def version(package: str) -> str:
        if package in ("playwright", "pillow"):
            raise PackageNotFoundError(package)
        return "1"

    monkeypatch.setattr(versions_module, "version", version)
    monkeypatch.setattr(RunSettings, "make_env", lambda self: RiskChainEnv(backend="text", reward="none"))
    with pytest.raises(MissingExtraError, match=r"riskchain-gym\[browser\]"):
        run_agents(["noop"], tmp_path / "out", settings)
    assert nothing_left(tmp_path / "out")


def test_a_core_install_runs_scores_and_reports_without_a_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("PIL", "playwright", "browsergym", "psutil"):
        monkeypatch.setitem(sys.modules, module, None)
    (run,) = run_agents(["noop"], tmp_path / "runs", RunSettings(backend="text", observe=(), chains=CHAINS[:1]))
    score_run(run)
    assert write_report([run], tmp_path / "report").is_file()
    assert set(run.manifest.versions) == {"riskchain-gym", "gymnasium", "codebook"}


# -- while they run ---------------------------------------------------------------------------------------------------


def test_an_agent_that_raises_keeps_the_finished_episodes(tmp_path: Path, odd_agent: Callable[[int], str]) -> None:
    agent = odd_agent(2)
    with pytest.raises(RuntimeError, match="the agent broke") as caught:
        run_agents(["noop", agent], tmp_path / "out", TEXT)
    assert caught.value.__notes__ == [f"(agent '{agent}' on chain '{CHAINS[2]}')"]
    assert frozen_chains(tmp_path / "out" / "noop") == list(CHAINS)
    assert frozen_chains(tmp_path / "out" / "odd") == list(CHAINS[:2])


def test_an_early_episode_that_raises_does_not_take_the_later_ones_with_it(
    tmp_path: Path, odd_agent: Callable[[int], str]
) -> None:
    settings = RunSettings(**{**vars(TEXT), "workers": 2})
    with pytest.raises(RuntimeError, match="the agent broke"):
        run_agents([odd_agent(0)], tmp_path / "out", settings)
    kept = frozen_chains(tmp_path / "out" / "odd")
    assert kept
    assert len(kept) < len(CHAINS)
    assert kept == sorted(kept, key=CHAINS.index)


def test_an_agent_that_raises_at_once_leaves_no_folder(tmp_path: Path, odd_agent: Callable[[int], str]) -> None:
    agent = odd_agent(1)
    with pytest.raises(RuntimeError, match="the agent broke"):
        run_agents([agent, "noop"], tmp_path / "out", RunSettings(**{**vars(TEXT), "chains": CHAINS[:2]}))
    assert frozen_chains(tmp_path / "out" / "odd") == list(CHAINS[:1])
    assert not (tmp_path / "out" / "noop").exists()


def test_an_interrupt_keeps_the_finished_episodes_and_closes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[RiskChainEnv] = []
    closed: list[RiskChainEnv] = []
    begin, end = RiskChainEnv.__init__, RiskChainEnv.close
    monkeypatch.setattr(RiskChainEnv, "__init__", lambda self, **given: (opened.append(self), begin(self, **given))[1])
    monkeypatch.setattr(RiskChainEnv, "close", lambda self: (closed.append(self), end(self))[1])

    def progress(agent: str, done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    settings = RunSettings(**{**vars(TEXT), "workers": 2})
    with pytest.raises(KeyboardInterrupt):
        run_agents(["noop", "landing_only"], tmp_path / "out", settings, progress)
    assert len(frozen_chains(tmp_path / "out" / "noop")) >= 2
    assert set(map(id, opened)) == set(map(id, closed))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("riskchain-run")]


def test_progress_counts_each_agents_episodes(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    run_agents(["noop", "always_violation"], tmp_path / "out", TEXT, lambda *now: seen.append(now))
    assert seen == [(agent, n) for agent in ("noop", "always_violation") for n in (1, 2, 3, 4)]
