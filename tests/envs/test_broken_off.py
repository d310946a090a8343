"""An interrupt, an odd action and odd input leave nothing corrupt, leaking or unbounded behind."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from chain_builder import action_text, commit_text, stop_text, write_split
from gymnasium.error import ResetNeeded
from machine_player import RIGHT, feed, machine

from riskchain_gym.benchmark.splits import GOLD, MANIFEST
from riskchain_gym.envs.backends.worker import OwnerThread
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.validator import validate

LONG = "e" * 15_000


def make(split: str, **kwargs: Any) -> Any:
    return gym.make("riskchain_gym:RiskChain-v0", split=split, **{"backend": "text", **kwargs})


@pytest.mark.parametrize("when", ["open", "act"])
def test_an_interrupted_step_ends_the_episode_uncounted(split: str, monkeypatch: Any, when: str) -> None:
    env = make(split)
    env.reset()
    actions = [commit_text("x.pw.test")]
    if when == "act":
        env.step(actions.pop())
        actions.append(action_text("reload"))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(env.unwrapped.backend, when, interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.step(actions[0])
    trajectory = env.unwrapped.trajectory
    assert (trajectory.status, trajectory.infra_cause) == ("infra_error", "interrupted")
    assert validate(trajectory).valid
    with pytest.raises(ResetNeeded):
        env.step(stop_text())
    _, info = env.reset()
    assert info["valid"]


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Pretender(str):
    def __getitem__(self, _: Any) -> str:
        raise RuntimeError("cannot be cut")

    def __len__(self) -> int:
        raise RuntimeError("cannot be measured")


@pytest.mark.parametrize("action", [Unspeakable(), b"{}", None, ["x"] * 9])
def test_what_is_no_text_is_a_strike_whatever_it_is(action: object) -> None:
    m = feed(machine(), action)
    assert m.strikes == 1
    assert m.recorder.last is not None
    assert m.recorder.last.action == f"<{type(action).__name__}>"


def test_a_kind_of_text_is_the_text_it_holds() -> None:
    m = feed(machine(), Pretender(RIGHT))
    assert m.recorder.commit is not None
    assert m.recorder.last is not None
    assert m.recorder.last.action == RIGHT


@pytest.mark.parametrize(
    ("before", "action"),
    [
        ([], commit_text("x.pw.test", message_id="m" * 128)),
        ([], json.dumps({f"\n{LONG}": 1})),
        ([], json.dumps({"abstain": f"\n{LONG}"})),
        ([RIGHT], action_text("click", element_id=f"\n{LONG}")),
        ([RIGHT], action_text(f"\n{LONG}")),
        ([RIGHT], json.dumps({"action": "reload", f"\n{LONG}": 1})),
    ],
)
def test_feedback_quotes_little_and_on_one_line(before: list[str], action: str) -> None:
    m = feed(machine(), *before, action)
    assert m.strikes == 1
    assert len(m.feedback) < 800
    assert m.feedback.isprintable()


def test_an_abort_that_comes_too_late_ends_the_thread_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[object] = []
    monkeypatch.setattr(threading, "excepthook", complaints.append)
    worker = OwnerThread("test-worker")
    assert worker.call(lambda: 1, 5) == 1
    worker.abort()
    assert worker.stop(5)
    assert complaints == []


@pytest.mark.parametrize("options", [5, [], "chain", {5: "chaina"}, {"chain": 5}, {"chian": "chaina"}])
def test_options_that_are_none_are_refused_in_a_sentence(split: str, options: Any) -> None:
    env = make(split).unwrapped
    with pytest.raises(ConfigError, match="'chain'") as caught:
        env.reset(options=options)
    assert "\n" not in str(caught.value)


def test_arguments_that_no_json_can_hold(split: str) -> None:
    circular: dict[str, Any] = {}
    circular["self"] = circular
    env = make(split).unwrapped
    spec = env.spec
    spec.kwargs = circular
    with pytest.raises(ConfigError, match="plain JSON"):
        env.spec = spec


def test_missing_gold_is_noticed_when_the_environment_is_made(tmp_path: Path) -> None:
    import hashlib

    split = write_split(tmp_path / "partial")
    gold, manifest = tmp_path / "partial" / GOLD, tmp_path / "partial" / MANIFEST
    gold.write_text("".join(gold.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    pinned = json.loads(manifest.read_text("utf-8"))
    pinned["sha256"][GOLD] = hashlib.sha256(gold.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(pinned), "utf-8")
    with pytest.raises(ConfigError, match="no gold for chain 'chaind'"):
        make(split)
    make(split, chains=["chaina"]).close()
    make(split, reward="none").close()
