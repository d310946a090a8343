"""Whatever is raised, sent or killed: every episode has an end, and every process too."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from odd_agents import CHAINS, PROCESSES, children

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.engine import child as child_module
from riskchain_gym.evaluation.engine import links as links_module
from riskchain_gym.evaluation.engine import process as process_module
from riskchain_gym.evaluation.engine import ray_environment as ray_module
from riskchain_gym.evaluation.engine import staff as staff_module
from riskchain_gym.evaluation.engine.agent_process import AgentPlan, written
from riskchain_gym.evaluation.engine.channel import Channel, ChannelClosedError, packed, unpacked
from riskchain_gym.evaluation.engine.child import END_CALLS, Lifeline
from riskchain_gym.evaluation.engine.jobs import Job, Loss
from riskchain_gym.evaluation.engine.links import Link, RemoteAgent, read_json, read_pickle
from riskchain_gym.evaluation.engine.local import LocalEnvironments
from riskchain_gym.evaluation.engine.pool import EpisodePool
from riskchain_gym.evaluation.engine.process import Child
from riskchain_gym.evaluation.engine.ray_environment import RayWorkers
from riskchain_gym.evaluation.engine.said import as_data, cut, from_data
from riskchain_gym.evaluation.engine.serving import serve
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.engine.staff import ProcessStaff, Staff
from riskchain_gym.evaluation.engine.told import told
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.llm.settings import API_KEY_VARIABLE
from riskchain_gym.protocol.trajectory import Trajectory

PATIENCE_S = 30.0


class SpeechlessError(Exception):
    """What it says cannot be read."""

    def __str__(self) -> str:
        raise ValueError("no text")


class NotableError(Exception):
    """Nothing can be noted on it."""

    def add_note(self, note: str) -> None:
        raise TypeError("no notes")


@pytest.fixture(scope="module")
def text_environment() -> Iterator[LocalEnvironments]:
    environments = LocalEnvironments(PROCESSES)
    yield environments
    environments.close()


def soon(does: Callable[[], object]) -> BaseException | None:
    """Do something that might wait for ever; return what it raised."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            does()
        except BaseException as error:  # noqa: BLE001 - it is looked at
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE_S)
    assert not worker.is_alive(), "it waits for ever"
    return raised[0] if raised else None


# -- episodes ---------------------------------------------------------------------------------------------------------


class Raising:
    """Both sides and their staff: raises where it is told to."""

    asks_model, is_oracle = True, False

    def __init__(self, at: str, error: BaseException) -> None:
        self._at, self._error = at, error

    def environment(self, seat: int) -> Raising:
        return self._reached("environment")

    def agent(self, name: str, seat: int) -> Raising:
        return self._reached("agent")

    def begin(self, gold: object) -> None:
        self._reached("begin")

    def reset(self, *_: object) -> None:
        self._reached("reset")
        raise SideLostError("worker_died", "it is gone")

    def asked(self) -> tuple[CallRecord, ...]:
        self._reached("asked")
        return ()

    def leave(self, seat: int) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...

    def _reached(self, at: str) -> Raising:
        if at == self._at:
            raise self._error
        return self


@pytest.mark.parametrize("at", ["environment", "agent", "begin", "reset", "asked"])
@pytest.mark.parametrize(
    "error", [SpeechlessError(), NotableError("so"), LookupError("so"), SystemExit(SpeechlessError())], ids=repr
)
def test_whatever_is_raised_the_episode_ends_and_with_it_the_run(at: str, error: BaseException) -> None:
    jobs, staff = [Job("odd", "1"), Job("odd", "2")], cast(Staff, Raising(at, error))
    pool = EpisodePool(jobs, 1, staff, build_instructions(9), cast(Any, None))
    raised = soon(lambda: list(pool.finished()))
    pool.stop()
    assert raised is not None
    assert error in (raised, raised.__cause__, raised.__context__)
    assert list(pool.leftovers()) == []


def test_the_episode_that_ends_the_run_is_told_of_before() -> None:
    pool = EpisodePool(
        [Job("odd", "1")], 1, cast(Staff, Raising("asked", SpeechlessError())), build_instructions(9), cast(Any, None)
    )
    first = next(pool.finished())
    pool.stop()
    assert first.result == Loss("SpeechlessError", "(its message cannot be read: ValueError)")


def test_an_error_without_a_readable_text_is_told_of() -> None:
    data = told(LookupError(SpeechlessError()))
    assert [*data["args"], data["message"]] == ["(its message cannot be read: ValueError)"] * 2


