"""One Chromium and the driver that speaks to it: started, ended and, if need be, killed together."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from riskchain_gym.envs.browser.find import HOW_TO_GET_ONE, find_chromium
from riskchain_gym.envs.browser.flags import SANDBOX_VARIABLE, browser_flags, wants_sandbox
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.stderr import BrowserLog
from riskchain_gym.protocol.errors import BrowserUnavailableError

if TYPE_CHECKING:
    import asyncio

    from playwright.sync_api import Browser, Playwright

_LOG_TAIL = 300
_TIDY_S = 1.0
_LOOK_EVERY_S = 0.02
_SAID = re.compile(r"\[pid=\d+\](?:\[err\] (.+)| <process did (exit: .+)>)")
_TOO_MANY_FILES = ("EMFILE", "ENFILE", "Too many open files", "too many open files")
_MORE_FILES = "raise the limit of open files (ulimit -n), or run fewer browsers at a time"
_MORE_FILES_OR_DRIVER = f"{_MORE_FILES}; if it is not that, install the package playwright again"
_NO_FOLDER = re.compile(r"\b(?:ENOENT|EACCES|EROFS|ENOTDIR)\b.*\bmkdtemp\b|No usable temporary directory")
_NO_SANDBOX = ("sandboxing failed", "No usable sandbox", "crbug.com/357670")


class BrowserProcess:
    """A browser whose ``start`` and ``close`` run on its owner thread; ``kill`` runs anywhere.

    Nothing outlives this Python process, however it ends: the driver ends when its input closes, and takes the browser
    with it; the browser ends when the driver's pipe closes.

    Args:
        sandbox_port: Port of the sandbox server that every ``*.test`` name leads to.
        settings: Flags, binary and time limits.
    """

    def __init__(self, sandbox_port: int, settings: BrowserSettings) -> None:
        self._port = sandbox_port
        self._settings = settings
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._processes: list[psutil.Process] = []
        self._profile: Path | None = None
        self._driver_pipes: asyncio.SubprocessTransport | None = None
        self._log: BrowserLog | None = None

    @property
    def browser(self) -> Browser:
        """The running browser."""
        assert self._browser is not None, "start() comes first"
        return self._browser

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the driver and of the browser's main process."""
        return tuple(process.pid for process in self._processes)

    def start(self) -> None:
        """Start driver and browser.

        Raises:
            BrowserUnavailableError: There is no browser, or it or its driver does not start; the message holds the end
                of its log.
        """
        from playwright.sync_api import Error, sync_playwright

        binary = self._settings.executable or find_chromium(headless=self._settings.headless)
        try:
            self._playwright = sync_playwright().start()
            self._adopt_driver(self._playwright)
            self._log = log = BrowserLog(Path(binary))
        except (Error, OSError, AttributeError, psutil.Error) as error:
            # Playwright says of a driver that it could not start only that it has none.
            raise BrowserUnavailableError(_why_no_driver(error)) from error
        _parents_own.update(log.files)
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=log.executable,
                args=browser_flags(self._port, self._settings),
                headless=self._settings.headless,
                chromium_sandbox=wants_sandbox(),
                handle_sigint=False,
                timeout=0,
            )
            info = self._browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
            main = psutil.Process(next(p["id"] for p in info["processInfo"] if p["type"] == "browser"))
            self._processes.append(main)
            self._profile = _profile_of(main)
        except (Error, psutil.Error) as error:
            told = str(error).replace(str(log.executable), str(binary))
            raise BrowserUnavailableError(_why_not(str(binary), log.lines(), told)) from error
        log.started()

    def is_running(self) -> bool:
        """Say whether driver and browser are both alive."""
        return all(_is_alive(process) for process in self._processes)

    def is_driver_running(self) -> bool:
        """Say whether the driver is alive, or has not started yet."""
        return all(_is_alive(process) for process in self._processes[:1])

    def last_words(self) -> str:
        """Return what the browser has said of its own end, ``""`` if nothing; no path, host or process id is in it."""
        return "" if self._log is None else self._log.last_words()

    def memory_mib(self) -> float:
        """Return the memory of driver and browser, all their processes included, in MiB.

        It is the proportional set size, where the system tells it, else the resident one. Takes some ten milliseconds;
        what has ended meanwhile counts nothing.
        """
        self._trim_log()
        size = 0
        for process in self._family():
            with contextlib.suppress(psutil.Error):
                memory = process.memory_full_info()
                size += getattr(memory, "pss", memory.rss)
        return size / 2**20

    def kill_gluttons(self, limit_mib: float) -> None:
        """Kill the processes below the browser's main one, those of pages, that hold more memory than they may.

        Whoever waits for such a page fails with it; pages in other processes go on.

        Args:
            limit_mib: Resident set size from which on a process is killed.
        """
        self._trim_log()
        for process in self._family()[2:]:
            with contextlib.suppress(psutil.Error):
                if process.memory_info().rss > limit_mib * 2**20:
                    process.kill()

    def close(self) -> None:
        """End browser and driver in an orderly way; without effect once the driver is gone."""
        if self._browser is not None and self.is_running():
            self._browser.close()
        elif self._profile is not None:
            # The driver of a browser that died removes its folders only while nobody stops it.
            self._let_tidy(lambda: self._profile is None or not self._profile.exists())
        if self._playwright is not None and self.is_driver_running():
            self._playwright.stop()
            self._close_pipes()
        self._close_log()

    def kill_browser(self) -> None:
        """Kill the browser; what waits for it on the owner thread fails as soon as the driver has noticed."""
        _kill_all(self._family()[1:])

    def kill(self) -> None:
        """Kill what is left of browser and driver, and remove the profile that a killed browser leaves behind.

        Playwright does not notice, so the owner thread must not use it any more. A driver that is still alive gets a
        second to remove the folders that only it knows of.
        """
        self.kill_browser()
        self._let_tidy(lambda: False)
        _kill_all(self._processes)
        self._close_pipes()
        self._close_log()
        if self._profile is not None:
            shutil.rmtree(self._profile, ignore_errors=True)

    def _family(self) -> list[psutil.Process]:
        """Return the driver and, after it, the browser's processes."""
        family = list(self._processes)
        for process in self._processes[:1]:
            with contextlib.suppress(psutil.NoSuchProcess):
                family += [child for child in process.children(recursive=True) if child not in family]
        return family

    def _let_tidy(self, is_tidy: Callable[[], bool]) -> None:
        end = time.monotonic() + _TIDY_S
        while self._processes and self.is_driver_running() and not is_tidy() and time.monotonic() < end:
            time.sleep(_LOOK_EVERY_S)

    def _close_pipes(self) -> None:
        # Playwright closes its loop, or leaves it, while the driver's output may still be open. Pipes that are first
        # closed when they are collected find the loop gone, and say so on stderr.
        if self._driver_pipes is not None:
            with contextlib.suppress(RuntimeError):
                self._driver_pipes.close()

    def _trim_log(self) -> None:
        if self._log is not None:
            self._log.trim()

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()

    def _adopt_driver(self, playwright: Playwright) -> None:
        # Playwright does not say which process its driver is; a browser that hangs can only be ended through it.
        process = playwright._impl_obj._connection._transport._proc
        self._driver_pipes = process._transport
        self._processes.append(psutil.Process(process.pid))
        _parents_own.add(process.stdin.transport.get_extra_info("pipe"))


