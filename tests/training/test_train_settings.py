"""Settings of training and the command that takes them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.training.rllib.checkpoints import Checkpoints
from riskchain_gym.training.rllib.curves import Curves
from riskchain_gym.training.rllib.run import annealed
from riskchain_gym.training.rllib.settings import make_settings, read_settings

SAID = """
task = "chain"
steps = 5000
hidden = [64, 32]
p_reference = [1.0, 0.0]

[env]
split = "mini"
reward = "delta_gate"
web_outcomes = 0.5

[evaluate]
dev = "runs/sites/dev"
"""


def test_settings_survive_toml_and_json(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(SAID)
    settings = make_settings(read_settings(path))
    assert settings.env_id == "RiskChainSelect-v0"
    assert settings.hidden == (64, 32)
    assert settings.env == tomllib.loads(SAID)["env"]
    copy = tmp_path / "settings.json"
    copy.write_text(json.dumps(settings.model_dump(mode="json")))
    assert make_settings(read_settings(copy)) == settings


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"task": "chain", "learning_rate": 1}, "There is no setting 'learning_rate'"),
        ({"task": "chain", "lr": -1}, "Setting 'lr' of training: .*greater than 0, got -1"),
        ({"task": "nobody"}, "Setting 'task'"),
        ({}, "Setting 'task' of training: Field required"),
        ({"task": "chain", "algo": "sarsa"}, "Setting 'algo'"),
    ],
)
def test_wrong_settings_are_one_sentence(values: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        make_settings(values)
    assert "\n" not in str(raised.value)


def test_dotted_names_reach_into_tables() -> None:
    settings = make_settings({"task": "investigator", "env": {"split": "mini"}})
    changed = settings.with_values({"lr": 0.001, "env.reward": "web", "evaluate.mini": "mini"})
    assert (changed.lr, changed.env, changed.evaluate) == (0.001, {"split": "mini", "reward": "web"}, {"mini": "mini"})
    with pytest.raises(ConfigError, match=r"There is no setting 'nope\.x'"):
        settings.with_values({"nope.x": 1})


def test_the_curriculum_goes_from_one_end_to_the_other() -> None:
    assert [annealed((1.0, 0.2), share) for share in (0.0, 0.5, 1.0, 2.0)] == pytest.approx([1.0, 0.6, 0.2, 0.2])


def test_curves_are_cut_where_a_run_goes_on(tmp_path: Path) -> None:
    curves = Curves(tmp_path / "curves.jsonl")
    for iteration in (1, 2, 3):
        curves.append({"iteration": iteration})
    with (tmp_path / "curves.jsonl").open("ab") as file:
        file.write(b'{"iterat')  # killed in the middle of a line
    curves.cut(2)
    curves.append({"iteration": 3})
    assert [row["iteration"] for row in curves.rows()] == [1, 2, 3]


def test_a_pointer_to_a_damaged_checkpoint_is_said(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path, 2).latest() is None
    (tmp_path / "latest").write_text("00000010")
    with pytest.raises(InputFileError, match="damaged"):
        Checkpoints(tmp_path, 2).latest()
