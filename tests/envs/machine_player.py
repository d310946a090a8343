"""Playing the phase machine with the fake backend."""

from __future__ import annotations

from typing import Any

from chain_builder import commit_text, entry_of, make_chain, report_text

from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.scoring.gate import gate

RIGHT, WRONG = commit_text(entry_of(0)), commit_text("wrong.pw.test")
GOOD = report_text(Decision.VIOLATION, "欢迎来到首页")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def machine(kind: Kind = "chain", routing: str = "reference", clock: Clock | None = None, **settings: Any) -> Machine:
    config = EnvConfig(**settings)
    public, gold = make_chain(0)
    episode = Episode(
        Case(public, "v000"),
        routing,
        make_reward(config, kind, None),
        gold.message if kind == "restore" else gold,
        lambda commit: gate(commit, gold.message.entry).passed,
    )
    backend = None if kind == "restore" else FakeBackend()
    return Machine(kind, config, episode, backend, clock or Clock())


def feed(m: Machine, *actions: object) -> Machine:
    for action in actions:
        m.act(action)
    return m


def kinds(m: Machine) -> list[FailureKind]:
    return [failure.kind for failure in m.recorder.trajectory().failures]


def last_result(m: Machine) -> ActionStatus:
    assert m.recorder.last is not None
    return m.recorder.last.result.status
