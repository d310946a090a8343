"""What a browser says on stderr, and what of it an error tells."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from chromium_stub import act, in_page, show, stub_backend

from riskchain_gym.envs.browser import stderr
from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.stderr import BrowserLog
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError

pytestmark = pytest.mark.browser

FULL = Path("/usr/lib/chromium/chromium")
FATAL = "[812:820:1130/101649.211000:FATAL:base/x.cc:12] Check failed: ok. /home/me/x at 0x7ffd12ab of q1.test:4711"


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def saying(path: Path, line: str, browser: Path) -> Path:
    """A browser that has said a line before it starts."""
    return script(path, f"echo '{line}' >&2", f'exec {browser} "$@"')


@pytest.fixture
def log(tmp_path):
    made = BrowserLog(script(tmp_path / "browser", "cat >&2"))
    yield made
    made.close()


def say(log: BrowserLog, *lines: str) -> None:
    subprocess.run([log.executable], input="\n".join((*lines, "")).encode(), check=True)


def memory_files() -> list[str]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(entry.readlink()))
        except FileNotFoundError:  # the one that lists the folder
            continue
    return [name for name in found if "riskchain-" in name]


def killed(executable: Path) -> str:
    backend = stub_backend(executable=executable)
    try:
        show(backend)
        os.kill(backend.pids[1], signal.SIGABRT)
        with pytest.raises(InfrastructureError) as caught:
            act(backend, "reload")
        assert caught.value.cause == "browser_lost"
        return str(caught.value)
    finally:
        backend.close()


def test_a_browser_that_ends_is_quoted(tmp_path):
    told = killed(saying(tmp_path / "it", FATAL, find_chromium()))
    assert "(it said: FATAL: Check failed: ok. … at … of …)" in told
    assert memory_files() == []


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="needs Debian's full Chromium")
def test_a_full_chromium_that_ends_is_quoted_without_its_noise(tmp_path):
    assert "(it said: FATAL: Check failed: ok. … at … of …)" in killed(saying(tmp_path / "it", FATAL, FULL))
    assert "it said" not in killed(FULL)


def test_a_crash_below_the_browser_is_quoted_once_the_browser_has_ended():
    backend = stub_backend()
    try:
        show(backend)
        browser = backend._host._hub.process.browser

        def crash_twice() -> None:
            session = browser.new_browser_cdp_session()
            session.send("Browser.crashGpuProcess")
            # What the browser logs of it comes before the answer to the next call that needs the process.
            browser.new_page().screenshot()
            session.send("Browser.crash")

        with pytest.raises(InfrastructureError, match="GPU process exited unexpectedly"):
            backend._host.use(lambda _: crash_twice(), 20, "crashing")
    finally:
        backend.close()


def test_a_browser_that_does_not_start_says_why_on_one_line(tmp_path):
    backend = stub_backend(executable=script(tmp_path / "it", "echo 'libfoo.so.1: cannot open' >&2", "exit 127"))
    with pytest.raises(BrowserUnavailableError, match=r"\(libfoo.so.1: cannot open.*\): install one"):
        show(backend)
    assert memory_files() == []
    backend.close()


def test_a_sandbox_that_does_not_start_is_named(tmp_path):
    line = "[1:1:1130/1.2:FATAL:x.cc:1] No usable sandbox! If you are"
    backend = stub_backend(executable=script(tmp_path / "it", f"echo '{line}' >&2", "exit 133"))
    with pytest.raises(BrowserUnavailableError, match="RISKCHAIN_CHROMIUM_SANDBOX=0"):
        show(backend)
    backend.close()


@pytest.mark.parametrize("folder", ["none", "none/in/none", "file"])
def test_a_missing_folder_for_temporary_files_is_named(folder, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TMPDIR", str(tmp_path / folder))
    backend = stub_backend()
    with pytest.raises(BrowserUnavailableError, match=r"TMPDIR.* does not exist or cannot be written") as caught:
        show(backend)
    assert "install" not in str(caught.value)
    backend.close()


_WITH_FEW_FILES = """
import resource, sys
import playwright.sync_api
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import BrowserUnavailableError
process = BrowserProcess(1, BrowserSettings())
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
try:
    process.start()
except BrowserUnavailableError as error:
    print(error)
