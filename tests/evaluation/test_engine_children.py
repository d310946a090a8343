"""Whatever happens to processes of a run: they are noticed, replaced and ended."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, cast

import pytest
from engine_cases import PATIENCE_S, soon
from odd_agents import PROCESSES, children

from riskchain_gym.evaluation.engine import child as child_module
from riskchain_gym.evaluation.engine import links as links_module
from riskchain_gym.evaluation.engine import process as process_module
from riskchain_gym.evaluation.engine import ray_environment as ray_module
from riskchain_gym.evaluation.engine import staff as staff_module
from riskchain_gym.evaluation.engine.agent_process import AgentPlan
from riskchain_gym.evaluation.engine.channel import Channel, ChannelClosedError, packed
from riskchain_gym.evaluation.engine.child import END_CALLS, Lifeline
from riskchain_gym.evaluation.engine.links import Link, RemoteAgent, read_json
from riskchain_gym.evaluation.engine.process import Child
from riskchain_gym.evaluation.engine.ray_environment import RayWorkers
from riskchain_gym.evaluation.engine.serving import serve
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.engine.staff import ProcessStaff
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.llm.settings import API_KEY_VARIABLE


@pytest.mark.parametrize(("late", "word"), [(None, "agent_died"), (8.0, "agent_late")])
def test_nobody_is_blamed_for_what_one_of_several_did(
    monkeypatch: pytest.MonkeyPatch, late: float | None, word: str
) -> None:
    monkeypatch.setattr(process_module, "_BOOT", "import time; time.sleep(600)")
    monkeypatch.setattr(process_module, "TIDY_S", 0.0)
    for busy in (1, 2):
        child = Child("agent", None, seats=2)
        for seat in range(busy):
            child.begin_call(seat)
        found = [child.lost(late), child.lost()][:busy]
        assert [(each.cause, each.counted, each.alone) for each in found] == [(word, busy == 1, busy > 1)] * busy
        for channel in child.channels:
            channel.close()


def started(monkeypatch: pytest.MonkeyPatch, code: str, seats: int = 1, **more: bool) -> Child:
    """Start a process that does something else than to serve."""
    monkeypatch.setattr(process_module, "_BOOT", code)
    return Child("agent", None, seats, **more)


def test_a_process_that_ends_is_noticed_though_what_it_started_holds_its_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_module, "TIDY_S", 0.0)
    monkeypatch.setattr(links_module, "_LOOK_EVERY_S", 0.05)
    forks = "import os, signal, time; os.fork() or time.sleep(600); os.kill(os.getpid(), signal.SIGRTMIN + 6)"
    child = started(monkeypatch, forks)
    link = Link(child, 0, read_json, PATIENCE_S)
    raised = soon(lambda: link.call("act"))
    assert isinstance(raised, SideLostError)
    assert (raised.cause, raised.detail) == ("agent_died", "the process was killed by signal 40")
    link.close()


def test_processes_that_do_not_end_share_the_time_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_BOOT", "import time; time.sleep(600)")
    monkeypatch.setattr(staff_module, "TIDY_S", 0.3)
    staff = ProcessStaff(PROCESSES, {}, seats=8)
    children = [staff._started("environment", None) for _ in range(8)]
    began = time.monotonic()
    staff.kill()
    assert time.monotonic() - began < 8 * 0.3
    for child in children:
        child.channels[0].close()


@pytest.mark.parametrize("keyed", [True, False])
def test_only_who_asks_a_model_knows_the_key(monkeypatch: pytest.MonkeyPatch, keyed: bool) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, "secret")
    child = started(monkeypatch, f"import os, sys; sys.exit({API_KEY_VARIABLE!r} in os.environ)", keyed=keyed)
    child.wait(PATIENCE_S)
    assert child.kill() == f"ended with exit code {int(keyed)}"
    child.channels[0].close()


def test_a_process_that_cannot_have_its_connections_is_one_that_died(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [socket.socketpair()]
    (ends,) = pairs

    def few() -> Any:
        if not pairs:
            raise OSError(24, "Too many open files")
        return pairs.pop()

    monkeypatch.setattr(process_module.socket, "socketpair", few)
    with pytest.raises(SideLostError, match="Too many open files"):
        Child("agent", None)
    assert [end.fileno() for end in ends] == [-1, -1]


def test_who_breaks_while_serving_is_gone_for_who_waits() -> None:
    here, there = map(Channel, socket.socketpair())

    def unwritable(_: object) -> Any:
        raise LookupError("no message")

    here.send(packed(("act",)))
    raised = soon(lambda: serve(there, lambda *_: None, unwritable))
    assert isinstance(raised, LookupError)
    with pytest.raises(ChannelClosedError):
        here.receive(PATIENCE_S)
    here.close()


def test_nothing_is_started_for_a_run_that_was_stopped() -> None:
    staff = ProcessStaff(PROCESSES, {}, 1)
    staff.stop()
    with pytest.raises(SideLostError, match="the run is ending"):
        staff.environment(0)
    assert children() == []


def test_what_starts_while_everything_is_killed_is_killed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    staff = ProcessStaff(PROCESSES, {}, 1)
    killed: list[str] = []

    class Starting:
        dead = False

        def __init__(self, side: str, *_: object, **__: object) -> None:
            self._side = side
            staff.stop()
            staff.kill()

        def kill(self) -> None:
            killed.append(self._side)

    monkeypatch.setattr(staff_module, "Child", Starting)
    with pytest.raises(SideLostError, match="the run is ending"):
        staff.environment(0)
    assert killed == ["environment"]


def test_a_seat_ends_its_environment_also_when_it_was_stopped_and_once_only(monkeypatch: pytest.MonkeyPatch) -> None:
    staff = ProcessStaff(PROCESSES, {}, 1)
    child = cast(Any, staff.environment(0)).link.child
    staff.stop()
    staff.leave(0)
    assert children() == []
    # Its number is free for another process now.
    monkeypatch.setattr(process_module.os, "killpg", None)
    assert child.kill() == child.kill() != ""


def test_a_process_ends_with_its_parent_also_where_calls_cannot_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, tried = threading.Event(), threading.Event()
    monkeypatch.setattr(child_module, "end_group", ended.set)
    parent, line = socket.socketpair()
    lifeline = Lifeline(line)

    def broken() -> None:
        tried.set()
        raise LookupError("no such calls")

    lifeline.on_end_calls = broken
    parent.sendall(END_CALLS)
    assert tried.wait(PATIENCE_S)
    assert not ended.is_set()
    parent.close()
    assert ended.wait(PATIENCE_S)
    line.close()


PARENT = """
import signal
from riskchain_gym.evaluation.engine.process import Child
from riskchain_gym.evaluation.settings import RunSettings
print(Child("environment", RunSettings(backend="text", observe=())).pid, flush=True)
signal.pause()
"""


def test_a_process_ends_with_a_parent_that_is_killed() -> None:
    psutil = pytest.importorskip("psutil")
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    child.wait(PATIENCE_S)


def test_the_seats_of_an_agent_that_asks_a_model_have_one_process_and_other_agents_one_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started:
        dead = False

        def __init__(self, side: str, given: object, seats: int = 1, **_: object) -> None:
            self.channels = [None] * seats

    monkeypatch.setattr(staff_module, "Child", Started)
    for name, count in {"asking": 1, "plain": 3}.items():
        plan = AgentPlan(name, name == "asking", False, Asking(), tmp_path, 3)
        staff = ProcessStaff(PROCESSES, {name: plan}, 3)
        processes = {cast(RemoteAgent, staff.agent(name, seat)).link.child for seat in range(3)}
        assert len(processes) == count


class NoNode:
    """Ray where no node ever comes, as far as a worker asks it."""

    def __init__(self) -> None:
        self.exceptions = self
        self.killed: list[object] = []
        self.asked = threading.Event()

    class RayError(Exception):
        pass

    class GetTimeoutError(RayError):
        pass

    def remote(self, *_: object) -> NoNode:
        return self

    def options(self, **_: object) -> NoNode:
        return self

    @property
    def answer(self) -> NoNode:
        return self

    def get(self, _: object, timeout: float) -> object:
        self.asked.set()
        threading.Event().wait(min(timeout, 0.05))
        raise self.GetTimeoutError

    def kill(self, actor: object, no_restart: bool) -> None:
        self.killed.append(actor)

    def shutdown(self) -> None: ...


def test_who_waits_for_a_node_is_ended_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = NoNode()
    monkeypatch.setattr(ray_module, "_connected", lambda _: (ray, True))
    workers = RayWorkers(PROCESSES, {})
    staff = ProcessStaff(PROCESSES, {}, 1, workers)

    def stop() -> None:
        assert ray.asked.wait(PATIENCE_S)
        staff.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    assert isinstance(soon(lambda: staff.environment(0)), SideLostError)
    stopper.join()
    assert ray.killed == [ray]
    assert isinstance(soon(workers.start), SideLostError)
    assert ray.killed == [ray]
    staff.kill()
