"""Both browsers of Debian, each started in three ways: behind the backend, open and driven, or by itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from riskchain_gym.envs.backends.worker import OwnerThread
from riskchain_gym.envs.browser.flags import wants_sandbox

R = TypeVar("R")

SHELL, FULL = "chromium-headless-shell", "chromium"
BINARIES = (SHELL, FULL)


def binary_of(name: str) -> Path:
    """Return the path of a browser, or skip the test."""
    behind = Path("/usr/lib/chromium") / name
    if behind.is_file():
        return behind
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return Path(found)


class OpenBrowser:
    """A browser without the seal, or with what flags it is given, driven on a thread of its own.

    Args:
        name: Which of :data:`BINARIES`.
        args: Command-line flags.
    """

    def __init__(self, name: str, args: Sequence[str] = ()) -> None:
        self._thread = OwnerThread("open-browser")
        binary = binary_of(name)

        def start() -> tuple[Any, Any]:
            from playwright.sync_api import sync_playwright

            driver = sync_playwright().start()
            options: dict[str, Any] = {"executable_path": binary, "chromium_sandbox": wants_sandbox()}
            return driver, driver.chromium.launch(args=list(args), handle_sigint=False, **options)

        self._driver, self.browser = self._thread.call(start, 90)

    def call(self, job: Callable[[Any], R]) -> R:
        """Run a job with the browser."""
        return self._thread.call(lambda: job(self.browser), 90)

    def close(self) -> None:
        self._thread.call(self.browser.close, 30)
        self._thread.call(self._driver.stop, 30)
        self._thread.stop(10)


@contextmanager
def opened(name: str, args: Sequence[str] = ()) -> Iterator[OpenBrowser]:
    made = OpenBrowser(name, args)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def by_itself(name: str, url: str, profile: Path, args: Sequence[str] = ()) -> Iterator[subprocess.Popen[bytes]]:
    """Show an address in a browser that nothing drives, so that it does all that it does for a person."""
    sandbox = [] if wants_sandbox() else ["--no-sandbox"]
    own = ["--headless", "--disable-gpu", f"--user-data-dir={profile}", "--remote-debugging-port=0", *sandbox]
    process = subprocess.Popen(
        [binary_of(name), *own, *args, url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)
