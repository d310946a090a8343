"""The owner thread: jobs from anywhere, run on one thread, each with a deadline."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from riskchain_gym.envs.backends import worker as module
from riskchain_gym.envs.backends.worker import (
    IDLE_DEADLINE_S,
    QUEUE_S,
    OwnerThread,
    WorkerAbortedError,
    WorkerBusyError,
    WorkerGoneError,
    WorkerTimeoutError,
)


@pytest.fixture
def worker():
    thread = OwnerThread("test-worker")
    yield thread
    thread.stop(5)


@contextmanager
def busy(worker: OwnerThread, deadline_s: float = 3600) -> Iterator[threading.Event]:
    """Keep the thread busy with somebody's job until the block ends or the event is set."""
    running, release = threading.Event(), threading.Event()

    def job() -> None:
        running.set()
        release.wait(30)

    owner = threading.Thread(target=lambda: worker.call(job, deadline_s))
    owner.start()
    assert running.wait(10)
    try:
        yield release
    finally:
        release.set()
        owner.join(10)


class Clock:
    """The worker's clock, which moves only when told to, by whoever is asked whether waiting still makes sense."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(module, "_LOOK_EVERY_S", 0.01)

    def passes(self, seconds: float, then: Callable[[], object] = lambda: None) -> Callable[[], bool]:
        def alive() -> bool:
            self.now += seconds
            then()
            return True

        return alive


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_all_jobs_run_on_one_thread_whoever_calls(worker):
    with ThreadPoolExecutor(4) as pool:
        idents = list(pool.map(lambda _: worker.call(threading.get_ident, 5), range(20)))
    assert len(set(idents)) == 1
    assert idents[0] != threading.get_ident()


def test_a_job_may_be_called_inside_a_running_loop(worker):
    async def main() -> int:
        return worker.call(lambda: 7, 5)

    assert asyncio.run(main()) == 7


def test_what_a_job_raises_reaches_its_caller_and_the_thread_goes_on(worker):
    with pytest.raises(ZeroDivisionError):
        worker.call(lambda: 1 // 0, 5)
    assert worker.call(lambda: "still here", 5) == "still here"


def test_a_job_that_takes_too_long_is_given_up(worker):
    release = threading.Event()
    with pytest.raises(WorkerTimeoutError, match=r"0\.05 s"):
        worker.call(lambda: release.wait(30), 0.05)
    release.set()
    assert worker.call(lambda: 1, 5) == 1


def test_a_job_given_up_in_the_queue_never_runs(worker):
    ran: list[int] = []
    with busy(worker), pytest.raises(WorkerBusyError, match=r"0\.05 s"):
        worker.call(lambda: ran.append(1), 5, queue_s=0.05)
    worker.call(lambda: None, 5)
    assert ran == []


def test_waiting_ends_early_when_it_no_longer_makes_sense(worker):
    release = threading.Event()
    with pytest.raises(WorkerGoneError):
        worker.call(lambda: release.wait(30), 30, alive=lambda: False)
    release.set()


def test_a_job_that_spins_can_be_broken_off(worker):
    spinning = threading.Event()

    def spin() -> None:
        while True:
            spinning.set()

    failures: list[BaseException] = []

    def caller() -> None:
        try:
            worker.call(spin, 30)
        except BaseException as error:  # noqa: BLE001 - whatever comes out is what is tested
            failures.append(error)

    thread = threading.Thread(target=caller)
    thread.start()
    assert spinning.wait(10)
    worker.abort()
    thread.join(10)
    assert [type(failure) for failure in failures] == [WorkerAbortedError]
    assert worker.call(lambda: 1, 5) == 1


def test_stop_lets_queued_jobs_finish_and_refuses_later_ones(worker):
    assert worker.call(lambda: 1, 5) == 1
    assert worker.stop(5)
    assert worker.stop(5)
    with pytest.raises(WorkerGoneError, match="stopped"):
        worker.call(lambda: 1, 5)


def test_a_deadline_begins_with_the_jobs_turn(worker, clock):
    with busy(worker) as release:
        waits = clock.passes(QUEUE_S / 10, lambda: release.set() if clock.now > QUEUE_S / 2 else None)
        assert worker.call(lambda: "my turn", 1, waits) == "my turn"
    assert clock.now > QUEUE_S / 2


def test_a_turn_that_never_comes_is_no_sign_that_anything_hangs(worker, clock):
    with busy(worker), pytest.raises(WorkerBusyError, match=f"{QUEUE_S:g} s"):
        worker.call(lambda: None, 1, clock.passes(QUEUE_S / 10))
    assert worker.call(lambda: 1, 5) == 1


def test_a_job_whose_caller_was_interrupted_is_waited_for_until_its_deadline_only(worker, clock):
    running, release = threading.Event(), threading.Event()

    def job() -> None:
        running.set()
        release.wait(30)

    def interrupt() -> bool:
        assert running.wait(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worker.call(job, 60, interrupt)
    with pytest.raises(WorkerTimeoutError, match="60 s"):
        worker.call(lambda: None, 1, clock.passes(50))
    assert clock.now < QUEUE_S
    release.set()
    assert worker.call(lambda: 1, 5) == 1


@pytest.fixture
def idle_worker() -> Iterator[Callable[[Callable[[], bool]], OwnerThread]]:
    made: list[OwnerThread] = []

    def make(idle: Callable[[], bool]) -> OwnerThread:
        made.append(OwnerThread("test-idle", idle))
        return made[-1]

    yield make
    for thread in made:
        thread.stop(5)


def test_idle_times_come_after_jobs_and_again_while_there_is_more_to_do(idle_worker):
    done: list[int] = []
    through = threading.Event()

    def idle() -> bool:
        done.append(threading.get_ident())
        if len(done) % 3 == 0:
            through.set()
        return len(done) % 3 != 0

    worker = idle_worker(idle)
    for rounds in (1, 2):
        ident = worker.call(threading.get_ident, 5)
        assert through.wait(10)
        through.clear()
        assert done == [ident] * (3 * rounds)


def test_what_is_done_in_idle_times_may_fail_and_that_is_logged(idle_worker, caplog):
    tried = threading.Semaphore(0)

    def idle() -> bool:
        tried.release()
        raise ValueError("no page to be had")

    with caplog.at_level(logging.DEBUG, "riskchain_gym"):
        worker = idle_worker(idle)
        for _ in range(2):
            worker.call(lambda: None, 5)
            assert tried.acquire(timeout=10)
        assert worker.call(lambda: 1, 5) == 1
    assert "no page to be had" in caplog.text


def test_what_hangs_in_an_idle_time_is_waited_for_until_its_deadline_only(idle_worker, clock):
    running, release = threading.Event(), threading.Event()

    def idle() -> bool:
        running.set()
        return release.wait(30) and False

    worker = idle_worker(idle)
    worker.call(lambda: None, 5)
    assert running.wait(10)
    with pytest.raises(WorkerTimeoutError, match=f"{IDLE_DEADLINE_S:g} s"):
        worker.call(lambda: None, 1, clock.passes(IDLE_DEADLINE_S / 2))
    release.set()
    assert worker.call(lambda: 1, 5) == 1


def test_an_idle_time_that_spins_can_be_broken_off(idle_worker):
    spinning = threading.Event()

    def idle() -> bool:
        while True:
            spinning.set()

    worker = idle_worker(idle)
    worker.call(lambda: None, 5)
    assert spinning.wait(10)
    with pytest.raises(WorkerGoneError, match="has ended"):
        worker.call(lambda: None, 60, lambda: worker.abort() is None)
    assert worker.stop(10)
