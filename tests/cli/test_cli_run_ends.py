"""``riskchain run`` ends with a sentence where an agent or its model does not let it go on."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.fake import FakeEndpoint, FakeRequest
from riskchain_gym.llm.fake_agent import scripted_agent
from riskchain_gym.llm.fake_replies import Fail, FakeReply

SMALL = ("--backend", "text", "--workers", "1")
PRICES = 'as_of = "2026-01-01"\nsource = "invented"\n[models."m"]\ninput = 1\noutput = 1\n'

UNCLOSED = """
from riskchain_gym.agents.controls import Noop

class Unclosed(Noop):
    acted = 0

    def act(self, observation):
        self.acted += 1
        return super().act(observation)

    def close(self):
        if self.acted >= {acts}:
            raise ValueError("no way")
"""


@pytest.mark.parametrize(("acts", "played"), [(0, 0), (1, 2)])
def test_an_agent_that_cannot_be_closed_is_named_and_what_it_played_is_kept(here: Path, acts: int, played: int) -> None:
    name = f"unclosed_{acts}"
    (here / f"{name}.py").write_text(UNCLOSED.replace("{acts}", str(acts)))
    (here / "agent.toml").write_text(f'name = "odd"\nagent = "{name}:Unclosed"\n')
    ended = run("run", "--agent", "agent.toml", *SMALL, "--chains", "2", "--out", "out")
    assert ended.exit_code == 2
    assert "Agent 'odd' could not be closed (ValueError: no way)" in ended.stderr
    kept = RunFolder.open(here / "out").records() if played else ()
    assert len(list(kept)) == played


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--max-cost", "1"), "--max-cost"),
        (("--cache", "c", "--max-cost", "1"), "--max-cost and --cache"),
        (("--prices", "prices.toml", "--dry-run"), "--prices"),
    ],
)
def test_flags_that_are_for_models_are_refused_for_an_agent_without_one(
    here: Path, flags: tuple[str, ...], named: str
) -> None:
    (here / "prices.toml").write_text(PRICES)
    said = refused(2, "run", "--agent", "noop", *SMALL, "--chains", "1", *flags)
    assert f"Agent 'noop' asks no model: leave out {named}." in said
    assert [path.name for path in here.iterdir()] == ["prices.toml"]


def test_a_key_that_is_refused_on_the_way_tells_what_is_kept_and_how_to_go_on(here: Path) -> None:
    pytest.importorskip("openai")
    count, shut = 0, True

    def script(request: FakeRequest) -> FakeReply:
        nonlocal count
        count += 1
        return Fail(401, "expired") if shut and count > 4 else scripted_agent(request)

    with FakeEndpoint(script) as endpoint:
        model = ("--model", "m", "--base-url", endpoint.base_url)
        command = ("run", "--agent", "llm", *SMALL, *model, "--chains", "1", "--out", "out")
        ended = run(*command)
        assert ended.exit_code == 2
        assert "The run was ended after 0 of 1 chains" in ended.stderr
        assert "check address, model name and key" in ended.stderr
        assert "run the same command again" in ended.stderr
        assert "no result: auth 1" in ended.stdout + ended.stderr
        shut = False
        assert run(*command).exit_code == 0


def test_a_full_disk_ends_a_run_with_a_sentence_and_it_goes_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    command = ("run", "--agent", "noop", *SMALL, "--chains", "2", "--out", "out")
    with monkeypatch.context() as disk:
        disk.setattr(RunFolder, "append", full)
        ended = run(*command)
    assert ended.exit_code == 4
    said = (
        f"Nothing more can be written to {here / 'out'} (No space left on device): "
        "make room there and run the same command again."
    )
    assert said in ended.stderr
    assert run(*command).exit_code == 0


def test_a_finished_run_is_shown_where_nothing_can_be_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    command = ("run", "--agent", "noop", *SMALL, "--chains", "1", "--out", "out")
    shown = run(*command)
    for module in ("score", "store", "episode_log"):
        monkeypatch.setattr(f"riskchain_gym.evaluation.{module}.write_atomically", refuse, raising=False)
    again = run(*command)
    assert (again.exit_code, again.stdout) == (0, shown.stdout)
