"""A browser of one's own for drawing: started on an owner thread, used for a while, and ended whatever happens."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from riskchain_gym.envs.backends.worker import OwnerThread, WorkerTimeoutError
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import InfrastructureError, MissingExtraError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from riskchain_gym.envs.browser.launch import BrowserProcess

R = TypeVar("R")

DRIVER_PACKAGES = ("playwright", "psutil")
"""What a browser is driven with."""

# No server is needed: documents are set, not loaded.
_NO_PORT = 9


@dataclass(frozen=True)
class DrawingBrowser:
    """A running browser and the thread that it is used on; made by :func:`drawing_browser`.

    Attributes:
        settings: What it was started with.
        task: What it is for, as errors say it.
    """

    settings: BrowserSettings
    task: str
    _process: BrowserProcess
    _thread: OwnerThread

    @property
    def browser(self) -> Browser:
        """The browser; to be used in jobs of :meth:`call` only."""
        return self._process.browser

    def call(self, job: Callable[[], R], deadline_s: float | None = None) -> R:
        """Run a job on the browser's thread and return its result.

        Args:
            job: What to run.
            deadline_s: How long to wait for it, in seconds; by default the settings' ``capture_deadline_s``.

        Raises:
            InfrastructureError: The browser failed, or it took longer.
        """
        from playwright.sync_api import Error

        try:
            return self._thread.call(job, self.settings.capture_deadline_s if deadline_s is None else deadline_s)
        except (WorkerTimeoutError, Error) as error:
            raise InfrastructureError("browser_lost", f"The browser failed while {self.task}: {error}") from error


@contextmanager
def drawing_browser(
    task: str, settings: BrowserSettings | None = None, needs: Sequence[str] = DRIVER_PACKAGES
) -> Iterator[DrawingBrowser]:
    """Start a browser, and end it when the block is left: in an orderly way, or killed if the block or it failed.

    Args:
        task: What it is for, as in "while drawing messages".
        settings: Binary, language and time limits; by default those of environments.
        needs: Packages of the ``browser`` extra that the task takes.

    Raises:
        MissingExtraError: One of the packages is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
    """
    if any(importlib.util.find_spec(package) is None for package in needs):
        raise MissingExtraError("browser", task.capitalize())
    from riskchain_gym.envs.browser.launch import BrowserProcess

    settings = settings or BrowserSettings()
    process = BrowserProcess(_NO_PORT, settings)
    thread = OwnerThread("riskchain-draw")
    drawing = DrawingBrowser(settings, task, process, thread)
    try:
        drawing.call(process.start, settings.launch_deadline_s)
        yield drawing
        drawing.call(process.close, settings.close_deadline_s)
    finally:
        process.kill()
        thread.stop(settings.close_deadline_s)