process.kill()
"""


@pytest.mark.parametrize(
    "limit", [pytest.param(8, marks=pytest.mark.slow), 16, pytest.param(24, marks=pytest.mark.slow)]
)
def test_too_few_open_files_are_named(limit):
    """With the least not even the driver starts, with the most only the browser does not."""
    command = [sys.executable, "-c", _WITH_FEW_FILES, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "does not start (" in done.stdout or "does not start as a browser (" in done.stdout, done.stderr
    assert "): raise the limit of open files" in done.stdout


def no_memory_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(stderr.os, "memfd_create")


def none_that_may_be_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = os.memfd_create

    def sealed(name: str) -> int:
        descriptor = made(name)
        os.fchmod(descriptor, 0o600)
        return descriptor

    monkeypatch.setattr(stderr.os, "memfd_create", sealed)


def refused_when_they_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: list[Path], **_: object) -> None:
        assert os.access(command[0], os.X_OK), "it looks as if it could be run"
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(stderr.subprocess, "run", refuse)


def failing_when_they_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 2)
    monkeypatch.setattr(stderr.subprocess, "run", lambda *_, **__: failed)


def hanging_when_they_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[Path], *, timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(stderr.subprocess, "run", hang)


@pytest.mark.parametrize(
    "lack",
    [
        no_memory_files,
        none_that_may_be_executed,
        refused_when_they_are_run,
        failing_when_they_are_run,
        hanging_when_they_are_run,
    ],
)
def test_a_system_that_runs_no_memory_files_gets_the_browser_itself(lack, monkeypatch, tmp_path):
    lack(monkeypatch)
    binary = script(tmp_path / "it")
    made = BrowserLog(binary)
    assert made.executable == binary
    assert made.files == ()
    assert memory_files() == []
    assert made.lines() == []


@pytest.mark.parametrize("lack", [no_memory_files, none_that_may_be_executed])
def test_without_memory_files_the_browser_is_started_by_itself(lack, monkeypatch, tmp_path):
    lack(monkeypatch)
    assert "it said" not in killed(saying(tmp_path / "it", FATAL, find_chromium()))
    backend = stub_backend(executable=script(tmp_path / "no", "echo 'libfoo.so.1: cannot open' >&2", "exit 127"))
    with pytest.raises(BrowserUnavailableError, match=r"libfoo\.so\.1: cannot open"):
        show(backend)
    backend.close()


def test_the_trial_of_a_memory_file_says_nothing(log):
    assert log.executable.parent == Path(f"/proc/{os.getpid()}/fd")
    assert log.lines() == []


@pytest.mark.parametrize("end", ["close", pytest.param("kill", marks=pytest.mark.slow)])
def test_no_launch_leaves_a_file_behind(end, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for _ in range(5):
        backend = stub_backend()
        show(backend)
        process = backend._host._hub.process
        assert len(memory_files()) == 1, "the log is open, the script no more"
        if end == "kill":
            process.kill()
            assert memory_files() == []
        backend.close()
        assert memory_files() == []
    assert list(tmp_path.iterdir()) == []


def test_what_pages_print_is_not_logged():
    backend = stub_backend()
    try:
        show(backend, "/script")
        in_page(backend, "(console.error('FATAL: out of memory'), setTimeout(() => { throw Error('printed') }))")
        act(backend, "reload")
        assert not [line for line in backend._host._hub.process._log.lines() if "CONSOLE" in line]
    finally:
        backend.close()


def test_a_log_that_grows_begins_anew(log):
    say(log, *["[1:1:1130/1.2:ERROR:x.cc:1] Out of memory"] * 40_000)
    log.trim()
    assert log.lines() == []
    say(log, "x.cc: Out of memory")
    log.trim()
    assert log.last_words() == "x.cc: Out of memory"
    log.close()
    assert log.last_words() == "x.cc: Out of memory", "what was said is still known after the end"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "[6395:6411:1130/101704.412:ERROR:dbus/bus.cc:405] Failed to connect to the bus: /run/dbus: No such file",
            "",
        ),
        ("[1:1:1130/1.2:ERROR:third_party/crashpad/file_io_posix.cc:145] open /sys/devices/cpu0: No such file", ""),
        ('[1130/101657.9:INFO:CONSOLE:1] "Out of memory", source: http://a1.test/ (1)', ""),
        ("Received signal 11 SEGV_MAPERR 000055d0c0ffee00", "Received signal 11 SEGV_MAPERR …"),
        (
            "[1130/1.2:ERROR:gpu_process_host.cc:1044] GPU process 12345 exited unexpectedly: exit_code=11",
            "GPU process … exited unexpectedly: exit_code=11",
        ),
        ("#0 0x55d0c0ffee00 (/usr/lib/chromium/chromium+0x1234)", ""),
        (f"[1:1:1130/1.2:FATAL:x.cc:1] {'x ' * 400}", f"FATAL: {'x ' * 400}"[:300]),
        (
            "[1:1:1130/1.2:FATAL:x.cc:1] at 10.0.0.7:8080 http://h.test/p?q '/home/me/a.b' 12:30:01",
            "FATAL: at … … '…' …",
        ),
    ],
)
def test_only_crashes_are_told_and_nothing_of_the_machine(log, line, told):
    say(log, line)
    assert log.last_words() == told


def test_the_last_lines_are_told_each_once(log):
    say(log, *(f"Fatal {name * 120}" for name in "xyyz"))
    assert log.last_words() == f"Fatal {'y' * 120} Fatal {'z' * 120}"


def test_a_forked_child_keeps_no_log_and_the_parents_goes_on(tmp_path):
    backend = stub_backend(executable=saying(tmp_path / "it", FATAL, find_chromium()))
    try:
        show(backend)
        child = os.fork()
        if child == 0:
            os._exit(len(memory_files()))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert backend._host._hub.process.last_words().startswith("FATAL: Check failed")
        assert act(backend, "reload").error is None
    finally:
        backend.close()
