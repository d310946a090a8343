"""A batch: what is missing is run, what fails is named, and the board is written all the same."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from board_cases import no_controls

from riskchain_gym.evaluation.leaderboard import building
from riskchain_gym.evaluation.leaderboard.batch import planned_runs, run_batch
from riskchain_gym.evaluation.leaderboard.batch_plan import BatchAgent, BatchPlan, read_plan
from riskchain_gym.protocol.errors import InputFileError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "leaderboard.toml"


@pytest.fixture(autouse=True)
def without_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "control_rows", no_controls)


def _main() -> Callable[[list[str]], int]:
    found: Any = runpy.run_path(str(ROOT / "examples" / "leaderboard.py"))["main"]
    return found  # type: ignore[no-any-return]


def test_the_example_runs_scores_and_writes_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'splits = ["mini"]\nbackend = "text"\nchains = 2\n[[agents]]\nagent = "rules+landing_only"\n'
        '[[agents]]\nagent = "noop"\n[[agents]]\nagent = "no-such-agent"\n',
        encoding="utf-8",
    )
    assert _main()([str(plan), "--out", str(tmp_path / "out")]) == 4
    said = capsys.readouterr()
    assert "mini-no-such-agent was not finished" in said.err
    page = (tmp_path / "out" / "board" / "index.html").resolve()
    assert f"Leaderboard: {page}" in said.err
    assert "split mini · open gold, not ranked" in said.out
    assert "rules+landing_only" in said.out
    board = json.loads((page.parent / "leaderboard.json").read_text(encoding="utf-8"))
    assert {entry["agent"] for entry in board["sections"][0]["entries"]} == {"rules+landing_only", "noop"}
    assert any("no-such-agent" in sentence for sentence in board["left_out"])
    before = page.read_bytes()
    assert _main()([str(plan), "--out", str(tmp_path / "out")]) == 4
    assert page.read_bytes() == before


def test_a_plan_that_cannot_be_used_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('splits = ["mini"]\nrepeat = 2\n[[agents]]\nagent = "noop"\n', encoding="utf-8")
    assert _main()([str(plan), "--out", str(tmp_path / "out")]) == 2
    assert "did you mean repeats?" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_shipped_example_is_a_plan() -> None:
    plan = read_plan(EXAMPLE)
    assert plan.backend == "text"
    assert plan.chains is None


def test_runs_have_folders_of_their_own(tmp_path: Path) -> None:
    plan = BatchPlan(
        splits=("mini", "a/test"),
        agents=(BatchAgent(agent="llm", model="org/m-1"), BatchAgent(agent="llm", model="m 2", name="second")),
        repeats=2,
        budgets=(15, 30),
    )
    paths = [each.member.path for each in planned_runs(plan, tmp_path)]
    assert len(set(paths)) == 16
    assert {path.parent.name for path in paths} == {
        "mini-llm-org-m-1",
        "mini-second",
        "test-llm-org-m-1",
        "test-second",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('splits = []\n[[agents]]\nagent = "noop"\n', "splits"),
        ('splits = ["mini"]\n', "agents"),
        ('splits = ["mini"]\n[[agents]]\nagent = "noop"\n[[agents]]\nagent = "noop"\n', "two are called 'noop'"),
        ('splits = ["mini"]\n[[agents]]\nagent = "noop"\nname = "../up"\n', "name"),
    ],
)
def test_plans_that_say_nothing_or_too_much_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError, match=said):
        read_plan(path)


def test_an_agent_that_breaks_does_not_stop_the_others(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "breaks.py").write_text(
        "class Breaks:\n"
        "    def reset(self, instructions): pass\n"
        "    def act(self, observation): raise ValueError('broken on purpose')\n"
        "    def close(self): pass\n",
        encoding="utf-8",
    )
    broken = tmp_path / "breaks.toml"
    broken.write_text('name = "breaks"\nsummary = "Breaks."\nagent = "breaks:Breaks"\n', encoding="utf-8")
    agents = (BatchAgent(agent=str(broken)), BatchAgent(agent="noop"))
    plan = BatchPlan(splits=("mini",), agents=agents, backend="text", chains=1, workers=1)
    result = run_batch(plan, tmp_path / "out")
    assert list(result.failed) == ["mini-breaks"]
    assert "broken on purpose" in result.failed["mini-breaks"]
    assert result.page is not None