# -- messages ---------------------------------------------------------------------------------------------------------


class Lost:
    """A process as a link sees it, and what it was lost for."""

    def __init__(self, channel: Channel) -> None:
        self.channels = [channel]
        self.said = ""

    def begin_call(self, seat: int) -> None: ...

    def end_call(self, seat: int) -> None: ...

    def lost(self, late: float | None = None, said: str = "") -> SideLostError:
        self.said = said
        return SideLostError("agent_died", said)


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("read", "sent"),
    [
        (read_json, b'{"value": ' + DEEP + b"}"),
        (read_json, b'{"error": {"known": false, "message": ' + DEEP + b"}}"),
        (read_json, b"{}"),
        (read_pickle, b"\x80\x05"),
        (read_pickle, b"no pickle"),
        (read_pickle, b"cnowhere\nmissing\n."),
    ],
    ids=range(6),
)
def test_a_process_that_talks_nonsense_is_lost(read: Any, sent: bytes) -> None:
    here, there = map(Channel, socket.socketpair())
    child = Lost(here)
    link = Link(cast(Child, child), 0, read, PATIENCE_S)
    there.send([sent])
    with pytest.raises(SideLostError, match="no answer"):
        link.call("act")
    assert child.said
    here.close()
    there.close()


def test_whatever_an_agent_returns_is_sent() -> None:
    round_about: list[object] = []
    round_about.append(round_about)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    returned = [round_about, deep, {(1, 2): 3}, {1, 2}, float("nan"), "\ud800"]
    came = [read_json(written({"value": each}))["value"] for each in returned]
    assert came[:4] == ["<list>", "<list>", "<dict>", "<set>"]
    assert came[5] == "\ud800"
    while deep:
        deep = cast(list[object], deep.pop())


@pytest.mark.parametrize(
    "action",
    [
        (1, 2),
        {"a": 1},
        {(1, 2): 3},
        {1, 2},
        b"{}",
        None,
        3,
        float("nan"),
        object(),
        SpeechlessError(),
        "{}",
        "\ud83d\ude00",
        "\ud800",
        "\0",
        "x" * 20_000,
        "\U0001f600" * 20_001,
        "x" * ((1 << 24) + 5),
    ],
    ids=range(17),
)
def test_what_an_agent_returns_is_the_same_to_an_environment_wherever_the_agent_is(
    text_environment: LocalEnvironments, action: Any
) -> None:
    def trajectory(sent: Any) -> Trajectory:
        text_environment.reset(CHAINS[0], "")
        text_environment.step(sent)
        return text_environment.taken().trajectory

    (said,) = unpacked(packed((from_data(read_json(written({"value": as_data(cut(action))}))["value"]),)))
    assert trajectory(said) == trajectory(cut(action))


@pytest.mark.parametrize(
    "data",
    [
        None,
        "{}",
        {},
        {"type": ""},
        {"type": "\ud800"},
        {"text": "x", "length": 2},
        {"text": "x" * 30_000, "length": 9**9},
        {"text": "\xff", "length": 1},
        {"text": "\u0100", "length": 1},
        {"text": "x", "length": True},
    ],
    ids=range(10),
)
def test_what_is_no_action_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"no action|codec"):
        from_data(data)


def test_an_error_that_cannot_be_told_of_is_told_of_as_such() -> None:
    class UntoldError(Exception):
        def __getattribute__(self, name: str) -> Any:
            raise KeyboardInterrupt

    def raising(*_: object) -> None:
        raise UntoldError

    here, there = map(Channel, socket.socketpair())
    here.send(packed(("close",)))
    assert soon(lambda: serve(there, raising, written)) is None
    assert "UntoldError was raised" in read_json(here.receive(PATIENCE_S))["error"]["message"]
    here.close()


def test_a_text_without_an_end_is_told_of_in_part() -> None:
    data = told(ValueError("x" * 1_000_000))
    assert max(map(len, [*data["args"], data["message"], data["trace"]])) == 100_000


def test_what_a_process_has_sent_in_place_of_an_answer_is_told() -> None:
    here, there = Channel((ends := socket.socketpair())[0], 10), Channel(ends[1])
    child = Lost(here)
    there.send([b"x" * 11])
    with pytest.raises(SideLostError, match="a message of 11 bytes was sent, 10 are the most"):
        Link(cast(Child, child), 0, read_json, PATIENCE_S).call("act")
    here.close()
    there.close()


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


# -- processes --------------------------------------------------------------------------------------------------------


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
