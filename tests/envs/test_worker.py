"""The owner thread: jobs from anywhere, run on one thread, each with a deadline."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from riskchain_gym.envs.backends.worker import (
    OwnerThread,
    WorkerAbortedError,
    WorkerGoneError,
    WorkerTimeoutError,
)


@pytest.fixture
def worker():
    thread = OwnerThread("test-worker")
    yield thread
    thread.stop(5)


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
    release, ran = threading.Event(), []
    first = threading.Thread(target=lambda: worker.call(lambda: release.wait(30), 30))
    first.start()
    with pytest.raises(WorkerTimeoutError):
        worker.call(lambda: ran.append(1), 0.05)
    release.set()
    first.join()
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
