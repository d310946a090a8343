"""Training leaves no process behind, and environments that RLlib never closes leave nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

pytestmark = [pytest.mark.rllib, pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")]

HERE = Path(__file__).parent
RUN = """
import json, sys
from pathlib import Path
from riskchain_gym.training.rllib.run import train
from riskchain_gym.training.rllib.settings import make_settings
result = train(make_settings(json.loads(sys.argv[1])), Path(sys.argv[2]))
print(json.dumps(result.rows[-1]))
print(input())
"""
TOY = {
    "task": "chain",
    "env_id": "option_toys:MarkedRow-v0",
    "steps": 512,
    "batch": 256,
    "minibatch": 128,
    "hidden": [16],
    "num_env_runners": 1,
    "num_cpus_per_env_runner": 0.5,
    "num_envs_per_env_runner": 4,
    "env": {"lose_every": 5},
}


def marked_processes(mark: str) -> set[int]:
    """Return the processes that inherited a mark in their environment."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            held = (folder / "environ").read_bytes()
            dead = b"\nState:\tZ" in (folder / "status").read_bytes()
        except OSError:
            continue
        if mark.encode() in held and not dead:
            found.add(int(folder.name))
    return found


def test_a_run_with_a_process_that_plays_leaves_no_process(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    script = tmp_path / "run.py"
    script.write_text(RUN)
    with subprocess.Popen(
        [sys.executable, script, json.dumps(TOY), tmp_path / "run"],
        env={**os.environ, "PYTHONPATH": str(HERE), "RISKCHAIN_MARK": mark, "RAY_AUTH_MODE": "disabled"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        row = json.loads(process.stdout.readline())
        # The run is over and its process is not: whatever it had started must be gone already.
        left = marked_processes(mark) - {process.pid}
        said, _ = process.communicate("done\n", timeout=60)
    assert not left
    assert said == "done\n"
    assert process.returncode == 0
    assert row["lost"] > 0
    assert row["return"] <= 1.0


def test_environments_that_rllib_never_closes_leave_nothing() -> None:
    from riskchain_gym.training.rllib.algorithm import build_algorithm
    from riskchain_gym.training.rllib.ray_session import ray_session
    from riskchain_gym.training.rllib.settings import make_settings

    settings = make_settings(
        {
            "task": "investigator",
            "env": {"split": "mini", "backend": "text", "max_steps": 2, "memory_size": 64, "page_size": 32},
            "batch": 200,
            "minibatch": 200,
            "epochs": 1,
            "hidden": [8],
            "num_envs_per_env_runner": 4,
        }
    )

    def held() -> tuple[int, int, int]:
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count(), len(children)

    with ray_session(settings):
        algorithm = build_algorithm(settings)
        try:
            episodes = 0
            algorithm.train()
            before = held()
            while episodes < 200:
                episodes += algorithm.train()["env_runners"]["num_episodes"]
            assert held() == before
        finally:
            algorithm.stop()
