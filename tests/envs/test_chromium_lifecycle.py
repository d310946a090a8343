"""The browser's life: deaths, restarts, threads, forks, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from chromium_stub import StubServer, StubSession, act, in_page, show, stub_backend, texts

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError

pytestmark = pytest.mark.browser


@pytest.fixture
def backend():
    made = stub_backend()
    yield made
    made.close()


def _alive(pids):
    found = [process for process in psutil.process_iter() if process.pid in pids]
    _, alive = psutil.wait_procs(found, timeout=20)
    running = []
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            running += [process] if process.status() != psutil.STATUS_ZOMBIE else []
    return running


@pytest.mark.parametrize("which", [pytest.param("driver", marks=pytest.mark.slow), "browser"])
def test_a_killed_process_is_an_infrastructure_error_and_open_starts_anew(backend, which):
    show(backend)
    old = backend.pids
    os.kill(old[0 if which == "driver" else 1], signal.SIGKILL)
    with pytest.raises(InfrastructureError) as caught:
        act(backend, "reload")
    assert caught.value.cause == "browser_lost"
    assert _alive(old) == []
    with pytest.raises(InfrastructureError, match="call open"):
        backend.screenshot()
    assert texts(show(backend))[0] == "首页"
    assert not set(old) & set(backend.pids)


@pytest.mark.parametrize("dies", [None, "driver", "browser"])
def test_the_drivers_pipes_are_closed_before_they_are_collected(dies):
    backend = stub_backend()
    show(backend)
    pipes = backend._host._hub.process._driver_pipes
    if dies is not None:
        os.kill(backend.pids[0 if dies == "driver" else 1], signal.SIGKILL)
    backend.close()
    assert pipes.is_closing(), "a transport that first closes in __del__ meets a closed event loop"


def test_a_browser_killed_between_episodes_goes_unnoticed(backend):
    show(backend)
    os.kill(backend.pids[1], signal.SIGKILL)
    assert texts(show(backend))[0] == "首页"
    assert backend.restarts == {"browser_lost": 1}


def test_a_browser_that_has_served_its_episodes_is_replaced_between_two_of_them():
    backend = stub_backend(recycle_episodes=2)
    try:
        show(backend)
        first = backend.pids
        show(backend)
        assert act(backend, "click", "totext").page.path == "/text"
        assert (backend.pids, backend.restarts) == (first, {})
        assert texts(show(backend))[0] == "首页"
        assert _alive(first) == []
        assert backend.restarts == {"recycled": 1}
    finally:
        backend.close()


@pytest.mark.parametrize(("recycle_mib", "restarts"), [(1, {"recycled": 1}), (100_000, {})])
def test_a_browser_that_takes_too_much_memory_is_replaced(monkeypatch, recycle_mib, restarts):
    monkeypatch.setattr("riskchain_gym.envs.backends.browser_hub._WEIGHED_EVERY", 1)
    backend = stub_backend(recycle_mib=recycle_mib)
    try:
        show(backend)
        assert show(backend).path == "/"
        assert backend.restarts == restarts
    finally:
        backend.close()


def test_a_page_that_hangs_meets_the_deadline():
    backend = stub_backend(act_deadline_s=2.0)
    try:
        show(backend, "/script")
        pids = backend.pids
        with pytest.raises(InfrastructureError, match="2 s") as caught:
            act(backend, "click", "hang1")
        assert caught.value.cause == "deadline"
        assert _alive(pids) == []
        assert show(backend, "/script").path == "/script"
    finally:
        backend.close()


def test_a_site_server_that_gives_no_page_is_an_infrastructure_error(backend):
    show(backend, "/bad")
    with pytest.raises(InfrastructureError) as caught:
        act(backend, "click", "dead1")
    assert caught.value.cause == "sandbox_lost"
    with pytest.raises(InfrastructureError) as caught:
        show(backend, "/dead")
    assert caught.value.cause == "sandbox_lost"
    assert show(backend).status == 200


def test_a_page_that_the_site_cannot_make_is_named_with_its_cause(backend):
    show(backend, "/bad")
    backend._session.failure = InfrastructureError("site_error", "/x: 'nosuch' is undefined")
    with pytest.raises(InfrastructureError, match="'nosuch' is undefined") as caught:
        act(backend, "click", "dead1")
    assert caught.value.cause == "site_error"


def test_a_crashed_page_is_an_infrastructure_error(backend):
    show(backend)
    browser = psutil.Process(backend.pids[1])
    renderers = [p for p in browser.children(recursive=True) if "--type=renderer" in p.cmdline()]
    for renderer in renderers:
        renderer.kill()
    with pytest.raises(InfrastructureError):
        act(backend, "reload")
    assert show(backend).status == 200


def test_a_binary_that_is_no_browser_says_how_to_get_one():
    backend = stub_backend(executable=Path(sys.executable))
    with pytest.raises(BrowserUnavailableError, match=r"does not start.*apt-get install"):
        show(backend)
    backend.close()


def test_a_browser_that_starts_no_more_is_an_infrastructure_error(backend, tmp_path):
    show(backend)
    backend.settings = BrowserSettings(executable=Path(sys.executable))
    os.kill(backend.pids[1], signal.SIGKILL)
    with pytest.raises(InfrastructureError) as caught:
        show(backend)
    assert caught.value.cause == "launch"


def test_nothing_works_before_open_or_after_close(backend):
    with pytest.raises(InfrastructureError, match="call open"):
        backend.screenshot()
    show(backend)
    pids = backend.pids
    backend.close()
    backend.close()
    assert _alive(pids) == []
    assert backend.pids == ()
    with pytest.raises(InfrastructureError, match="closed"):
        act(backend, "reload")
    assert show(backend).path == "/"


def test_why_a_browser_did_not_end_by_itself_is_logged(backend, monkeypatch, caplog):
    def refuse() -> None:
        raise RuntimeError("stays open")

    show(backend)
    pids = backend.pids
    monkeypatch.setattr(backend._host._hub.process, "close", refuse)
    with caplog.at_level(logging.DEBUG, "riskchain_gym"):
        backend.close()
    assert "stays open" in caplog.text
    assert _alive(pids) == []


def test_the_server_ends_with_the_backend():
    servers: list[StubServer] = []

    def server() -> StubServer:
        servers.append(StubServer())
        return servers[-1]

    backend = ChromiumBackend(session=StubSession, server=server)
    show(backend)
    backend.close()
    assert [made.closed for made in servers] == [1]


def test_a_forgotten_backend_takes_its_browser_with_it():
    backend = stub_backend()
    show(backend)
    pids, trace = backend.pids, weakref.ref(backend)
    del backend
    gc.collect()
    assert trace() is None
    assert _alive(pids) == []


def test_two_backends_work_side_by_side_in_two_threads():
    backends = [stub_backend(), stub_backend()]
    results: dict[int, list[str]] = {}

    def walk(number: int) -> None:
        show(backends[number])
        results[number] = [act(backends[number], "click", key).page.path for key in ("totext", "link1", "toform")]

    threads = [threading.Thread(target=walk, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: ["/text", "/", "/form"], 1: ["/text", "/", "/form"]}
    backends[0].close()
    assert act(backends[1], "back").page.path == "/"
    backends[1].close()


def test_made_here_used_there_and_inside_a_running_loop(backend):
    show(backend)

    async def main() -> tuple[str, str]:
        inside = act(backend, "click", "totext").page.path
        elsewhere = await asyncio.to_thread(act, backend, "back")
        return inside, elsewhere.page.path

    assert asyncio.run(main()) == ("/text", "/")
    assert backend.screenshot().shape == (900, 1280, 3)


def _walk_in_child(results) -> None:
    backend = stub_backend()
    show(backend)
    results.put(act(backend, "click", "totext").page.path)
    backend.close()


def test_a_spawned_process_has_a_browser_of_its_own():
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=_walk_in_child, args=(results,))
    process.start()
    assert results.get(timeout=60) == "/text"
    process.join(30)
    assert process.exitcode == 0


def test_a_forked_child_starts_a_browser_of_its_own_and_leaves_the_parents_alone(tmp_path):
    code = """
