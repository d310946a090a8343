"""Settings of training and the command that takes them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.training.rllib.checkpoints import Checkpoints
from riskchain_gym.training.rllib.curves import Curves
from riskchain_gym.training.rllib.run import SETTINGS, annealed, started
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings, read_settings

SAID = """
task = "chain"
steps = 5000
hidden = [64, 32]
p_reference = [1.0, 0.0]

[env]
split = "mini"
reward = "gated"
routing = "curriculum"
p_reference = 1.0

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


@pytest.mark.parametrize(
    ("file", "env", "gamma", "agree"),
    [
        ('reward = "delta_gate_shaped"\nweb_outcomes = 0.5\ndiscount = 0.9', {}, 1.0, False),
        ('reward = "delta_gate_shaped"\nweb_outcomes = 0.5\ndiscount = 0.9', {}, 0.9, True),
        ('reward = "delta_gate_shaped"\nweb_outcomes = 0.5', {"discount": 0.9}, 1.0, False),
        ("discount = 0.9", {"reward": "delta_gate_shaped", "web_outcomes": 0.5}, 0.9, True),
        ("discount = 0.9", {"reward": "delta_gate_shaped", "web_outcomes": 0.5}, 1.0, False),
        ("discount = 0.9", {"evidence_shaping": 0.5}, 1.0, False),
        ("discount = 0.9", {"evidence_shaping": 0.5, "discount": 1.0}, 1.0, True),
        ("discount = 0.9", {}, 1.0, True),  # nothing is shaped
    ],
)
def test_a_shaped_reward_has_the_discount_of_the_trainer_wherever_it_is_said(
    tmp_path: Path, file: str, env: dict[str, object], gamma: float, agree: bool
) -> None:
    config = tmp_path / "env.toml"
    config.write_text(file)
    values = {"task": "chain", "gamma": gamma, "env": {"config": str(config), **env}}
    if agree:
        make_settings(values)
        return
    with pytest.raises(ConfigError, match="waiting would pay"):
        make_settings(values)


def test_a_curriculum_needs_an_environment_that_has_one() -> None:
    curriculum = {"routing": "curriculum", "p_reference": 1.0}
    make_settings({"task": "chain", "p_reference": (1.0, 0.0), "env": curriculum})
    with pytest.raises(ConfigError, match="the environment's routing is 'reference'"):
        make_settings({"task": "chain", "p_reference": (1.0, 0.0)})
    with pytest.raises(ConfigError, match="has no choice of routing"):
        make_settings({"task": "investigator", "p_reference": (1.0, 0.0), "env": curriculum})


def test_arguments_of_the_environment_are_checked_when_settings_are_made() -> None:
    with pytest.raises(ConfigError, match=r"^Settings of training: There is no config 'nope'.*[^.]\.$"):
        make_settings({"task": "chain", "env": {"config": "nope"}})


def test_the_curriculum_goes_from_one_end_to_the_other() -> None:
    assert [annealed((1.0, 0.2), share) for share in (0.0, 0.5, 1.0, 2.0)] == pytest.approx([1.0, 0.6, 0.2, 0.2])


def begun_in(folder: Path, settings: TrainSettings) -> None:
    folder.mkdir()
    (folder / SETTINGS).write_text(json.dumps(settings.model_dump(mode="json")))


def test_the_start_of_a_run_is_kept_and_that_of_another_is_not_touched(tmp_path: Path) -> None:
    folder, start = tmp_path / "run", tmp_path / "run" / "start.npz"
    wanted = make_settings({"task": "restorer"})
    for resume in (False, True):
        assert started(wanted, folder, start, resume=resume) is None, "nothing was begun yet"
    begun = wanted.with_values({"initial": str(start)})
    begun_in(folder, begun)
    assert started(wanted, folder, start, resume=True) is None, "broken off before its start was there"
    start.write_bytes(b"weights")
    assert started(wanted, folder, start, resume=True) == begun
    with pytest.raises(ConfigError, match="holds a training run"):
        started(wanted, folder, start, resume=False)
    with pytest.raises(ConfigError, match=r"other settings \(seed\)"):
        started(wanted.with_values({"seed": 1}), folder, start, resume=True)


def test_a_start_without_its_run_is_made_again(tmp_path: Path) -> None:
    start = tmp_path / "start.npz"
    start.write_bytes(b"of settings that nobody knows")
    assert started(make_settings({"task": "restorer"}), tmp_path, start, resume=True) is None


def test_a_run_goes_on_over_more_steps_unless_a_curriculum_goes_over_them(tmp_path: Path) -> None:
    plain = make_settings({"task": "chain", "steps": 1000})
    annealing = plain.with_values(
        {"p_reference": (1.0, 0.0), "env.routing": "curriculum", "env.p_reference": 1.0, "initial": "start.npz"}
    )
    for name, settings in (("plain", plain.with_values({"initial": "start.npz"})), ("annealing", annealing)):
        begun_in(tmp_path / name, settings)
    start = Path("start.npz")
    started(plain.with_values({"steps": 2000}), tmp_path / "plain", start, resume=True)
    started(annealing, tmp_path / "annealing", start, resume=True)
    with pytest.raises(ConfigError, match=r"other settings \(steps\)"):
        started(annealing.with_values({"steps": 2000}), tmp_path / "annealing", start, resume=True)


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
