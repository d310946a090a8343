"""Training runs: what they write, what is dropped, what a kill costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, InputFileError, UnknownNameError
from riskchain_gym.training.rllib.ray_session import ray_session
from riskchain_gym.training.rllib.run import TrainResult, train
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings

pytestmark = pytest.mark.rllib

HERE = Path(__file__).parent
TOY = {
    "task": "chain",
    "env_id": "option_toys:MarkedRow-v0",
    "steps": 1400,
    "batch": 256,
    "minibatch": 128,
    "epochs": 4,
    "hidden": [32],
    "lr": 5e-3,
    "checkpoint_every": 2,
    "num_envs_per_env_runner": 4,
}


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Any:
    """One Ray for all runs of this file: starting it takes seconds."""
    with ray_session(settings()):
        yield


def settings(**values: Any) -> TrainSettings:
    return make_settings({**TOY, **values})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> TrainResult:
    return train(settings(), tmp_path_factory.mktemp("undisturbed") / "run")


def test_a_run_learns_and_writes_what_the_docs_say(undisturbed: TrainResult) -> None:
    first, last = undisturbed.rows[0], undisturbed.rows[-1]
    assert last["acc_e"] > first["acc_e"] + 0.3
    assert last["acc_w"] - last["acc_e"] == pytest.approx(last["delta_gate"])
    assert [row["iteration"] for row in undisturbed.rows] == list(range(1, 7))
    assert last["env_steps"] == undisturbed.progress.env_steps >= 1400
    names = {path.name for path in undisturbed.folder.iterdir()}
    assert names >= {
        "settings.json",
        "curves.jsonl",
        "timing.jsonl",
        "curves.png",
        "curves.svg",
        "checkpoints",
        "weights.npz",
    }
    kept = {path.name for path in (undisturbed.folder / "checkpoints").iterdir()}
    assert kept == {"00000004", "00000006", "latest"}


def test_the_same_seed_gives_the_same_curves_and_another_seed_others(undisturbed: TrainResult, tmp_path: Path) -> None:
    again = train(settings(), tmp_path / "again")
    assert (again.folder / "curves.jsonl").read_bytes() == (undisturbed.folder / "curves.jsonl").read_bytes()
    assert again.weights.read_bytes() == undisturbed.weights.read_bytes()
    other = train(settings(seed=1, steps=256), tmp_path / "other")
    assert other.rows[0] != undisturbed.rows[0]


def test_a_run_that_is_killed_goes_on_and_ends_as_if_it_had_not_been(undisturbed: TrainResult, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    script = tmp_path / "killed.py"
    script.write_text(
        "import json, os, signal, sys\n"
        "from pathlib import Path\n"
        "from riskchain_gym.training.rllib.run import train\n"
        "from riskchain_gym.training.rllib.settings import make_settings\n"
        "def kill(row):\n"
        "    if row['iteration'] == 5:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "train(make_settings(json.loads(sys.argv[1])), Path(sys.argv[2]), on_iteration=kill)\n"
    )
    ended = subprocess.run(
        [sys.executable, script, json.dumps(TOY), folder],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        capture_output=True,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert len((folder / "curves.jsonl").read_bytes().splitlines()) == 5  # one more than the checkpoint holds
    with pytest.raises(ConfigError, match="--resume"):
        train(settings(), folder)
    seen: list[int] = []
    result = train(settings(), folder, resume=True, on_iteration=lambda row: seen.append(row["iteration"]))
    assert seen == [5, 6]
    assert (folder / "curves.jsonl").read_bytes() == (undisturbed.folder / "curves.jsonl").read_bytes()
    assert result.weights.read_bytes() == undisturbed.weights.read_bytes()


def test_a_run_goes_on_with_its_own_settings_only(undisturbed: TrainResult) -> None:
    with pytest.raises(ConfigError, match=r"other settings \(lr\)"):
        train(settings(lr=0.1), undisturbed.folder, resume=True)


def test_a_folder_in_which_a_run_is_at_work_is_left_alone(tmp_path: Path) -> None:
    with folder_held(tmp_path), pytest.raises(ConfigError, match="Another run is at work"):
        train(settings(), tmp_path, resume=True)
    assert not list(tmp_path.iterdir())


def test_settings_that_cannot_be_built_of_leave_the_folder_to_better_ones(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file of weights"):
        train(settings(initial=str(tmp_path / "nowhere.npz")), tmp_path / "run")
    assert not (tmp_path / "run" / "settings.json").exists()

    assert train(settings(steps=256), tmp_path / "run").progress.iteration == 1


def test_a_split_to_evaluate_on_is_looked_at_before_anything_is_trained(tmp_path: Path) -> None:
    asked = make_settings({"task": "restorer", "env": {"split": "mini"}, "evaluate": {"dev": "messages/nowhere"}})
    with pytest.raises(UnknownNameError, match="nowhere"):
        train(asked, tmp_path / "run")
    assert not (tmp_path / "run" / "settings.json").exists()


def test_a_checkpoint_that_is_cut_short_is_said_and_the_one_before_it_goes_on(
    undisturbed: TrainResult, tmp_path: Path
) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(undisturbed.folder, folder)
    for path in (folder / "checkpoints" / "00000006" / "rllib").rglob("module_state.pkl"):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputFileError, match=r"00000006: this checkpoint is damaged .*write 00000004") as raised:
        train(settings(), folder, resume=True)
    assert "\n" not in str(raised.value)
    (folder / "checkpoints" / "latest").write_text("00000004")
    result = train(settings(), folder, resume=True)
    assert (folder / "curves.jsonl").read_bytes() == (undisturbed.folder / "curves.jsonl").read_bytes()
    assert result.weights.read_bytes() == undisturbed.weights.read_bytes()


def test_episodes_lost_to_infrastructure_are_dropped_whole_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray.rllib.core.learner.learner_group import LearnerGroup

    update = LearnerGroup.update

    def spied(self: Any, **kwargs: Any) -> Any:
        episodes = kwargs["episodes"]
        rewards.extend(float(reward) for episode in episodes for reward in episode.get_rewards())
        ended.extend(bool(episode.is_terminated) for episode in episodes)
        return update(self, **kwargs)

    rewards: list[float] = []
    ended: list[bool] = []
    monkeypatch.setattr(LearnerGroup, "update", spied)
    # An odd fragment cuts episodes in two: the first half of a lost one holds 100, which must not be learned from.
    result = train(settings(steps=512, batch=252, env={"lose_every": 3}), tmp_path / "lossy")
    assert rewards
    assert all(ended)
    assert set(rewards) <= {0.0, 1.0}
    for row in result.rows:
        assert row["lost"] > 0
        assert row["valid_share"] == row["episodes"] / (row["episodes"] + row["lost"])
        assert row["return"] <= 1.0
        assert row["length"] == 2.0


def test_a_run_where_every_episode_is_lost_ends_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="200 episodes in a row"):
        train(settings(env={"lose_every": 1}), tmp_path / "lost")
    assert not (tmp_path / "lost" / "curves.jsonl").exists()


def test_the_curriculum_reaches_every_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import option_toys

    heard: list[list[float]] = []
    monkeypatch.setattr(
        option_toys.MarkedRow, "set_p_reference", lambda self, value: heard.append([id(self), round(value, 3)])
    )
    train(settings(steps=1024, p_reference=(1.0, 0.0)), tmp_path / "curriculum")
    assert len({who for who, _ in heard}) == TOY["num_envs_per_env_runner"]
    values = list(dict.fromkeys(value for _, value in heard))
    assert values == [1.0, 0.75, 0.5, 0.25]


def test_a_run_begins_with_given_weights(undisturbed: TrainResult, tmp_path: Path) -> None:
    begun = train(settings(steps=256, initial=str(undisturbed.weights)), tmp_path / "begun")
    assert begun.rows[0]["acc_e"] > undisturbed.rows[0]["acc_e"] + 0.3
