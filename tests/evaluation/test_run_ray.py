"""Environments on a Ray cluster: the same run, nodes that are refused, and nodes that die."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.benchmark.splits import PUBLIC, load_manifest
from riskchain_gym.evaluation.engine.ray_environment import NodeEnvironment, RayWorkers
from riskchain_gym.evaluation.engine.told import rebuilt
from riskchain_gym.evaluation.incidents import IncidentLog
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.versions import versions_of
from riskchain_gym.llm.settings import API_KEY_VARIABLE
from riskchain_gym.protocol.errors import ConfigError, MissingExtraError

TEXT = RunSettings(backend="text", observe=(), workers=2)


@pytest.mark.parametrize(
    ("changes", "sha256", "versions", "says"),
    [
        ({"split": "/nowhere/test"}, "", {}, "lacks split '/nowhere/test': copy it there"),
        ({}, "0" * 64, {}, "has another split 'mini': copy this one there"),
        ({}, None, {"gymnasium": "0.1"}, "has gymnasium .* and the run 0.1: install that one"),
    ],
)
def test_a_node_on_which_the_run_would_be_another_is_refused(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], sha256: str | None, versions: dict[str, str], says: str
) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, "secret")
    wanted = load_manifest("mini").sha256[PUBLIC] if sha256 is None else sha256
    node = NodeEnvironment(replace(TEXT, **changes), wanted, {**versions_of(TEXT), **versions})
    assert API_KEY_VARIABLE not in os.environ
    with pytest.raises(ConfigError, match=f"of the Ray cluster {says}"):
        raise rebuilt(node.answer("check", ())["error"])


def test_ray_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"--ray\) needs the optional 'rllib' extra"):
        RayWorkers(replace(TEXT, ray="auto"), {})


# -- a cluster of two nodes on this machine ---------------------------------------------------------------------------


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    # A loopback address is to stay one, as for clusters on other systems than Linux.
    monkeypatch.setattr("ray._private.ray_constants.ENABLE_RAY_CLUSTER", False)
    found = Cluster()
    for _ in range(2):
        found.add_node(num_cpus=2, node_ip_address="127.0.0.1", include_dashboard=False)
    found.wait_for_nodes()
    yield found
    found.shutdown()


@pytest.mark.slow
def test_two_nodes_come_to_what_this_machine_comes_to(cluster: Any, tmp_path: Path) -> None:
    here = run_agent("rules+explorer", tmp_path / "here", TEXT)
    there = run_agent("rules+explorer", tmp_path / "there", replace(TEXT, ray=cluster.address))
    assert there.seal == here.seal is not None
    assert list(IncidentLog(there.path).entries()) == []


@pytest.mark.slow
def test_a_node_that_dies_is_done_without(cluster: Any, tmp_path: Path) -> None:
    here = run_agent("rules+explorer", tmp_path / "here", TEXT)
    gone = threading.Event()

    def progress(agent: str, done: int) -> None:
        if done == 3:
            cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
            gone.set()

    there = run_agent("rules+explorer", tmp_path / "there", replace(TEXT, ray=cluster.address), progress)
    assert gone.is_set()
    assert RunFolder.open(there.path).seal == here.seal
    assert {each.cause for each in IncidentLog(there.path).entries()} == {"worker_died"}


@pytest.mark.slow
def test_where_no_cluster_answers_that_is_said_at_once(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with pytest.raises(ConfigError, match=r"There is no Ray cluster at '127\.0\.0\.1:1' .*ray start --head"):
        run_agent("noop", tmp_path / "run", replace(TEXT, ray="127.0.0.1:1"))
    assert not (tmp_path / "run").exists()