def _profile_of(process: psutil.Process) -> Path | None:
    flag = "--user-data-dir="
    folders = (Path(word.removeprefix(flag)) for word in process.cmdline() if word.startswith(flag))
    # A wrapper script may name a profile that people use; only the throw-away kind is ours.
    return next((folder for folder in folders if folder.name.startswith("playwright_chromiumdev_profile-")), None)


def _kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


_parents_own: weakref.WeakSet[io.IOBase] = weakref.WeakSet()


def _let_go() -> None:
    # A forked child that kept a driver's input open would keep driver and browser alive after this process has died.
    for file in list(_parents_own):
        file.close()


os.register_at_fork(after_in_child=_let_go)


def _why_not(binary: str, lines: list[str], told: str) -> str:
    if any(sign in text for sign in _NO_SANDBOX for text in (*lines, told)):
        return (
            f"Chromium at '{binary}' could not start its own sandbox on this machine: "
            f"allow unprivileged user namespaces, or set {SANDBOX_VARIABLE}=0."
        )
    lines = [*lines, *(err or end for err, end in _SAID.findall(told))]
    said = " ".join(dict.fromkeys(lines))[-_LOG_TAIL:] or told.strip().partition("\n")[0][:_LOG_TAIL]
    return f"'{binary}' does not start as a browser ({said}): {_what_to_do(told, *lines) or HOW_TO_GET_ONE}."


def _why_no_driver(error: Exception) -> str:
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    reason = next((cause for cause in causes if isinstance(cause, OSError)), error)
    said = f"{type(reason).__name__}: {reason}"[:_LOG_TAIL]
    return f"The browser driver does not start ({said}): {_what_to_do(*map(str, causes)) or _MORE_FILES_OR_DRIVER}."


def _what_to_do(*said: str) -> str:
    """Return what helps where the machine is at fault and not the browser, ``""`` if nothing shows that."""
    if any(sign in text for sign in _TOO_MANY_FILES for text in said):
        return _MORE_FILES
    if any(_NO_FOLDER.search(text) for text in said):
        return "TMPDIR, the folder for temporary files, does not exist or cannot be written: make it, or name another"
    return ""