import os
from chromium_stub import act, show, stub_backend
from riskchain_gym.protocol.errors import InfrastructureError
backend = stub_backend()
show(backend)
child = os.fork()
if child == 0:
    try:
        backend.screenshot()
    except InfrastructureError as error:
        cause = error.cause
    path = show(backend).path
    backend.close()
    os._exit(0 if (cause, path) == ("forked", "/") else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), act(backend, "click", "totext").page.path)
backend.close()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["0", "/text"], done.stderr


@pytest.mark.parametrize("end", ["kill", "kill after fork", "interrupt", "terminate"])
def test_nothing_outlives_python(end):
    program = Path(__file__).parent / "chromium_orphan.py"
    arguments = ["fork"] if end == "kill after fork" else []
    with subprocess.Popen(
        [sys.executable, program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as python:
        assert python.stdout is not None
        started = [int(pid) for pid in python.stdout.readline().split()]
        assert len(started) >= 3
        forked = started.pop() if arguments else None
        python.send_signal({"interrupt": signal.SIGINT, "terminate": signal.SIGTERM}.get(end, signal.SIGKILL))
        python.wait(60)
    assert _alive(started) == []
    if forked is not None:
        os.kill(forked, signal.SIGKILL)


def test_a_fragment_of_the_address_is_still_the_site(backend):
    show(backend)
    in_page(backend, "(location.hash = 'x')")
    assert act(backend, "reload").error is None


def test_an_interrupt_while_the_browser_launches_leaves_nothing(backend, monkeypatch):
    call = threading.Event.wait
    before = set(psutil.Process().children(recursive=True))

    def interrupted(event, timeout=None):
        if threading.current_thread() is threading.main_thread():
            monkeypatch.undo()
            raise KeyboardInterrupt
        return call(event, timeout)

    monkeypatch.setattr("riskchain_gym.envs.backends.worker.threading.Event.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        show(backend)
    backend.close()
    left = set(psutil.Process().children(recursive=True)) - before
    assert _alive([process.pid for process in left]) == []
    assert "riskchain-browser" not in [thread.name for thread in threading.enumerate()]
    assert show(backend).status == 200


def test_a_browser_that_does_not_end_is_killed_and_leaves_no_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    backend = stub_backend(close_deadline_s=1.0)
    show(backend)
    pids = backend.pids
    assert list(tmp_path.glob("playwright*"))
    os.kill(pids[1], signal.SIGSTOP)
    backend.close()
    assert _alive(pids) == []
    assert list(tmp_path.glob("playwright*")) == []
